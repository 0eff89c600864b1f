"""The help, the last line, and keys of one's own on the screen."""

import pytest

from nlm_tui.core import FILTER_NAMES
from nlm_tui.settings import KeyBinding
from nlm_tui.ui.help_text import lay_out_help, sections
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.own_keys import read_keys
from nlm_tui.ui.scopes import bindings, scopes
from nlm_tui.ui.screens.help import HelpScreen


def with_keys(make_app, tmp_path, **keys: str):
    """Return an app with keys of one's own; `a__b` stands for the command `a.b`."""
    own = [
        KeyBinding(command.replace("__", "."), (written,), tmp_path / "c", line)
        for line, (command, written) in enumerate(keys.items())
    ]
    return make_app(keys=read_keys(own))


def help_lines(screen: HelpScreen) -> list[str]:
    """Return the whole help as it is painted."""
    view = screen.view
    return [view.paint(number, view.content_width).text.rstrip() for number in range(view.virtual_size.height)]


async def test_it_is_there_for_what_has_the_focus(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await typed(pilot, "billing")
        for key, first in (("f1", "What you can type"), ("alt+h", "What you can type")):
            await pilot.press(key)
            await settled(pilot, lambda: isinstance(app.screen, HelpScreen))
            assert help_lines(app.screen)[0] == f" {first}"
            await pilot.press("escape")
            assert app.screen is screen
            assert screen.box.has_focus
        await pilot.press("?")
        assert screen.box.value == "billing?"
        await typed(pilot, "billing")
        await pilot.press("enter", "question_mark")
        await settled(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert help_lines(app.screen)[0] == " In the session"
        await pilot.press("q")
        assert screen.session.detail.has_focus


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 12)])
@pytest.mark.parametrize("close", ["escape", "q", "f1"])
async def test_all_of_it_can_be_read(make_app, settled, size, close) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.answered == "")
        await pilot.press("f1")
        await settled(pilot, lambda: isinstance(app.screen, HelpScreen))
        view = app.screen.view
        assert view.size == (size[0], size[1] - 1)
        lines = help_lines(app.screen)
        text = " ".join(" ".join(lines).split())
        for wanted in ("agent:claude", "Ctrl+T", "Leave the program"):
            assert wanted in text or size[0] == 40
        await pilot.press("end")
        assert view.first_line == max(len(lines) - view.visible_lines, 0)
        await pilot.resize_terminal(60, 20)
        await settled(pilot, lambda: view.size.width == 60)
        assert all(len(line) <= 59 for line in help_lines(app.screen))
        await pilot.press(close)
        await settled(pilot, lambda: app.screen is screen)


def test_every_command_is_in_it_once() -> None:
    keymap = KeyMap()
    for width in (30, 76, 118):
        lines = lay_out_help(sections(keymap, None), width)
        assert all(sum(len(piece.text) for piece in line) <= width for line in lines)
    parts = sections(keymap, None)
    entries = [entry for part in parts for entry in part.entries]
    sentences = " ".join(sentence for part in parts for sentence in part.sentences)
    for command, binding in bindings().items():
        if labels := keymap.labels(command):
            assert (" ".join(labels), binding.tooltip) in entries, command
        else:
            assert binding.description in sentences, command
    titles = [part.title for part in parts]
    assert len(titles) == len(set(titles))
    assert {f"In {scope.name}" for scope in scopes()[1:] if list(scope.bindings)} <= set(titles)


def test_every_filter_is_in_it() -> None:
    (query, *_) = sections(KeyMap(), None)
    text = " ".join(f"{what} {does}" for what, does in query.entries)
    assert [name for name in FILTER_NAMES if f"{name}:" not in text] == []


async def test_own_keys_act_and_are_named_everywhere(make_app, tmp_path, typed, settled) -> None:
    app = with_keys(make_app, tmp_path, search__mode="ctrl+l", results__why="ctrl+t", app__help="f9")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("ctrl+t")
        assert screen.why.explains
        assert screen.searching.mode == "keyword"
        await pilot.press("ctrl+l")
        await settled(pilot, lambda: screen.searching.mode == "semantic")
        assert "ctrl+l mode" in screen.key_bar.text
        assert "ctrl+t why" in screen.key_bar.text
        assert screen.key_bar.text.endswith("f9 help")
        await pilot.press("f1")
        assert app.screen is screen
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert any("Ctrl+L" in line and "recall" in line for line in help_lines(app.screen))


async def test_a_command_without_a_key_is_not_run_by_its_old_one(make_app, tmp_path, typed, settled) -> None:
    app = with_keys(make_app, tmp_path, results__why="f9", app__interrupt="f8")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("ctrl+l")
        assert not screen.why.explains
        await pilot.press("f9")
        assert screen.why.explains
        await pilot.press("f8")
        await settled(pilot, lambda: not app.is_running)


async def test_a_letter_of_ones_own_acts_outside_the_box_only(make_app, tmp_path, typed) -> None:
    app = with_keys(make_app, tmp_path, results__why="W")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("W")
        assert screen.box.value == "billingW"
        await typed(pilot, "billing")
        await pilot.press("enter", "W")
        assert screen.why.explains


async def test_the_last_line_says_what_matters_and_fits(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await typed(pilot, "billing")
        bar = screen.key_bar
        assert bar.text.startswith("enter open")
        assert bar.text.endswith("f1 help")
        in_box = bar.text
        await pilot.press("enter")
        await settled(pilot, lambda: bar.text != in_box)
        assert "n next match" in bar.text
        for width in (120, 79, 60, 40, 20, 9, 1):
            await pilot.resize_terminal(width, 24)
            await settled(pilot, lambda width=width: bar.size.width == width)
            assert len(bar.text) + 2 <= width or bar.text == "f1 help"
            assert bar.text.endswith("f1 help")


async def test_a_click_on_the_last_line_presses_the_key(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        at = screen.key_bar.text.index("ctrl+t mode") + 1
        await pilot.click("#keys", offset=(at + 8, 0))
        await settled(pilot, lambda: screen.searching.mode == "semantic")


async def test_help_pictures(make_app, settled, counted, svg) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await counted(pilot)
        await pilot.press("enter", "f1")
        await settled(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert svg(app, "session")
