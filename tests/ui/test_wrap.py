"""Wrapping keeps every character, in rows that fit."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from nlm_tui.ui.wrap import wrap

LINES = st.text(
    alphabet=st.one_of(st.sampled_from("ab  漢é👍"), st.characters(exclude_categories=("Cc", "Cs"))), max_size=200
)


@given(LINES, st.integers(2, 60))
def test_rows_fit_and_lose_only_blanks(text: str, width: int) -> None:
    rows = wrap(text, width)
    place = 0
    for start, end in rows:
        assert start >= place
        assert not text[place:start].strip()
        assert cell_len(text[start:end].rstrip()) <= width
        place = end
    assert not text[place:].strip()


def test_breaks_at_blanks_and_keeps_the_indent() -> None:
    assert wrap("one two three", 8) == [(0, 7), (8, 13)]
    assert wrap("    indented text", 12) == [(0, 12), (13, 17)]


def test_a_long_word_is_cut() -> None:
    assert wrap("abcdefghij", 4) == [(0, 4), (4, 8), (8, 10)]
    assert wrap("漢字漢字漢", 4) == [(0, 2), (2, 4), (4, 5)]
