"""Where the words of a query stand in a text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import Matcher, matcher, query_matcher, tokenize

# Characters whose folding changes what stands beside them, and some that only look so.
PIECES = st.sampled_from(
    (
        *(
            "İ",
            "ı",
            "ß",
            "ẞ",
            "ﬁ",
            "é",
            "e\u0301",
            "\u0301",
            "Å",
            "ς",
            "Σ",
            "検",
            "索",
            "한",
            "ỡ",
            "😀",
            "👩\u200d💻",
            "हिन्दी",
        ),
        *("a", "b", "ab", "cafe", "_", "-", ".", "…", "1", " ", "\n", "\t", "\x00", "\ud800"),
    )
)
TEXTS = st.lists(PIECES, max_size=30).map("".join) | st.text(st.characters(), max_size=60)


def found(query: str, text: str) -> list[str]:
    return [text[start:end] for start, end in matcher(tuple(tokenize(query))).spans(text)]


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("redis", "Redis, REDIS and redis.", ["Redis", "REDIS", "redis"]),
        ("redis", "predis rediss redis_x", ["redis"]),
        ("cafe", "Café", ["Café"]),
        ("café", "a cafe, a cafe\u0301!", ["cafe", "cafe\u0301"]),
        ("resume", "x re\u0301sume\u0301 y", ["re\u0301sume\u0301"]),
        ("istanbul", "\u0130stanbul \u0130stanbul", ["\u0130stanbul", "\u0130stanbul"]),
        ("straße", "STRASSE Straße straße", ["Straße", "straße"]),
        ("ﬁn", "a ﬁn", ["ﬁn"]),
        ("ΟΔΟΣ", "οδος ΟΔΟΣ", ["οδος", "ΟΔΟΣ"]),
        ("検索", "全文 検索 機能", ["検索"]),
        ("한국어", "나는 한국어", ["한국어"]),
        ("end", "😀😀 end 👩\u200d💻 end", ["end", "end"]),
        (
            "rate-limiter",
            "rate-limiter rate limiter rate_limiter rate, limit",
            ["rate-limiter", "rate limiter", "rate_limiter"],
        ),
        ("rate rate-limiter", "rate-limiter rate", ["rate-limiter", "rate"]),
        ("config.yaml", "config.yaml config yaml", ["config.yaml", "config yaml"]),
        ("c x", "c++ (x)", ["c", "x"]),
        ("", "anything", []),
        ("...", "...", []),
        ("a.*b", "a.*b aXXb", ["a", "b"]),
    ],
)
def test_words_are_marked_whole_without_regard_to_case_and_accents(query: str, text: str, marked: list[str]) -> None:
    assert found(query, text) == marked


@given(TEXTS, TEXTS)
def test_spans_are_sorted_apart_and_inside(query: str, text: str) -> None:
    place = 0
    for start, end in matcher(tuple(tokenize(query))).spans(text):
        assert place <= start < end <= len(text)
        assert end == len(text) or not unicodedata.combining(text[end]), "a letter was parted from its accent"
        place = end


@given(st.lists(st.text("abé検", min_size=1, max_size=4), min_size=1, max_size=8))
def test_every_word_of_a_text_is_found_in_it(words: list[str]) -> None:
    assert found(words[0], " ".join(words)) == [word for word in words if word == words[0] or _same(word, words[0])]


def _same(one: str, other: str) -> bool:
    return one.replace("é", "e") == other.replace("é", "e")


def test_the_best_passage_holds_the_most_different_words() -> None:
    text = "redis " * 5 + "x " * 100 + "redis for the cache queue " + "y " * 200
    different, passage = matcher(("redis", "cache", "queue")).best_passage(text)
    assert different == 3
    assert "redis for the cache queue" in passage
    assert passage.startswith("…")
    assert passage.endswith("…")


def test_a_short_text_is_its_own_passage() -> None:
    assert matcher(("redis",)).best_passage("We use\n  Redis.") == (1, "We use Redis.")


@pytest.mark.parametrize("text", ["", "nothing of it", "predis"])
def test_no_word_no_passage(text: str) -> None:
    assert matcher(("redis",)).best_passage(text) is None
    assert matcher(()).best_passage(text) is None


@given(TEXTS, TEXTS, st.integers(1, 200))
def test_a_passage_is_a_piece_of_the_text(query: str, text: str, length: int) -> None:
    words = matcher(tuple(tokenize(query)))
    answer = words.best_passage(text, length)
    if answer is None:
        return
    different, passage = answer
    assert 1 <= different <= len(words.words)
    assert len(passage) <= length + 2
    assert passage.strip("…") in " ".join(text.split())


def test_a_pasted_file_is_no_trouble() -> None:
    words = matcher(tuple(tokenize(" ".join(f"w{number}.x{number}" for number in range(20_000)))))
    assert len(words.words) <= 256
    assert words.spans("w7.x7 w19999.x19999") == [(0, 5)]
    assert matcher(("a" * 1_000_000,)).spans("a" * 1000) == []


def test_an_unfinished_word_matches_as_a_beginning() -> None:
    words = query_matcher("retry budg", typing=True)
    assert marked(words, "Retry budgets, budget and retrying") == ["Retry", "budg", "budg"]
    assert marked(query_matcher("retry budg ", typing=True), "Retry budgets budg") == ["Retry", "budg"]
    assert marked(query_matcher("rate-lim", typing=True), "a rate limiter") == ["rate lim"]
    assert words.best_passage("many budgets here") == (1, "many budgets here")


def marked(words: Matcher, text: str) -> list[str]:
    return [text[start:end] for start, end in words.spans(text)]
