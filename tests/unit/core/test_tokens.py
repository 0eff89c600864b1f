"""Tokens of text, and the fields of a session that share one with a query."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import a_session

from nlm_tui.core import Session, keyword_match_fields, token_set, tokenize, unfinished_token


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("Retry Budget", ["retry", "budget"]),
        ("Straße café 検索", ["straße", "café", "検索"]),
        ("rate-limiter v1.2.3 snake_case", ["rate-limiter", "v1.2.3", "snake_case"]),
        ("It works. Really- yes...", ["it", "works", "really", "yes"]),
        ("_private -flag .hidden", ["private", "flag", "hidden"]),
        ("a", ["a"]),
        ("7", ["7"]),
        ("x_", ["x_"]),
        ('redis OR (kafka) NEAR "x"', ["redis", "or", "kafka", "near", "x"]),
        ("cafe\u0301", ["café"]),
        ("\u0130stanbul", ["i\u0307stanbul"]),
        ("J\u030c", ["\u01f0"]),
        ("हिन्दी ไทย 한국어 Привет", ["हिन्दी", "ไทย", "한국어", "привет"]),
        ("price: 12,50 €", ["price", "12", "50"]),
        ("a\x00b\ud800c", ["a", "b", "c"]),
        ("--- *** \"'", []),
    ],
)
def test_a_letter_or_digit_then_letters_digits_and_some_marks(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@given(st.text(st.characters()))
@example("AJ\u030c")
@example("\u1e9e\u0345\u03a3.\u03a3")
def test_tokenize_takes_any_text_and_its_tokens_are_tokens(text: str) -> None:
    tokens = tokenize(text)
    for token in tokens:
        assert token == token.lower()
        assert token[0].isalnum()
        assert not token.endswith((".", "-"))
        assert tokenize(token) == [token]
    assert tokenize(" ".join(tokens)) == tokens
    assert token_set(text) == frozenset(tokens)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_both_forms_of_an_accent_give_the_same_tokens(text: str) -> None:
    assert tokenize(unicodedata.normalize("NFC", text)) == tokenize(unicodedata.normalize("NFD", text))


def test_fields_stand_in_their_order() -> None:
    session = a_session(
        label="Redis cache", summary="We looked at Redis.", decisions=("keep redis",), open=("who pays for Redis?",)
    )
    assert keyword_match_fields(session, {"redis"}) == ("label", "decisions", "open", "summary")
    assert keyword_match_fields(session, ["keep", "who"]) == ("decisions", "open")


@pytest.mark.parametrize("tokens", [(), {"red"}, {"rediss"}, {"Redis"}])
def test_only_whole_tokens_overlap(tokens: tuple[str, ...]) -> None:
    assert keyword_match_fields(a_session(label="Redis", body="red"), tokens) == ()


def test_the_body_is_no_field() -> None:
    assert keyword_match_fields(a_session(label="x", body="redis"), {"redis"}) == ()


def test_a_word_is_unfinished_until_a_blank_follows() -> None:
    assert unfinished_token("retry budg") == "budg"
    assert unfinished_token("retry budg ") == ""
    assert unfinished_token("") == ""
    assert [unfinished_token(text) for text in ("b", "retry b", "retry bu", "retry bud", "再試行 上限")] == [
        *("b", "", "", "bud", "上限")
    ]
    assert unfinished_token('"') == ""
    session = Session(id="a", runtime="r", started_at="", label="Budgets", summary="budget")
    assert keyword_match_fields(session, {"budg"}) == ()
    assert keyword_match_fields(session, {"budg"}, "budg") == ("label", "summary")
