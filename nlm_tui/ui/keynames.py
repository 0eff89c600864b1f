"""Names of keys: how they are written in the settings, what a terminal can tell apart, how they are shown."""

from typing import Final

MOST_FUNCTION_KEY: Final = 24
_MODIFIERS: Final = {
    "ctrl": "ctrl", "control": "ctrl", "alt": "alt", "meta": "alt", "option": "alt", "shift": "shift",
}  # fmt: skip
_OTHER_NAMES: Final = {
    "esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "pgdown": "pagedown",
    "page_up": "pageup", "page_down": "pagedown", "del": "delete", "ins": "insert", "spc": "space", "bs": "backspace",
}  # fmt: skip
_SIGNS: Final = {
    " ": "space", "!": "exclamation_mark", '"': "quotation_mark", "#": "number_sign", "$": "dollar_sign",
    "%": "percent_sign", "&": "ampersand", "'": "apostrophe", "(": "left_parenthesis", ")": "right_parenthesis",
    "*": "asterisk", "+": "plus", ",": "comma", "-": "minus", ".": "full_stop", "/": "slash", ":": "colon",
    ";": "semicolon", "<": "less_than_sign", "=": "equals_sign", ">": "greater_than_sign", "?": "question_mark",
    "@": "at", "[": "left_square_bracket", "\\": "backslash", "]": "right_square_bracket",
    "^": "circumflex_accent", "_": "underscore", "`": "grave_accent", "{": "left_curly_bracket",
    "|": "vertical_line", "}": "right_curly_bracket", "~": "tilde",
}  # fmt: skip
_BY_NAME: Final = {name: sign for sign, name in _SIGNS.items()}
_MOVING: Final = frozenset({"up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"})
_PLAIN: Final = _MOVING | {"enter", "tab", "escape", "space", "backspace"}
_FUNCTION: Final = frozenset(f"f{number}" for number in range(1, MOST_FUNCTION_KEY + 1))
_CTRL_SIGNS: Final = frozenset({"backslash", "right_square_bracket", "circumflex_accent", "underscore", "at"})
_SHOWN: Final = {
    "up": "\N{UPWARDS ARROW}",
    "down": "\N{DOWNWARDS ARROW}",
    "left": "\N{LEFTWARDS ARROW}",
    "right": "\N{RIGHTWARDS ARROW}",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "Esc",
    "delete": "Del",
    "insert": "Ins",
}
SAME: Final = {
    "ctrl+h": "Backspace",
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+j": "Enter in some terminals",
    "ctrl+left_square_bracket": "Escape",
    "alt+b": "Ctrl+\N{LEFTWARDS ARROW}",
    "alt+f": "Ctrl+\N{RIGHTWARDS ARROW}",
    "alt+enter": "Enter",
    "alt+tab": "Shift+Tab",
    "alt+backspace": "Ctrl+W",
    "ctrl+enter": "Enter",
    "shift+enter": "Enter",
    "ctrl+tab": "Tab",
    "ctrl+backspace": "Backspace",
    "shift+backspace": "Backspace",
    "shift+space": "Space",
    "alt+space": "Space",
}
"""Keys that are sent as another one by all or many terminals, or read so."""


def key_of(written: str) -> str:
    """Return the key that is `written`, as Textual names it.

    Raises:
        ValueError: there is no such key, or terminals cannot tell it from another; its text says which.
    """
    modifiers, name = _taken_apart(written)
    if "shift" in modifiers and len(name) == 1:
        if modifiers == frozenset({"shift"}):
            raise ValueError(f'Shift with a letter is written as that letter: "{name.upper()}"')
        if "ctrl" in modifiers:
            raise ValueError(f"terminals send the same for {shown(f'ctrl+{name.lower()}')}")
    if "alt" in modifiers and len(name) == 1 and name.isupper():
        modifiers, name = modifiers | {"shift"}, name.lower()
    key = "+".join([*sorted(modifiers), name if not modifiers else name.lower() if len(name) == 1 else name])
    if key in SAME:
        raise ValueError(f"terminals send the same for {SAME[key]}")
    if problem := _impossible(frozenset(modifiers), name):
        raise ValueError(problem)
    return "ctrl+@" if key in {"ctrl+at", "ctrl+space"} else key


def _taken_apart(written: str) -> tuple[frozenset[str], str]:
    """Return modifiers and name."""
    text = written.strip() or written
    if text in _SIGNS or len(text) == 1:
        return frozenset(), _SIGNS.get(text, text)
    *before, last = text.split("+")
    if not last and before:  # `ctrl++`
        before, last = before[:-1], "+"
    modifiers: set[str] = set()
    for word in before:
        if word.strip().lower() not in _MODIFIERS:
            raise ValueError(f'"{word.strip()}" is no modifier; there are ctrl, alt and shift')
        modifiers.add(_MODIFIERS[word.strip().lower()])
    last = last.strip()
    name = last if len(last) == 1 else _OTHER_NAMES.get(last.lower(), last.lower())
    return frozenset(modifiers), _SIGNS.get(name, name)


def _impossible(modifiers: frozenset[str], name: str) -> str:
    """Return why no terminal sends this; '' where it can be sent."""
    letter = len(name) == 1
    if not (letter and name.isprintable()) and name not in _PLAIN | _FUNCTION and name not in _BY_NAME:
        return "there is no such key"
    if not modifiers or name in _MOVING or (name == "tab" and modifiers == frozenset({"shift"})):
        return ""
    if name in _FUNCTION:
        return "" if modifiers <= {"ctrl"} else "terminals send function keys alone or with Ctrl"
    ascii_letter = letter and name.isascii() and name.isalpha()
    if modifiers == frozenset({"ctrl"}):
        fine = ascii_letter or name in _CTRL_SIGNS or name == "space"
        return "" if fine else "with Ctrl, terminals can send letters, arrows, Space and \\ ] ^ _ only"
    if modifiers <= {"alt", "shift"}:
        fine = letter and name.isascii() and name.isalnum() and (name.isalpha() or "shift" not in modifiers)
        return "" if fine else "with Alt, terminals can send letters, digits and arrows only"
    return "terminals cannot tell these modifiers together"


def named(key: str) -> str:
    """Return a key as Textual names it; a sign may be written as itself."""
    return _SIGNS.get(key, key)


def is_typed(key: str) -> bool:
    """Return whether the key is text where text can be typed."""
    return (len(key) == 1 and key.isprintable()) or key in _BY_NAME or key == "space"


def shown(key: str) -> str:
    """Return a key as texts name it: `Ctrl+T`, `PgUp`, `n`, `?`."""
    *modifiers, name = key.split("+")
    if key == "ctrl+@":
        return "Ctrl+Space"
    if not modifiers:
        return (
            "Space"
            if name == "space"
            else _BY_NAME.get(name, _SHOWN.get(name, name if len(name) == 1 else name.title()))
        )
    if modifiers == ["alt", "shift"]:
        return f"Alt+Shift+{name.upper()}"
    last = _BY_NAME.get(name) or _SHOWN.get(name) or (name.upper() if len(name) == 1 else name.title())
    return "+".join([*(modifier.title() for modifier in modifiers), last])


def brief(key: str) -> str:
    """Return a key as the last line of the screen names it: `ctrl+t`, `n`, `N`."""
    text = shown(key)
    return text if len(text) == 1 else text.lower()
