"""A `SessionFilter` as sets of rows of `sessions`. Each set is probed before any cut, and before anything is scored."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import orjson

from nlm_tui.core import (
    MARKER_KINDS,
    Filter,
    FilterName,
    FilterValue,
    SessionFilter,
    TextFilter,
    begins_in_project,
    in_project,
    project_name,
    query_matcher,
    storable,
)
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.expressions import is_found_too_often, phrase_columns, quoted, text_expression
from nlm_tui.storage.index import CurrentIndex, Index
from nlm_tui.storage.rows import SessionColumns

_ENTITY = """SELECT s.rowid FROM sessions AS s WHERE s.id IN (
  SELECT session_id FROM session_entities WHERE entity_canonical IN (SELECT value FROM json_each(?)))"""
_ENTITY_NAMES = "SELECT canonical, canonical FROM entities UNION ALL SELECT variant, canonical FROM entity_variants"
_MARKER = """SELECT s.rowid FROM sessions AS s WHERE s.id IN (
  SELECT session_id FROM markers WHERE kind = ? AND state = 'standing')"""
_COLUMNS: dict[FilterName, str] = {"agent": "runtime", "project": "project", "branch": "branch", "model": "model"}
_INDEXED_MARKER = {
    "decision": "SELECT rowid FROM sessions WHERE decisions IS NOT NULL",
    "open": "SELECT rowid FROM sessions WHERE open_questions IS NOT NULL",
}
_IS = {"pinned": ("pinned", "= 1"), "hidden": ("hidden", "= 1"), "noted": ("note", "IS NOT NULL")}
# Hidden sessions, their subagents, and those of these.
_HIDDEN_ROWS = """
WITH RECURSIVE hiding (row, id) AS (
  SELECT row, id FROM sessions WHERE hidden = 1
  UNION SELECT child.row, child.id FROM hiding JOIN sessions AS child ON child.parent_id = hiding.id)
SELECT row FROM hiding
"""
_MOST_TABLES = 16


@dataclass(frozen=True, slots=True)
class RowSet:
    """A query that selects rows of `sessions`; negated, all others are meant."""

    sql: str
    parameters: tuple[object, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """The sessions that pass a filter.

    Where a filter narrows them, `table` holds their row numbers. Else all pass but those in the table `hidden`, if any.
    """

    table: str | None = None
    hidden: str | None = None

    def __bool__(self) -> bool:
        """Whether any session may not pass."""
        return bool(self.table or self.hidden)

    def sql(self, row: str) -> str:
        """Return SQL that the row number `row` fulfils."""
        # Without the unary plus SQLite would run a search once for each row that passes.
        if self.table:
            return f"+{row} IN (SELECT row FROM {self.table})"
        return f"+{row} NOT IN (SELECT row FROM {self.hidden})" if self.hidden else "1"

    @property
    def count_sql(self) -> str:
        """SQL for how many sessions pass."""
        if self.table:
            return f"SELECT count(*) FROM {self.table}"
        hidden = f" - (SELECT count(*) FROM {self.hidden})" if self.hidden else ""
        return f"SELECT count(*){hidden} FROM sessions"


class Filters:
    """Makes conditions for one store. The rows that pass a filter are found once, and kept until the store changes.

    Hidden sessions pass none but one that asks for them.
    """

    def __init__(self, connection: Connection, columns: SessionColumns, index: CurrentIndex) -> None:
        self._connection = connection
        self._columns = columns
        self._index = index
        self._state: object = None
        self._tables: dict[SessionFilter, str] = {}
        self._filled = 0
        self._found_hidden = 0
        self._hidden: str | None = None
        self._lock = Lock()

    def condition(self, session_filter: SessionFilter | None, *, indexed: bool = False) -> Condition:
        """Return the condition that `session_filter` stands for.

        `indexed` rows are those that an index finds: one over a store of another program holds sessions, too, that are
        hidden or gone.
        """
        session_filter = session_filter or SessionFilter()
        if not session_filter and not self._columns.are_ours and not indexed:
            return Condition()
        with self._lock:
            state = self._connection.state()
            if state != self._state:
                self._tables.clear()
                self._hidden = self._find_hidden()
                self._state = state
            if not session_filter and self._columns.are_ours:
                return Condition(hidden=self._hidden)
            if session_filter not in self._tables:
                # The oldest is filled anew: the searches of other threads still use those that were filled last.
                table = f"temp.passing_{self._filled % _MOST_TABLES}"
                self._filled += 1
                self._tables = {known: name for known, name in self._tables.items() if name != table}
                self._fill(table, tuple(self._sets(session_filter)))
                self._tables[session_filter] = table
            return Condition(self._tables[session_filter])

    def _find_hidden(self) -> str | None:
        """Return a table of the hidden sessions; None where there are none."""
        if not self._columns.are_ours or not self._connection.rows("SELECT 1 FROM sessions WHERE hidden = 1 LIMIT 1"):
            return None
        table = f"temp.hidden_{self._found_hidden % _MOST_TABLES}"  # others still use those that were found last
        self._found_hidden += 1
        self._connection.run(f"DROP TABLE IF EXISTS {table}")
        self._connection.run(f"CREATE TABLE {table} (row INTEGER PRIMARY KEY)")
        self._connection.run(f"INSERT INTO {table} {_HIDDEN_ROWS}")
        return table

    def _fill(self, table: str, sets: Sequence[RowSet]) -> None:
        """Fill `table` with the rows that are in all of `sets`."""
        first = next((rows for rows in sets if not rows.negated), RowSet("SELECT rowid FROM sessions"))
        others = [rows for rows in sets if rows is not first]
        only = " AND ".join(f"+found {'NOT ' if rows.negated else ''}IN ({rows.sql})" for rows in others) or "1"
        parameters = [value for rows in (first, *others) for value in rows.parameters]
        self._connection.run(f"DROP TABLE IF EXISTS {table}")
        self._connection.run(f"CREATE TABLE {table} (row INTEGER PRIMARY KEY)")
        self._connection.run(
            f"WITH first (found) AS ({first.sql}) INSERT OR IGNORE INTO {table} "
            f"SELECT found FROM first WHERE {only}",  # in any order: that of the rows would be read with their bodies
            parameters,
        )

    def values(self, name: FilterName) -> list[FilterValue]:
        """Return the values of a filter that sessions have, the most frequent first; none for one with fixed values.

        Of projects these are the last folders of their paths.
        """
        visible = self.condition(None)
        if name == "entity":
            shown = "session_id IN (SELECT id FROM sessions)"
            if self._columns.are_ours:
                shown = visible.sql("session_row")
            rows = self._connection.rows(
                f"SELECT entity_canonical, count(*) FROM session_entities WHERE {shown} GROUP BY entity_canonical"
            )
        elif name in _COLUMNS:
            column = self._columns.expressions[_COLUMNS[name]]
            rows = self._connection.rows(
                f"SELECT {column}, count(*) FROM sessions AS s WHERE {visible.sql('s.rowid')} GROUP BY 1"
            )
        else:
            return []
        counts: Counter[str] = Counter()
        for value, sessions in rows:
            if value:
                counts[project_name(value) if name == "project" else value] += sessions
        return [FilterValue(*item) for item in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]

    def _sets(self, wanted: SessionFilter) -> Iterator[RowSet]:
        if wanted.entity is not None:
            yield self._filter(Filter("entity", (wanted.entity,)))
        if wanted.kind is not None:
            yield self._filter(Filter("has", (wanted.kind,)))
        if wanted.top_level and self._columns.has_parents:
            parent = self._columns.expressions["parent_id"]
            # A subagent whose parent is not here stands for itself.
            subagents = f"SELECT s.rowid FROM sessions AS s WHERE {parent} IN (SELECT id FROM sessions)"
            yield RowSet(subagents, negated=True)
        for condition in wanted.filters:
            yield self._filter(condition)
        if self._hidden and not any(map(_asks_for_hidden, wanted.filters)):
            yield RowSet(f"SELECT row FROM {self._hidden}", negated=True)
        for text in wanted.texts:
            yield self._text(text)

    def _filter(self, condition: Filter) -> RowSet:
        sql, parameters = self._selection(condition)
        return RowSet(sql, parameters, condition.negated)

    def _selection(self, condition: Filter) -> tuple[str, tuple[object, ...]]:
        if condition.name in _MATCHES:
            return self._among(condition, _MATCHES[condition.name])
        values = condition.values
        match condition.name:
            case "entity":
                return _ENTITY, (_json(self._entities(condition)),)
            case "has":
                chosen = [_INDEXED_MARKER[value] if self._columns.are_ours else _MARKER for value in values]
                parameters = () if self._columns.are_ours else values
                return " UNION ".join(chosen), parameters
            case "status":
                return f"SELECT rowid FROM sessions WHERE status IN ({_marks(values)})", values
            case "is":
                tests = [f"{self._columns.expressions[column]} {test}" for column, test in map(_IS.__getitem__, values)]
                return " UNION ".join(f"SELECT s.rowid FROM sessions AS s WHERE {test}" for test in tests), ()
            case "since" | "before":
                since = condition.name == "since"
                passes = "coalesce(ended_at, started_at) >= ?" if since else "started_at < ?"
                return f"SELECT rowid FROM sessions WHERE {passes}", ((min if since else max)(values),)
            case _:
                raise ValueError(f"{condition.name}: this filter is no set of sessions")

    def _among(self, condition: Filter, matches: Callable[[str, str], bool]) -> tuple[str, tuple[object, ...]]:
        """Return the rows whose value matches any of those wanted; there are few different values."""
        expression = self._columns.expressions[_COLUMNS[condition.name]]
        found = [value for (value,) in self._connection.rows(_distinct(expression, indexed=self._columns.are_ours))]
        chosen = [
            value
            for value in found
            if any(matches(value, text) for text in condition.values)
            or (condition.unfinished and any(_goes_on(condition.name, value, text) for text in condition.values))
        ]
        return (
            f"SELECT s.rowid FROM sessions AS s WHERE {expression} IN (SELECT value FROM json_each(?))",
            (_json(chosen),),
        )

    def _entities(self, condition: Filter) -> list[str]:
        """Return the entities that a filter names, by any of their names, without regard to case."""
        wanted = [value.casefold() for value in condition.values]
        names = ((name.casefold(), canonical) for name, canonical in self._connection.rows(_ENTITY_NAMES))
        return [
            canonical
            for name, canonical in names
            if name in wanted or (condition.unfinished and name.startswith(tuple(wanted)))
        ]

    def _text(self, text: TextFilter) -> RowSet:
        index = self._index()
        expression = text_expression(text, extended=index.extended)
        sets: list[str] = []
        parameters: list[object] = []
        if expression:
            sets.append(f"SELECT rowid FROM {index.name} WHERE sessions_fts MATCH ?")
            parameters.append(expression)
            if is_found_too_often(text):
                sets[0] = "SELECT value FROM json_each(?)"
                parameters[0] = _json(self._with_phrase(text, expression, index))
        kinds = [kind for kind in MARKER_KINDS if kind in text.fields]
        if kinds and not index.extended:
            sets.append("SELECT value FROM json_each(?)")
            parameters.append(_json(self._with_markers(text, kinds)))
        return RowSet(" UNION ".join(sets) or "SELECT 0 WHERE 0", tuple(parameters), text.negated)

    def _with_phrase(self, text: TextFilter, expression: str, index: Index) -> list[int]:
        """Return the rows that match `expression` and hold the phrase, word after word, in one of their texts."""
        words = query_matcher(quoted(text.text))
        columns = phrase_columns(text.fields, extended=index.extended)
        rows = self._connection.rows(
            f"SELECT rowid, {', '.join(columns)} FROM sessions "
            f"WHERE rowid IN (SELECT rowid FROM {index.name} WHERE sessions_fts MATCH ?)",
            (expression,),
        )
        return [row for row, *texts in rows if any(words.occurs(held) for held in texts if held)]

    def _with_markers(self, text: TextFilter, kinds: Sequence[str]) -> list[int]:
        """Return the rows with a marker that holds `text`, where markers are not indexed."""
        words = query_matcher(text.text if text.any_word else quoted(text.text))
        markers = self._connection.rows(
            "SELECT s.rowid, m.text FROM markers AS m JOIN sessions AS s ON s.id = m.session_id "
            "WHERE m.state = 'standing' AND m.kind IN (SELECT value FROM json_each(?))",
            (_json(kinds),),
        )
        return [row for row, marker in markers if words.occurs(marker)]


def _distinct(expression: str, *, indexed: bool) -> str:
    """Return SQL for the distinct values of a column, each found by one look into its index, if it has one."""
    column = expression.removeprefix("s.")
    if column == "NULL":
        return "SELECT NULL WHERE 0"
    if not indexed:
        return f"SELECT DISTINCT {column} FROM sessions WHERE {column} IS NOT NULL"
    return (
        f"WITH RECURSIVE found (value) AS (SELECT min({column}) FROM sessions UNION ALL "
        f"SELECT (SELECT min({column}) FROM sessions WHERE {column} > value) FROM found WHERE value IS NOT NULL) "
        "SELECT value FROM found WHERE value IS NOT NULL"
    )


def _asks_for_hidden(condition: Filter) -> bool:
    return condition.name == "is" and "hidden" in condition.values and not condition.negated


def _begins(runtime: str, wanted: str) -> bool:
    return runtime.casefold().startswith(wanted.casefold())


def _goes_on(name: FilterName, value: str, beginning: str) -> bool:
    """Return whether a word of `value`, or a folder of a project, begins with `beginning`."""
    if name == "project":
        return begins_in_project(value, beginning)
    return re.search(rf"(?<![^\W_]){re.escape(beginning.casefold())}", value.casefold()) is not None


def _is_branch(branch: str, wanted: str) -> bool:
    branch, wanted = branch.casefold(), wanted.casefold()
    return branch == wanted or branch.startswith(wanted + "/")


def _is_model(model: str, wanted: str) -> bool:
    return wanted.casefold() in model.casefold()


_MATCHES: Mapping[FilterName, Callable[[str, str], bool]] = {
    "agent": _begins,
    "project": in_project,
    "branch": _is_branch,
    "model": _is_model,
}


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _json(values: Sequence[str | int]) -> str:
    return orjson.dumps([storable(value) if isinstance(value, str) else value for value in values]).decode()
