"""Queries that were used come back; some have a name."""

import pytest

from nlm_tui.settings import SavedQuery, State
from nlm_tui.ui.remembering import REST
from nlm_tui.ui.screens.history import HistoryScreen


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def recalled(make_app, clock):
    """Return a function that makes an app that remembers some queries."""

    def make(*queries: str, **given):
        app = make_app(clock=clock, **given)
        app.context.state.change(lambda _: State(history=queries).named("week", "since:7d"))
        return app

    return make


def history(app) -> tuple[str, ...]:
    return app.context.state.state.history


async def opened(pilot, settled) -> HistoryScreen:
    await pilot.press("ctrl+r")
    await settled(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen))
    return pilot.app.screen


async def test_what_was_opened_is_kept_and_what_was_typed_on_the_way_is_not(recalled, typed, settled) -> None:
    app = recalled("ledger")
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        await pilot.press(*"billing")
        await typed(pilot, "billing  retries ")
        await pilot.press("enter", "escape")
        await settled(pilot, lambda: len(history(app)) == 2)
        await typed(pilot, "zeppelin")
        await pilot.press("enter")
        await typed(pilot, "ledger")
        await pilot.press("enter")
        await settled(pilot, lambda: history(app) == ("ledger", "billing  retries"))


async def test_hits_that_were_looked_at_for_some_seconds_were_used(recalled, typed, settled, clock) -> None:
    app = recalled()
    async with app.run_test(size=(120, 36)) as pilot:
        await typed(pilot, "bill")
        clock.now += REST
        await typed(pilot, "billing retr")
        await settled(pilot, lambda: history(app) == ("bill",))
        clock.now += REST
        await typed(pilot, "billing retries")
        await settled(pilot, lambda: history(app) == ("billing retr",))
        clock.now += REST / 2
        await typed(pilot, "zeppelin")
        clock.now += REST
        await typed(pilot, "")
        clock.now += REST
        await typed(pilot, "ledger")
        await pilot.pause()
        assert history(app) == ("billing retr",)
        clock.now += REST
        await pilot.press("ctrl+q")
    assert history(app)[:1] == ("ledger",)


async def test_it_comes_back_by_its_words(recalled, typed, settled) -> None:
    app = recalled("billing retries", "ledger of Oslo", "retries of orders")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "x")
        asked = await opened(pilot, settled)
        assert [query.text for query in asked.offered] == ["since:7d", "billing retries", "ledger of Oslo",
                                                           "retries of orders"]  # fmt: skip
        await pilot.press(*"RETR of")
        assert [query.text for query in asked.offered] == ["retries of orders"]
        await pilot.press("enter")
        await settled(pilot, lambda: screen.answered == "retries of orders")
        assert screen.box.cursor_position == len("retries of orders")
        asked = await opened(pilot, settled)
        await pilot.press(*"week", "enter")
        await settled(pilot, lambda: screen.answered == "since:7d")
        await opened(pilot, settled)
        await pilot.press("down", "escape")
        assert screen.box.value == "since:7d"
        await opened(pilot, settled)
        await pilot.press(*"zzz", "enter")
        assert isinstance(app.screen, HistoryScreen)


async def test_what_is_removed_is_gone_and_can_come_back(recalled, settled) -> None:
    app = recalled("one", "two")
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        asked = await opened(pilot, settled)
        await pilot.press("ctrl+d", "ctrl+d")
        await settled(pilot, lambda: app.context.state.state == State(history=("two",)))
        assert [query.text for query in asked.offered] == ["two"]
        await pilot.press("ctrl+z", "ctrl+z", "ctrl+z")
        await settled(pilot, lambda: set(history(app)) == {"one", "two"} and app.context.state.state.saved)
        await pilot.press("down", "down", "down", "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d")
        await settled(pilot, lambda: app.context.state.state == State())
        assert asked.offered == []


async def test_a_query_gets_a_name(recalled, typed, settled) -> None:
    app = recalled()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "has:open since:7d")
        await pilot.press("alt+s")
        await settled(pilot, lambda: app.screen is not screen)
        await pilot.press(*"open", "enter")
        await settled(pilot, lambda: len(app.context.state.state.saved) == 2)
        assert app.context.state.state.saved[0] == SavedQuery("open", "has:open since:7d")
        await pilot.press("alt+s")
        await settled(pilot, lambda: app.screen is not screen)
        await pilot.press("escape")
        await typed(pilot, "")
        await pilot.press("alt+s")
        await pilot.pause()
        assert app.screen is screen
        assert len(app.context.state.state.saved) == 2


async def test_nothing_is_kept_where_the_settings_say_so(recalled, typed, clock) -> None:
    app = recalled(keeps_history=False)
    async with app.run_test(size=(120, 36)) as pilot:
        await typed(pilot, "billing")
        clock.now += REST
        await pilot.press("enter")
        await typed(pilot, "ledger")
        await pilot.press("ctrl+q")
    assert history(app) == ()


async def test_hostile_queries_are_shown_as_text(recalled, settled) -> None:
    app = recalled("\x1b]0;title\x07 [bold]x[/bold] [/nope]")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        await opened(pilot, settled)
        shown = "".join(segment.text for strip in app.screen._compositor.render_strips() for segment in strip)
        assert "\x1b" not in shown
        assert "[bold]x[/bold]" in shown


async def test_history_picture(recalled, settled, counted, svg) -> None:
    app = recalled("billing retries", 'agent:claude "dead letter"')
    async with app.run_test(size=(80, 24)) as pilot:
        await counted(pilot)
        await opened(pilot, settled)
        assert svg(app, "history")
