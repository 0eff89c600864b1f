"""Scores of rankings, how sure a difference between two is, and the specified keyword recall as a table of its own."""

import math
import random
import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Any, Final

import apsw

from nlm_tui.core import RecallQuery, tokenize
from nlm_tui.core.query import Filter

Entry = dict[str, Any]
Scores = tuple[float, ...]

DEPTH: Final = 10
METRICS: Final = ("R@1", "R@5", "MRR", "nDCG@10")

_RESAMPLES = 10_000
_SEED = 20
_WORD = re.compile(r"[^\W_]+")
_FIELDS = {"decision": "decisions"}  # as `in:` and `has:` name them, and as the corpus does


def gains(found: Sequence[str], expected: Sequence[str]) -> Scores:
    """Return recall at 1 and at 5 (of any expected session), the reciprocal rank, and nDCG at 10."""
    ranks = [rank for rank, session_id in enumerate(found[:DEPTH], 1) if session_id in expected]
    first = ranks[0] if ranks else math.inf
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(expected), DEPTH) + 1))
    ndcg = sum(1 / math.log2(rank + 1) for rank in ranks) / ideal
    return float(first == 1), float(first <= 5), 1 / first, ndcg


def means(scores: Sequence[Scores]) -> Scores:
    """Return the mean of each metric."""
    return tuple(fmean(column) for column in zip(*scores, strict=True))


def difference(scores: Sequence[float], others: Sequence[float]) -> str:
    """Return how much better `scores` are than `others`, and between what bounds, as text."""
    mean, low, high = interval(scores, others)
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})" if low < high else "0"


def interval(scores: Sequence[float], others: Sequence[float]) -> tuple[float, float, float]:
    """Return how much better `scores` are than `others`, question by question, and between what bounds.

    The bounds hold 95 % of the means of 10,000 draws of as many questions, with replacement and a fixed seed.
    """
    apart = [own - other for own, other in zip(scores, others, strict=True)]
    if not any(apart):
        return 0.0, 0.0, 0.0
    drawn = sorted(sum(map(apart.__getitem__, draw)) / len(apart) for draw in _draws(len(apart)))
    return fmean(apart), drawn[_RESAMPLES // 40], drawn[-_RESAMPLES // 40]


@cache
def _draws(count: int) -> list[Sequence[int]]:
    """Return which of `count` questions each draw holds; to draw takes longer than to sum."""
    rng = random.Random(_SEED)
    return [array("H", rng.choices(range(count), k=count)) for _ in range(_RESAMPLES)]


class SpecifiedTable:
    """The specified keyword recall and nothing else: any token may match, bm25 with 10/4/1 over label, summary, body.

    The words of phrases are words like others. Filters hold before the cut, as the corpus describes them.
    """

    def __init__(self, entries: Sequence[Entry], bodies: Mapping[str, str]) -> None:
        self._entries = entries
        self._connection = apsw.Connection(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE texts USING fts5(label, summary, body, tokenize='unicode61')")
        rows = [(entry["label"], entry["summary"], bodies[entry["id"]]) for entry in entries]
        self._connection.executemany("INSERT INTO texts VALUES (?, ?, ?)", rows)

    def search(self, query: RecallQuery) -> list[str]:
        """Return the ids of the best sessions."""
        text = " ".join((query.query, *query.phrases))
        expression = " OR ".join(f'"{token}"' for token in dict.fromkeys(tokenize(text)))
        if not expression:
            return []
        ranked = self._connection.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts, 10, 4, 1), rowid", (expression,)
        )
        found = (self._entries[row - 1] for (row,) in ranked)
        passing = (entry["id"] for entry in found if passes(entry, query.conditions, text))
        return [session_id for _, session_id in zip(range(DEPTH), passing, strict=False)]


def passes(entry: Entry, conditions: Sequence[Filter], text: str) -> bool:
    """Return whether a session of the corpus passes all filters of a query for `text`."""
    for condition in conditions:
        holds = _TESTS[condition.name]
        if any(holds(entry, value, text) for value in condition.values) == condition.negated:
            return False
    return True


def _texts(entry: Entry, field: str) -> list[str]:
    value = entry[_FIELDS.get(field, field)]
    return [value] if isinstance(value, str) else value


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _same(one: str | None, other: str) -> bool:
    return (one or "").casefold() == other.casefold()


_TESTS: dict[str, Callable[[Entry, str, str], bool]] = {
    "agent": lambda entry, value, _: entry["runtime"].startswith(value.casefold()),
    "project": lambda entry, value, _: any(_same(part, value) for part in re.split(r"[/\\]", entry["project"])),
    "branch": lambda entry, value, _: _same(entry.get("branch"), value),
    "status": lambda entry, value, _: _same(entry["status"], value),
    "entity": lambda entry, value, _: any(_same(entity, value) for entity in entry["entities"]),
    "has": lambda entry, value, _: bool(_texts(entry, value)),
    "in": lambda entry, value, text: any(_words(text) & _words(part) for part in _texts(entry, value)),
    "since": lambda entry, value, _: entry["started_at"][:10] >= value,
    "before": lambda entry, value, _: entry["started_at"][:10] < value,
}
