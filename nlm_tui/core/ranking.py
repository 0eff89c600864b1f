"""How keyword recall looks for words and ranks what it finds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

INDEXED_FIELDS: Final = (
    "label",
    "summary",
    "body",
    "decisions",
    "open_questions",
    "names",
    "label_parts",
    "summary_parts",
    "body_parts",
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The ingredients of keyword recall; each can be left out, to measure what it is worth.

    `weights` belong to INDEXED_FIELDS. `markers`, `names` and `parts` say whether these fields count at all. Words in
    more than `common` of all sessions are left out of a query. Words that stand nowhere count as `beginnings`, or as
    misspelled, for `corrections`. Sessions whose short texts hold the beginning that is being typed score `typed` times
    as much. A passage that holds all words of the query adds `passages` of the score, a superseded session keeps
    `superseded` of it; scores that differ by less than `near_tie` are told apart by date.
    """

    weights: tuple[float, ...] = (3.0, 2.0, 1.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0)
    markers: bool = True
    names: bool = True
    parts: bool = True
    common: float = 0.5
    beginnings: bool = True
    corrections: bool = True
    typed: float = 1.5
    passages: float = 0.6
    superseded: float = 0.7
    near_tie: float = 0.005

    @property
    def fields(self) -> tuple[str, ...]:
        """The indexed fields that count."""
        left_out = {
            *(() if self.markers else ("decisions", "open_questions")),
            *(() if self.names else ("names",)),
            *(() if self.parts else ("label_parts", "summary_parts", "body_parts")),
        }
        return tuple(field for field in INDEXED_FIELDS if field not in left_out)


BEST: Final = Recipe()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A session that may become a hit: what orders it among others."""

    session_id: str
    score: float
    tier: int = 0
    started_at: str = ""


def ordered(candidates: Sequence[Candidate], near_tie: float) -> list[Candidate]:
    """Return candidates best first: by tier, then by score; near ties newest first, with the score of the best of them.

    A score is nearly that of the best one not yet placed when it falls short of it by less than `near_tie` of it. What
    comes out depends on the candidates alone, not on how many of them are wanted.
    """
    newest_first = sorted(candidates, key=lambda found: found.started_at, reverse=True)
    left = sorted(newest_first, key=lambda found: (found.tier, -found.score))
    placed: list[Candidate] = []
    while len(placed) < len(left):
        start = end = len(placed)
        best = left[start]
        least = best.score - near_tie * abs(best.score)
        while end < len(left) and left[end].tier == best.tier and left[end].score >= least:
            end += 1
        tied = sorted(left[start:end], key=lambda found: found.started_at, reverse=True)
        if any(found.score < following.score for found, following in pairwise(tied)):
            tied = [replace(found, score=best.score) for found in tied]
        placed += tied
    return placed
