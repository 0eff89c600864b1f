"""The last line of the screen names what the keys do where one is, and nothing twice."""

import pytest

from nlm_tui.ui.hints import hints
from nlm_tui.ui.questions import Choice
from nlm_tui.ui.screens.asking import AskText, Choose, Confirm
from nlm_tui.ui.screens.choosing import ChooseSession
from nlm_tui.ui.screens.history import HistoryScreen

SIZE = (80, 24)


def keys(screen) -> list[str]:
    return [hint.key for hint in hints(screen)]


async def test_while_finding_it_says_what_enter_and_arrows_do(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("enter", "slash")
        await settled(pilot, lambda: screen.session.find_box.input.has_focus)
        assert screen.key_bar.text.startswith("enter keep  ↓ next  ↑ before  esc back")
        assert len(keys(screen)) == len(set(keys(screen)))
        await pilot.press(*"retry", "enter")
        await settled(pilot, lambda: screen.session.detail.has_focus and screen.session.detail.is_finding)
        screen.key_bar.look_again()
        assert [hint.does for hint in hints(screen) if hint.key == "esc"] == ["end find"]
        await pilot.press("escape")
        assert [hint.does for hint in hints(screen) if hint.key == "esc"] == ["back"]


@pytest.mark.parametrize("focus", ["box", "list", "session"])
async def test_no_key_is_named_twice(make_app, typed, settled, focus) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "billing")
        part = {"box": screen.box, "list": screen.results, "session": screen.session.detail}[focus]
        part.focus()
        await settled(pilot, lambda: part.has_focus)
        assert len(keys(screen)) == len(set(keys(screen)))
        assert "esc" in keys(screen)


async def test_open_questions_name_their_own_keys(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "")
        assert "resolve" not in screen.key_bar.text
        await pilot.press("alt+3")
        await settled(pilot, lambda: screen.target.marker)
        assert screen.key_bar.text.startswith("enter open  alt+d resolve  alt+a answer  esc back")
        await pilot.press("alt+2")
        await settled(pilot, lambda: screen.target.marker and screen.target.marker.kind == "decision")
        assert "resolve" not in screen.key_bar.text


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (AskText, "enter take it  esc cancel"),
        (Choose, "enter take it  ↑ up  ↓ down  esc cancel"),
        (Confirm, "enter take it  ↑ up  ↓ down  esc cancel"),
        (ChooseSession, "enter take it  ↑ up  ↓ down  esc cancel"),
        (HistoryScreen, "enter take it  ↑ up  ↓ down  ctrl+d remove  ctrl+z put back  esc cancel"),
    ],
)
async def test_below_a_dialog_it_names_the_keys_of_the_dialog(make_app, typed, settled, kind, expected) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "billing")
        before = screen.key_bar.text
        dialog = {
            AskText: lambda: AskText("What?", keys=app.context.keys),
            Choose: lambda: Choose("What?", (Choice(1, "One"),)),
            Confirm: lambda: Confirm("Really?", yes="Yes"),
            ChooseSession: lambda: ChooseSession("Which?", app.context, besides=""),
            HistoryScreen: lambda: HistoryScreen(screen.remembering, app.context.keys),
        }[kind]()
        app.push_screen(dialog)
        await settled(pilot, lambda: app.screen is dialog and screen.key_bar.text == expected)
        painted = [strip.text for strip in app.screen._compositor.render_strips()]
        assert painted[-1].strip() == expected
        await pilot.press("escape")
        await settled(pilot, lambda: screen.key_bar.text == before)


async def test_below_the_palette_too(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("alt+x")
        await settled(pilot, lambda: screen.key_bar.text == "enter take it  ↑ up  ↓ down  esc cancel")
