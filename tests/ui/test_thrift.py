"""What the terminal is sent shows the same in fewer bytes."""

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from nlm_tui.ui.thrift import thrifty

COLOURS = [
    "",
    "red",
    "bright_blue",
    "color(120)",
    "#e0e0e0",
    "on #121212",
    "on white",
    "on bright_black",
    "red on #123456",
]
ATTRIBUTES = [
    "",
    "bold",
    "bold underline",
    "italic strike",
    "reverse",
    "dim",
    "bold dim",
    "underline reverse",
    "conceal",
]
STYLES = st.builds(lambda *parts: Style.parse(" ".join(parts)), st.sampled_from(ATTRIBUTES), st.sampled_from(COLOURS))
PIECES = st.lists(st.tuples(st.text("ab c", max_size=6), STYLES), max_size=30)


OFF = {"22": "12", "23": "3", "24": "4", "25": "5", "27": "7", "28": "8", "29": "9", "39": "f", "49": "b"}


def shown(text: str) -> list[tuple[str, frozenset[tuple[str, str]]]]:
    """Return each character, or sequence, with the style that a terminal has then."""
    style: dict[str, str] = {}
    found = []
    for token in re.finditer(r"\x1b\[([0-9;]*)m|\x1b\[[0-9;]*[A-Za-z]|.", text, re.DOTALL):
        if token[1] is None:
            moves = token[0].endswith("H") or token[0] == "\n"
            found.append((token[0], frozenset() if moves else frozenset(style.items())))
            continue
        codes = iter(token[1].split(";"))
        for code in codes:
            if code in {"", "0"}:
                style.clear()
            elif code in {"38", "48"}:
                kind = next(codes)
                colour = [next(codes) for _ in range(1 if kind == "5" else 3)]
                style["f" if code == "38" else "b"] = ";".join((kind, *colour))
            elif code in OFF:
                for off in OFF[code]:
                    style.pop(off, None)
            elif len(code) == 1:
                style[code] = ""
            else:
                style["b" if code.startswith(("4", "10")) else "f"] = code
    return [*found, ("end", frozenset(style.items()))]


@given(PIECES, st.sampled_from(list(ColorSystem)[:3]))
def test_it_shows_the_same(pieces, system) -> None:
    text = "".join(style.render(part, color_system=system) for part, style in pieces)
    assert shown(thrifty(text)) == shown(text)
    assert len(thrifty(text)) <= len(text) + len("0;")


@given(
    st.lists(
        st.sampled_from(["\x1b[2;3H", "\n", "\x1b[2K", "\x1b[38;5;9;1mx\x1b[0m", "\x1b[53mx\x1b[0m", "a", "\x1b[m"])
    )
)
def test_what_else_is_sent_stays_in_its_place(parts) -> None:
    text = "".join(parts) + "\x1b[0m"
    assert shown(thrifty(text)) == shown(text)


def test_a_style_that_goes_on_is_said_once() -> None:
    grey = Style.parse("#e0e0e0 on #121212")
    text = "".join(
        segment.style.render(segment.text, color_system=ColorSystem.TRUECOLOR)
        for segment in (Segment("a", grey), Segment("b", grey + Style(bold=True)), Segment("c", grey))
    )
    assert thrifty(text) == "\x1b[0;38;2;224;224;224;48;2;18;18;18ma\x1b[1mb\x1b[22mc\x1b[0m"


def test_a_style_that_is_not_read_ends() -> None:
    assert thrifty("a\x1b[31;53mb\x1b[0m\x1b[1mc\x1b[0m") == "a\x1b[0;31;53mb\x1b[0;1mc\x1b[0m"


def test_what_began_before_ends() -> None:
    assert thrifty("def\x1b[0m\x1b[2;1H\x1b[1mghi\x1b[0m") == "def\x1b[2;1H\x1b[0;1mghi\x1b[0m"
    assert thrifty("\x1b[0mabc") == "\x1b[0mabc"
