"""Writing sessions: the row, its markers and its entities, always together."""

from dataclasses import fields

from nlm_tui.core import Session, index_parts, indexed_texts, project_words, storable
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.rows import encode_turns

_APART = {"entities", "decisions", "open", "closed", "superseded_by", "continues"}
_FIELDS = tuple(field.name for field in fields(Session) if field.name not in _APART)
_INDEXED = ("decisions", "open_questions", "names", "label_parts", "summary_parts", "body_parts")
_COLUMNS = (*_FIELDS, *_INDEXED)
_UPSERT = (
    f"INSERT INTO sessions ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS if name != 'id')}, "
    "updated_at = datetime('now')"
)
_ADD_ENTITY = """
INSERT INTO entities (canonical, type, status, source, first_seen_session, last_seen_session, session_count)
VALUES (?1, 'candidate', 'candidate', 'auto-detected', ?2, ?2, 1)
ON CONFLICT (canonical) DO UPDATE SET
  session_count = session_count + 1,
  first_seen_session = CASE WHEN (SELECT started_at FROM sessions WHERE id = first_seen_session) <= ?3
    THEN first_seen_session ELSE ?2 END,
  last_seen_session = CASE WHEN (SELECT started_at FROM sessions WHERE id = last_seen_session) >= ?3
    THEN last_seen_session ELSE ?2 END,
  updated_at = datetime('now')
"""


def write_session(connection: Connection, session: Session) -> None:
    """Insert `session`, or replace the one of the same id, in one transaction."""
    with connection.transaction():
        connection.run(_UPSERT, [*(_column(session, name) for name in _FIELDS), *_indexed_texts(session)])
        _write_markers(connection, session)
        _write_entities(connection, session)


def _indexed_texts(session: Session) -> tuple[str | None, ...]:
    """Return what `session` is found by beside label, summary and body, in the order of _INDEXED."""
    names = (*session.entities, project_words(session.project), session.branch)
    return (
        indexed_texts(session.decisions),
        indexed_texts(session.open),
        indexed_texts(filter(None, names)),
        *(index_parts(text) or None for text in (session.label, session.summary, session.body)),
    )


def _column(session: Session, name: str) -> object:
    if name == "turns":
        return encode_turns(session.turns)
    if name == "note":
        return session.note or None
    return getattr(session, name)


def _write_markers(connection: Connection, session: Session) -> None:
    connection.run("DELETE FROM markers WHERE session_id = ?", (session.id,))
    markers = [
        (session.id, kind, text, position)
        for kind, texts in (("decision", session.decisions), ("open", session.open))
        for position, text in enumerate(texts)
    ]
    connection.run_many("INSERT INTO markers (session_id, kind, text, position) VALUES (?, ?, ?, ?)", markers)


def _write_entities(connection: Connection, session: Session) -> None:
    known = connection.rows(
        "SELECT entity_canonical FROM session_entities WHERE session_id = ? ORDER BY rowid", (session.id,)
    )
    before = [canonical for (canonical,) in known]
    now = list(dict.fromkeys(storable(entity) for entity in session.entities))
    if before == now:
        return
    connection.run("DELETE FROM session_entities WHERE session_id = ?", (session.id,))
    connection.run_many(
        "UPDATE entities SET session_count = session_count - 1 WHERE canonical = ?", [(name,) for name in before]
    )
    connection.run_many(_ADD_ENTITY, [(name, session.id, session.started_at) for name in now])
    connection.run_many(
        "INSERT INTO session_entities (session_id, entity_canonical) VALUES (?, ?)",
        [(session.id, name) for name in now],
    )
