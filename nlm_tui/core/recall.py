"""Recall: from a query to the sessions that answer it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nlm_tui.core.matching import Matcher, query_matcher
from nlm_tui.core.model import Session
from nlm_tui.core.ports import Embedder, EmbedderUnavailable, KeywordNeighbor, Page, SemanticNeighbor, SessionStore
from nlm_tui.core.query import MAX_LIMIT, RecallHit, RecallQuery, RecallResult, SessionFilter
from nlm_tui.core.safe import display_safe, one_line
from nlm_tui.core.tokens import keyword_match_fields, token_set, unfinished_token

KEYWORD_WEIGHT = 0.4
SEMANTIC_WEIGHT = 0.6
_FUSION_POOL = 200  # candidates that each leg brings to a hybrid recall


@dataclass(frozen=True, slots=True)
class _Scores:
    match: float
    keyword: float | None = None
    semantic: float | None = None


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a query, to be found again in its hits."""

    tokens: frozenset[str]
    unfinished: str
    matcher: Matcher

    @classmethod
    def of(cls, query: RecallQuery) -> "_Words":
        unfinished = unfinished_token(query.query) if query.typing else ""
        return cls(token_set(query.query), unfinished, query_matcher(query.query, typing=query.typing))


class RecallService:
    """Searches a store, by words, by meaning or by both.

    Without an embedder, or when it is unavailable, semantic recall is empty and hybrid recall is keyword recall; the
    result says why. Keyword recall never touches the embedder.
    """

    def __init__(self, store: SessionStore, embedder: Embedder | None = None) -> None:
        self._store = store
        self._embedder = embedder

    def search(self, query: RecallQuery) -> RecallResult:
        """Answer `query`. An empty one without a filter finds nothing, with a filter the newest sessions that pass.

        Raises:
            SearchInterruptedError: the store was interrupted.
            StoreError: the store failed.
        """
        limit = min(max(query.limit, 1), MAX_LIMIT)
        if query.query.strip():
            return self._found(query, limit)
        if query.session_filter:
            return self._listed(query, limit, query.session_filter)
        return _result(query, limit, 0, ())

    def newest(self, limit: int, offset: int = 0, session_filter: SessionFilter | None = None) -> RecallResult:
        """Return the newest sessions as hits, with no limit on `limit`."""
        sessions = self._store.list(limit, session_filter, offset)
        words = _Words.of(RecallQuery())
        hits = tuple(_hit(session, _Scores(0.0), words) for session in sessions)
        return _result(RecallQuery(), limit, self._store.count(session_filter), hits)

    def _listed(self, query: RecallQuery, limit: int, session_filter: SessionFilter) -> RecallResult:
        newest = self.newest(limit, 0, session_filter)
        return _result(query, limit, newest.total, newest.results)

    def _found(self, query: RecallQuery, limit: int) -> RecallResult:
        unavailable: str | None = None
        semantic: Sequence[SemanticNeighbor] | None = None
        if query.mode != "keyword":
            try:
                semantic = self._semantic_leg(query, limit)
            except EmbedderUnavailable as error:
                unavailable = str(error)
        keyword: Sequence[KeywordNeighbor] | None = None
        if query.mode != "semantic":
            pool = limit if semantic is None else _FUSION_POOL
            typing = {"typing": True} if query.typing else {}  # stores that know no typing still answer all else
            keyword = self._store.keyword_search(query.query, pool, query.session_filter, **typing)
        scores = _fuse(keyword, semantic)
        hits = self._hits(query, scores, limit)
        return _result(query, limit, _total(keyword or (), semantic or ()), hits, unavailable)

    def _semantic_leg(self, query: RecallQuery, limit: int) -> Sequence[SemanticNeighbor]:
        if self._embedder is None:
            raise EmbedderUnavailable("nothing here turns text into vectors")
        vector = self._embedder.embed([query.query], query=True)[0]
        pool = limit if query.mode == "semantic" else _FUSION_POOL
        return self._store.semantic_search(vector, pool, query.session_filter)

    def _hits(self, query: RecallQuery, scores: Mapping[str, _Scores], limit: int) -> tuple[RecallHit, ...]:
        words = _Words.of(query)
        best = sorted(scores, key=lambda session_id: -scores[session_id].match)[:limit]
        return tuple(_hit(session, scores[session.id], words) for session in self._store.get_by_ids(best))


def _fuse(keyword: Sequence[KeywordNeighbor] | None, semantic: Sequence[SemanticNeighbor] | None) -> dict[str, _Scores]:
    """Return the scores of all candidates, best first among equals: one leg as it is, two as shares of their best."""
    if semantic is None:
        return {found.session_id: _Scores(found.score, keyword=found.score) for found in keyword or ()}
    if keyword is None:
        return {found.session_id: _Scores(found.score, semantic=found.score) for found in semantic}
    by_keyword = {found.session_id: found.score for found in keyword}
    by_meaning = {found.session_id: found.score for found in semantic}
    keyword_share = KEYWORD_WEIGHT / _best(by_keyword.values())
    semantic_share = SEMANTIC_WEIGHT / _best(by_meaning.values())
    return {
        session_id: _Scores(
            keyword_share * by_keyword.get(session_id, 0.0) + semantic_share * by_meaning.get(session_id, 0.0),
            by_keyword.get(session_id),
            by_meaning.get(session_id),
        )
        for session_id in dict.fromkeys((*by_keyword, *by_meaning))
    }


def _best(scores: Iterable[float]) -> float:
    """Return the best score, or 1 where none is positive."""
    best = max(scores, default=0.0)
    return best if best > 0.0 else 1.0


def _total(keyword: Sequence[KeywordNeighbor], semantic: Sequence[SemanticNeighbor]) -> int:
    """Return how many sessions either leg matches; exact where one leg holds all of the other's."""
    both = len({found.session_id for found in (*keyword, *semantic)})
    totals = [leg.total for leg in (keyword, semantic) if isinstance(leg, Page)]
    return max(both, *totals) if totals else both


def _hit(session: Session, scores: _Scores, words: _Words) -> RecallHit:
    matched_in = keyword_match_fields(session, words.tokens, words.unfinished)
    field, snippet = _snippet(session, words.matcher)
    return RecallHit(
        id=session.id,
        runtime=one_line(session.runtime),
        started_at=session.started_at,
        label=one_line(session.label),
        summary=display_safe(session.summary),
        entities=tuple(map(one_line, session.entities)),
        decisions=tuple(map(one_line, session.decisions)),
        open=tuple(map(one_line, session.open)),
        status=session.status,
        match_score=scores.match,
        matched_in=matched_in if scores.semantic is None else (*matched_in, "semantic"),
        keyword_score=scores.keyword,
        semantic_score=scores.semantic,
        ended_at=session.ended_at,
        duration_min=session.duration_min,
        project=one_line(session.project) if session.project else None,
        branch=one_line(session.branch) if session.branch else None,
        model=one_line(session.model) if session.model else None,
        parent_id=session.parent_id,
        source_gone=session.source_gone,
        snippet=one_line(snippet),
        snippet_field=field,
    )


def _snippet(session: Session, words: Matcher) -> tuple[str | None, str]:
    """Return the passage with the most different words of the query, and its field; decisions first among equals."""
    fields = (
        *(("decisions", text) for text in session.decisions),
        *(("open", text) for text in session.open),
        ("summary", session.summary),
        ("conversation", session.body),
    )
    best: tuple[int, str, str] | None = None
    for field, text in fields:
        found = words.best_passage(text)
        if found is not None and (best is None or found[0] > best[0]):
            best = (found[0], field, found[1])
    return (best[1], best[2]) if best else (None, session.summary)


def _result(
    query: RecallQuery, limit: int, total: int, hits: tuple[RecallHit, ...], unavailable: str | None = None
) -> RecallResult:
    return RecallResult(
        query=query.query, mode=query.mode, limit=limit, total=total, results=hits, mode_unavailable=unavailable
    )
