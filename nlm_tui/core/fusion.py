"""How what is found by words and what is found by meaning become one list."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from nlm_tui.core.ports import SemanticNeighbor
from nlm_tui.core.result import Scores

SPECIFIED_WEIGHT: Final = 0.6
"""What meaning counts by the specification, of 1."""

_LEAST_WEIGHT, _MOST_WEIGHT = 0.2, 0.8
_LEAST_KEYWORD = 1.0  # a leg whose best is below has found nothing that tells sessions apart
_LEAST_SEMANTIC = 0.1


def adapted_weight(coverage: float) -> float:
    """Return what meaning counts where the best passage found by words holds the share `coverage` of the query's words.

    Who names things exactly is taken at his word; where few of the words are found, they were not the right ones.
    """
    return _LEAST_WEIGHT + (_MOST_WEIGHT - _LEAST_WEIGHT) * (1.0 - coverage)


def by_meaning(semantic: Sequence[SemanticNeighbor]) -> dict[str, Scores]:
    """Return the scores of a recall by meaning alone: cosines."""
    return {found.session_id: Scores(found.score, semantic=found.score) for found in semantic}


def fused(
    keyword: Mapping[str, Scores], semantic: Sequence[SemanticNeighbor], weight: float, noise: float, superseded: float
) -> dict[str, Scores]:
    """Return the scores of all that either leg found: each leg as a share of its best, meaning with `weight` of 1.

    Texts as similar as `noise` have nothing in common. What meaning adds to a superseded session is that share of it.
    """
    best_keyword = max((score.match for score in keyword.values()), default=0.0)
    best_semantic = max((found.score for found in semantic), default=0.0)
    keyword_share = (1.0 - weight) / max(best_keyword, _LEAST_KEYWORD)
    semantic_share = weight / max(best_semantic - noise, _LEAST_SEMANTIC)
    nearness = {
        found.session_id: semantic_share * (found.score - noise) * (superseded if found.superseded else 1.0)
        for found in semantic
    }
    return _together(
        keyword, semantic, {name: keyword_share * score.match for name, score in keyword.items()}, nearness
    )


def fused_as_specified(keyword: Mapping[str, Scores], semantic: Sequence[SemanticNeighbor]) -> dict[str, Scores]:
    """Return the scores of all that either leg found: 0.4 of the keyword score, 0.6 of the cosine, by their best."""
    keyword_share = (1.0 - SPECIFIED_WEIGHT) / _best(score.match for score in keyword.values())
    semantic_share = SPECIFIED_WEIGHT / _best(found.score for found in semantic)
    return _together(
        keyword,
        semantic,
        {name: keyword_share * score.match for name, score in keyword.items()},
        {found.session_id: semantic_share * found.score for found in semantic},
    )


def _together(
    keyword: Mapping[str, Scores],
    semantic: Sequence[SemanticNeighbor],
    wording: Mapping[str, float],
    nearness: Mapping[str, float],
) -> dict[str, Scores]:
    cosines = {found.session_id: found.score for found in semantic}
    return {
        name: Scores(
            wording.get(name, 0.0) + nearness.get(name, 0.0),
            keyword[name].keyword if name in keyword else None,
            cosines.get(name),
            approximate=name in keyword and keyword[name].approximate and name not in cosines,
        )
        for name in dict.fromkeys((*keyword, *cosines))
    }


def _best(scores: Iterable[float]) -> float:
    """Return the best score, or 1 where none is positive."""
    best = max(scores, default=0.0)
    return best if best > 0.0 else 1.0
