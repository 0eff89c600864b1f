"""What a recall found, scored and put in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nlm_tui.core.fusion import adapted_weight, by_meaning, fused, fused_as_specified
from nlm_tui.core.hits import Passage, Words, best_passage, make_hit
from nlm_tui.core.model import Session
from nlm_tui.core.ports import KeywordNeighbor, Page, Place, SemanticNeighbor, SessionStore
from nlm_tui.core.query import RecallQuery
from nlm_tui.core.ranking import Candidate, Recipe, ordered
from nlm_tui.core.result import RecallHit, Scores

POOL: Final = 200
"""Candidates by words that are ranked, whatever the limit: the best hit must not depend on it."""

NEAR: Final = 100
"""Candidates by meaning beside them."""

_PASSAGES = 20  # candidates whose text is looked into
_COVERING = 5  # of them, those that tell how well words cover the query
_AT_ONCE = 5  # sessions that are read before the next chance to stop
_LOOKS_BACK = frozenset({"before", "status"})  # what was superseded later was right then


@dataclass(frozen=True, slots=True)
class Found:
    """What the legs of a recall found, best first; None for a leg that was not asked.

    `noise` is the cosine up to which texts have nothing in common.
    """

    keyword: Sequence[KeywordNeighbor] | None
    semantic: Sequence[SemanticNeighbor] | None
    noise: float = 0.0

    @property
    def total(self) -> int:
        """How many sessions either leg found."""
        if self.keyword is None:
            return self.semantic.total if isinstance(self.semantic, Page) else len(self.semantic or ())
        by_words = {found.session_id for found in self.keyword}
        only_near = [found.session_id for found in self.semantic or () if found.session_id not in by_words]
        total = self.keyword.total if isinstance(self.keyword, Page) else len(by_words)
        if only_near and total > len(by_words) and isinstance(self.keyword, Page) and self.keyword.holding:
            only_near = set(only_near).difference(self.keyword.holding(only_near))
        return total + len(only_near)


class Loaded:
    """Sessions that were read, with the passages that match best in them."""

    def __init__(self, store: SessionStore, words: Words) -> None:
        self._store = store
        self._words = words
        self._sessions: dict[str, tuple[Session, Passage]] = {}

    def share(self, session_id: str) -> float:
        """Return which share of the words of the query one passage of a session holds."""
        self._load([session_id])
        return self._sessions[session_id][1].share if session_id in self._sessions else 0.0

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

    def hits(
        self, session_ids: Sequence[str], scores: Mapping[str, Scores], near: Mapping[str, Place]
    ) -> tuple[RecallHit, ...]:
        """Return the sessions as hits, with the places that are near in meaning; one that vanished is none."""
        self._load(session_ids)
        return tuple(
            make_hit(session, scores[session_id], self._words, passage, near.get(session_id))
            for session_id in session_ids
            for session, passage in [self._sessions.get(session_id, (None, None))]
            if session is not None and passage is not None
        )

    def _load(self, session_ids: Sequence[str]) -> None:
        missing = [session_id for session_id in session_ids if session_id not in self._sessions]
        for place in range(0, len(missing), _AT_ONCE):
            for session in self._store.get_by_ids(missing[place : place + _AT_ONCE]):
                self._sessions[session.id] = (session, best_passage(session, self._words))


class Scoring:
    """Scores what one recall found. `weight` is what meaning counts of 1, None where it depends on the query."""

    def __init__(self, query: RecallQuery, recipe: Recipe, loaded: Loaded, weight: float | None) -> None:
        self._query = query
        self._recipe = recipe
        self._loaded = loaded
        self.weight = weight
        """What meaning counted, once it is known."""

    def order(self, found: Found) -> tuple[list[str], dict[str, Scores]]:
        """Return the ids of what was found, best first, and the scores."""
        keyword = found.keyword or ()
        scores = self._scores(found, keyword[:POOL])
        started = {one.session_id: one.started_at for one in (*keyword, *(found.semantic or ())) if one.started_at}
        near_tie = self._recipe.near_tie if self._is_best and found.keyword is not None else 0.0
        order = ordered(_candidates(scores, started), near_tie)
        scores |= {one.session_id: replace(scores[one.session_id], match=one.score) for one in order}
        least = order[-1].score if order else 0.0
        rest = {
            session_id: replace(score, match=min(score.match, least))
            for session_id, score in _by_words(keyword[POOL:]).items()
            if session_id not in scores
        }
        return [*(one.session_id for one in order), *rest], rest | scores

    @property
    def _is_best(self) -> bool:
        return self._query.ranking == "best"

    def _scores(self, found: Found, keyword: Sequence[KeywordNeighbor]) -> dict[str, Scores]:
        if found.semantic is None:
            return self._words(found, keyword)
        if found.keyword is None:
            return by_meaning(found.semantic)
        if not self._is_best or self._query.fusion == "reference":
            self.weight = None
            return fused_as_specified(_by_words(keyword), found.semantic)
        scores = self._words(found, keyword)
        if self.weight is None:
            best = sorted(scores, key=lambda name: (scores[name].tier, -scores[name].match))[:_COVERING]
            self.weight = adapted_weight(max(map(self._loaded.share, best), default=0.0))
        factor = 1.0 if self._looks_back else self._recipe.superseded
        return fused(scores, found.semantic, self.weight, found.noise, factor)

    def _words(self, found: Found, keyword: Sequence[KeywordNeighbor]) -> dict[str, Scores]:
        """Return the scores of what was found by words."""
        scores = _by_words(keyword)
        if not self._is_best:
            return scores
        page = found.keyword if isinstance(found.keyword, Page) else Page()
        if not (page.by_age or self._looks_back):
            scores = _superseded_lower(scores, keyword, self._recipe.superseded)
        if self._recipe.passages and page.terms and not page.by_age:
            started = {one.session_id: one.started_at for one in keyword}
            order = ordered(_candidates(scores, started), self._recipe.near_tie)
            best = [one.session_id for one in order[:_PASSAGES]]
            scores = self._loaded.with_passages(scores, best, self._recipe.passages)
        return scores

    @property
    def _looks_back(self) -> bool:
        return bool(_LOOKS_BACK.intersection(condition.name for condition in self._query.conditions))


def _by_words(keyword: Sequence[KeywordNeighbor]) -> dict[str, Scores]:
    return {
        found.session_id: Scores(found.score, keyword=found.score, tier=found.tier, approximate=found.tier > 0)
        for found in keyword
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
