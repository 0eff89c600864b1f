"""Hits in groups."""

from datetime import UTC, timedelta, timezone

import pytest
from sailing import ids, painted
from support import a_session

from nlm_tui.core import RecallQuery
from nlm_tui.ui.views.grouping import grouped

SESSIONS = [
    a_session(
        f"s{number}",
        label=f"Pier {number}",
        body="pier " * (10 - number),
        project=("/src/pay", "/src/shop", None)[number % 3],
        runtime=("codex", "claude-code")[number % 2],
        started_at=f"2026-05-0{1 + number % 4}T23:30:00.000Z",
    )
    for number in range(8)
]


@pytest.fixture
def memory(memory_of):
    return memory_of(*SESSIONS)


def test_groups_follow_their_best_hit_and_days_the_newest(memory) -> None:
    hits = memory.recall.search(RecallQuery("pier", limit=100)).results
    assert grouped(hits, None, UTC) == (tuple(range(len(hits))), {})
    for by, name in (("project", lambda hit: hit.project), ("agent", lambda hit: hit.runtime)):
        order, headings = grouped(hits, by, UTC)
        assert sorted(order) == list(range(len(hits)))
        assert order[0] == 0
        names = [name(hits[place]) for place in order]
        assert [names[slot] for slot in headings] == list(dict.fromkeys(name(hit) for hit in hits))
    order, headings = grouped(hits, "day", UTC)
    assert list(headings.values()) == [f"2026-05-0{day}  2 sessions" for day in (4, 3, 2, 1)]
    assert "no project  2 sessions" in grouped(hits, "project", UTC).headings.values()


def test_days_are_those_of_the_zone(memory) -> None:
    hits = memory.recall.search(RecallQuery("pier", limit=100)).results
    headings = grouped(hits, "day", timezone(timedelta(hours=2))).headings
    assert next(iter(headings.values())).startswith("2026-05-05")


async def test_the_key_cycles_and_the_selection_stays(make_app, memory, typed) -> None:
    app = make_app(memory)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "pier")
        before = ids(screen)
        await pilot.press("down", "down")
        chosen = screen.results.selected.id
        for by in ("day", "project", "agent", None):
            await pilot.press("alt+g")
            assert screen.grouping == by
            assert screen.results.selected.id == chosen
            assert screen.target.session_id == chosen
            assert ids(screen) == before
        await pilot.press("alt+g", "tab", "g")
        assert painted(screen.results)[0].startswith("2026-05-04  2 sessions")
        shown = [screen.results.selected.id]
        for _ in before[1:]:
            await pilot.press("j")
            shown.append(screen.results.selected.id)
        assert sorted(shown) == sorted(before)
        assert shown != before
        await pilot.press("alt+2", "alt+g")
        assert screen.grouping == "day"


async def test_hits_that_come_later_join_their_groups(make_app, memory_of, typed, settled) -> None:
    sessions = [
        a_session(f"s{number:03}", label=f"Pier {number}", started_at=f"2026-05-{1 + number % 9:02}T08:00:00Z")
        for number in range(60)
    ]
    app = make_app(memory_of(*sessions))
    async with app.run_test(size=(100, 24)) as pilot:
        screen = await typed(pilot, "pier")
        await pilot.press("alt+g", "tab")
        shown = len(screen.results.hits)
        assert shown < 60
        assert painted(screen.results)[0].rstrip().endswith(" so far")
        await pilot.press("G")
        chosen = screen.results.selected.id
        await settled(pilot, lambda: len(screen.results.hits) > shown)
        assert screen.results.selected.id == chosen
        assert screen.session.detail.session_id == chosen
        while len(screen.results.hits) < 60:
            shown = len(screen.results.hits)
            await pilot.press("G")
            await settled(pilot, lambda shown=shown: len(screen.results.hits) > shown)
        await pilot.press("g")
        assert painted(screen.results)[0].startswith("2026-05-09  6 sessions")
        assert "so far" not in painted(screen.results)[0]


async def test_a_click_on_a_heading_selects_the_row_below(make_app, memory, typed) -> None:
    app = make_app(memory)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "pier")
        await pilot.press("alt+g")
        second = next(y for y, line in enumerate(painted(screen.results)) if line.startswith("2026-05-03"))
        await pilot.click("#results", offset=(4, second))
        assert screen.results.selected.started_at.startswith("2026-05-03")
