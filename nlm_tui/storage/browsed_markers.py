"""Decisions and open questions as lists."""

from collections.abc import Sequence

import orjson

from nlm_tui.core import MarkerKind
from nlm_tui.core.actions import marker_id
from nlm_tui.core.browsing import Listed, MarkerRow, RowQuery
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.expressions import any_of, within
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.origins import Origins
from nlm_tui.storage.row_words import all_of, word_expressions
from nlm_tui.storage.tables import CurrentTables, Tables
from nlm_tui.storage.vocabulary import Vocabulary

_ORDER = "m.state <> 'standing', m.started_at DESC, m.session_id, m.position, m.id"
_OLDEST = "m.started_at, m.session_id, m.position, m.id"
_WORDS = ("text", "about", "parts")
_FOUND = "SELECT rowid FROM markers_fts WHERE markers_fts MATCH ?"
_MANY = 1000  # rows: to put more in order takes longer than to look for them in order
_FEW = 200  # rows: of so few every word tells some apart
_COMMON = 0.5  # of all rows: a word in more of them tells none apart


class BrowsedMarkers:
    """Lists the markers of one store."""

    def __init__(self, connection: Connection, origins: Origins, tables: CurrentTables) -> None:
        self._connection = connection
        self._origins = origins
        self._tables = tables
        self._vocabulary = Vocabulary(connection)

    def rows(self, kind: MarkerKind, query: RowQuery, passing: Condition, visible: Condition) -> Listed[MarkerRow]:
        """Return markers whose sessions pass; what superseded these is looked for among those that are `visible`."""
        tables = self._tables()
        found = _Found(self._connection, tables.markers, kind, passing)
        found.seek(word_expressions(query.words, self._vocabulary if query.typing else None), any_word=query.any_word)
        total = found.count()
        ids = found.page(query, total)
        oldest = found.oldest(total) if kind == "open" else []
        rows = self._read(tables, [*ids, *oldest], visible)
        listed = [rows[marker] for marker in ids if marker in rows]
        return Listed(listed, total, next((rows[marker] for marker in oldest if marker in rows), None))

    def _read(self, tables: Tables, ids: Sequence[int], visible: Condition) -> dict[int, MarkerRow]:
        rows = self._connection.rows(
            "SELECT id, session_id, session_row, kind, text, coalesce(original_text, text), state, answer "
            f"FROM {tables.markers} WHERE id IN (SELECT value FROM json_each(?))",
            (orjson.dumps(ids).decode(),),
        )
        origins = self._origins.read((row for _, _, row, *_ in rows), visible)
        return {
            marker: MarkerRow(
                id=marker_id(kind, session_id, original),
                kind=kind,
                text=text,
                origin=origins[row],
                state=state,
                answer=answer,
            )
            for marker, session_id, row, kind, text, original, state, answer in rows
            if row in origins
        }


class _Found:
    """The markers of a kind that pass and hold the words."""

    def __init__(self, connection: Connection, markers: str, kind: MarkerKind, passing: Condition) -> None:
        self._connection = connection
        self._markers = markers
        self._kind = kind
        self._passing = passing
        self._expression = ""
        self._ranked: Sequence[str] = ()  # the words that tell apart what holds only some

    def seek(self, expressions: Sequence[str], *, any_word: bool) -> None:
        """Look for those with all words, or with any."""
        if any_word and len(expressions) > 1:
            self._ranked = self._telling([self._of_kind(expression) for expression in expressions])
            self._expression = any_of(self._ranked)
        elif expressions:
            self._expression = self._of_kind(all_of(expressions))

    def count(self) -> int:
        """Return how many there are."""
        if not self._expression:
            return self._number(f"SELECT count(*) FROM {self._markers} AS m WHERE {self._chosen}", self._kind)
        return self._count_found(self._expression)

    def page(self, query: RowQuery, total: int) -> list[int]:
        """Return some of them in order."""
        if len(self._ranked) < 2:
            source, values = self._source(total)
            return self._ids(f"SELECT m.id FROM {source}", values, _ORDER, query.limit, query.offset)
        held = " UNION ALL ".join([_FOUND] * len(self._ranked))
        return self._ids(
            f"WITH held (row, words) AS MATERIALIZED (SELECT rowid, count(*) FROM ({held}) GROUP BY rowid) "
            f"SELECT m.id FROM held CROSS JOIN {self._markers} AS m ON m.id = held.row "
            f"WHERE {self._passing.sql('m.session_row')}",
            self._ranked,
            f"held.words DESC, {_ORDER}",
            query.limit,
            query.offset,
        )

    def oldest(self, total: int) -> list[int]:
        """Return the one that stands longest, if any does."""
        source, values = self._source(total)
        return self._ids(f"SELECT m.id FROM {source} AND (m.state <> 'standing') = 0", values, _OLDEST, 1)

    @property
    def _chosen(self) -> str:
        return f"m.kind = ? AND {self._passing.sql('m.session_row')}"

    def _source(self, total: int) -> tuple[str, tuple[str, ...]]:
        """Return SQL for all of them, of which there are `total`, and its values."""
        if not self._expression:
            return f"{self._markers} AS m WHERE {self._chosen}", (self._kind,)
        if total > _MANY:
            return f"{self._markers} AS m WHERE {self._chosen} AND +m.id IN ({_FOUND})", (self._kind, self._expression)
        return f"{self._joined} WHERE markers_fts MATCH ? AND {self._passing.sql('m.session_row')}", (self._expression,)

    @property
    def _joined(self) -> str:
        return f"markers_fts AS f CROSS JOIN {self._markers} AS m ON m.id = f.rowid"

    def _of_kind(self, expression: str) -> str:
        return f"({within(_WORDS, expression)}) AND kind : {self._kind}"

    def _telling(self, expressions: Sequence[str]) -> list[str]:
        """Return what is not in most rows, or else all of it."""
        rows = self._number(f"SELECT count(*) FROM {self._markers} AS m WHERE m.kind = ?", self._kind)
        if rows < _FEW:
            return list(expressions)
        counts = {
            expression: self._number(_FOUND.replace("rowid", "count(*)", 1), expression) for expression in expressions
        }
        telling = [expression for expression in expressions if 0 < counts[expression] <= _COMMON * rows]
        return telling or list(expressions)

    def _count_found(self, expression: str) -> int:
        if not self._passing:
            return self._number("SELECT count(*) FROM markers_fts WHERE markers_fts MATCH ?", expression)
        passing = self._passing.sql("m.session_row")
        return self._number(f"SELECT count(*) FROM {self._joined} WHERE markers_fts MATCH ? AND {passing}", expression)

    def _number(self, sql: str, value: str) -> int:
        ((number,),) = self._connection.rows(sql, (value,))
        return number

    def _ids(self, sql: str, values: Sequence[str], order: str, limit: int, offset: int = 0) -> list[int]:
        rows = self._connection.rows(f"{sql} ORDER BY {order} LIMIT ? OFFSET ?", (*values, limit, offset))
        return [marker for (marker,) in rows]
