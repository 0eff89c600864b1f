"""Stems equal those of the index, and completions lead to the stems that a half-typed word hides."""

import re
from pathlib import Path

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlm_tui.core.stemming import completions, stem

_ROOT = Path(__file__).parents[3]
_FOLDING = ("unicode61", "remove_diacritics", "2")
_LETTERS = "aeiouysdtlgnwxz19éß検䀀\U00010000"  # UTF-8 of the last two repeats bytes: a doubled consonant loses one
_SUFFIXES = """
    ss ies sses ied ed eed ing at bl iz ll tt ful ness ical icate iciti ative alize
    ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism
    iveness fulness ousness aliti iviti biliti ability ivity ality logy ably ently
    al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize
"""
_PARTS = (*_LETTERS, *_SUFFIXES.split())


def _tokens(text: str, *tokenizer: str) -> list[str]:
    """Return what a tokenizer of SQLite makes of `text`; half a character reads as U+FFFD."""
    tokenize = apsw.Connection(":memory:").fts5_tokenizer(tokenizer[0], list(tokenizer[1:]))
    return tokenize(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)


def _differences(text: str) -> list[tuple[str, str, str]]:
    """Return the folded tokens of `text` that are not stemmed as SQLite does: token, its stem there, its stem here."""
    pairs = zip(_tokens(text, *_FOLDING), _tokens(text, "porter", *_FOLDING), strict=True)
    return [(token, theirs, stem(token)) for token, theirs in pairs if _readable(stem(token)) != theirs]


def _readable(stemmed: str) -> str:
    return stemmed.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("", ""),
        ("is", "is"),
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("ies", "ie"),
        ("caress", "caress"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("eed", "e"),
        ("agreed", "agre"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("hopping", "hop"),
        ("hoping", "hope"),
        ("falling", "fall"),
        ("fizzed", "fizz"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("connection", "connect"),
        ("station", "station"),
        ("retries", "retri"),
        ("authentication", "authent"),
        ("controlling", "control"),
        ("generalizations", "gener"),
        ("v2ing", "v2ing"),
        ("検索ing", "検索ing"),
        ("straßes", "straß"),
        ("a䀀ing", "a\udce4\udc80"),
    ],
)
def test_known_stems(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


def test_the_words_of_this_repository() -> None:
    files = [
        _ROOT / "benchmarks/recall_quality/corpus.json",
        *sorted(_ROOT.glob("*.md")),
        *sorted(_ROOT.glob("n*/**/*.py")),
    ]
    words = sorted({word for file in files for word in re.findall(r"[^\W_]+", file.read_text("utf-8"))})
    assert len(words) > 3000
    assert _differences(" ".join(words)) == []


def test_all_short_tokens_of_telling_letters() -> None:
    letters = "aeysdinglé"
    tokens = [""]
    for _ in range(4):
        tokens = [token + letter for token in ["", *tokens] for letter in letters]
        assert _differences(" ".join(tokens)) == []


@pytest.mark.parametrize("first", _PARTS)
def test_all_pairs_of_suffixes(first: str) -> None:
    assert (
        _differences(" ".join(f"{base}{first}{last}" for base in ("", "b", "tro", "oat", "sky") for last in _PARTS))
        == []
    )


@given(st.lists(st.lists(st.sampled_from(_PARTS), max_size=9).map("".join), max_size=40))
def test_made_up_words(words: list[str]) -> None:
    assert _differences(" ".join(words)) == []


@given(st.integers(55, 70), st.sampled_from("aé検"), st.sampled_from(["ings", "ational", "ss", "y", "ed", "é", "検s"]))
def test_long_tokens_are_left_alone(length: int, letter: str, suffix: str) -> None:
    assert _differences(f"b{letter * length}"[: length // len(letter.encode())] + suffix) == []


@given(st.text())
def test_tokens_of_any_text(text: str) -> None:
    assert _differences(re.sub("[\0\ud800-\udfff]", " ", text)) == []


@given(st.text(st.characters()))
@example("\ud800ing")
@example("a\udce4\udc80ing")
def test_no_input_raises(text: str) -> None:
    assert isinstance(stem(text), str)
    assert isinstance(completions(text), tuple)


@pytest.mark.parametrize(
    ("beginning", "stems"),
    [
        ("connecti", ["connect"]),
        ("retrie", ["retri"]),
        ("stopp", ["stop"]),
        ("runni", ["run"]),
        ("controll", ["control"]),
        ("authentica", ["authentic", "authent"]),
        ("generalizatio", ["generalizati", "generaliz", "gener"]),
        ("happy", ["happi"]),
        ("cache", ["cach"]),
        ("relati", ["relat", "rel"]),
        ("depende", ["depend"]),
        ("configurati", ["configurat", "configur"]),
        ("stat", []),
        ("conn", ["con"]),  # as of `conning`
        ("word", []),
        ("sto", []),
        ("", []),
        ("connéctio", []),
        ("rate-limiti", []),
        ("v1234567", []),
        ("connecti" * 9, []),
    ],
)
def test_completions_lead_to_hidden_stems(beginning: str, stems: list[str]) -> None:
    assert [stem(word) for word in completions(beginning)] == stems


@given(st.lists(st.sampled_from([part for part in _PARTS if part.isascii()]), max_size=6).map("".join))
def test_completions_are_few_words_of_different_stems(beginning: str) -> None:
    words = completions(beginning)
    stems = _tokens(" ".join(words), "porter", *_FOLDING)
    assert len(set(stems)) == len(words) <= 4
    assert stems == sorted(stems, key=len, reverse=True)
    assert all(word.startswith(beginning) for word in words)
    assert not any(stemmed.startswith(beginning) for stemmed in stems)


def test_words_of_this_repository_are_found_while_they_are_typed() -> None:
    text = (_ROOT / "benchmarks/recall_quality/corpus.json").read_text("utf-8")
    words = sorted(set(re.findall(r"(?<!\w)[a-z]{5,16}(?!\w)", text)))
    hidden = [
        (word, word[:end]) for word in words for end in range(4, len(word) + 1) if not stem(word).startswith(word[:end])
    ]
    missed = [pair for pair in hidden if stem(pair[0]) not in map(stem, completions(pair[1]))]
    assert len(hidden) > 300
    assert [word for word, _ in missed if len(stem(word)) > 2] == []
