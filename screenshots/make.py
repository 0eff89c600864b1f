"""Write the pictures of the README from the running app and its demo memory: the same bytes at every run."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import cast

from textual.pilot import Pilot

from nlm_tui.core import Mode, RecallService
from nlm_tui.core.browsing import BrowseService
from nlm_tui.core.editing import EditService
from nlm_tui.demo import fill
from nlm_tui.embedding import bundled_embedder, embed_missing
from nlm_tui.settings import RUNTIMES
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.ui.app import NlmApp
from nlm_tui.ui.context import Context, Memory
from nlm_tui.ui.debounce import Debounce
from nlm_tui.ui.screens.search import SearchScreen

_HERE = Path(__file__).parent
_HOME = Path("/home/sam")
_NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
_SEARCH_SECONDS = 0.004  # what a search of the demo takes; the picture must not depend on the machine
_PATIENCE = 30.0
_STILL = 10  # looks at the screen without a change
_WIDE, _NARROW = (120, 36), (80, 24)
_FONT = "DejaVu Sans Mono"
_FONTS = ("/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/TTF", "/usr/share/fonts/dejavu-sans-mono-fonts")
_PNG_WIDTH = 1800


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: what is typed, and which keys are pressed once the answer is there."""

    name: str
    query: str = ""
    keys: tuple[str, ...] = ()
    size: tuple[int, int] = _WIDE
    empty: bool = False
    mode: Mode = "keyword"


SHOTS = (
    Shot("search", "billing retries", ("alt+n",) * 6),
    Shot("decisions", "billing", ("alt+2", "down", "down")),
    Shot("questions", "", ("alt+3", "down")),
    Shot("timeline", "project:finder", ("alt+6",)),
    Shot("topics", "", ("alt+4", "down")),
    Shot("edit", "idempotency", ("alt+e",)),
    Shot("conversation", "double-entry ledger", ("down", "enter", *("n",) * 20)),
    Shot("filters", "retry -kafka agent:claude has:decision", ("ctrl+l",)),
    Shot("meaning", "customers billed twice", ("down",) * 4, mode="hybrid"),
    Shot("narrow", "connection pool", size=_NARROW),
    Shot("first-run", empty=True),
)


def main() -> None:
    """Write all pictures, and the first one as PNG too."""
    for shot in SHOTS:
        path = _HERE / f"{shot.name}.svg"
        path.write_text(asyncio.run(picture(shot)), encoding="utf-8")
        print(path)
    first = _HERE / f"{SHOTS[0].name}.svg"
    first.with_suffix(".png").write_bytes(png(first.read_text(encoding="utf-8")))
    print(first.with_suffix(".png"))


async def picture(shot: Shot) -> str:
    """Run the app as `shot` says, and return its screen as SVG."""
    with demo_memory(empty=shot.empty, embedded=shot.mode != "keyword") as memory:
        app = NlmApp(_context(memory, shot.mode), theme="textual-dark")
        async with app.run_test(size=shot.size) as pilot:
            screen = cast("SearchScreen", app.screen)
            await _until(pilot, lambda: screen.answered == "")
            screen.box.value = shot.query
            screen.box.cursor_position = len(shot.query)
            await _until(pilot, lambda: screen.answered == shot.query and not screen.searching.is_pending)
            for key in shot.keys:
                await pilot.press(key)
                await _until(pilot, lambda: app.screen is not screen or _is_at_rest(screen))
            return await _at_last(pilot)


async def _at_last(pilot: Pilot[None]) -> str:
    """Return the screen as SVG once it stays as it is: a list that has got its room asks for more rows."""
    before, shown = "", _svg(pilot)
    while shown != before:
        for _ in range(_STILL):
            await pilot.pause()
        before, shown = shown, _svg(pilot)
    return shown


def _svg(pilot: Pilot[None]) -> str:
    return pilot.app.export_screenshot(title=pilot.app.title, simplify=True)


def _is_at_rest(screen: SearchScreen) -> bool:
    return not screen.app.workers and screen.answered == screen.box.value


@contextmanager
def demo_memory(*, empty: bool, embedded: bool) -> Generator[Memory]:
    """Yield the demo memory as of a fixed moment, with vectors if wanted, or a memory without sessions."""
    with tempfile.TemporaryDirectory(prefix="nlm-screenshots-") as folder:
        path = Path(folder) / "memory.sqlite"
        with SqliteSessionStore.open(path) as searched, SqliteSessionStore.open(path) as read:
            if not empty:
                fill(searched, _NOW)
            bundled = bundled_embedder() if embedded else None
            if bundled is not None:
                embed_missing(searched, bundled)
            yield Memory(
                RecallService(searched, bundled, now=lambda: _NOW, zone=UTC),
                read,
                searched.interrupt,
                close=lambda: None,
                values=read.filter_values,
                state=read.state,
                changes=read.changes,
                browsing=BrowseService(read.browsing, now=lambda: _NOW, zone=UTC),
                editing=EditService(read.corrections, now=lambda: _NOW, new_suffix=lambda: "0" * 8),
            )


def png(svg: str) -> bytes:
    """Return an SVG picture as PNG, in a font that most machines have."""
    import resvg_py  # noqa: PLC0415 - the SVG pictures do without it

    return resvg_py.svg_to_bytes(
        svg_string=svg.replace("Fira Code", _FONT).replace("arial", _FONT),
        font_dirs=[folder for folder in _FONTS if Path(folder).is_dir()],
        monospace_family=_FONT,
        width=_PNG_WIDTH,
    )


def _context(memory: Memory, mode: Mode) -> Context:
    ticks = count()
    return Context(
        memory=memory,
        mode=mode,
        open_demo=lambda: memory,
        searched_for=RUNTIMES,
        home=_HOME,
        now=lambda: _NOW,
        zone=UTC,
        clock=lambda: next(ticks) * _SEARCH_SECONDS,
        debounce=Debounce(longest=0.0),
        meaning_debounce=Debounce(longest=0.0),
        reduced_motion=True,
    )


async def _until(pilot: Pilot[None], done: Callable[[], bool]) -> None:
    """Wait until the app is as wanted, and what it then does is done.

    Raises:
        TimeoutError: it never is.
    """
    deadline = time.monotonic() + _PATIENCE
    while not done():
        if time.monotonic() > deadline:
            raise TimeoutError("the screen did not reach the expected state")
        await pilot.pause()
    await pilot.pause()


if __name__ == "__main__":
    main()
