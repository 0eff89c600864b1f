"""Other programs on a session: its own agent, an editor, a pager."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nlm_tui.core import Session, one_line
from nlm_tui.core.resume import Resume
from nlm_tui.display.document import session_lines
from nlm_tui.ui.commands.copying import copy_text
from nlm_tui.ui.commands.selecting import found_resume, labels_of_others, read_selected, say, warn
from nlm_tui.ui.editors import NotOpenedError, at_line, editor, line_with, pager
from nlm_tui.ui.questions import Choice, choose

if TYPE_CHECKING:
    from nlm_tui.ui.context import Context
    from nlm_tui.ui.screens.search import SearchScreen

Opened = Literal["transcript", "project", "pager"]


async def resume(screen: SearchScreen) -> None:
    """Go on with the session in its agent, once the user has seen the command."""
    session = await read_selected(screen)
    if session is None:
        return
    wanted = await found_resume(screen, session)
    if wanted.refusal and not wanted.command:
        warn(screen, wanted.refusal)
        return
    choices = (
        Choice("run", "Run it", "r", unavailable=wanted.refusal),
        Choice("copy", "Copy the command", "c"),
    )
    chosen = await choose(screen, "Resume this session", choices, about=_about(wanted))
    if chosen == "run":
        await _run(screen, wanted.command, wanted.directory)
    elif chosen == "copy":
        await copy_text(screen, wanted.line, "the resume command")


def _about(wanted: Resume) -> str:
    where = f"in {one_line(wanted.directory)}" if wanted.directory else "in the current directory"
    return "\n".join((one_line(shlex.join(wanted.command)), where, *wanted.notes))


async def _run(
    screen: SearchScreen, command: Sequence[str], directory: str | None = None, data: bytes | None = None
) -> bool:
    """Hand the terminal to a program, and say how it ended. Return whether it ended well."""
    ended = screen.app_context.machine.run(screen.app, command, directory, data=data)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if ended.text:
        warn(screen, ended.text)
    elif data is None:
        say(screen, f"back from {ended.program}")
    return not ended.text


async def open_menu(screen: SearchScreen) -> None:
    """Ask what of the session to open, and open it."""
    session = await read_selected(screen)
    if session is None:
        return
    # Before the question: another session may be shown by its answer.
    at = screen.session.detail.message_at_view() if screen.session.detail.session_id == session.id else None
    path, project = session.transcript_path, session.project
    choices: tuple[Choice[Opened], ...] = (
        Choice("transcript", "Its transcript", "t", path or "", _why_no_path(session)),
        Choice("project", "Its project's folder", "f", project or "", "" if project else "not known"),
        Choice("pager", "The whole session, to read", "r", "in your pager"),
    )
    chosen = await choose(screen, "Open", choices, about=session.label)
    if chosen is None:
        return
    try:
        command, data = await asyncio.to_thread(
            _opening, screen.app_context, session, chosen, (at.at if at else None) or ""
        )
    except NotOpenedError as error:
        warn(screen, str(error))
        return
    await _run(screen, command, data=data)


def _why_no_path(session: Session) -> str:
    if not session.transcript_path:
        return "the memory does not know where it is"
    return "it was deleted" if session.source_gone else ""


def _opening(context: Context, session: Session, what: Opened, at: str) -> tuple[tuple[str, ...], bytes | None]:
    """Return the command that opens something of a session, and what it reads. `at` is the time of what is in view.

    Raises:
        NotOpenedError: it cannot be opened.
        StoreError: the store failed.
    """
    machine = context.machine
    if what == "pager":
        labels = labels_of_others(context, session)
        lines = session_lines(
            session, home=context.home, now=context.now(), zone=context.zone, labels=labels, sources=True
        )
        text = "\n".join(line.text for line in lines) + "\n"
        return pager(machine.environ, machine.which), text.encode("utf-8", "replace")
    words = editor(machine.environ, machine.which)
    path = Path((session.project if what == "project" else session.transcript_path) or "")
    if not path.is_absolute():  # nor does it begin with a dash
        raise NotOpenedError(f"{one_line(str(path))} is no whole path")
    if what == "project":
        if not path.is_dir():
            raise NotOpenedError(f"the folder {one_line(str(path))} is gone")
        return (*words, str(path)), None
    return at_line(words, path, line_with(path, at)), None
