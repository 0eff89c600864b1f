"""Recall: from a query to the sessions that answer it."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from nlm_tui.core.filters import is_findable, understood
from nlm_tui.core.hits import Words, as_written, best_passage, make_hit, masked
from nlm_tui.core.ports import (
    Embedder,
    EmbedderUnavailable,
    EmbeddingModel,
    Interruptible,
    KeywordNeighbor,
    Page,
    SemanticNeighbor,
    SessionStore,
)
from nlm_tui.core.query import MAX_LIMIT, Fusion, RecallQuery, SessionFilter
from nlm_tui.core.ranking import BEST, Recipe
from nlm_tui.core.result import RecallHit, RecallResult, Scores
from nlm_tui.core.safe import one_line
from nlm_tui.core.scoring import NEAR, POOL, Found, Loaded, Scoring
from nlm_tui.core.values import unknown_values, with_beginnings

_NOTHING = "nothing is left to search for"
_NO_EMBEDDER = "nothing here turns text into vectors"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query as a store is asked: its text with the phrases in it, how many hits, and what sessions must pass."""

    query: RecallQuery
    text: str
    limit: int
    session_filter: SessionFilter
    notes: tuple[str, ...]
    like: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Near:
    """What is near in meaning, the cosine that means nothing, and why it is not what a better embedder would find."""

    found: Sequence[SemanticNeighbor]
    noise: float = 0.0
    notes: tuple[str, ...] = ()

    def without_noise(self) -> "_Near":
        """Return only what surely has something in common with the query."""
        if not self.noise:
            return self
        return replace(self, found=[neighbor for neighbor in self.found if neighbor.score > self.noise])


class RecallService:
    """Searches a store, by words, by meaning or by both.

    Of several embedders the first that is available counts. Without one semantic recall is empty and hybrid recall is
    keyword recall; the result says why. Keyword recall never touches an embedder. `weight` is what meaning counts of 1
    in hybrid recall, None adapts it to the query; `fusion` is that of queries which name no other. Days in queries are
    those of `zone` (None: the machine's), counted from `now`. Another `recipe` than the best one is for measuring.
    Secrets in hits are masked unless `reveal`. Where it `lists_subagents`, they are never left out.
    """

    def __init__(  # noqa: PLR0913 - options, by name
        self,
        store: SessionStore,
        embedder: Embedder | Sequence[Embedder] | None = None,
        *,
        weight: float | None = None,
        fusion: Fusion = "best",
        recipe: Recipe = BEST,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        zone: tzinfo | None = None,
        reveal: bool = False,
        lists_subagents: bool = False,
    ) -> None:
        self._store = store
        several = embedder if isinstance(embedder, Sequence) else (embedder,)
        self._embedders = tuple(filter(None, several))
        self._weight = weight
        self._fusion: Fusion = fusion
        self._recipe = recipe
        self._now = now
        self._zone = zone
        self._reveal = reveal
        self._lists_subagents = lists_subagents

    def search(self, query: RecallQuery, *, top_level: bool = False) -> RecallResult:
        """Answer `query`. Without words the newest sessions that pass its filters are found, without both nothing.

        `top_level` leaves out subagents, unless they are to be listed; with it an empty query finds the newest.

        Raises:
            SearchInterruptedError: the store was interrupted.
            StoreError: the store failed.
        """
        if query.fusion == "best":
            query = replace(query, fusion=self._fusion)
        meant = understood(query, self._now(), self._zone)
        text = " ".join(filter(None, (*(f'"{phrase}"' for phrase in query.phrases), query.query)))
        limit = min(max(query.limit, 1), MAX_LIMIT)
        passing = replace(meant.session_filter, top_level=top_level and not self._lists_subagents)
        asked = _Asked(query, text if is_findable(text) else "", limit, passing, meant.notes, meant.like)
        with self._store.searching() if isinstance(self._store, Interruptible) else nullcontext():
            if query.typing:
                asked = replace(asked, session_filter=with_beginnings(asked.session_filter, self._store.count))
            if asked.text or asked.like:
                return self._found(asked)
            if asked.session_filter or top_level:
                return self._listed(asked)
            is_empty = not (query.query or query.is_narrowed)
            return _result(asked if is_empty else replace(asked, notes=(*asked.notes, _NOTHING)), 0, ())

    def newest(self, limit: int, offset: int = 0, session_filter: SessionFilter | None = None) -> RecallResult:
        """Return the newest sessions as hits, with no limit on `limit`."""
        sessions = self._store.list(limit, session_filter, offset)
        words = Words.of(RecallQuery())
        hits = tuple(make_hit(session, Scores(0.0), words, best_passage(session, words)) for session in sessions)
        asked = _Asked(RecallQuery(), "", limit, session_filter or SessionFilter(), ())
        return _result(asked, self._store.count(session_filter), self._shown(hits))

    def _listed(self, asked: _Asked) -> RecallResult:
        newest = self.newest(asked.limit, max(asked.query.offset, 0), asked.session_filter)
        return _result(self._with_unknown_values(asked, newest.total), newest.total, newest.results)

    def _found(self, asked: _Asked) -> RecallResult:
        query = asked.query
        unavailable: str | None = None
        pool = max(POOL, asked.limit + max(query.offset, 0))
        alone = query.mode == "semantic" or not asked.text
        near: _Near | None = None
        if query.mode != "keyword" or asked.like:
            try:
                near = self._by_meaning(asked, pool if alone else NEAR)
                asked = replace(asked, notes=(*asked.notes, *near.notes))
            except EmbedderUnavailable as error:
                unavailable = str(error)
        keyword: Sequence[KeywordNeighbor] | None = None
        if not alone:
            near = near and near.without_noise()
            keyword = self._store.keyword_search(asked.text, pool, asked.session_filter, **self._options(query))
        found = Found(keyword, near.found, near.noise) if near else Found(keyword, None)
        return self._ordered(asked, found, unavailable)

    def _ordered(self, asked: _Asked, found: Found, unavailable: str | None) -> RecallResult:
        query, keyword = asked.query, found.keyword
        terms, common = (keyword.terms, keyword.common) if isinstance(keyword, Page) else ((), ())
        loaded = Loaded(self._store, Words.of(query, asked.text, terms, common))
        scoring = Scoring(query, self._recipe, loaded, self._weight)
        order, scores = scoring.order(found)
        start = max(query.offset, 0)
        near = {one.session_id: one.place for one in found.semantic or () if one.place is not None}
        hits = self._shown(loaded.hits(order[start : start + asked.limit], scores, near))
        result = _result(self._with_unknown_values(asked, found.total), found.total, hits, unavailable)
        if found.semantic is not None and keyword is not None:
            result = replace(result, semantic_weight=scoring.weight)
        terms = tuple(as_written(term, hits) if term.how == "approximate" else term for term in terms)
        return replace(result, terms=terms, common=common)

    def _shown(self, hits: tuple[RecallHit, ...]) -> tuple[RecallHit, ...]:
        return hits if self._reveal else masked(hits)

    def _options(self, query: RecallQuery) -> dict[str, Any]:
        """Return what differs from the ordinary: stores that know no more still answer all else."""
        options: dict[str, Any] = {"typing": query.typing, "ranking": query.ranking, "recipe": self._recipe}
        usual: dict[str, Any] = {"typing": False, "ranking": "best", "recipe": BEST}
        return {name: value for name, value in options.items() if value != usual[name]}

    def _by_meaning(self, asked: _Asked, limit: int) -> _Near:
        """Return what is near in meaning, by the first embedder that is available.

        Raises:
            EmbedderUnavailable: none is.
        """
        if asked.like:
            similar = self._store.similar_search(asked.like, limit, asked.session_filter)
            return _Near(similar, notes=tuple(map(one_line, similar.notes if isinstance(similar, Page) else ())))
        text = " ".join(filter(None, (*asked.query.phrases, asked.query.query)))
        reasons: list[str] = []
        for embedder in self._embedders:
            model = getattr(embedder, "model", None)
            known = {"model": model} if isinstance(model, EmbeddingModel) else {}
            try:
                vector = embedder.embed([text], query=True)[0]
                found = self._store.semantic_search(vector, limit, asked.session_filter, **known)
            except EmbedderUnavailable as error:
                reasons.append(str(error))
            else:
                noise = model.noise if isinstance(model, EmbeddingModel) else 0.0
                return _Near(found, noise, tuple(map(one_line, dict.fromkeys(filter(None, reasons)))))
        raise EmbedderUnavailable("; ".join(dict.fromkeys(filter(None, reasons))) or _NO_EMBEDDER)

    def _with_unknown_values(self, asked: _Asked, total: int) -> _Asked:
        """Return `asked` with notes on values that no session has; `total` sessions were found."""
        unknown = unknown_values(asked.query, self._store.count, found=total > 0)
        return replace(asked, notes=(*asked.notes, *unknown))


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
