"""Words of a query as units: what each may be found by."""

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlm_tui.core import units
from nlm_tui.core.units import MOST_UNITS

LETTERS = ("a", "Ab", "retry", "検索", "ｶﾞ", "ﬁ", "ß", "İ", "\u0301", "1", "_")
SIGNS = ("#", "++", "%", "--", "'", '"', ":", ".", "*", " ", " ", " ")
TEXTS = st.text(st.characters()) | st.lists(st.sampled_from((*LETTERS, *SIGNS)), max_size=25).map("".join)


def typed(text: str) -> list[str]:
    return [unit.typed for unit in units(text)]


def ways(text: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    (unit,) = units(text)
    return unit.ways


@given(TEXTS, st.booleans())
@example('"', False)  # noqa: FBT003 - the values of an example go by place
@example("½ ² Ⅷ \u0345ß", True)  # noqa: FBT003
def test_any_text_has_units_that_an_index_can_take(text: str, typing: bool) -> None:  # noqa: FBT001 - as above
    found = units(text, typing=typing)
    assert len(found) <= MOST_UNITS
    assert len({unit.typed.lower() for unit in found}) == len(found)
    for unit in found:
        assert unit.ways
        for way in (*unit.ways, *unit.beginnings):
            assert way
            assert all(way)
            for words in way:
                plain = [*words[:-1], words[-1].removesuffix("*")]
                assert all(word and not set(word) & set('"* \t\n') and any(map(str.isalnum, word)) for word in plain)
        assert len(set(unit.pieces)) == len(unit.pieces)
        assert bool(unit.sequence) <= unit.quoted
    assert [unit.typed for unit in found if unit.unfinished] in ([], [found[-1].typed] if found else [])
    assert [unit.typed for unit in found] == typed(text)


@given(TEXTS)
def test_nothing_is_unfinished_once_a_blank_follows(text: str) -> None:
    assert units(text + " ", typing=True) == units(text + " ")
    assert not any(unit.unfinished for unit in units(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ... -- _ ", []),
        ("retry budget", ["retry", "budget"]),
        ("Retry retry RETRY", ["Retry"]),
        ('"retry  budget" cache', ['"retry  budget"', "cache"]),
        ('"retry budget', ['"retry', "budget"]),
        ('a"b c"', ['a"b', 'c"']),
        ('"..."', []),
        ("C#/F#,x", ["C#", "F#", ",x"]),
        ("ship\N{ROCKET}it", ["ship", "\N{ROCKET}", "it"]),
        ("c++17", ["c++17"]),
    ],
)
def test_blanks_quotes_and_signs_part_units(text: str, expected: list[str]) -> None:
    assert typed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Retry", [["retry"]]),
        ("mergeGuestCart", [["mergeguestcart"], ["merge guest cart"]]),
        ("rate-limiter", [["rate limiter"]]),
        ("max_retry_count", [["max retry count"]]),
        ("straße", [["straße"], ["strasse"]]),
        ("þing", [["þing"], ["thing"]]),
        ("3.11", [["3 11"]]),
        ("#123", [["hash123"]]),
        ("50%", [["50percent"]]),
        ("99.9%", [["99p9percent"]]),
        (":8086", [["port8086"]]),
        ("--dry-run", [["flagdryrun"]]),
        ("doesn't", [["doesn t"]]),
        ("C#", [["csharp"]]),
        ("C++", [["cplusplus"]]),
        (".NET", [["dotnet"]]),
        ("\N{ROCKET}", [["emoji1f680"]]),
        ("9F2C4E1A", [["9f2c4e1a"], ["9f2c4e1a*"]]),
        ("1234567", [["1234567"]]),
        ("登录超时", [["登录 录超 超时"]]),
        ("超", [["超*"]]),
        ("用kafka", [["用kafka"], ["用*", "kafka"]]),
        ("ＡＰＩ", [["api"]]),
        ("ｶﾀｶﾅ", [["カタ タカ カナ"]]),
        ("\ue0b0main", [["main"]]),
    ],
)
def test_the_ways_to_hold_a_word(text: str, expected: list[list[str]]) -> None:
    assert [[" ".join(words) for words in way] for way in ways(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"redis cache"', [["redis cache"]]),
        ('"#123"', [["123", "hash123"]]),
        ('"50%"', [["50", "50percent"]]),
        ('"C#"', [["c", "csharp"]]),
        ('"at \N{ROCKET}"', [["at", "emoji1f680"]]),
        ('"\N{ROCKET}"', [["emoji1f680"]]),
        ('"don\'t"', [["don t"]]),
    ],
)
def test_signs_in_quotes_are_meant(text: str, expected: list[list[str]]) -> None:
    (unit,) = units(text)
    assert unit.quoted
    assert [[" ".join(words) for words in way] for way in unit.ways] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("retry", ()),
        ("rate-limiter", ("rate", "limiter")),
        ("mergeGuestCart", ("merge", "guest", "cart")),
        ("a-a", ()),
        ("登录超时", ("登录", "录超", "超时")),
        ("登录", ()),
        ("用kafka", ("用", "kafka")),
        ('"rate limiter"', ()),
    ],
)
def test_what_to_look_for_where_nothing_is_held_whole(text: str, expected: tuple[str, ...]) -> None:
    (unit,) = units(text)
    assert unit.pieces == expected


def test_the_last_word_may_be_unfinished() -> None:
    retry, budg = units("retry budg", typing=True)
    assert (retry.unfinished, budg.unfinished) == (False, True)
    assert budg.beginnings == ((("budg*",),),)
    assert [unit.unfinished for unit in units('retry "budg"', typing=True)] == [False, False]
    assert units("rate-lim", typing=True)[0].beginnings == ((("rate", "lim*"),),)
    assert units("超", typing=True)[0].beginnings == ((("超*",),),)


def test_a_pasted_file_is_cut() -> None:
    found = units(" ".join(f"w{number}" for number in range(100_000)))
    assert [unit.typed for unit in found] == [f"w{number}" for number in range(MOST_UNITS)]
    (unit,) = units("x" * 1_000_000)
    assert len(unit.typed) < 10_000


def test_no_character_is_too_odd() -> None:
    # Some, such as the degree Celsius, are no letters but become letters where compatible forms count as one.
    for code in range(sys.maxunicode + 1):
        for text in (chr(code), f"{chr(code)}#1"):
            assert all(unit.ways for unit in units(text))


@pytest.mark.parametrize("sign", ["\u2122", "\u2103", "\u2116", "\u20a8"])
def test_a_sign_that_stands_for_letters_is_no_word(sign: str) -> None:
    assert units(sign) == ()
    assert [unit.typed for unit in units(f"20 {sign} Foo{sign}")] == ["20", f"Foo{sign}"]
