"""Where the words of a query stand in a text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import Matcher, Term, matcher, query_matcher
from nlm_tui.core.matching import fold
from nlm_tui.core.parts import RUN

# Characters whose folding changes what stands beside them, and some that only look so.
LETTERS = ("İ", "ı", "ß", "ẞ", "é", "e\u0301", "Å", "ς", "Σ", "検", "索", "한", "ỡ", "ё", "й", "þ", "æ", "カ", "ー")
SIGNS = ("ﬁ", "\u0301", "\u0345", "ｶﾞ", "😀", "👩\u200d💻", "\ufe0f", "\ue0b0", "½", "#", "++", "%", "'", "\u2019", "--")
PLAIN = ("a", "b", "ab", "Ab", "cafe", "retry", "retries", "1", "23", "_", "-", ".", "…", " ", "\n", "\x00", "\ud800")
PIECES = st.sampled_from((*LETTERS, *SIGNS, *PLAIN))
TEXTS = st.lists(PIECES, max_size=30).map("".join) | st.text(st.characters(), max_size=60)


def marked(words: Matcher, text: str) -> list[str]:
    return [text[start:end] for start, end in words.spans(text)]


def found(query: str, text: str) -> list[str]:
    return marked(query_matcher(query), text)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("redis", "Redis, REDIS and redis.", ["Redis", "REDIS", "redis"]),
        ("redis", "predis redish redis_x aredis", ["redis"]),
        ("cafe", "Café", ["Café"]),
        ("café", "a cafe, a cafe\u0301!", ["cafe", "cafe\u0301"]),
        ("resume", "x re\u0301sume\u0301 y", ["re\u0301sume\u0301"]),
        ("istanbul", "\u0130stanbul \u0130stanbul", ["\u0130stanbul", "\u0130stanbul"]),
        ("straße", "STRASSE Straße straße", ["STRASSE", "Straße", "straße"]),
        ("strasse", "STRASSE Straße straße", ["STRASSE", "Straße", "straße"]),
        ("ΟΔΟΣ", "οδος ΟΔΟΣ", ["οδος", "ΟΔΟΣ"]),
        ("検索", "全文 検索 機能", ["検索"]),
        ("हिन्दी", "यह हिन्दी है", ["हिन्दी"]),
        ("検索", "全文検索機能", ["検索"]),
        ("한국어", "나는 한국어를", ["한국어"]),
        ("end", "😀😀 end 👩\u200d💻 end", ["end", "end"]),
        ("rate-limiter", "rate-limiter rate limiter rate_limiter", ["rate-limiter", "rate limiter", "rate_limiter"]),
        ("rate-limiter", "rateLimiter, RATE_LIMITER, rate of the limiter", ["rateLimiter", "RATE_LIMITER"]),
        ("rate-limiter", f"rate{'-' * 70}limiter", []),
        ("rate rate-limiter", "rate-limiter rate", ["rate-limiter", "rate"]),
        ("config.yaml", "config.yaml config yaml", ["config.yaml", "config yaml"]),
        ("c x", "c++ (x)", ["c", "x"]),
        ("", "anything", []),
        ("...", "...", []),
        ("a.*b", "a.*b aXXb", ["a.*b"]),
        ("retries", "retry, retried, retro", ["retry", "retried"]),
        ("probability", "probable, probably, probe", ["probable", "probably"]),
        ("guest", "mergeGuestCart, GUESTS, aguest", ["Guest", "GUESTS"]),
        ("mergeguestcart", "mergeGuestCart", ["mergeGuestCart"]),
        ("http", "parseHTTPHeader", ["HTTP"]),
        ("C#", "C, C#, c# and C++", ["C#", "c#"]),
        ("csharp", "in C#", ["C#"]),
        ("c++", "C++ or C", ["C++"]),
        ("dotnet", "on .NET", [".NET"]),
        ("dont", "don\u2019t, don't, don t", ["don\u2019t", "don't"]),
        ("3.11", "python3.11", ["3.11"]),
        ("9f2c4e1", "at 9f2c4e1ab37d0c", ["9f2c4e1"]),
        ("api", "调用ＡＰＩ失败", ["ＡＰＩ"]),
        ("ｶﾀｶﾅ", "カタカナ", ["カタカナ"]),
        ("カタカナ", "ｶﾀｶﾅ", ["ｶﾀｶﾅ"]),
        ("main", "\ue0b0main\ue0b1", ["main"]),
        ("thing", "þing", ["þing"]),
        ("елке", "на ёлке", ["ёлке"]),
    ],
)
def test_words_are_marked_whole_without_regard_to_case_and_accents(query: str, text: str, expected: list[str]) -> None:
    assert found(query, text) == expected


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ('"redis cache"', "a redis cache; redis, cache; cache redis", ["redis cache", "redis, cache"]),
        ('"redis cache"', "redis and cache", []),
        ('"retry budget"', "the retries budgets", ["retries budgets"]),
        ('"登录 超时"', "登录超时 登录 很 超时", ["登录超时"]),
        ('"token 検索"', "a token 検索, 検索 token", ["token 検索"]),
        ('"#123"', "closes #123", ["#123"]),
        ('"50%"', "at 50% load", ["50%"]),
        ('"C#"', "written in C#", ["C#"]),
    ],
)
def test_phrases_are_words_in_sequence(query: str, text: str, expected: list[str]) -> None:
    assert found(query, text) == expected


@given(query=TEXTS | st.just("हिन्दी"), text=TEXTS | st.just("यह हिन्दी है"), typing=st.booleans())
def test_spans_are_sorted_apart_and_inside(query: str, text: str, *, typing: bool) -> None:
    words = query_matcher(query, typing=typing)
    spans = words.spans(text)
    place = 0
    for start, end in spans:
        assert place <= start < end <= len(text)
        place = end
    assert words.occurs(text) == bool(spans)


@given(TEXTS)
def test_a_letter_is_never_parted_from_its_accent(text: str) -> None:
    for _, end in query_matcher(text).spans(text):
        assert end == len(text) or not "\u0300" <= text[end] <= "\u0344"


@given(st.lists(st.sampled_from((*LETTERS, *PLAIN)), max_size=20).map("".join))
def test_every_word_of_a_text_is_found_in_it(text: str) -> None:
    for word in RUN.findall(unicodedata.normalize("NFC", text)):
        assert query_matcher(word).occurs(text), word


@given(st.lists(st.text("abé検", min_size=1, max_size=4), min_size=1, max_size=8))
def test_each_time_that_it_stands_there(words: list[str]) -> None:
    if "検" not in "".join(words):
        assert found(words[0], " ".join(words)) == [word for word in words if fold(word) == fold(words[0])]


@given(TEXTS)
def test_folding_is_done_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        ((Term("kubernetes", "approximate", "kubarnetes"),), "on Kubernetes", ["Kubernetes"]),
        ((Term("budg", "beginning", "budg"),), "budgets, a budget", ["budg", "budg"]),
        ((Term("budg", "word", "budg"),), "budgets, budg", ["budg"]),
        ((Term("retry"), Term("cache")), "cached retries", ["cached", "retries"]),
        ((Term('"a b"', "word", '"a b"'),), "a, b and a c b", ["a, b"]),
        ((), "anything", []),
        ((Term("..."),), "...", []),
    ],
)
def test_what_a_recall_looked_for(terms: tuple[Term, ...], text: str, expected: list[str]) -> None:
    assert marked(matcher(terms), text) == expected
    assert matcher(terms).occurs(text) == bool(expected)


def test_a_matcher_of_nothing_is_false_and_finds_nothing() -> None:
    for nothing in (Matcher(), matcher(()), query_matcher(""), query_matcher("… --")):
        assert not nothing
        assert (nothing.spans("x"), nothing.occurs("x"), nothing.best_passage("x")) == ([], False, None)
    assert query_matcher("x")


def test_the_best_passage_holds_the_most_different_words() -> None:
    text = "redis " * 5 + "x " * 100 + "redis for the cache queue " + "y " * 200
    different, passage = query_matcher("redis cache queue").best_passage(text)
    assert different == 3
    assert "redis for the cache queue" in passage
    assert passage.startswith("…")
    assert passage.endswith("…")


def test_the_first_of_equal_passages_is_best() -> None:
    text = "first redis here. " + "x " * 200 + "then redis again"
    assert query_matcher("redis").best_passage(text)[1].startswith("first redis here.")


@pytest.mark.parametrize("word", ["redis", "検索", "C#", "rate-limiter"])
def test_a_passage_is_found_late_in_a_long_text(word: str) -> None:
    text = "é" + "x " * 100_000 + f"then {word} at last" + " y" * 100
    different, passage = query_matcher(word).best_passage(text)
    assert different == 1
    assert word in passage


def test_a_short_text_is_its_own_passage() -> None:
    assert query_matcher("redis").best_passage("We use\n  Redis.") == (1, "We use Redis.")


@pytest.mark.parametrize("text", ["", "nothing of it", "predis"])
def test_no_word_no_passage(text: str) -> None:
    assert query_matcher("redis").best_passage(text) is None


@given(TEXTS, TEXTS, st.integers(1, 200))
def test_a_passage_is_a_piece_of_the_text(query: str, text: str, length: int) -> None:
    words = query_matcher(query)
    answer = words.best_passage(text, length)
    if not any(map(unicodedata.combining, text)):
        assert (answer is not None) == words.occurs(text)
    if answer is None:
        return
    different, passage = answer
    assert 1 <= different <= len(words.wanted)
    assert len(passage) <= length + 2
    left = " ".join(text.split())
    assert passage in left or passage.strip("…") in left or passage[1:] in left or passage[:-1] in left


def test_a_pasted_file_is_no_trouble() -> None:
    words = query_matcher(" ".join(f"w{number}.x{number}" for number in range(20_000)))
    assert len(words.wanted) == 64
    assert marked(words, "w7.x7 w19999.x19999") == ["w7.x7"]
    assert query_matcher("a" * 1_000_000).spans("a" * 1000) == []
    assert query_matcher("redis").spans("redis" * 100_000) == []


def test_an_unfinished_word_matches_as_a_beginning() -> None:
    words = query_matcher("retry budg", typing=True)
    assert marked(words, "Retry budgets, budget and retrying") == ["Retry", "budg", "budg", "retrying"]
    assert marked(query_matcher("retry budg ", typing=True), "Retry budgets budg") == ["Retry", "budg"]
    assert marked(query_matcher("rate-lim", typing=True), "a rate limiter") == ["rate lim"]
    assert marked(query_matcher("b", typing=True), "budgets, a bee, cab") == ["b", "b"]
    assert marked(query_matcher("超", typing=True), "登录超时") == ["超"]
    assert words.best_passage("many budgets here") == (1, "many budgets here")


@pytest.mark.parametrize(
    ("typed", "word"), [("connectio", "connected"), ("retrie", "retry"), ("authenticati", "authenticate")]
)
def test_what_is_half_typed_may_have_another_ending(typed: str, word: str) -> None:
    assert marked(query_matcher(typed, typing=True), f"we {word} it") == [word]
    assert not query_matcher(typed).occurs(f"we {word} it") or typed == "retrie"
