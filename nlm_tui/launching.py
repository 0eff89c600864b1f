"""Opening the search screen: what it is given, where it draws, and what is printed when it has closed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nlm_tui import logs, output
from nlm_tui.core import Mode
from nlm_tui.settings import Settings

if TYPE_CHECKING:
    from nlm_tui.picking import Printed
    from nlm_tui.ui.context import Context, Memory
    from nlm_tui.ui.machine import Machine

COMMAND = "nlm-tui"
DEFAULT_MODE: Mode = "hybrid"
_WATCH_SECONDS = 1.0
_NOTHING, _MISUSE, _LEFT = 1, 2, 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What was asked for: `picked` says what to print of the session that is chosen, None that none is to be.

    It `goes_on` where the screen was left last.
    """

    settings: Settings
    mode: Mode | None = None
    demo: bool = False
    query: str = ""
    goes_on: bool = False
    picked: Printed | None = None


def require_terminal(*, picks: bool) -> None:
    """End with a complaint where the screen cannot be shown. It is drawn on stderr: to pick needs no stdout.

    Raises:
        SystemExit: it cannot.
    """
    streams = (sys.stdin, sys.stderr) if picks else (sys.stdin, sys.stdout, sys.stderr)
    if os.environ.get("TERM", "" if os.name == "posix" else "windows") in {"", "dumb"}:
        problem = "this terminal cannot show the search screen"
    elif not all(stream and stream.isatty() for stream in streams):
        problem = "the search screen needs a terminal"
    else:
        return
    output.complain(f"{problem}; use `{COMMAND} search QUERY`")
    raise SystemExit(_MISUSE)


def require_store(settings: Settings) -> None:
    """End with a complaint where there is no store: what only reads or forgets makes none, least of all by a slip.

    Raises:
        SystemExit: there is none; its status tells a path that somebody named from a memory that was never filled.
    """
    if not os.path.exists(settings.store_path):  # noqa: PTH110 - of a path that can be none it says no
        output.complain(f"no memory at {settings.store_path}; `{COMMAND} index` makes one")
        raise SystemExit(_MISUSE if settings.is_store_named else _NOTHING)


@contextmanager
def used_store(settings: Settings, *, demo: bool) -> Generator[Path]:
    """Yield the store to use; the demo's is filled first and deleted afterwards."""
    if not demo:
        yield settings.store_path
        return
    from nlm_tui import wiring  # noqa: PLC0415 - only the demo needs it here

    with wiring.temporary_folder() as folder:
        yield wiring.demo_store(Path(folder))


def open_screen(launch: Launch) -> int:
    """Run the search screen, print what was picked, and return the exit status."""
    from nlm_tui import wiring  # noqa: PLC0415 - the screen alone needs all that follows
    from nlm_tui.ingest.background import index_in_background  # noqa: PLC0415
    from nlm_tui.ui.context import Context  # noqa: PLC0415
    from nlm_tui.ui.own_keys import read_keys  # noqa: PLC0415

    settings = launch.settings
    if launch.picked is not None and settings.is_store_named and not launch.demo:
        require_store(settings)  # there is nothing to pick
    keys = read_keys(settings.screen.keys)
    with ExitStack() as stack, used_store(settings, demo=launch.demo) as path:

        def open_demo() -> Memory:
            return open_memory(settings, wiring.demo_store(Path(stack.enter_context(wiring.temporary_folder()))))

        memory = open_memory(settings, path)
        indexes = not launch.demo and not memory.read_only
        context = Context(
            memory=memory,
            mode=launch.mode or DEFAULT_MODE,
            indexing=partial(index_in_background, path, settings.environ, watch=True) if indexes else memory.embedding,
            open_demo=open_demo if indexes else None,
            searched_for=settings.sources.names,
            sources=None if launch.demo else partial(wiring.listed_sources, settings),
            home=settings.home,
            keys=keys,
            query=launch.query,
            picks=launch.picked is not None,
            machine=_machine(settings),
            report_crash=partial(logs.log_crash, settings.log_path),
            watch_seconds=None if launch.demo else _WATCH_SECONDS,
        )
        return _run(launch, context)


def _run(launch: Launch, context: Context) -> int:
    """Run the screen over `context`, whose memory is closed at the end; return the exit status."""
    from nlm_tui.ui.starting import Beginning, app_of  # noqa: PLC0415 - the screen alone needs it

    settings = launch.settings
    app = app_of(context, settings, Beginning(remembers=not launch.demo, goes_on=launch.goes_on, mode=launch.mode))
    try:
        app.run(mouse=settings.screen.mouse)
        if app.return_code or launch.picked is None:
            return app.return_code or 0
        return _print_picked(context.memory, context.picked, launch.picked, settings)
    finally:
        context.memory.close()


def open_memory(settings: Settings, path: Path) -> Memory:
    """Open the store at `path` as the screen uses it."""
    from nlm_tui import wiring  # noqa: PLC0415 - the screen alone needs all that follows
    from nlm_tui.core.browsing import BrowseService  # noqa: PLC0415
    from nlm_tui.embedding.process import ProcessEmbedder  # noqa: PLC0415
    from nlm_tui.ingest.background import index_in_background  # noqa: PLC0415
    from nlm_tui.storage import SqliteSessionStore  # noqa: PLC0415
    from nlm_tui.ui.context import Memory  # noqa: PLC0415

    with ExitStack() as opened:
        searched, near, read, browsed = (opened.enter_context(SqliteSessionStore.open(path)) for _ in range(4))
        # What is typed interrupts what is read for the lists; it must not interrupt a change.
        changed = browsed if browsed.read_only else opened.enter_context(SqliteSessionStore.open(path))
        bundled = opened.enter_context(closing(ProcessEmbedder()))
        return Memory(
            recall=wiring.recall_service(settings, searched, bundled),
            # The index over another program's store is made in memory: one is enough.
            meaning=None if near.foreign else wiring.lasting_recall_service(settings, near, bundled),
            sessions=read,
            interrupt=searched.interrupt,
            interrupt_meaning=near.interrupt,
            close=opened.pop_all().close,
            state=read.state,
            changes=read.changes,
            read_only=searched.read_only,
            values=read.filter_values,
            embedding=None if searched.read_only else partial(index_in_background, path, settings.environ, read=False),
            browsing=BrowseService(browsed.browsing, lists_subagents=settings.sources.subagents),
            interrupt_browsing=browsed.interrupt,
            editing=wiring.edit_service(changed),
            forget=changed.forget,
            copies=changed.copies,
        )


def _machine(settings: Settings) -> Machine:
    from nlm_tui.runtimes.resuming import resume_command  # noqa: PLC0415 - the screen alone needs all that follows
    from nlm_tui.ui.clipboard import Clipboard  # noqa: PLC0415
    from nlm_tui.ui.machine import Machine  # noqa: PLC0415

    return Machine(
        environ=settings.environ,
        which=shutil.which,
        resume=resume_command,
        clipboard=Clipboard(settings.environ, shutil.which),
        folder=Path.cwd(),
    )


def _print_picked(memory: Memory, session_id: str | None, what: Printed, settings: Settings) -> int:
    from nlm_tui.picking import print_session  # noqa: PLC0415 - to pick alone needs it

    if session_id is None:
        return _LEFT
    return print_session(memory.sessions, session_id, what, settings.home)
