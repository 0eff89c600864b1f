"""`nlm-tui forget`: sessions leave the memory for good, after a question."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

import click

from nlm_tui import output
from nlm_tui.core import Filter, Session, SessionFilter, one_line, storable
from nlm_tui.settings import Settings
from nlm_tui.settings.state_file import StateError, StateFile

if TYPE_CHECKING:
    from nlm_tui.storage import SqliteSessionStore

_NOTHING: Final = 1
_NAMED = 20  # sessions whose labels are shown before the question
_CANDIDATES = 5  # sessions that are named where one was meant


class Options(Protocol):
    """What was said before the command."""

    settings: Settings
    demo: bool

    def require_store(self) -> None:
        """End with a complaint where there is no store."""


class SessionId(click.ParamType[str]):
    """An id of a session, or the beginning of one."""

    name = "id"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value.strip():
            self.fail("it is empty; name a session by its id, or by the beginning of its id", param, ctx)
        return value


@click.command()
@click.argument("session_ids", metavar="ID...", nargs=-1, type=SessionId())
@click.option("--project", help="All sessions of this project that are in the memory now.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def forget(options: Options, session_ids: Sequence[str], project: str | None, *, yes: bool) -> None:
    """Delete sessions from the memory for good; they are not read again. The beginning of an id will do.

    Their text leaves the file of the memory; transcripts are never touched, and the queries that you typed stay yours:
    the screen's history drops them one by one. Exit status 1 when nothing was forgotten.
    """
    from nlm_tui.storage import SqliteSessionStore  # noqa: PLC0415 - help and completion need none

    if options.demo:
        raise click.UsageError("the demo is forgotten anyway; leave out --demo")
    if bool(session_ids) == (project is not None):
        raise click.UsageError("say what to forget: ids of sessions, or --project")
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("without a terminal to ask on, say --yes")
    options.require_store()
    with SqliteSessionStore.open(options.settings.store_path) as store:
        store.require_writable()
        sessions = named_sessions(store, session_ids) if project is None else _of_project(store, storable(project))
        if not sessions or not (yes or _is_confirmed(sessions)):
            raise SystemExit(_NOTHING)
        total = _forgotten(store, [session.id for session in sessions], StateFile(options.settings.state_path))
        output.print_lines([f"forgot {_counted(total)}"])
        output.complain_all(
            f"{copy} still holds what was forgotten: delete it if you can do without" for copy in store.copies()
        )


def _forgotten(store: SqliteSessionStore, session_ids: Sequence[str], held: StateFile) -> int:
    """Forget sessions, also that the screen showed one of them or of their subagents last; return how many."""
    last = held.read().last.session_id
    was_here = bool(last) and store.get_by_id(last) is not None
    total = store.forget(session_ids)
    if was_here and store.get_by_id(last) is None:
        try:
            held.change(lambda state: state.deselected(last))
        except StateError as error:
            output.complain(str(error))
    return total


def named_sessions(store: SqliteSessionStore, texts: Sequence[str]) -> list[Session]:
    """Return the sessions with these ids, or with ids that begin so; none, and a complaint, where one is not clear."""
    found: dict[str, Session] = {}
    problems: list[str] = []
    for text in texts:
        session = store.get_by_id(text)
        ids = [text] if session else store.ids_beginning_with(text, _CANDIDATES + 1)
        if len(ids) > 1:
            more = ", ..." if len(ids) > _CANDIDATES else ""
            problems.append(f"{text} begins several ids: {', '.join(ids[:_CANDIDATES])}{more}")
        elif not ids:
            problems.append(f"no session {text}")
        else:
            found.update((known.id, known) for known in store.get_by_ids(ids))
    output.complain_all(problems)
    return [] if problems else list(found.values())


def _of_project(store: SqliteSessionStore, project: str) -> list[Session]:
    wanted = Filter("project", (project,)) if project.strip() else None
    if wanted is None:
        raise click.UsageError("--project needs a name")
    found = [
        session
        for filters in ((wanted,), (wanted, Filter("is", ("hidden",))))
        for session in store.list(session_filter=SessionFilter(filters=filters))
    ]
    if not found:
        output.complain(f"no session has project:{project}")
    return found


def _is_confirmed(sessions: Sequence[Session]) -> bool:
    """Ask whether to forget sessions and their subagents; no answer is a no."""
    for session in sessions[:_NAMED]:
        click.echo(f"  {one_line(session.id)}  {one_line(session.label)}", err=True)
    if len(sessions) > _NAMED:
        click.echo(f"  ... and {len(sessions) - _NAMED:,} more", err=True)
    question = f"Forget {_counted(len(sessions))}, with what subagents did in them, for good? This cannot be undone"
    try:
        return click.confirm(question, default=False, err=True)
    except click.Abort:
        click.echo(err=True)
        return False


def _counted(sessions: int) -> str:
    return f"{sessions:,} session{'s' if sessions != 1 else ''}"
