"""Recall: from a query to the sessions that answer it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from nlm_tui.core.filters import understood
from nlm_tui.core.hits import Passage, Words, as_written, best_passage, make_hit
from nlm_tui.core.model import Session
from nlm_tui.core.ports import (
    Embedder,
    EmbedderUnavailable,
    Interruptible,
    KeywordNeighbor,
    Page,
    SemanticNeighbor,
    SessionStore,
)
from nlm_tui.core.query import MAX_LIMIT, Filter, FilterName, RecallQuery, SessionFilter
from nlm_tui.core.ranking import BEST, Candidate, Recipe, ordered
from nlm_tui.core.result import RecallHit, RecallResult, Scores
from nlm_tui.core.safe import one_line

KEYWORD_WEIGHT = 0.4
SEMANTIC_WEIGHT = 0.6
_POOL = 200  # candidates that are ranked, whatever the limit: the best hit must not depend on it
_PASSAGES = 20  # candidates whose text is looked into
_AT_ONCE = 5  # sessions that are read before the next chance to stop
_LOOKS_BACK = frozenset({"before", "status"})  # what was superseded later was right then
_IN_STORE: tuple[FilterName, ...] = ("agent", "project", "entity", "branch", "model")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query as a store is asked: its text with the phrases in it, how many hits, and what sessions must pass."""

    query: RecallQuery
    text: str
    limit: int
    session_filter: SessionFilter
    notes: tuple[str, ...]


class RecallService:
    """Searches a store, by words, by meaning or by both.

    Without an embedder, or when it is unavailable, semantic recall is empty and hybrid recall is keyword recall; the
    result says why. Keyword recall never touches the embedder. Days in queries are those of `zone` (None: the
    machine's), counted from `now`. Another `recipe` than the best one is for measuring.
    """

    def __init__(
        self,
        store: SessionStore,
        embedder: Embedder | None = None,
        *,
        recipe: Recipe = BEST,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        zone: tzinfo | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._recipe = recipe
        self._now = now
        self._zone = zone

    def search(self, query: RecallQuery, *, top_level: bool = False) -> RecallResult:
        """Answer `query`. An empty one without a filter finds nothing, with a filter the newest sessions that pass.

        `top_level` leaves out subagents.

        Raises:
            SearchInterruptedError: the store was interrupted.
            StoreError: the store failed.
        """
        meant = understood(query, self._now(), self._zone)
        text = " ".join(filter(None, (*(f'"{phrase}"' for phrase in query.phrases), query.query)))
        limit = min(max(query.limit, 1), MAX_LIMIT)
        asked = _Asked(query, text, limit, replace(meant.session_filter, top_level=top_level), meant.notes)
        with self._store.searching() if isinstance(self._store, Interruptible) else nullcontext():
            if query.typing:
                asked = replace(asked, session_filter=self._with_beginnings(asked.session_filter))
            if text.strip():
                return self._found(asked)
            return self._listed(asked) if asked.session_filter else _result(asked, 0, ())

    def newest(self, limit: int, offset: int = 0, session_filter: SessionFilter | None = None) -> RecallResult:
        """Return the newest sessions as hits, with no limit on `limit`."""
        sessions = self._store.list(limit, session_filter, offset)
        words = Words.of(RecallQuery())
        hits = tuple(make_hit(session, Scores(0.0), words, best_passage(session, words)) for session in sessions)
        asked = _Asked(RecallQuery(), "", limit, session_filter or SessionFilter(), ())
        return _result(asked, self._store.count(session_filter), hits)

    def _listed(self, asked: _Asked) -> RecallResult:
        newest = self.newest(asked.limit, max(asked.query.offset, 0), asked.session_filter)
        return _result(self._with_unknown_values(asked, newest.total), newest.total, newest.results)

    def _found(self, asked: _Asked) -> RecallResult:
        query = asked.query
        unavailable: str | None = None
        semantic: Sequence[SemanticNeighbor] | None = None
        pool = max(_POOL, asked.limit + max(query.offset, 0))
        if query.mode != "keyword":
            try:
                semantic = self._semantic_leg(asked, pool if query.mode == "semantic" else _POOL)
            except EmbedderUnavailable as error:
                unavailable = str(error)
        keyword: Sequence[KeywordNeighbor] | None = None
        if query.mode != "semantic":
            text, passing, options = asked.text, asked.session_filter, self._options(query)
            keyword = self._store.keyword_search(text, pool, passing, **options)
        hits = self._hits(asked, keyword, semantic)
        total = _total(keyword or (), semantic or ())
        result = _result(self._with_unknown_values(asked, total), total, hits, unavailable)
        if not isinstance(keyword, Page):
            return result
        terms = tuple(as_written(term, hits) if term.how == "approximate" else term for term in keyword.terms)
        return replace(result, terms=terms, common=keyword.common)

    def _options(self, query: RecallQuery) -> dict[str, Any]:
        """Return what differs from the ordinary: stores that know no more still answer all else."""
        options: dict[str, Any] = {"typing": query.typing, "ranking": query.ranking, "recipe": self._recipe}
        usual: dict[str, Any] = {"typing": False, "ranking": "best", "recipe": BEST}
        return {name: value for name, value in options.items() if value != usual[name]}

    def _semantic_leg(self, asked: _Asked, pool: int) -> Sequence[SemanticNeighbor]:
        if self._embedder is None:
            raise EmbedderUnavailable("nothing here turns text into vectors")
        text = " ".join(filter(None, (*asked.query.phrases, asked.query.query)))
        vector = self._embedder.embed([text], query=True)[0]
        return self._store.semantic_search(vector, pool, asked.session_filter)

    def _hits(
        self, asked: _Asked, keyword: Sequence[KeywordNeighbor] | None, semantic: Sequence[SemanticNeighbor] | None
    ) -> tuple[RecallHit, ...]:
        query, recipe = asked.query, self._recipe
        ranked, others = (keyword, ()) if keyword is None else (keyword[:_POOL], keyword[_POOL:])
        scores = _fuse(ranked, semantic)
        terms, common = (keyword.terms, keyword.common) if isinstance(keyword, Page) else ((), ())
        loaded = _Loaded(self._store, Words.of(query, asked.text, terms, common))
        started = {found.session_id: found.started_at for found in ranked or ()}
        near_tie = 0.0
        if query.ranking == "best":
            near_tie = recipe.near_tie
            by_age = isinstance(keyword, Page) and keyword.by_age
            if not (by_age or _LOOKS_BACK.intersection(condition.name for condition in query.conditions)):
                scores = _superseded_lower(scores, ranked or (), recipe.superseded)
            if recipe.passages and terms and not by_age:
                best = [found.session_id for found in ordered(_candidates(scores, started), near_tie)]
                scores = loaded.with_passages(scores, best[:_PASSAGES], recipe.passages)
        order = ordered(_candidates(scores, started), near_tie)
        scores |= {
            found.session_id: replace(scores[found.session_id], match=found.score)
            for found in order
            if found.score != scores[found.session_id].match
        }
        least = order[-1].score if order else 0.0
        rest = {
            session_id: replace(score, match=min(score.match, least))
            for session_id, score in _fuse(others, None).items()
            if session_id not in scores
        }
        start = max(query.offset, 0)
        wanted = [*(found.session_id for found in order), *rest][start : start + asked.limit]
        return loaded.hits(wanted, rest | scores)

    def _with_beginnings(self, session_filter: SessionFilter) -> SessionFilter:
        """Return the filter; values that no session has and that may be half typed count as beginnings in it."""
        conditions = session_filter.filters
        if session_filter.entity:
            conditions = (Filter("entity", (session_filter.entity,)), *conditions)
        half_typed = [
            condition
            for condition in conditions
            if condition.name in _IN_STORE
            and not condition.negated
            and not self._store.count(SessionFilter(filters=(condition,)))
        ]
        if not half_typed:
            return session_filter
        known = tuple(replace(found, unfinished=True) if found in half_typed else found for found in conditions)
        return replace(session_filter, entity=None, filters=known)

    def _with_unknown_values(self, asked: _Asked, total: int) -> _Asked:
        """Return `asked` with notes on values that no session has, where nothing was found."""
        if total:
            return asked
        return replace(asked, notes=(*asked.notes, *self._unknown_values(asked.query)))

    def _unknown_values(self, query: RecallQuery) -> Iterator[str]:
        for condition in query.conditions:
            if condition.name in _IN_STORE and not condition.negated:
                for value in condition.values:
                    single = Filter(condition.name, (value,))
                    if not self._store.count(SessionFilter(filters=(single,))):
                        yield one_line(f"no session has {condition.name}:{value}")


class _Loaded:
    """Sessions that were read, with the passages that match best in them."""

    def __init__(self, store: SessionStore, words: Words) -> None:
        self._store = store
        self._words = words
        self._sessions: dict[str, tuple[Session, Passage]] = {}

    def with_passages(
        self, scores: Mapping[str, Scores], session_ids: Sequence[str], worth: float
    ) -> dict[str, Scores]:
        """Return the scores, those of `session_ids` raised by how much of the query one passage holds."""
        self._load(session_ids)
        raised = dict(scores)
        for session_id in session_ids:
            if session_id in self._sessions:
                factor = 1.0 + worth * self._sessions[session_id][1].share
                raised[session_id] = replace(scores[session_id], match=scores[session_id].match * factor)
        return raised

    def hits(self, session_ids: Sequence[str], scores: Mapping[str, Scores]) -> tuple[RecallHit, ...]:
        """Return the sessions as hits; one that vanished meanwhile is none."""
        self._load(session_ids)
        return tuple(
            make_hit(session, scores[session_id], self._words, passage)
            for session_id in session_ids
            for session, passage in [self._sessions.get(session_id, (None, None))]
            if session is not None and passage is not None
        )

    def _load(self, session_ids: Sequence[str]) -> None:
        missing = [session_id for session_id in session_ids if session_id not in self._sessions]
        for place in range(0, len(missing), _AT_ONCE):
            for session in self._store.get_by_ids(missing[place : place + _AT_ONCE]):
                self._sessions[session.id] = (session, best_passage(session, self._words))


def _fuse(keyword: Sequence[KeywordNeighbor] | None, semantic: Sequence[SemanticNeighbor] | None) -> dict[str, Scores]:
    """Return the scores of all candidates, best first among equals: one leg as it is, two as shares of their best."""
    if semantic is None:
        return {found.session_id: Scores(found.score, keyword=found.score, tier=found.tier) for found in keyword or ()}
    if keyword is None:
        return {found.session_id: Scores(found.score, semantic=found.score) for found in semantic}
    by_keyword = {found.session_id: found.score for found in keyword}
    by_meaning = {found.session_id: found.score for found in semantic}
    tiers = {found.session_id: found.tier for found in keyword}
    keyword_share = KEYWORD_WEIGHT / _best(by_keyword.values())
    semantic_share = SEMANTIC_WEIGHT / _best(by_meaning.values())
    return {
        session_id: Scores(
            keyword_share * by_keyword.get(session_id, 0.0) + semantic_share * by_meaning.get(session_id, 0.0),
            by_keyword.get(session_id),
            by_meaning.get(session_id),
            tier=0 if session_id in by_meaning else tiers[session_id],
        )
        for session_id in dict.fromkeys((*by_keyword, *by_meaning))
    }


def _superseded_lower(
    scores: Mapping[str, Scores], keyword: Sequence[KeywordNeighbor], factor: float
) -> dict[str, Scores]:
    lower = {found.session_id for found in keyword if found.superseded}
    return {
        session_id: replace(score, match=score.match * factor) if session_id in lower else score
        for session_id, score in scores.items()
    }


def _candidates(scores: Mapping[str, Scores], started: Mapping[str, str]) -> list[Candidate]:
    return [
        Candidate(session_id, score.match, score.tier, started.get(session_id, ""))
        for session_id, score in scores.items()
    ]


def _best(scores: Iterable[float]) -> float:
    """Return the best score, or 1 where none is positive."""
    best = max(scores, default=0.0)
    return best if best > 0.0 else 1.0


def _total(keyword: Sequence[KeywordNeighbor], semantic: Sequence[SemanticNeighbor]) -> int:
    """Return how many sessions either leg matches; exact where one leg holds all of the other's."""
    both = len({found.session_id for found in (*keyword, *semantic)})
    totals = [leg.total for leg in (keyword, semantic) if isinstance(leg, Page)]
    return max(both, *totals) if totals else both


def _result(asked: _Asked, total: int, hits: tuple[RecallHit, ...], unavailable: str | None = None) -> RecallResult:
    return RecallResult(
        query=asked.query.query,
        mode=asked.query.mode,
        limit=asked.limit,
        total=total,
        results=hits,
        mode_unavailable=unavailable,
        notes=asked.notes,
    )
