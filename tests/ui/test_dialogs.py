"""What lies behind a dialog stays as it is: only its own cells change, when it comes and when it goes."""

import pytest
from textual.geometry import Region
from textual.widgets import OptionList

from nlm_tui.settings import State
from nlm_tui.ui.questions import Choice
from nlm_tui.ui.screens.asking import AskText, Choose, Confirm
from nlm_tui.ui.screens.choosing import ChooseSession
from nlm_tui.ui.screens.history import HistoryScreen

LOOKS = ("bold", "dim", "italic", "underline", "reverse", "strike")


def cells(app) -> list[list[tuple[str, object]]]:
    """Return what is on the screen, cell by cell."""
    rows = []
    for strip in app.screen._compositor.render_strips():
        row = []
        for segment in strip:
            looks = (segment.style.bgcolor, *(bool(getattr(segment.style, name)) for name in LOOKS))
            row += [
                (one, looks, None if one == " " and not segment.style.reverse else segment.style.color)
                for one in segment.text
            ]
        rows.append(row)
    return rows


def differing(before, after) -> list[tuple[int, int]]:
    """Return the columns and lines of the cells that are not the same."""
    return [
        (x, y)
        for y, (old, new) in enumerate(zip(before, after, strict=True))
        for x, (one, other) in enumerate(zip(old, new, strict=True))
        if one != other
    ]


def dialog(kind, app, screen):
    return {
        AskText: lambda: AskText("What?", keys=app.context.keys),
        Choose: lambda: Choose("What?", (Choice(1, "One"), Choice(2, "Two"))),
        Confirm: lambda: Confirm("Really?", yes="Yes"),
        ChooseSession: lambda: ChooseSession("Which?", app.context, besides=""),
        HistoryScreen: lambda: HistoryScreen(screen.remembering, app.context.keys),
    }[kind]()


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark"])
@pytest.mark.parametrize("kind", [AskText, Choose, Confirm, ChooseSession, HistoryScreen, "palette"])
async def test_only_its_own_cells_change(make_app, typed, settled, theme, kind) -> None:
    app = make_app(theme=theme)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        before = cells(app)
        if kind == "palette":
            await pilot.press("alt+x")
            await settled(pilot, lambda: app.screen is not screen and len(app.screen.query("CommandList.--visible")))
        else:
            app.push_screen(dialog(kind, app, screen))
            await settled(pilot, lambda: isinstance(app.screen, kind) and screen.key_bar.text.startswith("enter take"))
        after, last = cells(app), len(before) - 1
        box = Region.from_union([widget.region for widget in app.screen.walk_children() if widget.region])
        # The last line names other keys.
        outside = [(x, y) for x, y in differing(before, after) if not box.contains(x, y) and y != last]
        # The cursor of the box, and the mark of the row, show that the focus is elsewhere.
        assert len(outside) <= 2, outside
        await pilot.press("escape")
        await settled(pilot, lambda: app.screen is screen)
        await pilot.pause()
        assert len(differing(before, cells(app))) <= 2


@pytest.mark.parametrize("theme", ["textual-dark", "ansi-dark", "ansi-light"])
@pytest.mark.parametrize("key", ["alt+e", "ctrl+r", "alt+x"])
async def test_the_chosen_line_stands_out(make_app, typed, settled, theme, key) -> None:
    app = make_app(theme=theme)
    app.context.state.change(lambda _: State(history=("billing", "retries")))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press(key)
        await settled(pilot, lambda: app.screen is not screen and app.screen.query(OptionList))
        lines = app.screen.query(OptionList).first()
        await settled(pilot, lambda: lines.highlighted == 0 and lines.option_count > 1)
        await pilot.pause()
        first, below = (lines.render_line(number) for number in (0, 2 if key == "alt+x" else 1))
        assert {one.style.bgcolor for one in first if one.text.strip()}.isdisjoint(one.style.bgcolor for one in below)


async def test_the_pointer_is_told_its_shape_only_where_it_changes(make_app, typed, settled, monkeypatch) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        told: list[str] = []
        monkeypatch.setattr(app._driver, "write", told.append)
        for key in ("alt+e", "ctrl+r", "alt+x", "f1"):
            await pilot.press(key)
            await settled(pilot, lambda: app.screen is not screen)
            await pilot.pause()
            await pilot.press("escape")
            await settled(pilot, lambda: app.screen is screen)
        assert not [text for text in told if text.startswith("\x1b]22;")]
        await pilot.hover("#query")
        await pilot.hover("#hits")
        assert [text for text in told if text.startswith("\x1b]22;")] == ["\x1b]22;text\x07", "\x1b]22;default\x07"]


def test_no_dialog_of_ours_is_left_out() -> None:
    from textual.screen import ModalScreen

    from nlm_tui.ui.screens import asking, choosing, help, history  # noqa: A004 - the screen of this name

    found = {
        one
        for module in (asking, choosing, help, history)
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, ModalScreen) and one is not ModalScreen
    }
    assert found == {AskText, Choose, Confirm, ChooseSession, HistoryScreen}
