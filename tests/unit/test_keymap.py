"""Keys: their names, the user's own, and what no key may be."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual._xterm_parser import XTermParser
from textual.keys import _character_to_key

from nlm_tui.settings import KeyBinding, Settings, SettingsError
from nlm_tui.ui.alt_keys import tell_alt_keys
from nlm_tui.ui.commands import BY_ID, COMMANDS
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.keynames import _SIGNS, brief, is_typed, key_of, shown
from nlm_tui.ui.own_keys import read_keys
from nlm_tui.ui.scopes import bindings, scopes

FILE = Path("/home/sam/.config/nlm-tui/config.toml")
NOT_ALONE = {"ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", *(f"f{number}" for number in range(1, 25))}


def own(**keys: str) -> tuple[KeyBinding, ...]:
    """Return bindings of the settings file, one a line; `a__b` stands for the command `a.b`."""
    named = ((command.replace("__", "."), written) for command, written in keys.items())
    return tuple(
        KeyBinding(command, tuple(written.split(",")) if written else (), FILE, line)
        for line, (command, written) in enumerate(named, 2)
    )


def problem(**keys: str) -> str:
    """Return what is wrong with these keys, without the name of the file."""
    with pytest.raises(SettingsError) as caught:
        read_keys(own(**keys))
    return caught.value.problems[0].removeprefix(f"{FILE}, ")


def parsed(*sequences: str) -> list[tuple[str, str | None]]:
    """Return the keys that a terminal's bytes are read as, when a long time passes after them."""
    parser = XTermParser()
    events = [event for sequence in sequences for event in parser.feed(sequence)]
    time_is_up = time.monotonic() + 1
    while time.monotonic() < time_is_up and not events:
        events += parser.tick()
    return [(event.key, event.character) for event in events]


# The table


def test_every_binding_has_an_id_of_its_own_and_says_what_it_does() -> None:
    seen: dict[str, object] = {}
    for scope in scopes():
        for binding in scope.bindings:
            assert binding.id, binding
            assert binding.tooltip, binding.id
            assert seen.setdefault(binding.id, binding) is binding, binding.id
    assert set(BY_ID) == {command.id for command in COMMANDS}
    assert len(BY_ID) == len(COMMANDS)


def test_every_class_with_keys_of_ours_is_in_a_scope() -> None:
    import nlm_tui.ui.starting  # noqa: F401 - loads all of the screen

    def below(kind: type) -> set[type]:
        return {kind, *(found for child in kind.__subclasses__() for found in below(child))}

    from textual.dom import DOMNode

    listed = {node for scope in scopes() for node in scope.nodes}
    ours = {kind for kind in below(DOMNode) if kind.__module__.startswith("nlm_tui.") and vars(kind).get("BINDINGS")}
    assert ours <= listed


def test_no_command_has_only_keys_that_some_terminals_lack() -> None:
    keymap = KeyMap()
    for command in bindings():
        keys = keymap.keys(command)
        assert not keys or set(keys) - NOT_ALONE, command
        assert not set(keys) & {"ctrl+h", "ctrl+i", "ctrl+m"}, command


def test_every_key_can_be_told_by_terminals() -> None:
    keymap = KeyMap()
    for command in bindings():
        for key in keymap.keys(command):
            assert key_of(key) == key, command


def test_no_two_commands_have_the_same_key_in_one_scope_and_nothing_typed_is_lost() -> None:
    keymap = KeyMap()
    everywhere = scopes()[0]
    prior = {key for held in everywhere.bindings if held.priority for key in keymap.keys(held.id)}
    assert not any(map(is_typed, prior))
    for scope in scopes():
        keys = [key for held in scope.bindings for key in keymap.keys(held.id)]
        assert len(keys) == len(set(keys)), (scope.name, sorted(key for key in keys if keys.count(key) > 1))
        if scope is not everywhere:
            assert not prior & set(keys), scope.name
        assert not (scope.types and any(map(is_typed, keys))), scope.name


def test_nothing_is_lost_for_good_by_a_single_letter() -> None:
    for command in COMMANDS:
        if command.destructive:
            assert not any(map(is_typed, KeyMap().keys(command.id))), command.id


# The user's own


def test_own_keys_take_the_place_of_those_of_the_program() -> None:
    keymap = read_keys(own(search__mode="f9,M", results__why=""))
    assert keymap.keys("search.mode") == ("f9", "M")
    assert (keymap.label("search.mode"), keymap.brief("search.mode")) == ("F9", "f9")
    assert keymap.keys("results.why") == ()
    assert keymap.label("results.why") == '"Why"'
    assert keymap.keys("search.similar") == ("ctrl+f",)
    assert keymap.for_textual == {"search.mode": "f9,M", "results.why": "<results.why>"}


def test_all_that_cannot_be_is_said_at_once() -> None:
    keys = own(search__mod="f9", results__why="ctrl+m", search__similar="f8,F8", search__mode="ctrl+y")
    with pytest.raises(SettingsError) as caught:
        read_keys(keys)
    said = [problem.partition(": ")[2] for problem in caught.value.problems]
    assert [text.split(":")[0].split(";")[0] for text in said] == [
        'there is no command "search.mod"', "results.why", "search.similar", "search.mode"
    ]  # fmt: skip


@pytest.mark.parametrize("command", ["session.qqqqqqq", "search.zzzzzz", "copy"])
def test_what_is_not_near_is_not_offered(command: str) -> None:
    assert "did you mean" not in problem(**{command.replace(".", "__"): "f9"})


def test_the_two_nearest_are_offered_at_most() -> None:
    assert problem(session__cop="f9").count(" or ") <= 1


def test_a_key_of_the_box_is_free_once_the_box_has_another() -> None:
    keymap = read_keys(own(index__run="tab", search__complete="f9", results__enter="enter,f8"))
    assert keymap.keys("index.run") == ("tab",)
    assert read_keys(own(results__why="W", search__similar="ctrl+w")).keys("results.why") == ("W",)


def test_two_commands_can_exchange_their_keys() -> None:
    keymap = read_keys(own(search__mode="ctrl+l", results__why="ctrl+t"))
    assert (keymap.label("search.mode"), keymap.label("results.why")) == ("Ctrl+L", "Ctrl+T")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"search__mod": "ctrl+y"}, 'line 2: there is no command "search.mod"; did you mean "search.mode"'),
        ({"qqqqqqqqqqqqqqq": "ctrl+y"}, 'line 2: there is no command "qqqqqqqqqqqqqqq"; all are listed by the help'),
        ({"search__mode": "ctrl+m"}, 'line 2: search.mode: "ctrl+m" cannot be a key: terminals send the same for Ent'),
        ({"search__mode": "ctrl+["}, "terminals send the same for Escape"),
        ({"search__mode": "Ctrl+Shift+T"}, "terminals send the same for Ctrl+T"),
        ({"search__mode": "alt+?"}, "with Alt, terminals can send letters, digits and arrows only"),
        ({"search__mode": "alt+f"}, "terminals send the same for Ctrl+"),
        ({"search__mode": "shift+y"}, 'Shift with a letter is written as that letter: "Y"'),
        ({"search__mode": "f25"}, '"f25" cannot be a key: there is no such key'),
        ({"search__mode": "f9,,"}, '"" cannot be a key: there is no such key'),
        ({"search__mode": "hyper+y"}, '"hyper" is no modifier; there are ctrl, alt and shift'),
        ({"search__mode": "\x1b[2J"}, '"\\x1b[2J" cannot be a key'),
        ({"search__mode": "f9,F9"}, "line 2: search.mode: F9 is given twice"),
        ({"search__mode": "ctrl+l"}, "line 2: search.mode: Ctrl+L runs results.why too: give that one another key"),
        (
            {"results__why": "f9", "search__mode": "f9"},
            "line 2: results.why: F9 runs search.mode too: give that one another key",
        ),
        ({"search__mode": "ctrl+q"}, "line 2: search.mode: Ctrl+Q runs app.quit too"),
        ({"search__complete": "enter"}, "search.complete: Enter runs results.open too, in the search box"),
        ({"search__complete": "ctrl+q"}, "search.complete: Ctrl+Q runs app.quit too, in the search box"),
        ({"index__run": "tab"}, "line 2: index.run: Tab runs search.complete too, in the search box: give that one"),
        ({"search__mode": "f9,shift+tab"}, "search.mode: Shift+Tab runs search.complete_back too, in the search box"),
        ({"search__mode": "enter", "results__enter": "f9"}, "search.mode: Enter runs results.open too, in the search"),
        ({"search__complete": "up"}, "search.complete: \N{UPWARDS ARROW} runs results.up too, in the search box"),
        ({"help__close": "k"}, "help.close: k runs help.up too, in help"),
        ({"search__complete": "x"}, "search.complete: x could not be typed any more"),
        ({"app__quit": "q"}, "app.quit: q could not be typed any more"),
        ({"app__quit": "", "app__interrupt": ""}, "line 2: without a key for one of app.quit and app.interrupt the pr"),
    ],
)
def test_what_cannot_be_is_said_with_its_place(keys: dict[str, str], said: str) -> None:
    found = problem(**keys)
    assert said in found
    assert found.startswith("line 2: ")
    assert found.isprintable()


def test_one_way_out_is_enough() -> None:
    assert read_keys(own(app__quit="")).keys("app.quit") == ()
    assert read_keys(own(app__quit="ctrl+]", app__interrupt="")).label("app.quit") == "Ctrl+]"


def test_from_the_file_to_the_screen(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[keys]\nsearch.mode = "f9"\nresults.why = "f8"\nsearch.similar = "f9"\n')
    settings = Settings.resolve({"NLM_CONFIG": str(config)})
    with pytest.raises(SettingsError) as caught:
        read_keys(settings.screen.keys)
    assert str(caught.value).startswith(f"{config}, line 2: search.mode: F9 runs search.similar too")


# Names of keys


@pytest.mark.parametrize(
    ("written", "key", "text", "short"),
    [
        ("ctrl+t", "ctrl+t", "Ctrl+T", "ctrl+t"),
        ("Control+T", "ctrl+t", "Ctrl+T", "ctrl+t"),
        ("N", "N", "N", "N"),
        ("?", "question_mark", "?", "?"),
        ("comma", "comma", ",", ","),
        ("space", "space", "Space", "space"),
        ("ctrl+space", "ctrl+@", "Ctrl+Space", "ctrl+space"),
        ("PgUp", "pageup", "PgUp", "pgup"),
        ("esc", "escape", "Esc", "esc"),
        ("Alt+N", "alt+shift+n", "Alt+Shift+N", "alt+shift+n"),
        ("alt+1", "alt+1", "Alt+1", "alt+1"),
        ("ctrl+up", "ctrl+up", "Ctrl+\N{UPWARDS ARROW}", "ctrl+\N{UPWARDS ARROW}"),
        ("ctrl+_", "ctrl+underscore", "Ctrl+_", "ctrl+_"),
        ("shift+tab", "shift+tab", "Shift+Tab", "shift+tab"),
        ("F5", "f5", "F5", "f5"),
        ("é", "é", "é", "é"),
    ],
)
def test_names_of_keys(written: str, key: str, text: str, short: str) -> None:
    assert (key_of(written), shown(key), brief(key)) == (key, text, short)


def test_signs_are_named_as_textual_names_them() -> None:
    assert {sign: _character_to_key(sign) for sign in _SIGNS} == _SIGNS


@given(st.text(max_size=12) | st.lists(st.sampled_from(["ctrl", "alt", "shift", "a", "?", "f1", "up"])).map("+".join))
def test_any_text_is_a_key_or_none(text: str) -> None:
    try:
        key = key_of(text)
    except ValueError:
        return
    assert shown(key)
    assert key == key.strip()
    assert key_of(key.replace("ctrl+@", "ctrl+space")) == key


# What terminals send


def test_alt_with_a_letter_or_digit_is_a_key_at_once_and_no_text() -> None:
    tell_alt_keys()
    parser = XTermParser()
    events = [*parser.feed("\x1bx"), *parser.feed("y"), *parser.feed("\x1b1"), *parser.feed("\x1bG")]
    assert [(event.key, event.character) for event in events] == [
        ("alt+x", None), ("y", "y"), ("alt+1", None), ("alt+shift+g", None),
    ]  # fmt: skip


def test_longer_sequences_are_still_read() -> None:
    tell_alt_keys()
    assert parsed("\x1bOP") == [("f1", None)]
    assert parsed("\x1b[1;5A") == [("ctrl+up", None)]
    assert parsed("\x1b[110;3u") == [("alt+n", None)]
    assert parsed("\x1bb") == [("ctrl+left", None)]
    assert parsed("\x1b") == [("escape", "\x1b")]
