"""What a text is indexed under beside its words."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui import core
from nlm_tui.core import index_parts, indexed_texts, units
from nlm_tui.core.parts import GAP, bigrams, identifier_parts, is_cjk, plain_spelling, signs, split_scripts

PIECES = [
    "a",
    "Ab",
    "AB",
    "retry",
    "検索",
    "ｶﾞ",
    "ﬁ",
    "ß",
    "İ",
    "\u0301",
    "12",
    "#",
    "++",
    "%",
    "--",
    "'",
    "\ue0b0",
    "_",
    " ",
]
TEXTS = st.text(st.characters()) | st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def parts(text: str) -> list[str]:
    return index_parts(text).split(GAP) if index_parts(text) else []


@given(TEXTS)
def test_any_text_has_parts_each_of_them_once(text: str) -> None:
    found = parts(text)
    assert all(found)
    assert len(set(found)) == len(found)
    assert sorted(index_parts(f"{text} {text}").split(GAP)) == sorted(index_parts(text).split(GAP))
    assert all(part == " ".join(part.split()) for part in found)


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1), max_size=20))
def test_words_in_lower_case_have_none(words: list[str]) -> None:
    assert index_parts(" ".join(words)) == index_parts(", ".join(words)) == ""


@given(st.text("abzXYnetNET._-'/\"`()[],;:?!1é", max_size=12))
def test_what_is_passed_over_as_plain_has_none(text: str) -> None:
    found = index_parts(text)
    core.parts._without_parts.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core.parts, "_PLAIN_CHUNK", re.compile("(?!)"))
        assert index_parts(text) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mergeGuestCart", ["merge guest cart"]),
        ("XMLHttpRequest", ["xml http request"]),
        ("OAuth2Client", ["o auth 2 client"]),
        ("max_retry_count", []),
        ("MAX_BATCH", []),
        ("Redis and Kafka.", []),
        ("a C# of .NET or C++", ["cplusplus", "csharp", "dotnet"]),
        ("closes #123 at 50%", ["50percent", "hash123"]),
        ("on localhost:8086", ["port8086"]),
        ("with --dry-run", ["flagdryrun"]),
        ("it doesn't, can\u2019t", ["cant", "doesnt"]),
        ("python3.11", ["3 11", "python 3"]),
        ("v1.2", ["1 2"]),
        ("3.11", []),
        ("登录超时", ["登录 录超 超时 时"]),
        ("検", []),
        ("用kafka", ["用", "kafka"]),
        ("カタカナ", ["カタ タカ カナ ナ"]),
        ("ｶﾀｶﾅ", ["カタ タカ カナ ナ"]),
        ("ＡＰＩ", ["api"]),
        ("ﬁn", ["fin"]),
        ("Straße", ["strasse"]),
        ("þing, Æther", ["aether", "thing"]),
        ("Café", []),
        ("Łódź", ["lodz"]),
        ("на ёлке", ["елке"]),
        ("\ue0b0main", ["main"]),
        ("go \N{ROCKET}", ["emoji1f680"]),
        ("9f2c4e1ab37d0c55e8f6a1b2c3d4e5f60718293a", []),
    ],
)
def test_the_parts_of_a_text(text: str, expected: list[str]) -> None:
    assert sorted(parts(text)) == sorted(expected)


@pytest.mark.parametrize(
    "word",
    [
        *("C#", "C++", ".NET", "F#", "#123", "50%", "99.9%", ":8086", "--dry-run", "doesn't", "\N{ROCKET}", "þing"),
        *("mergeGuestCart", "登录超时", "カタカナ", "ｶﾀｶﾅ", "Łódź", "ёлке", "ＡＰＩ", "ﬁn", "straße"),
    ],
)
def test_what_a_query_looks_for_is_what_is_indexed(word: str) -> None:
    (unit,) = units(word)
    plain = word.lower().replace("'", " ")
    indexed = f" {plain} {' '.join(parts(word))} "
    assert any(all(f" {' '.join(words)} " in indexed for words in way) for way in unit.ways)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("retry", ("retry",)),
        ("RETRY", ("retry",)),
        ("mergeGuestCart", ("merge", "guest", "cart")),
        ("parseHTTPHeaderFast", ("parse", "http", "header", "fast")),
        ("utf8Decoder", ("utf", "8", "decoder")),
        ("v2", ("v2",)),
        ("TS2345", ("ts", "2345")),
        ("1a2b3c4d5e6f", ("1a2b3c4d5e6f",)),
        ("aB1cD2eF3gH4iJ5kL6mN7oP8qR9", ("ab1cd2ef3gh4ij5kl6mn7op8qr9",)),
        ("überGröße", ("über", "größe")),
        ("aB" * 100, ("ab" * 100,)),
    ],
)
def test_parts_of_identifiers(run: str, expected: tuple[str, ...]) -> None:
    assert identifier_parts(run) == expected


def test_short_texts_are_kept_apart() -> None:
    assert indexed_texts([]) is None
    assert indexed_texts(iter(["We keep redis", "mergeGuestCart goes"])) == GAP.join(
        ["We keep redis", "mergeGuestCart goes", "merge guest cart"]
    )
    assert indexed_texts([""]) == ""


@given(TEXTS)
def test_runs_are_cut_where_scripts_meet(text: str) -> None:
    pieces = split_scripts(text)
    assert "".join(pieces) == text
    assert all(is_cjk(one) is not is_cjk(other) for one, other in pairwise(pieces))


def test_pairs_of_characters_and_the_last() -> None:
    assert bigrams("登录超时") == ["登录", "录超", "超时", "时"]
    assert bigrams("検") == ["検"]


@given(st.text(st.characters()))
def test_a_plain_spelling_is_its_own(word: str) -> None:
    assert plain_spelling(plain_spelling(word)) == plain_spelling(word)


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("ёлке", "елке"),
        ("ΟΔΟΣ", "οδοσ"),
        ("ガ", "ガ"),
        ("ＡＢ", "ab"),
        ("Þ", "th"),
    ],
)
def test_plain_spellings(word: str, plain: str) -> None:
    assert plain_spelling(word) == plain


@given(TEXTS)
def test_signs_stand_where_they_say(text: str) -> None:
    place = 0
    for word, kind, (start, end) in signs(text):
        assert place <= start < end <= len(text)
        assert word
        assert kind
        place = end
