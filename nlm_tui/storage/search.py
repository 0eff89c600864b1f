"""Keyword search over FTS5, the best we know."""

from collections.abc import Sequence
from dataclasses import replace

import orjson

from nlm_tui.core import (
    INDEXED_FIELDS,
    KeywordNeighbor,
    Page,
    Recipe,
    SessionFilter,
)
from nlm_tui.storage.connection import Connection, Row
from nlm_tui.storage.expressions import indexed_columns
from nlm_tui.storage.filters import Condition
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
        return Page(self._neighbors(found), total, terms=plan.terms, common=plan.common, by_age=plan.newest)

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
        if plan.newest or not plan.sought:
            index = "sessions_heads" if plan.heads else "sessions_fts"
            expression = plan.heads or plan.expression
            found = self._newest(index, expression, limit) if plan.newest else self._in_heads(limit)
            return found, self._count(index, expression)
        if plan.heads and len(plan.sought) == 1 and plan.sought[0].term.typed == plan.terms[-1].typed:
            return self._typed_alone(limit)
        return self._in_tiers(limit), self._count("sessions_fts", plan.expression)

    def _in_tiers(self, limit: int) -> list[Found]:
        tiers = self._plan.tiers()
        found: list[Found] = []
        before = ""
        for tier, expression in tiers.items():
            if len(found) >= limit:
                break
            only, values = (_AMONG, [expression]) if len(tiers) > 1 else ("", [])
            if before:
                only, values = only + _NOT_AMONG, [*values, before]
            rows = self._ranked(self._plan.expression, limit - len(found), only, values)
            found += [(row, -rank, tier) for row, rank in rows]
            before = expression
        return found

    def _ranked(self, expression: str, limit: int, only: str = "", values: Sequence[object] = ()) -> list[Row]:
        rank = _bm25("sessions_fts", self._recipe.weights)
        boosts: list[object] = []
        if self._plan.heads:
            rank += f" * CASE WHEN +rowid IN {_MATCHES.format('sessions_heads')} THEN {self._recipe.typed} ELSE 1 END"
            boosts = [self._plan.heads]
        return self._best(
            f"SELECT rowid, {rank} FROM sessions_fts WHERE sessions_fts MATCH ?{only} AND {self._passing.sql('rowid')}",
            (*boosts, expression, *values),
            limit,
        )

    def _in_heads(self, limit: int) -> list[Found]:
        rows = self._best(self._heads, (self._plan.heads,), limit)
        return [(row, -rank, 0) for row, rank in rows]

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
        rows = self._best(
            f"SELECT found, sum(rank), count(*) OVER () FROM ({both}) GROUP BY found",
            (self._plan.expression, self._plan.heads),
            limit,
        )
        return [(row, -rank, 0) for row, rank, *_ in rows], rows[0][2] if rows else 0

    def _best(self, ranked: str, parameters: Sequence[object], limit: int) -> list[Row]:
        """Return the first rows of `ranked`, which selects rows and ranks; of those that tie at the cut the newest."""
        rows = self._connection.rows(f"{ranked} ORDER BY 2 LIMIT ?", (*parameters, limit + 1))
        if len(rows) <= limit or rows[limit - 1][1] < rows[limit][1]:
            return rows[:limit]
        # Looking up when each match began would cost more than ranking them all.
        more = ", total" if len(rows[0]) > 2 else ""
        return self._connection.rows(
            f"WITH ranked (found, rank{more}) AS MATERIALIZED ({ranked}) SELECT found, rank{more} "
            "FROM ranked JOIN sessions AS s ON s.rowid = found "
            "WHERE rank <= ? ORDER BY rank, s.started_at DESC, s.id LIMIT ?",
            (*parameters, rows[limit - 1][1], limit),
        )

    def _newest(self, index: str, expression: str, limit: int) -> list[Found]:
        """Return the newest that match. Most sessions do, so it mostly suffices to look at a few times as many."""
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
        return [(row, _DROWNED, 0) for row in found]

    def _count(self, index: str, expression: str) -> int:
        if self._passing.table is None:
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
