"""Ways to make one ranking of two, for comparison with the program's own: none of them is in the program."""

from collections.abc import Callable, Mapping
from statistics import fmean, pstdev
from typing import Final

Leg = Mapping[str, float]
"""Scores of what one leg found, by the ids of the sessions, the best first."""

Fusion = Callable[[Leg, Leg], Leg]
"""From the scores by words and those by meaning to scores of all that either found."""


def reciprocal_rank(constant: int) -> Fusion:
    """Return the fusion in which each leg adds 1 / (constant + rank)."""

    def fused(keyword: Leg, semantic: Leg) -> Leg:
        ranks = ({name: rank for rank, name in enumerate(leg, 1)} for leg in (keyword, semantic))
        return _weighted(*({name: 1.0 / (constant + rank) for name, rank in leg.items()} for leg in ranks), 0.5)

    return fused


def by_range(weight: float) -> Fusion:
    """Return the fusion in which each leg goes from 0, its least score, to 1; meaning counts `weight` of 1."""
    return lambda keyword, semantic: _weighted(_stretched(keyword), _stretched(semantic), weight)


def by_deviation(weight: float) -> Fusion:
    """Return the fusion in which each leg counts in standard deviations; what it did not find has its least score."""
    return lambda keyword, semantic: _weighted(_standard(keyword), _standard(semantic), weight)


FUSIONS: Final[tuple[tuple[str, Fusion], ...]] = (
    *((f"reciprocal rank, {constant}", reciprocal_rank(constant)) for constant in (10, 60)),
    *((f"min-max, {weight}", by_range(weight)) for weight in (0.3, 0.5, 0.7)),
    *((f"z-scores, {weight}", by_deviation(weight)) for weight in (0.3, 0.5, 0.7)),
)


def _weighted(keyword: Leg, semantic: Leg, weight: float) -> Leg:
    """Return the sums; what a leg did not find has 0 there, or the leg's least score if that is lower."""
    words, meaning = (min(0.0, *leg.values()) if leg else 0.0 for leg in (keyword, semantic))
    return {
        name: (1.0 - weight) * keyword.get(name, words) + weight * semantic.get(name, meaning)
        for name in dict.fromkeys((*keyword, *semantic))
    }


def _stretched(leg: Leg) -> Leg:
    least, most = min(leg.values(), default=0.0), max(leg.values(), default=0.0)
    return {name: (score - least) / (most - least) if most > least else 1.0 for name, score in leg.items()}


def _standard(leg: Leg) -> Leg:
    if not leg:
        return {}
    mean, deviation = fmean(leg.values()), pstdev(leg.values())
    return {name: (score - mean) / deviation if deviation else 0.0 for name, score in leg.items()}
