"""The command line, and the one place that puts the app together."""

from __future__ import annotations

import io
import os
import sys
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from nlm_tui import __version__, forgetting, index_commands, launching, logs, output
from nlm_tui.core import (
    DEFAULT_LIMIT,
    MARKER_KINDS,
    MAX_LIMIT,
    MODES,
    MarkerKind,
    Mode,
    RecallResult,
    Session,
    StoreError,
    explanation,
    parse,
    storable,
)
from nlm_tui.display import records
from nlm_tui.settings import (
    STORE_VARIABLE,
    Settings,
    SettingsError,
    config_path,
    default_log_path,
    default_store_path,
    state_path,
)

if TYPE_CHECKING:
    from nlm_tui.picking import Printed
    from nlm_tui.storage import SqliteSessionStore

_COMMAND = launching.COMMAND
_COMPLETE_VARIABLE = "_NLM_TUI_COMPLETE"
_DEFAULT_MODE = launching.DEFAULT_MODE
_NO_HIT, _MISUSE, _INTERRUPTED = 1, 2, 130
_USING_KEYS = (None, "keys")  # the screen, and the list of keys
_USING_SOURCES = (None, "index", "sources")
_CANDIDATES = 5  # sessions that are named where one was meant
_DB_HELP = f"The memory to use; without it {STORE_VARIABLE}, else the one named below."


class _Options:
    """What was said before the command."""

    def __init__(self, settings: Settings, mode: Mode | None, *, demo: bool) -> None:
        self.settings = settings
        self.mode: Mode | None = mode
        self.demo = demo

    def store(self) -> AbstractContextManager[Path]:
        """Return the path of the store to read, as long as it is there; end with a complaint where there is none."""
        self.require_store()
        return launching.used_store(self.settings, demo=self.demo)

    def require_store(self) -> None:
        """End with a complaint where there is no store; the demo is made."""
        if not self.demo:
            launching.require_store(self.settings)


class _Group(click.Group):
    """The command group; its help names the files that the program uses on this machine."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Files"):
            # Not as a definition list, which breaks long paths.
            files = {
                "memory": default_store_path(),
                "errors": default_log_path(),
                "settings": config_path(os.environ),
                "state": state_path(os.environ),
            }
            for name, path in files.items():
                formatter.write(f"{'':{formatter.current_indent}}{name:8}  {path}\n")


class _Search(click.Command):
    """The search command: `-word` is part of the query; what begins with two dashes is an option, until `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.ignore_unknown_options = True
        options = args[: args.index("--")] if "--" in args else args
        known = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        for argument in options:
            name = argument.partition("=")[0]
            if name.startswith("--") and name not in known:
                raise click.NoSuchOption(name, possibilities=sorted(known), ctx=ctx)
        # Not an option of its own: click would find it inside `-ssh`.
        helped = ["--help" if argument == "-h" else argument for argument in options]
        return super().parse_args(ctx, [*helped, *args[len(options) :]])


_reveal_option = click.option("--reveal", is_flag=True, help="Show keys, tokens and passwords, which are masked else.")
_mode_option = click.option("--mode", type=click.Choice(MODES), help="How to recall; default: hybrid.")


@click.group(cls=_Group, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--db", type=click.Path(dir_okay=False, path_type=Path), help=_DB_HELP)
@_mode_option
@click.option("--demo", is_flag=True, help="Look around in a demo memory of invented sessions.")
@click.option("--query", default="", metavar="TEXT", help="Begin with this text in the search box.")
@click.option("--continue", "goes_on", is_flag=True, help="Begin where the screen was left last.")
@click.option("--pick", is_flag=True, help="Leave with the session that Enter chooses, and print its id.")
@click.option(
    "--print", "printed", type=click.Choice(("id", "path", "command", "markdown")), help="What --pick prints instead."
)
@click.version_option(__version__, prog_name=_COMMAND)
@click.pass_context
def cli(
    context: click.Context,
    db: Path | None,
    mode: Mode | None,
    query: str,
    printed: Printed | None,
    *,
    demo: bool,
    goes_on: bool,
    pick: bool,
) -> None:
    """Search the sessions of all coding agents on this machine: what was decided, why, and what is still open.

    Without a command the search screen opens, and new sessions are indexed in the background. With --pick it is drawn
    on stderr; exit status 130 when it is left without a choice, 1 when the choice has no such path or command.
    """
    if demo and db:
        raise click.UsageError("--demo and --db are two memories; name one of them")
    if printed and not pick:
        raise click.UsageError("--print says what --pick prints; name both")
    try:
        settings = Settings.resolve(os.environ, db, reads=context.invoked_subcommand in _USING_SOURCES)
    except SettingsError as error:
        raise _with_wrong_keys(error) if context.invoked_subcommand in _USING_KEYS else error from None
    output.complain_all(settings.source_problems)
    context.obj = _Options(settings, mode, demo=demo)
    if context.invoked_subcommand is None:
        launching.require_terminal(picks=pick)
        picked: Printed | None = (printed or "id") if pick else None
        begins = launching.Launch(
            settings=settings, mode=mode, demo=demo, query=storable(query), goes_on=goes_on, picked=picked
        )
        raise SystemExit(launching.open_screen(begins))


@cli.command(cls=_Search, context_settings={"help_option_names": ["--help"]})
@click.argument("query", nargs=-1)
@_mode_option
@click.option(
    "--limit",
    type=click.IntRange(1, MAX_LIMIT, clamp=True),
    default=DEFAULT_LIMIT,
    show_default=True,
    help="Hits at most.",
)
@click.option("--entity", help="Only sessions about this project, library, service ...")
@click.option("--kind", type=click.Choice(MARKER_KINDS), help="Only sessions that hold a decision or an open question.")
@click.option("--why", is_flag=True, help="Say why each hit stands where it does.")
@_reveal_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def search(
    options: _Options,
    query: tuple[str, ...],
    mode: Mode | None,
    limit: int,
    entity: str | None,
    kind: MarkerKind | None,
    *,
    why: bool,
    reveal: bool,
    as_json: bool,
) -> None:
    """Print the sessions that match QUERY, best first. Exit status 1 when nothing matches.

    Any of the words may match; "a phrase" in quotes must occur, -word must not. Filters: agent: project: entity: has:
    in: status: is: since: before: branch: model: like:, several values with commas, a dash turns one around. After
    `--` a word may begin with two dashes.
    """
    from nlm_tui import wiring  # noqa: PLC0415 - help and completion need none
    from nlm_tui.storage import SqliteSessionStore  # noqa: PLC0415

    text = storable(" ".join(query))  # the shell passes on bytes that are no text
    if not text and entity is None and kind is None:
        raise click.UsageError("say what to search for: words, or filters such as has:open")
    asked = mode or options.mode
    wanted = parse(text, mode=asked or _DEFAULT_MODE, limit=limit, entity=entity, kind=kind)
    with options.store() as path, SqliteSessionStore.open(path) as store:
        embeds = options.demo and asked in {"semantic", "hybrid"}  # it takes a second
        result = wiring.recall_service(options.settings, store, embeds=embeds, reveal=reveal).search(wanted)
        if not result.results:
            _mention_emptiness(store, path)
        reasons = _reasons(store, result) if why else {}
    if as_json:
        output.print_lines([records.as_json(records.result_json(result, reasons))])
    else:
        output.print_lines(output.result_lines(result, reasons, datetime.now(UTC), options.settings.home))
        output.complain_all(output.result_notes(result, asked or (_DEFAULT_MODE if wanted.seeks_similar else None)))
    if not result.results:
        raise SystemExit(_NO_HIT)


@cli.command()
@click.argument("session_id", metavar="ID", type=forgetting.SessionId())
@click.option(
    "--format", "form", type=click.Choice(("text", "markdown", "html", "json")), help="How to print it; default: text."
)
@_reveal_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, messages included: --format json.")
@click.pass_obj
def show(options: _Options, session_id: str, form: str | None, *, reveal: bool, as_json: bool) -> None:
    """Print the session ID with its whole conversation. The beginning of an id will do.

    Exit status 1 when there is no such session.
    """
    from nlm_tui import picking  # noqa: PLC0415 - help and completion need none
    from nlm_tui.display.export import FORMATS, Place, exported_session  # noqa: PLC0415
    from nlm_tui.storage import SqliteSessionStore  # noqa: PLC0415

    if as_json and form not in {None, "json"}:
        raise click.UsageError(f"--json and --format {form} are two formats; name one of them")
    with options.store() as path, SqliteSessionStore.open(path) as store:
        session = _found_session(store, path, session_id)
        labels = picking.labels_of_others(store, session)
        problem = None if store.foreign else store.source_problem(session.id)
    now, home = datetime.now(UTC), options.settings.home
    for wanted in FORMATS:
        if wanted == ("json" if as_json else form):
            output.print_lines(
                [exported_session(session, wanted, Place(home), labels, problem=problem, reveal=reveal)], nl=False
            )
            return
    output.print_lines(output.session_text(session, now=now, home=home, labels=labels, reveal=reveal))


@cli.command()
@click.argument("session_id", metavar="ID", type=forgetting.SessionId())
@click.pass_obj
def resume(options: _Options, session_id: str) -> None:
    """Go on with the session ID in its own agent and directory. The beginning of an id will do.

    Exit status 1 when there is no such session, or when it cannot be resumed.
    """
    from nlm_tui import picking  # noqa: PLC0415 - help and completion need none
    from nlm_tui.storage import SqliteSessionStore  # noqa: PLC0415

    with options.store() as path, SqliteSessionStore.open(path) as store:
        session = _found_session(store, path, session_id)
        wanted = picking.found_resume(store, session)
    raise SystemExit(picking.become(wanted))


@cli.command()
@click.pass_obj
def keys(options: _Options) -> None:
    """Print all keys of the search screen, with the ids by which the settings file can change them."""
    from nlm_tui.ui.listing import key_lines  # noqa: PLC0415 - it loads the screen
    from nlm_tui.ui.own_keys import read_keys  # noqa: PLC0415

    output.print_lines(key_lines(read_keys(options.settings.screen.keys)))


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of SHELL, to be evaluated in its start-up file."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - needed only here

    found = get_completion_class(shell)
    if found is not None:
        output.print_lines([found(cli, {}, _COMMAND, _COMPLETE_VARIABLE).source()])


cli.add_command(forgetting.forget)
cli.add_command(index_commands.index)
cli.add_command(index_commands.extract)
cli.add_command(index_commands.sources)


def main() -> NoReturn:
    """Run the command line; expected failures end in one line, unexpected ones in the log."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        cli.main(prog_name=_COMMAND, complete_var=_COMPLETE_VARIABLE)
    except (StoreError, SettingsError) as error:
        logs.log_failure(default_log_path(), str(error))
        output.complain_all(error.problems if isinstance(error, SettingsError) else [str(error)])
        sys.exit(_MISUSE)
    except Exception as error:  # noqa: BLE001 - the last resort: no traceback for users, no transcript text in it
        if isinstance(error, OSError) and output.is_of_printing(error):
            output.give_up(error)
        logs.log_crash(default_log_path(), error)
        output.complain(f"internal error ({type(error).__name__}); see {default_log_path()}")
        sys.exit(70)
    sys.exit(0)


def _with_wrong_keys(error: SettingsError) -> SettingsError:
    from nlm_tui.ui.own_keys import with_wrong_keys  # noqa: PLC0415 - only a mistake needs it

    return with_wrong_keys(error)


def _find_session(store: SqliteSessionStore, text: str) -> Session | None:
    """Return the session with the id `text`, else the only one whose id begins so; complain when there is none."""
    ids = [text] if store.get_by_id(text) else store.ids_beginning_with(text, _CANDIDATES + 1)
    if len(ids) == 1:
        return store.get_by_id(ids[0])
    if ids:
        more = ", ..." if len(ids) > _CANDIDATES else ""
        output.complain(f"{text} begins several ids: {', '.join(ids[:_CANDIDATES])}{more}")
    else:
        output.complain(f"no session {text}; `{_COMMAND} search` prints the ids")
    return None


def _found_session(store: SqliteSessionStore, path: Path, text: str) -> Session:
    """Return the session that `text` names; end with a complaint where there is none."""
    session = _find_session(store, text)
    if session is None:
        _mention_emptiness(store, path)
        raise SystemExit(_NO_HIT)
    return session


def _reasons(store: SqliteSessionStore, result: RecallResult) -> dict[str, str]:
    """Return why each hit stands where it does."""
    found = {session.id: session for session in store.get_by_ids([hit.id for hit in result.results])}
    return {hit.id: explanation(hit, found[hit.id], result) for hit in result.results if hit.id in found}


def _mention_emptiness(store: SqliteSessionStore, path: Path) -> None:
    if not store.read_only and store.count() == 0:
        output.complain(f"the memory {path} is empty; `{_COMMAND} index` fills it")


if __name__ == "__main__":
    main()
