"""A literal text is found with smart case and smart accents."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core.finding import Finder


def found(wanted: str, text: str) -> list[str]:
    return [text[start:end] for start, end in Finder(wanted).spans(text)]


@pytest.mark.parametrize(
    ("wanted", "text", "parts"),
    [
        ("", "anything", []),
        ("ab", "abAB aB", ["ab", "AB", "aB"]),
        ("Ab", "abAB Ab", ["Ab"]),
        ("cafe", "Café cafe\u0301 CAFE", ["Café", "cafe\u0301", "CAFE"]),
        ("café", "Café cafe\u0301 CAFE", ["Café", "cafe\u0301"]),
        ("cafe\u0301", "Café cafe", ["Café"]),
        ("strasse", "Straße", ["Straße"]),
        ("f", "\ufb01 f", ["f"]),
        ("e", "é e\u0301", ["é", "e\u0301"]),
        ("か", "が か", ["か"]),
        ("が", "が か\u3099", ["が", "か\u3099"]),
        ("가", "각 가", ["가"]),
        ("aa", "aaaaa", ["aa", "aa"]),
        ("[a-z]*", "x [a-z]* y", ["[a-z]*"]),
        ("i", "\u0130", ["\u0130"]),
    ],
)
def test_what_counts(wanted: str, text: str, parts: list[str]) -> None:
    assert found(wanted, text) == parts


@given(st.text(alphabet="aAeéÉe\u0301ﬁßが각 \u0130x", max_size=30), st.integers(0, 30), st.integers(1, 4))
def test_a_part_of_a_text_is_found_in_it(text: str, start: int, length: int) -> None:
    wanted = text[start : start + length]
    following = text[start + length : start + length + 1]
    if wanted and not unicodedata.combining(wanted[0]) and not (following and unicodedata.combining(following)):
        assert Finder(wanted).spans(text)


@given(st.text(max_size=6), st.text(max_size=60))
def test_spans_are_in_order_and_hold_something(wanted: str, text: str) -> None:
    spans = Finder(wanted).spans(text)
    places = [place for span in spans for place in span]
    assert places == sorted(places)
    assert all(0 <= start < end <= len(text) for start, end in spans)
