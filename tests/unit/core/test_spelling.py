"""Words at one edit from another: all of them, and no others."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import near_spellings
from nlm_tui.core.spelling import distance

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=5, max_size=12)


def counted(first: str, second: str) -> int:
    """Return the edits between two words, said plainly: the last letters are one of a few things."""
    if not first or not second:
        return len(first) + len(second)
    ways = [
        counted(first[:-1], second) + 1,
        counted(first, second[:-1]) + 1,
        counted(first[:-1], second[:-1]) + (first[-1] != second[-1]),
    ]
    if first[-2:] == second[-2:][::-1] and len(first) > 1 and len(second) > 1:
        ways.append(counted(first[:-2], second[:-2]) + (first[-2:] != second[-2:]))
    return min(ways)


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_the_distance_is_that_of_a_plain_reading(first: str, second: str) -> None:
    assert distance(first, second) == distance(second, first) == counted(first, second)


@pytest.mark.parametrize(
    ("first", "second", "edits"),
    [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("retry", "rtery", 1), ("ab", "ba", 1), ("ca", "abc", 3)],
)
def test_known_distances(first: str, second: str, edits: int) -> None:
    assert distance(first, second) == edits


@given(WORDS)
def test_near_spellings_are_at_one_edit_and_each_is_there_once(word: str) -> None:
    near = near_spellings(word)
    assert len(near) == len(set(near))
    assert {distance(word, other) for other in near} == {1}


@given(st.text("ab", min_size=5, max_size=6))
def test_no_word_at_one_edit_is_missing(word: str) -> None:
    near = {other for other in near_spellings(word) if set(other) <= set("ab")}
    words = ("".join(letters) for length in range(4, 8) for letters in product("ab", repeat=length))
    assert near == {other for other in words if distance(word, other) == 1}


@given(WORDS, st.data())
def test_to_be_near_is_mutual(word: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(near_spellings(word)))
    assert len(other) < 5 or word in near_spellings(other)


@pytest.mark.parametrize(
    "word", ["", "abcd", "abc1de", "a-bcde", "x" * 41, "検索検索検索", "😀😀😀😀😀", "5abcde", "straß1"]
)
def test_short_words_and_what_is_no_word_have_none(word: str) -> None:
    assert near_spellings(word) == []


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("Kubarnetes", "kubernetes"),
        ("приветт", "привет"),
        ("приет", "привет"),
        ("καλοκέρι", "καλοκαρι"),
        ("résumée", "resume"),
        ("strase", "strasse"),
        ("Łóddź", "lodz"),
    ],
)
def test_other_alphabets_and_accents(word: str, near: str) -> None:
    assert near in near_spellings(word)


@given(st.text(st.characters()))
def test_any_text_may_be_a_word(word: str) -> None:
    assert all(4 <= len(other) <= 41 for other in near_spellings(word))
