"""How list and session share the screen."""

import pytest

from nlm_tui.ui.views.arranging import arrangement

SIZES = ((1, 1), (2, 5), (7, 3), (10, 10), (40, 12), (63, 15), (64, 16), (80, 24), (99, 24), (200, 6), (120, 36))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((120, 36), "wide"),
        ((100, 10), "wide"),
        ((99, 24), "stacked"),
        ((80, 24), "stacked"),
        ((60, 20), "stacked"),
        ((80, 15), "one"),
        ((55, 24), "one"),
        ((40, 12), "one"),
        ((1, 1), "one"),
    ],
)
def test_the_size_decides(size, expected) -> None:
    assert arrangement("auto", *size) == expected
    assert arrangement("stacked", *size) == "stacked"


async def test_the_key_cycles_what_the_user_wants(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        seen = []
        for _ in range(4):
            await pilot.press("alt+l")
            await pilot.pause()
            seen.append((screen.layout_choice, screen.panes.arrangement))
            if screen.panes.shows_session:
                await settled(pilot, lambda: screen.session.detail.session_id == screen.results.selected.id)
        assert seen == [("wide", "wide"), ("stacked", "stacked"), ("one", "one"), ("auto", "wide")]


async def test_the_choice_can_be_restored(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        screen.layout_choice = "stacked"
        await pilot.pause()
        assert screen.results.region.bottom <= screen.session.region.y
        assert screen.results.region.width == screen.session.region.width


@pytest.mark.parametrize("focused", ["box", "list"])
async def test_one_pane_is_list_or_session(make_app, typed, settled, focused) -> None:
    app = make_app()
    async with app.run_test(size=(40, 12)) as pilot:
        screen = await typed(pilot, "billing")
        origin = screen.box
        if focused == "list":
            await pilot.press("tab")
            origin = screen.results
            assert origin.has_focus
        assert not screen.session.display
        assert screen.results.size.height > 5
        await pilot.press("down", "enter")
        detail = screen.session.detail
        await settled(pilot, lambda: detail.session_id == screen.results.selected.id)
        assert detail.has_focus
        assert not screen.query_one("#hits").display
        assert detail.size.width > 30
        await pilot.press("escape")
        await settled(pilot, lambda: origin.has_focus)
        assert screen.query_one("#hits").display
        assert not screen.session.display
        assert screen.box.value == "billing"


async def test_what_is_read_stays_on_the_screen_when_it_shrinks(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("enter")
        chosen = screen.session.detail.session_id
        await pilot.resize_terminal(40, 12)
        await settled(pilot, lambda: screen.panes.arrangement == "one")
        assert screen.session.detail.has_focus
        assert screen.session.display
        assert screen.session.detail.session_id == chosen
        await pilot.resize_terminal(120, 36)
        await settled(pilot, lambda: screen.panes.arrangement == "wide")
        assert screen.session.detail.session_id == chosen


async def test_a_hidden_session_is_not_read(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(40, 12)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("down", "down")
        assert screen.showing.text_width == 0
        assert screen.session.detail.session_id is None


@pytest.mark.parametrize("view", range(1, 7))
async def test_every_view_works_at_any_size(make_app, typed, view) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "retry")
        await pilot.press(f"alt+{view}")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await pilot.press("down", "enter", "escape", "alt+l")
        await pilot.pause()
        assert screen.box.value.startswith("retry") or view == 4


@pytest.mark.parametrize("size", [(40, 12), (80, 15), (50, 24)])
@pytest.mark.parametrize("focused", ["box", "list"])
@pytest.mark.parametrize("view", range(1, 7))
async def test_going_to_a_view_shows_its_list(make_app, typed, settled, size, focused, view) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press(*(["tab"] if focused == "list" else []), "enter")
        await settled(pilot, lambda: screen.session.detail.has_focus and screen.session.display)
        await pilot.press(f"alt+{view}")
        await settled(pilot, lambda: screen.answered == screen.box.value)
        assert screen.query_one("#hits").display
        assert not screen.session.display
        assert screen.views.current.list.display
        await settled(pilot, lambda: screen.focused is not None and screen.focused.display)
        await pilot.press("down", "up")
        assert not screen.session.display
