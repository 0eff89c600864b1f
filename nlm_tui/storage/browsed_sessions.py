"""Sessions in order of time: a timeline, and how many there are in each of several spans."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import orjson

from nlm_tui.core import BEST, INDEXED_FIELDS, is_telling, tokenize, units
from nlm_tui.core.browsing import Listed, RowQuery, TimelineRow
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.expressions import beginning_expression, indexed_columns
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.index import CurrentIndex
from nlm_tui.storage.origins import Origins
from nlm_tui.storage.planning import Plan, Planner
from nlm_tui.storage.reference import match_expression
from nlm_tui.storage.row_words import all_of, word_expressions
from nlm_tui.storage.vocabulary import Vocabulary

Selection = tuple[str, tuple[str, ...]]  # SQL that selects rows, and its values

_FOUND = "SELECT rowid FROM sessions_fts WHERE sessions_fts MATCH ?"
_BEGUN = "SELECT rowid FROM sessions_heads WHERE sessions_heads MATCH ?"
_LINKS = """
SELECT edge.kind, from_session, to_session, s.label
FROM session_edges AS edge CROSS JOIN sessions AS s ON s.id = to_session
WHERE edge.kind IN ('supersedes', 'continues') AND from_session <> to_session
  AND from_session IN (SELECT value FROM json_each(?)) AND {}
ORDER BY to_session
"""


class BrowsedSessions:
    """Lists and counts the sessions of one store."""

    def __init__(self, connection: Connection, origins: Origins, index: CurrentIndex) -> None:
        self._connection = connection
        self._origins = origins
        self._index = index
        self._vocabulary = Vocabulary(connection)

    def timeline(self, query: RowQuery, passing: Condition, visible: Condition) -> Listed[TimelineRow]:
        """Return sessions that pass and hold the words, the newest first."""
        chosen, values, counting = passing.sql("s.rowid"), (), passing.count_sql
        if query.words:
            found, values = self._with_any(query, ()) if query.any_word else self._with_all(query)
            counting = f"SELECT count(*) FROM ({found}) WHERE {passing.sql('rowid')}"
            chosen = f"{chosen} AND +s.rowid IN ({found})"
        ((total,),) = self._connection.rows(counting, values)
        rows = self._connection.rows(
            f"SELECT s.rowid FROM sessions AS s WHERE {chosen} ORDER BY s.started_at DESC, s.id LIMIT ? OFFSET ?",
            (*values, query.limit, query.offset),
        )
        return Listed(self._read([row for (row,) in rows], visible), total)

    def span(self) -> tuple[str, str] | None:
        """Return when the first and the last session began."""
        ((first, last),) = self._connection.rows(
            "SELECT (SELECT min(started_at) FROM sessions), (SELECT max(started_at) FROM sessions)"
        )
        return None if first is None else (first, last)

    def times(
        self, query: RowQuery, borders: Sequence[str], passing: Condition, fields: Sequence[str]
    ) -> Sequence[int]:
        """Return how many sessions that recall by words finds began from each of `borders` until before the next."""
        sql, values = passing.sql("s.rowid"), ()
        if query.words:
            found, values = self._with_any(query, fields)
            sql = f"{sql} AND +s.rowid IN ({found})"
        spans = orjson.dumps(list(pairwise(borders))).decode()
        rows = self._connection.rows(
            "SELECT span.key, count(*) FROM json_each(?) AS span CROSS JOIN sessions AS s "
            f"ON s.started_at >= span.value ->> 0 AND s.started_at < span.value ->> 1 WHERE {sql} GROUP BY span.key",
            (spans, *values),
        )
        counts: dict[int, int] = dict(rows)
        return [counts.get(place, 0) for place in range(len(borders) - 1)]

    def _with_all(self, query: RowQuery) -> Selection:
        """Return what selects the sessions that hold all words; a beginning counts in their short texts."""
        index = self._index()
        found = _FOUND.replace("sessions_fts", index.name, 1)
        if not index.extended:
            return found, (" AND ".join(f'"{token}"' for token in dict.fromkeys(tokenize(query.words))) or '""',)
        expressions = word_expressions(query.words)
        last = units(query.words, typing=query.typing)[-1:]
        if not expressions or not last[0].unfinished:
            return found, (all_of(expressions) or '""',)
        others = expressions[:-1]
        whole = (all_of(expressions),)
        if others and not is_telling(last[0].ways[0][-1][-1]):
            return found, whole
        begun = beginning_expression(last[0])
        if not others:
            return f"{found} UNION {_BEGUN}", (*whole, begun)
        return f"{found} UNION {found} AND +rowid IN ({_BEGUN})", (*whole, all_of(others), begun)

    def _with_any(self, query: RowQuery, fields: Sequence[str]) -> Selection:
        """Return what selects the sessions that recall by words finds."""
        index = self._index()
        if not index.extended:
            found = _FOUND.replace("sessions_fts", index.name, 1)
            return found, (match_expression(query.words, typing=query.typing) or '""',)
        columns = indexed_columns(fields) if fields else INDEXED_FIELDS
        plan = Planner(self._vocabulary, BEST, columns).plan(query.words, typing=query.typing)
        return _selection(plan)

    def _read(self, rows: Sequence[int], visible: Condition) -> list[TimelineRow]:
        origins = self._origins.read(rows, visible)
        ids = orjson.dumps([origin.session_id for origin in origins.values()]).decode()
        texts: dict[tuple[str, str], list[str]] = defaultdict(list)
        for kind, session_id, text in self._connection.rows(
            "SELECT kind, session_id, text FROM markers WHERE state = 'standing' "
            "AND session_id IN (SELECT value FROM json_each(?)) ORDER BY position, id",
            (ids,),
        ):
            texts[kind, session_id].append(text)
        labels: dict[str, dict[str, str]] = defaultdict(dict)
        for kind, newer, older, label in self._connection.rows(_LINKS.format(visible.sql("s.rowid")), (ids,)):
            texts[kind, newer].append(older)
            labels[newer][older] = label
        return [
            TimelineRow(
                origin=origins[row],
                decisions=tuple(texts["decision", origins[row].session_id]),
                open=tuple(texts["open", origins[row].session_id]),
                supersedes=tuple(texts["supersedes", origins[row].session_id]),
                continues=tuple(texts["continues", origins[row].session_id]),
                labels=labels[origins[row].session_id],
            )
            for row in rows
        ]


def _selection(plan: Plan) -> Selection:
    """Return what selects all that a plan finds."""
    found = plan.found_in
    names = {"sessions_fts": _FOUND, "sessions_heads": _BEGUN}
    sql = " UNION ".join(names[index] for index, _ in found)
    return sql or "SELECT 0 WHERE 0", tuple(expression for _, expression in found)
