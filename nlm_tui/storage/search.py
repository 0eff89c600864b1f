"""Keyword search over FTS5, the best we know."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import orjson

from nlm_tui.core import (
    INDEXED_FIELDS,
    KeywordNeighbor,
    Page,
    Recipe,
    SessionFilter,
)
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.expressions import indexed_columns
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.index import held
from nlm_tui.storage.planning import Plan, Planner
from nlm_tui.storage.vocabulary import Vocabulary

Found = tuple[int, float, int]  # row, score, tier
_HEADS = tuple(field for field in INDEXED_FIELDS if not field.startswith("body"))
_LOOKED_AT = 4
_DROWNED = 1e-6  # the score of a word that nearly every session holds


class KeywordSearch:
    """Searches one store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._vocabulary = Vocabulary(connection)

    def search(  # noqa: PLR0913 - all that one search is made of
        self, text: str, limit: int, passing: Condition, fields: Sequence[str], recipe: Recipe, *, typing: bool
    ) -> Page[KeywordNeighbor]:
        """Return the best `limit` sessions, and how many there are. `fields` are the only ones that count, if any."""
        chosen = set(indexed_columns(fields)) if fields else set(INDEXED_FIELDS)
        columns = [column for column in recipe.fields if column in chosen]
        plan = Planner(self._vocabulary, recipe, columns).plan(text, typing=typing)
        found, total = _Run(self._connection, self._vocabulary, plan, passing, recipe).best(limit)
        return Page(
            *(self._neighbors(found), total),
            terms=plan.terms,
            common=plan.common,
            by_age=plan.newest,
            holding=partial(self._holding, plan),
        )

    def _holding(self, plan: Plan, session_ids: Sequence[str]) -> set[str]:
        """Return which of the sessions a plan finds, whatever they must pass besides."""
        found: set[str] = set()
        for index, expression in plan.found_in:
            found |= held(self._connection, _MATCHES.format(index), expression, session_ids)
        return found

    def _neighbors(self, found: Sequence[Found]) -> list[KeywordNeighbor]:
        """Return what was found, equal scores newest first."""
        rows = self._connection.rows(
            "SELECT s.rowid, s.id, s.started_at, "
            "s.rowid IN (SELECT rowid FROM sessions WHERE status = 'superseded') "
            "FROM sessions AS s WHERE s.rowid IN (SELECT value FROM json_each(?)) ORDER BY s.started_at DESC, s.id",
            (orjson.dumps([row for row, _, _ in found]).decode(),),
        )
        scores = {row: (score, tier) for row, score, tier in found}
        neighbors = [
            KeywordNeighbor(session_id, *scores[row], started_at, bool(superseded))
            for row, session_id, started_at, superseded in rows
        ]
        return sorted(neighbors, key=lambda neighbor: (neighbor.tier, -neighbor.score))


class _Run:
    """One search: a plan, and what sessions must pass."""

    def __init__(
        self, connection: Connection, vocabulary: Vocabulary, plan: Plan, passing: Condition, recipe: Recipe
    ) -> None:
        self._connection = connection
        self._vocabulary = vocabulary
        self._plan = plan
        self._passing = passing
        self._recipe = recipe

    def best(self, limit: int) -> tuple[list[Found], int]:
        """Return row, score and tier of the best, and how many sessions match."""
        plan = self._plan
        if not plan.sought and not plan.heads:
            return [], 0
        if plan.newest:
            return self._newest(limit)
        if not plan.sought:
            return self._best(self._heads, (plan.heads,), limit)
        if plan.is_typed_alone:
            return self._typed_alone(limit)
        return self._in_tiers(limit)

    def _in_tiers(self, limit: int) -> tuple[list[Found], int]:
        tiers = self._plan.tiers()
        if len(tiers) == 1:
            (tier,) = tiers
            rows, total = self._ranked(limit)
            return [(row, score, tier) for row, score, _ in rows], total
        found: list[Found] = []
        before = ""
        for tier, expression in tiers.items():
            if len(found) < limit:
                only, values = (_AMONG, [expression])
                if before:
                    only, values = only + _NOT_AMONG, [*values, before]
                rows, _ = self._ranked(limit - len(found), only, values)
                found += [(row, score, tier) for row, score, _ in rows]
            before = expression
        return found, self._count("sessions_fts", self._plan.expression)

    def _ranked(self, limit: int, only: str = "", values: Sequence[object] = ()) -> tuple[list[Found], int]:
        rank = _bm25("sessions_fts", self._recipe.weights)
        boosts: list[object] = []
        if self._plan.heads:
            rank += f" * CASE WHEN +rowid IN {_MATCHES.format('sessions_heads')} THEN {self._recipe.typed} ELSE 1 END"
            boosts = [self._plan.heads]
        return self._best(
            f"SELECT rowid, {rank} FROM sessions_fts WHERE sessions_fts MATCH ?{only} AND {self._passing.sql('rowid')}",
            (*boosts, self._plan.expression, *values),
            limit,
        )

    @property
    def _heads(self) -> str:
        """What ranks the sessions whose short texts hold the beginning that is typed."""
        weights = zip(INDEXED_FIELDS, self._recipe.weights, strict=True)
        rank = _bm25("sessions_heads", [weight for field, weight in weights if field in _HEADS])
        return f"SELECT rowid, {rank} FROM sessions_heads WHERE sessions_heads MATCH ? AND {self._passing.sql('rowid')}"

    def _typed_alone(self, limit: int) -> tuple[list[Found], int]:
        """Return the sessions that hold the one word that is typed, or in their short texts one that begins so."""
        both = (
            f"SELECT rowid AS found, {_bm25('sessions_fts', self._recipe.weights)} AS rank FROM sessions_fts "
            f"WHERE sessions_fts MATCH ? AND {self._passing.sql('rowid')} UNION ALL {self._heads}"
        )
        ranked = f"SELECT found, sum(rank) FROM ({both}) GROUP BY found"
        return self._best(ranked, (self._plan.expression, self._plan.heads), limit)

    def _best(self, ranked: str, parameters: Sequence[object], limit: int) -> tuple[list[Found], int]:
        """Return the first of `ranked`, which selects rows and ranks, and how many there are.

        Of those that tie at the cut the newest are taken: when they began is looked up for what may be taken alone.
        """
        rows = self._connection.rows(
            f"WITH ranked (found, rank) AS MATERIALIZED ({ranked}), "
            "best (rank) AS (SELECT rank FROM ranked ORDER BY rank LIMIT ?) "
            "SELECT found, rank, (SELECT count(*) FROM ranked) "
            "FROM ranked CROSS JOIN sessions AS s ON s.rowid = found "
            "WHERE rank <= (SELECT max(rank) FROM best) ORDER BY rank, s.started_at DESC, s.id LIMIT ?",
            (*parameters, limit, limit),
        )
        return [(row, -rank, 0) for row, rank, _ in rows], rows[0][2] if rows else 0

    def _newest(self, limit: int) -> tuple[list[Found], int]:
        """Return the newest that match. Most sessions do, so it mostly suffices to look at a few times as many."""
        index = "sessions_heads" if self._plan.heads else "sessions_fts"
        expression = self._plan.heads or self._plan.expression
        looked_at = self._connection.rows(
            f"SELECT s.rowid FROM sessions AS s WHERE {self._passing.sql('s.rowid')} "
            "ORDER BY s.started_at DESC, s.id LIMIT ?",
            (_LOOKED_AT * limit,),
        )
        rows = [row for (row,) in looked_at]
        matching = self._connection.rows(
            f"SELECT rowid FROM {index} WHERE {index} MATCH ? AND +rowid IN (SELECT value FROM json_each(?))",
            (expression, orjson.dumps(rows).decode()),
        )
        matches = {row for (row,) in matching}
        found = [row for row in rows if row in matches][:limit]
        if len(found) < limit and len(rows) == _LOOKED_AT * limit:
            every = self._connection.rows(
                f"SELECT s.rowid FROM sessions AS s WHERE +s.rowid IN {_MATCHES.format(index)} "
                f"AND {self._passing.sql('s.rowid')} ORDER BY s.started_at DESC, s.id LIMIT ?",
                (expression, limit),
            )
            found = [row for (row,) in every]
        return [(row, _DROWNED, 0) for row in found], self._count(index, expression)

    def _count(self, index: str, expression: str) -> int:
        if not self._passing:
            return self._vocabulary.count(expression, index)
        ((total,),) = self._connection.rows(
            f"SELECT count(*) FROM {index} WHERE {index} MATCH ? AND {self._passing.sql('rowid')}",
            (expression,),
        )
        return total


_MATCHES = "(SELECT rowid FROM {0} WHERE {0} MATCH ?)"
_AMONG = f" AND +rowid IN {_MATCHES.format('sessions_fts')}"
_NOT_AMONG = f" AND +rowid NOT IN {_MATCHES.format('sessions_fts')}"


def _bm25(index: str, weights: Sequence[float]) -> str:
    return f"bm25({index}, {', '.join(f'{weight:g}' for weight in weights)})"


def placed_words(session_filter: SessionFilter | None) -> tuple[SessionFilter | None, tuple[str, ...]]:
    """Return the filter without the first condition on where the words of the query must stand, and those fields."""
    for text in session_filter.texts if session_filter else ():
        if session_filter and text.any_word and text.fields and not text.negated:
            others = tuple(other for other in session_filter.texts if other is not text)
            return replace(session_filter, texts=others), text.fields
    return session_filter, ()
