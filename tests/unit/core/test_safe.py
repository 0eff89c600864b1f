"""No text from a transcript can steer a terminal."""

import json
import unicodedata
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import display_safe, json_safe, one_line, storable, strip_control

PARTS = (
    *(
        "\x1b",
        "\x1b[",
        "\x1b]",
        "\x1bP",
        "\x1b_",
        "\x1b^",
        "\x1bX",
        "\x9b",
        "\x9d",
        "\x90",
        "\x98",
        "\x9c",
        "\x07",
        "\x1b\\",
    ),
    *(
        "0;31",
        "m",
        "2J",
        "?1049h",
        "52;c;",
        "H",
        "8;;http://x",
        "\x1bc",
        "\x1b(B",
        "\x1b#8",
        "\x0e",
        "\x0f",
        "\x18",
        "\x1a",
    ),
    *("a", "Z", "é", "検", "😀", " ", "\t", "\n", "\r", "\r\n", "\b", "\x7f", "\x85", "\x00", "\x0b", "\x0c", "\ud800"),
    *("\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "[bold]", "[/]", "\\", '"'),
)
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def random_texts(count: int) -> list[str]:
    random = Random(20260514)
    return ["".join(random.choices(PARTS, k=random.randint(1, 12))) for _ in range(count)]


def test_no_control_character_passes() -> None:
    for text in random_texts(20_000):
        shown = display_safe(text)
        assert display_safe(shown) == shown
        line = one_line(text)
        assert one_line(line) == line
        for character in {*shown, *line} - {"\n"}:
            assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}, ascii(text)
            assert character not in BIDI, ascii(text)
        assert "\n" not in line


@given(st.text(st.characters()))
def test_whatever_the_text(text: str) -> None:
    shown = display_safe(text)
    assert display_safe(shown) == shown
    assert not {unicodedata.category(character) for character in set(shown) - {"\n"}} & {"Cc", "Cs"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [bold]text[/bold]", "plain [bold]text[/bold]"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\x", "x"),
        ("50%\rdone\r\n", "50%\ndone\n"),
        ("a\bb\x7f", "a␈b\ufffd"),
        ("a\x00b", "ab"),
        ("a\tb", "a   b"),
        ("x\u2028y", "x\ny"),
        ("abc\u202efed", "abc\ufffdfed"),
        ("\ud83d", "\ufffd"),
        ("👩\u200d💻 नि", "👩\u200d💻 नि"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert display_safe(text) == shown


def test_tabs_stay_where_they_mean_something() -> None:
    assert strip_control("a\tb\x07") == "a\tb␇"


def test_one_line() -> None:
    assert one_line("  a\n\n b\t\x1b[2Jc \x85d ") == "a b c \ufffdd"


@given(st.text(st.characters()))
def test_storable_text_is_utf8_without_nul_and_as_long(text: str) -> None:
    kept = storable(text)
    assert len(kept) == len(text)
    assert "\x00" not in kept
    assert kept.encode() == storable(kept).encode()
    assert all(old in (new, "\x00") or "\ud800" <= old <= "\udfff" for new, old in zip(kept, text, strict=True))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_safe_json_means_the_same(text: str) -> None:
    safe = json_safe(json.dumps({"x": [text]}, ensure_ascii=False, indent=2))
    assert json.loads(safe) == {"x": [text]}
    assert display_safe(safe) == safe
