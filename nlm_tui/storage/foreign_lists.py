"""What lists look at in a store of another program: made in memory, and anew when that store has changed."""

from threading import Lock

import orjson

from nlm_tui.core import index_parts, indexed_texts, project_words
from nlm_tui.storage.foreign import ForeignConnection
from nlm_tui.storage.rows import SessionColumns
from nlm_tui.storage.tables import Tables

_TABLES = Tables("listed_markers", "listed_topics")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS temp.listed_markers (
  id INTEGER PRIMARY KEY, session_id TEXT, session_row INTEGER, started_at TEXT, kind TEXT, text TEXT, position INTEGER,
  state TEXT, answer TEXT, original_text TEXT);
CREATE INDEX IF NOT EXISTS temp.listed_markers_in_order
  ON listed_markers (kind, state <> 'standing', started_at DESC, session_row);
CREATE TABLE IF NOT EXISTS temp.listed_topics (
  entity_canonical TEXT, session_row INTEGER, started_at TEXT, decisions INTEGER, open INTEGER,
  PRIMARY KEY (entity_canonical, session_row)) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS temp.markers_fts USING fts5(
  kind, text, about, parts,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2', prefix='1 2 3');
"""
_FILLING = """
DELETE FROM temp.listed_markers;
DELETE FROM temp.listed_topics;
DELETE FROM temp.markers_fts;
INSERT INTO temp.listed_markers
  (session_id, session_row, started_at, kind, text, position, state, answer, original_text)
SELECT s.id, s.rowid, s.started_at, m.kind, m.text, m.position, m.state, m.answer, m.original_text
FROM markers AS m JOIN sessions AS s ON s.id = m.session_id
WHERE m.kind IN ('decision', 'open') ORDER BY s.rowid, m.position, m.id;
INSERT OR IGNORE INTO temp.listed_topics
WITH counted (row, id, started_at, decisions, open) AS MATERIALIZED (
  SELECT s.rowid, s.id, s.started_at, count(*) FILTER (WHERE m.kind = 'decision'),
    count(*) FILTER (WHERE m.kind = 'open' AND m.state = 'standing')
  FROM sessions AS s LEFT JOIN temp.listed_markers AS m ON m.session_row = s.rowid GROUP BY s.rowid)
SELECT coalesce(called.now, e.entity_canonical), c.row, c.started_at, c.decisions, c.open
FROM session_entities AS e JOIN counted AS c ON c.id = e.session_id
LEFT JOIN temp.called_entities AS called ON called.name = e.entity_canonical WHERE e.entity_canonical IS NOT NULL;
INSERT INTO temp.markers_fts (rowid, kind, text, about, parts)
WITH about (row, text) AS MATERIALIZED (
  SELECT s.rowid, indexed_texts((SELECT json_group_array(name) FROM (
    SELECT s.label AS name
    UNION ALL SELECT entity_canonical FROM temp.listed_topics WHERE session_row = s.rowid
    UNION ALL SELECT project_words({project})) WHERE name <> ''))
  FROM sessions AS s)
SELECT m.id, m.kind, m.text, about.text, index_parts(m.text)
FROM temp.listed_markers AS m JOIN about ON about.row = m.session_row ORDER BY m.id;
"""


class ForeignLists:
    """Keeps the tables of one store."""

    def __init__(self, connection: ForeignConnection, columns: SessionColumns) -> None:
        self._connection = connection
        self._filling = _FILLING.format(project=columns.expressions["project"])
        self._state: object = None
        self._lock = Lock()

    def current(self) -> Tables:
        """Bring the tables up to date and name them."""
        with self._lock:
            state = self._connection.file_state()
            if self._state is None:
                self._connection.add_function("index_parts", index_parts)
                self._connection.add_function("indexed_texts", lambda texts: indexed_texts(orjson.loads(texts)))
                self._connection.add_function("project_words", project_words)
                self._connection.run(_SCHEMA)
            if state != self._state:
                self._connection.run(self._filling)
                self._state = state
        return _TABLES
