"""The screen goes on where it was left, and begins with what was chosen."""

import json

import pytest

from nlm_tui.settings import LastScreen, Settings, State
from nlm_tui.settings.state_file import StateFile
from nlm_tui.ui.starting import Beginning, app_of
from nlm_tui.ui.themes import chosen_theme

THEMES = ("nord", "textual-dark", "ansi-dark")


@pytest.fixture
def settings_of(tmp_path):
    """Return a function that makes settings of a file and variables, with the state in the same folder."""

    def make(text: str = "", **variables: str) -> Settings:
        (tmp_path / "config.toml").write_text(text)
        named = {"NLM_CONFIG": str(tmp_path / "config.toml"), "NLM_STATE_PATH": str(tmp_path / "state.json")}
        return Settings.resolve(named | variables)

    return make


@pytest.fixture
def begun(make_app, settings_of, monkeypatch):
    """Return a function that makes an app as the command line does, for a terminal of all colours."""
    monkeypatch.setenv("COLORTERM", "truecolor")

    def make(text: str = "", *, memory=None, goes_on: bool = False, remembers: bool = True, mode=None, **variables):
        context = make_app(memory).context
        begin = Beginning(remembers=remembers, goes_on=goes_on, mode=mode)
        return app_of(context, settings_of(text, **variables), begin)

    return make


def kept(settings: Settings) -> State:
    return StateFile(settings.state_path).read()


async def test_it_goes_on_where_it_was_left(begun, typed, settled, settings_of) -> None:
    app = begun()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries")
        await pilot.press("down", "down", "alt+g", "ctrl+t", "ctrl+t")
        await settled(pilot, lambda: screen.searching.mode == "hybrid" and screen.results.selected is not None)
        chosen, grouping = screen.results.selected.id, screen.grouping
        await pilot.press("ctrl+q")
    left = kept(settings_of()).last
    assert left == LastScreen("billing retries", "hybrid", "sessions", "auto", grouping, chosen)
    app = begun(goes_on=True)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.answered == "billing retries" and screen.results.selected is not None)
        await settled(pilot, lambda: screen.session.detail.session_id == chosen)
        assert (screen.searching.mode, screen.grouping, screen.results.selected.id) == ("hybrid", grouping, chosen)
        assert screen.box.cursor_position == len("billing retries")
        await pilot.press("x")
        assert screen.box.value == "billing retriesx"


async def test_another_view_and_layout_come_back(begun, settled, settings_of) -> None:
    StateFile(settings_of().state_path).change(
        lambda _: State(last=LastScreen("", view="decisions", layout="one", mode="no such mode", grouping="nothing"))
    )
    app = begun(goes_on=True)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        assert (app.screen.view_name, app.screen.layout_choice, app.screen.grouping) == ("decisions", "one", None)
        assert app.screen.searching.mode == "keyword"


async def test_a_mode_that_is_asked_for_wins(begun, settings_of) -> None:
    StateFile(settings_of().state_path).change(lambda _: State(last=LastScreen("x", mode="semantic")))
    assert begun(goes_on=True).context.mode == "semantic"
    assert begun(goes_on=True, mode="hybrid").context.mode == "hybrid"
    assert begun().context.mode == "keyword"


async def test_without_being_asked_it_begins_anew(begun, settled, settings_of) -> None:
    StateFile(settings_of().state_path).change(lambda _: State(last=LastScreen("billing", view="topics")))
    app = begun()
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        assert app.screen.view_name == "sessions"


async def test_nothing_of_the_demo_is_kept(begun, typed, settings_of) -> None:
    app = begun(remembers=False)
    async with app.run_test(size=(120, 36)) as pilot:
        await typed(pilot, "billing")
        app.theme = "nord"
        await pilot.press("enter", "ctrl+q")
    assert not settings_of().state_path.exists()


async def test_the_theme_that_was_chosen_is_kept(begun, settled, settings_of) -> None:
    app = begun()
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        assert not settings_of().state_path.exists()
        app.theme = "nord"
        await settled(pilot, lambda: kept(settings_of()).theme == "nord")
    assert begun().theme == "nord"
    assert begun('theme = "gruvbox"').theme == "nord"
    assert begun(TEXTUAL_THEME="dracula").theme == "dracula"


async def test_the_settings_say_how_it_looks_until_another_theme_is_chosen(begun, settled, settings_of) -> None:
    app = begun('theme = "gruvbox"')
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        assert app.theme == "gruvbox"
        await pilot.press("ctrl+q")
    assert kept(settings_of()).theme == ""


async def test_sixteen_colours_are_those_of_the_terminal(begun, monkeypatch) -> None:
    monkeypatch.delenv("COLORTERM")
    monkeypatch.setenv("TERM", "linux")
    assert begun('theme = "nord"').theme == "ansi-dark"
    assert begun('theme = "solarized-light"').theme == "ansi-light"
    monkeypatch.setenv("TERM", "xterm-256color")
    assert begun('theme = "nord"').theme == "nord"


@pytest.mark.parametrize(
    ("variable", "state", "settings", "theme", "said"),
    [
        ("", "", None, "", ""),
        ("nord", "ansi-dark", "textual-dark", "nord", ""),
        ("none, nord", "", None, "nord", ""),
        ("", "ansi-dark", "nord", "ansi-dark", ""),
        ("", "", "nord", "nord", ""),
        ("", "gone", "nord", "nord", 'the theme chosen last, "gone", is none; there are ansi-dark, nord, textual-dark'),
        ("gone", "", None, "", 'TEXTUAL_THEME, "gone", is none; there are ansi-dark, nord, textual-dark'),
        ("", "", "gone", "", 'the settings\' theme, "gone", is none; there are ansi-dark, nord, textual-dark'),
    ],
)
def test_which_theme_it_is(variable, state, settings, theme, said) -> None:
    assert chosen_theme({"TEXTUAL_THEME": variable}, state, settings, THEMES) == (theme, said)


async def test_what_is_wrong_with_the_state_is_said(begun, settled, settings_of) -> None:
    settings_of().state_path.write_text("{")
    app = begun('theme = "none"')
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await settled(pilot, lambda: app.screen.query("Toast"))
        said = app.screen.query_one("Toast").render().plain
        assert "is damaged; it is kept as state.json.damaged" in said
        assert 'the settings\' theme, "none", is none' in said


async def test_a_state_that_cannot_be_written_stops_nothing(begun, typed, settled, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    app = begun(NLM_STATE_PATH=str(tmp_path / "file" / "state.json"))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await typed(pilot, "billing")
        await pilot.press("enter")
        await settled(pilot, lambda: app.screen.query("Toast"))
        await pilot.press("ctrl+q")
    assert app.return_code == 0


async def test_nothing_moves_by_itself_where_motion_is_reduced(begun, settled) -> None:
    for text, variables, moves in (("", {}, True), ("reduced_motion = true", {}, False), ("", {"SSH_TTY": "x"}, False)):
        app = begun(text, **variables)
        async with app.run_test(size=(120, 36)) as pilot:
            await settled(pilot, lambda app=app: app.screen.answered == "")
            assert app.screen.box.cursor_blink is moves
            assert app.animation_level == ("full" if moves else "none")


async def test_what_a_later_version_keeps_is_left_alone(begun, settled, settings_of) -> None:
    settings_of().state_path.write_text('{"zoom": 3, "last": {"query": "x", "pane": "left"}}')
    app = begun()
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        await pilot.press("ctrl+q")
    assert json.loads(settings_of().state_path.read_text())["zoom"] == 3
