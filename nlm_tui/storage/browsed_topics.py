"""Topics as a list: counts of all that passes, made once and kept until the store changes."""

from collections.abc import Sequence
from threading import Lock

import orjson

from nlm_tui.core import SessionFilter, index_parts
from nlm_tui.core.browsing import Listed, RowQuery, TopicRow
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.row_words import all_of, beginning_expressions
from nlm_tui.storage.tables import CurrentTables

_REMEMBERED = 16
_INDEX = """
CREATE VIRTUAL TABLE IF NOT EXISTS temp.topic_names USING fts5(
  name, parts, content='', tokenize='unicode61 remove_diacritics 2', prefix='1 2 3')
"""
_NO_TOPICS = "SELECT canonical FROM entities WHERE status IN ('retired', 'rejected')"


class BrowsedTopics:
    """Lists the topics of one store."""

    def __init__(self, connection: Connection, tables: CurrentTables) -> None:
        self._connection = connection
        self._tables = tables
        self._state: object = None
        self._counted: dict[SessionFilter | None, Sequence[TopicRow]] = {}
        self._names: dict[str, int] = {}  # in the index, with their rows there
        self._lock = Lock()

    def rows(self, query: RowQuery, passing: Condition, state: object) -> Listed[TopicRow]:
        """Return the topics of sessions that pass, those of most sessions first; `state` is that of `passing`."""
        listed = self._all(query.session_filter, passing, state)
        expressions = beginning_expressions(query.words)
        if expressions and listed:
            held = self._held(expressions, listed, any_word=query.any_word)
            listed = [topic for topic in listed if self._names[topic.name] in held]
            if query.any_word:
                listed = sorted(listed, key=lambda topic: -held[self._names[topic.name]])
        return Listed(listed[query.offset : query.offset + query.limit], len(listed))

    def _all(self, session_filter: SessionFilter | None, passing: Condition, state: object) -> Sequence[TopicRow]:
        if state != self._state or len(self._counted) >= _REMEMBERED:
            self._counted.clear()
            self._state = state
        if session_filter not in self._counted:
            self._counted[session_filter] = self._count(passing)
        return self._counted[session_filter]

    def _count(self, passing: Condition) -> Sequence[TopicRow]:
        rows = self._connection.rows(
            "SELECT entity_canonical, count(*), sum(decisions), sum(open), max(started_at) "
            f"FROM {self._tables().topics} WHERE {passing.sql('session_row')} GROUP BY entity_canonical "
            f"HAVING entity_canonical NOT IN ({_NO_TOPICS})",
        )
        topics = (
            TopicRow(name=name, sessions=sessions, decisions=decisions, open=standing, last_seen=last_seen)
            for name, sessions, decisions, standing, last_seen in rows
        )
        return sorted(topics, key=lambda topic: (-topic.sessions, topic.name))

    def _held(self, expressions: Sequence[str], topics: Sequence[TopicRow], *, any_word: bool) -> dict[int, int]:
        """Return the rows of names that hold the words, or any of them, with how many."""
        self._index([topic.name for topic in topics])
        sought = expressions if any_word else [all_of(expressions)]
        held: dict[int, int] = {}
        for expression in sought:
            sql = "SELECT rowid FROM topic_names WHERE topic_names MATCH ?"
            for (row,) in self._connection.rows(sql, (expression,)):
                held[row] = held.get(row, 0) + 1
        return held

    def _index(self, names: Sequence[str]) -> None:
        """Index those of `names` that are not yet: what a name holds never changes."""
        with self._lock:
            new = [name for name in names if name not in self._names]
            if not new:
                return
            self._connection.run(_INDEX)
            first = len(self._names) + 1
            values = [(first + place, name, index_parts(name)) for place, name in enumerate(new)]
            self._connection.run(
                "INSERT INTO topic_names (rowid, name, parts) "
                "SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
                (orjson.dumps(values).decode(),),
            )
            self._names.update({name: row for row, name, _ in values})
