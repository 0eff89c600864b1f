"""Recall over a store and an embedder of ours: modes, fusion, degradation, limits, filters."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from random import Random
from typing import NoReturn

import pytest
from support import a_session

from nlm_tui.core import (
    EmbedderUnavailable,
    KeywordNeighbor,
    Page,
    RecallQuery,
    RecallResult,
    RecallService,
    SearchInterruptedError,
    SemanticNeighbor,
    Session,
    SessionFilter,
)


@dataclass
class FakeStore:
    """Answers what it was given and remembers what it was asked."""

    sessions: Sequence[Session] = ()
    keyword: Sequence[KeywordNeighbor] = ()
    semantic: Sequence[SemanticNeighbor] = ()
    calls: list[tuple[object, ...]] = field(default_factory=list)

    def list(self, limit: int | None = None, session_filter: SessionFilter | None = None, offset: int = 0) -> Sequence:
        self.calls.append(("list", limit, session_filter, offset))
        return list(self.sessions)[offset:][:limit]

    def get_by_id(self, session_id: str) -> Session | None:
        return next(iter(self.get_by_ids([session_id])), None)

    def get_by_ids(self, session_ids: Sequence[str]) -> Sequence[Session]:
        known = {session.id: session for session in self.sessions}
        return [known[session_id] for session_id in session_ids if session_id in known]

    def keyword_search(self, query: str, limit: int, session_filter: SessionFilter | None = None) -> Sequence:
        self.calls.append(("keyword", query, limit, session_filter))
        return _cut(self.keyword, limit)

    def semantic_search(self, vector: object, limit: int, session_filter: SessionFilter | None = None) -> Sequence:
        self.calls.append(("semantic", vector, limit, session_filter))
        return _cut(self.semantic, limit)

    def update_status(self, session_id: str, status: str) -> bool:
        raise NotImplementedError

    def count(self, session_filter: SessionFilter | None = None) -> int:
        self.calls.append(("count", session_filter))
        return len(self.sessions)


def _cut(found: Sequence, limit: int) -> Sequence:
    return Page(found[:limit], found.total) if isinstance(found, Page) else list(found[:limit])


@dataclass
class FakeEmbedder:
    """Embeds everything alike, or cannot."""

    unavailable: str | None = None
    texts: list[tuple[tuple[str, ...], bool]] = field(default_factory=list)

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: FBT001, FBT002
        self.texts.append((tuple(texts), query))
        if self.unavailable:
            raise EmbedderUnavailable(self.unavailable)
        return [[1.0, 0.0] for _ in texts]


class ForbiddenEmbedder:
    def embed(self, texts: Sequence[str], query: bool = False) -> NoReturn:  # noqa: FBT001, FBT002
        pytest.fail(f"the embedder was asked for {texts} {query}")


def sessions(*ids: str) -> list[Session]:
    return [a_session(session_id, label=f"redis {session_id}") for session_id in ids]


def ids(result: RecallResult) -> list[str]:
    return [hit.id for hit in result.results]


def test_keyword_recall_never_touches_the_embedder() -> None:
    store = FakeStore(sessions("a", "b"), keyword=[KeywordNeighbor("b", 3.0), KeywordNeighbor("a", 1.5)])
    result = RecallService(store, ForbiddenEmbedder()).search(RecallQuery("redis"))
    assert ids(result) == ["b", "a"]
    assert [(hit.match_score, hit.keyword_score, hit.semantic_score) for hit in result.results] == [
        (3.0, 3.0, None),
        (1.5, 1.5, None),
    ]
    assert (result.total, result.limit, result.mode, result.mode_unavailable) == (2, 20, "keyword", None)


def test_semantic_recall_is_by_cosine() -> None:
    embedder = FakeEmbedder()
    store = FakeStore(sessions("a", "b"), semantic=[SemanticNeighbor("a", 0.5), SemanticNeighbor("b", 1.0)])
    result = RecallService(store, embedder).search(RecallQuery("how to keep", mode="semantic"))
    assert embedder.texts == [(("how to keep",), True)]
    assert [(hit.id, hit.match_score, hit.keyword_score, hit.matched_in) for hit in result.results] == [
        ("a", pytest.approx(0.875), None, ("semantic",)),
        ("b", pytest.approx(0.5), None, ("semantic",)),
    ]
    assert [call[0] for call in store.calls] == ["semantic"]


@pytest.mark.parametrize("embedder", [None, FakeEmbedder(unavailable="Ollama is not running")])
def test_without_an_embedder_semantic_is_empty_and_hybrid_is_keyword(embedder: FakeEmbedder | None) -> None:
    store = FakeStore(sessions("a"), keyword=[KeywordNeighbor("a", 2.0)], semantic=[SemanticNeighbor("a", 0.1)])
    service = RecallService(store, embedder)
    semantic = service.search(RecallQuery("redis", mode="semantic"))
    assert (semantic.results, semantic.total) == ((), 0)
    assert semantic.mode_unavailable == (embedder.unavailable if embedder else "nothing here turns text into vectors")
    hybrid = service.search(RecallQuery("redis", mode="hybrid"))
    assert hybrid.mode == "hybrid"
    assert hybrid.mode_unavailable == semantic.mode_unavailable
    keyword = service.search(RecallQuery("redis"))
    assert (hybrid.results, hybrid.total) == (keyword.results, keyword.total)
    assert keyword.mode_unavailable is None


@pytest.mark.parametrize("seed", range(30))
def test_hybrid_is_forty_parts_words_and_sixty_parts_meaning(seed: int) -> None:
    random = Random(seed)
    names = [f"s{number:02}" for number in range(30)]
    keyword = {name: random.uniform(0.1, 9) for name in random.sample(names, random.randint(0, 20))}
    distance = {name: random.uniform(0.1, 1.9) for name in random.sample(names, random.randint(0, 20))}
    store = FakeStore(
        sessions(*names),
        keyword=[KeywordNeighbor(*item) for item in sorted(keyword.items(), key=lambda item: -item[1])],
        semantic=[SemanticNeighbor(*item) for item in sorted(distance.items(), key=lambda item: item[1])],
    )
    cosine = {name: 1 - far * far / 2 for name, far in distance.items()}
    best_word, best_meaning = max(keyword.values(), default=1), max(cosine.values(), default=1)
    expected = {
        name: 0.4 * keyword.get(name, 0) / best_word + 0.6 * cosine.get(name, 0) / best_meaning
        for name in {*keyword, *cosine}
    }
    query = RecallQuery("redis", mode="hybrid", limit=100)
    result = RecallService(store, FakeEmbedder(), fusion="reference").search(query)
    assert result == RecallService(store, FakeEmbedder()).search(replace(query, fusion="reference"))
    assert result.total == len(expected)
    assert {hit.id: hit.match_score for hit in result.results} == pytest.approx(expected)
    assert ids(result) == sorted(ids(result), key=lambda name: -expected[name])
    for hit in result.results:
        assert (hit.keyword_score, hit.semantic_score) == (keyword.get(hit.id), pytest.approx(cosine.get(hit.id)))
        assert ("semantic" in hit.matched_in) == (hit.id in cosine)


def test_scores_of_hybrid_recall_never_rise_from_page_to_page() -> None:
    names = [f"s{number:03}" for number in range(260)]
    keyword = [KeywordNeighbor(name, 9.0 - number / 100) for number, name in enumerate(names)]
    store = FakeStore(sessions(*names), keyword=keyword, semantic=[SemanticNeighbor("s007", 0.5)])
    service = RecallService(store, FakeEmbedder())
    pages = [service.search(RecallQuery("redis", mode="hybrid", limit=100, offset=at)) for at in (0, 100, 200)]
    hits = [hit for page in pages for hit in page.results]
    assert [hit.id for hit in hits] == ["s007", *(name for name in names if name != "s007")]
    scores = [hit.match_score for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_a_leg_without_a_positive_score_is_taken_as_it_is() -> None:
    store = FakeStore(sessions("a", "b"), semantic=[SemanticNeighbor("a", 1.5), SemanticNeighbor("b", 2.0)])
    query = RecallQuery("redis", mode="hybrid", fusion="reference")
    result = RecallService(store, FakeEmbedder()).search(query)
    assert [hit.match_score for hit in result.results] == [pytest.approx(0.6 * -0.125), pytest.approx(0.6 * -1.0)]


@pytest.mark.parametrize(("asked", "given"), [(-5, 1), (0, 1), (1, 1), (20, 20), (100, 100), (101, 100), (10**9, 100)])
def test_the_limit_is_clamped(asked: int, given: int) -> None:
    names = [f"s{number}" for number in range(150)]
    store = FakeStore(sessions(*names), keyword=[KeywordNeighbor(name, 1.0) for name in names])
    result = RecallService(store).search(RecallQuery("redis", limit=asked))
    assert (result.limit, len(result.results)) == (given, given)
    assert len(RecallService(store).search(RecallQuery(limit=asked, kind="open")).results) == given


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_an_empty_query_is_empty_and_with_a_filter_gives_the_newest(mode: str, text: str) -> None:
    store = FakeStore(sessions("new", "old"))
    service = RecallService(store, ForbiddenEmbedder())
    nothing = service.search(RecallQuery(text, mode=mode))
    assert (nothing.results, nothing.total, nothing.mode_unavailable, store.calls) == ((), 0, None, [])
    newest = service.search(RecallQuery(text, mode=mode, limit=1, entity="Redis"))
    assert (ids(newest), newest.total, newest.mode, newest.query) == (["new"], 2, mode, text)
    assert store.calls == [("list", 1, SessionFilter(entity="Redis"), 0), ("count", SessionFilter(entity="Redis"))]


def test_filters_go_to_both_legs() -> None:
    store = FakeStore()
    RecallService(store, FakeEmbedder()).search(RecallQuery("x", mode="hybrid", entity="Redis", kind="open"))
    legs = [call for call in store.calls if call[0] in {"semantic", "keyword"}]
    assert [(call[0], call[-1]) for call in legs] == [
        (name, SessionFilter(entity="Redis", kind="open")) for name in ("semantic", "keyword")
    ]


@pytest.mark.parametrize(("page", "total"), [(Page, 2), (lambda items: Page(items, 1204), 1204), (list, 2), (tuple, 2)])
def test_the_total_is_the_stores_or_what_a_plain_list_holds(page: Callable, total: int) -> None:
    found = [KeywordNeighbor("a", 2.0), KeywordNeighbor("b", 1.0)]
    store = FakeStore(sessions("a", "b"), keyword=page(found), semantic=[SemanticNeighbor("a", 0.5)])
    assert RecallService(store).search(RecallQuery("redis")).total == total
    assert RecallService(store, FakeEmbedder()).search(RecallQuery("redis", mode="hybrid")).total == total


def test_where_a_hit_matched() -> None:
    session = a_session(
        "a", label="redis", summary="redis", decisions=("x", "redis"), open=("redis?",), body="so\n\nit is redis now"
    )
    store = FakeStore([session], keyword=[KeywordNeighbor("a", 1.0)], semantic=[SemanticNeighbor("a", 1.0)])
    (hit,) = RecallService(store, FakeEmbedder()).search(RecallQuery("Redis!", mode="hybrid")).results
    assert hit.matched_in == ("label", "decisions", "open", "summary", "semantic")
    assert (hit.snippet_field, hit.snippet) == ("decisions", "redis")
    (hit,) = RecallService(store).search(RecallQuery("now")).results
    assert (hit.matched_in, hit.snippet_field, hit.snippet) == ((), "conversation", "so it is redis now")
    (hit,) = RecallService(store).search(RecallQuery("elsewhere")).results
    assert (hit.snippet_field, hit.snippet) == (None, "redis")


def test_a_session_that_vanished_is_no_hit() -> None:
    store = FakeStore(sessions("a"), keyword=[KeywordNeighbor("gone", 2.0), KeywordNeighbor("a", 1.0)])
    assert ids(RecallService(store).search(RecallQuery("redis"))) == ["a"]


def test_hits_hold_nothing_that_steers_a_terminal() -> None:
    hostile = "\x1b[31mred\x07is\n\u202e"
    session = a_session(
        "a", label=hostile, summary=hostile, body=hostile, project=hostile, branch=hostile, model=hostile,
        runtime=hostile, entities=(hostile,), decisions=(hostile,), open=(hostile,),
    )  # fmt: skip
    store = FakeStore([session], keyword=[KeywordNeighbor("a", 1.0)])
    (hit,) = RecallService(store).search(RecallQuery("red")).results
    assert not any(sign in json.dumps(asdict(hit)) for sign in ("\\u001b", "\\u0007", "\\u202e"))
    assert hit.label == "red␇is \ufffd"


def test_newest_pages_through_all() -> None:
    store = FakeStore(sessions("a", "b", "c"))
    newest = RecallService(store).newest(2, 1, SessionFilter(top_level=True))
    assert (ids(newest), newest.total) == (["b", "c"], 3)
    assert [hit.matched_in for hit in newest.results] == [(), ()]


def test_an_interruption_comes_through() -> None:
    class Interrupted(FakeStore):
        def keyword_search(self, *_: object) -> NoReturn:
            raise SearchInterruptedError

    with pytest.raises(SearchInterruptedError):
        RecallService(Interrupted()).search(RecallQuery("x", mode="hybrid"))


def test_where_subagents_are_listed_an_empty_query_lists_them_too() -> None:
    store = FakeStore(sessions("a", "b"))
    service = RecallService(store, lists_subagents=True)
    assert ids(service.search(RecallQuery(), top_level=True)) == ["a", "b"]
    assert ids(service.search(RecallQuery())) == []
