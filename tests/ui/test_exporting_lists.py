"""A list is exported whole, however little of it the screen shows."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from sailing import in_order
from support import a_session

from nlm_tui.core import SearchInterruptedError, StoreError
from nlm_tui.ui.every_row import EveryRow, Listing
from nlm_tui.ui.machine import Machine
from nlm_tui.ui.screens.asking import AskText, Choose

MANY = 730
SIZE = (80, 24)


@pytest.fixture
def many(memory_of):
    """A memory of more sessions than any page holds, each with a decision and a topic of its own."""
    return memory_of(
        *(
            a_session(
                f"cc_{number:03}",
                label=f"Ferry {number:03}",
                started_at=f"2026-03-{1 + number // 30:02}T{number % 24:02}:{number % 60:02}:00.000Z",
                decisions=(f"sail {number:03}",),
                open=(f"when {number:03}?",),
                entities=(f"quay {number:03}",),
            )
            for number in range(MANY)
        )
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "exports"
    made.mkdir()
    return made


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.fixture
def exported(make_app, settled, folder: Path):
    """Return a coroutine that exports the list of a view as JSON; it gives the menu, the notice and the rows."""

    async def run(memory, view: str = "alt+1", text: str = "", *, mode: str = "keyword", more=()):
        app = make_app(memory, mode=mode, machine=Machine(folder=folder))
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            screen = app.screen
            screen.box.value = text
            await pilot.press(view)
            await settled(pilot, lambda: screen.answered == text and screen.views.current.total)
            await pilot.press(*more, "alt+w")
            await settled(pilot, lambda: isinstance(app.screen, Choose))
            menu = app.screen.choices[-1].help
            await pilot.press("J")
            await settled(pilot, lambda: isinstance(app.screen, AskText))
            await pilot.press("enter")
            await settled(pilot, lambda: app._notifications)
            (notice,) = app._notifications
        (path,) = files(folder)
        assert str(path) in notice.message
        return menu, notice.message, json.loads(path.read_text("utf-8"))["rows"]

    return run


@pytest.mark.parametrize(
    ("view", "text", "names"),
    [
        ("alt+1", "", lambda row: row["label"]),
        ("alt+1", "ferry", lambda row: row["label"]),
        ("alt+2", "", lambda row: row["text"]),
        ("alt+3", "", lambda row: row["text"]),
        ("alt+4", "", lambda row: row["name"]),
        ("alt+6", "", lambda row: row["origin"]["label"]),
    ],
)
async def test_every_row_is_in_the_file(exported, many, view, text, names) -> None:
    menu, notice, rows = await exported(many, view, text)
    assert menu == f"{MANY} rows"
    assert f"wrote {MANY} rows to " in notice
    assert len(set(map(names, rows))) == len(rows) == MANY


async def test_only_what_passes_is_in_it(exported, many) -> None:
    menu, _, rows = await exported(many, "alt+2", "sail 01")
    assert menu == f"{len(rows)} rows"
    assert 0 < len(rows) < MANY


async def test_it_is_in_the_order_of_the_list(exported, many) -> None:
    _, _, rows = await exported(many, "alt+6", more=("alt+v",))
    times = [row["origin"]["started_at"] for row in rows]
    assert times == sorted(times)
    assert len(times) == MANY


async def test_what_is_near_in_meaning_is_in_it(exported, sailing) -> None:
    memory, _ = sailing
    _, _, rows = await exported(memory, text="ferry", mode="hybrid")
    assert [row["id"] for row in rows] == in_order(memory, "ferry")


async def test_pinned_ones_stand_first_and_once(exported, many) -> None:
    many.editing.pin("cc_100")
    _, _, rows = await exported(many)
    assert [row["id"] for row in rows].count("cc_100") == 1
    assert rows[0]["id"] == "cc_100"


class Held:
    """A service that lists decisions when it is let; an interruption ends its wait."""

    def __init__(self, service) -> None:
        self._service = service
        self.holds = False
        self.asked, self.freed = threading.Event(), threading.Event()

    def markers(self, kind, query, *, top_level=False):
        if self.holds and query.offset:
            self.asked.set()
            assert self.freed.wait(20)
            raise SearchInterruptedError
        return self._service.markers(kind, query, top_level=top_level)


async def test_escape_stops_it_and_leaves_no_file(make_app, many, settled, folder: Path) -> None:
    held = Held(many.browsing)
    memory = replace(many, browsing=held, interrupt_browsing=held.freed.set)
    app = make_app(memory, machine=Machine(folder=folder))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = app.screen
        await pilot.press("alt+2")
        await settled(pilot, lambda: screen.answered == "" and screen.views.current.total)
        held.freed.clear()
        held.holds = True
        for key, kind in (("alt+w", Choose), ("M", AskText)):
            await pilot.press(key)
            await settled(pilot, lambda kind=kind: isinstance(app.screen, kind))
        await pilot.press("enter")
        await settled(pilot, held.asked.is_set)
        await settled(pilot, lambda: screen.status.text.startswith("writing 500 of 730 rows ...   esc stops"))
        await pilot.press("escape")
        await settled(pilot, lambda: not files(folder))
        await settled(pilot, lambda: "decisions.md was not written" in " ".join(n.message for n in app._notifications))
        assert not screen.status.text.startswith("writing")


async def test_a_memory_that_fails_leaves_no_file_and_says_why(make_app, many, settled, folder: Path) -> None:
    class Failing(Held):
        def markers(self, kind, query, *, top_level=False):
            if self.holds and query.offset:
                raise StoreError("memory.sqlite: the disk is gone")
            return self._service.markers(kind, query, top_level=top_level)

    failing = Failing(many.browsing)
    app = make_app(replace(many, browsing=failing), machine=Machine(folder=folder))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = app.screen
        await pilot.press("alt+2")
        await settled(pilot, lambda: screen.answered == "" and screen.views.current.total)
        failing.holds = True
        for key, kind in (("alt+w", Choose), ("M", AskText)):
            await pilot.press(key)
            await settled(pilot, lambda kind=kind: isinstance(app.screen, kind))
        await pilot.press("enter")
        await settled(pilot, lambda: "the disk is gone" in " ".join(n.message for n in app._notifications))
        assert files(folder) == []


def test_what_the_screen_interrupts_is_asked_again_and_what_moved_is_found(make_app, many) -> None:
    class Moving:
        """A service that is interrupted at first, and whose first row slips behind what was given already."""

        def __init__(self) -> None:
            self.asked = 0

        def markers(self, kind, query, *, top_level=False):
            self.asked += 1
            if self.asked == 1:
                raise SearchInterruptedError
            found = many.browsing.markers(kind, query, top_level=top_level)
            return replace(found, rows=found.rows[1:]) if self.asked == 3 else found

    context = make_app(replace(many, browsing=Moving())).context
    listing = Listing("decisions", "", "keyword", lambda row: row.id, None)
    rows = EveryRow(context, listing, lambda *_: None)
    assert len({row.id for row in rows}) == rows.count == rows.total == MANY
