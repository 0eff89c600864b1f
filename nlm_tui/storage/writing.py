"""Writing sessions: the row, its markers, its entities and its links, always together and as users corrected them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain

from nlm_tui.core import Evidence, Session, index_parts, indexed_texts, project_words, storable
from nlm_tui.core.corrections import Corrected, Marker, TopicNames, corrected
from nlm_tui.storage import action_log, originals
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.extracted import with_results
from nlm_tui.storage.rows import encode_details, encode_turns

_APART = {
    "entities",
    "decisions",
    "open",
    "closed",
    "superseded_by",
    "continues",
    "subagents",
    "evidence",
    "extraction",
}
_FIELDS = tuple(field.name for field in fields(Session) if field.name not in _APART)
_INDEXED = ("decisions", "open_questions", "names", "label_parts", "summary_parts", "body_parts")
_COLUMNS = (*_FIELDS, *_INDEXED)
_CORRECTED = ("label", "status", "pinned", "hidden", "note", "decisions", "open_questions", "names", "label_parts")
_AT_ONCE = 64  # each statement is a part of the index that later parts are merged with
_ROW = f"({', '.join('?' * len(_COLUMNS))})"
_UPSERT = (
    f"INSERT INTO sessions ({', '.join(_COLUMNS)}) VALUES {{}} "
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
_ADD_VARIANT = """
INSERT INTO entity_variants (variant, canonical) SELECT ?, canonical FROM entities WHERE canonical = ?
ON CONFLICT (variant) DO UPDATE SET canonical = excluded.canonical
"""
_ADD_MARKER = """
INSERT INTO markers (session_id, kind, text, position, state, answer, original_text, message, quote)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
"""
_LINKS = "FROM session_edges WHERE to_session = ? AND kind IN ('supersedes', 'continues')"
_ADD_LINK = """
INSERT INTO session_edges (from_session, to_session, kind)
SELECT id, ?, ? FROM sessions WHERE id = ? ON CONFLICT DO NOTHING
"""


def write_sessions(connection: Connection, sessions: Iterable[Session]) -> list[Session]:
    """Insert sessions that were read, or replace those of the same id, and return them as they are stored: corrected.

    Of those with the same id the last one stays.
    """
    with connection.transaction():
        latest = {session.id: session for session in map(_storable, sessions)}
        names = action_log.names_of_topics(connection)
        written = [
            (as_read, corrected(as_read, action_log.about_session(connection, as_read.id), names))
            for as_read in with_results(connection, list(latest.values()))
        ]
        _write_rows(connection, [made.session for _, made in written])
        for as_read, made in written:
            _write_around(connection, as_read, made, names)
    return [made.session for _, made in written]


def _write_rows(connection: Connection, sessions: Sequence[Session]) -> None:
    for start in range(0, len(sessions), _AT_ONCE):
        rows = sessions[start : start + _AT_ONCE]
        values = chain.from_iterable(map(_row, rows))
        connection.run(_UPSERT.format(", ".join([_ROW] * len(rows))), list(values))


def _row(session: Session) -> Iterator[object]:
    yield from (_column(session, name) for name in _FIELDS)
    yield from _indexed_texts(session)


def rewrite_sessions(
    connection: Connection, stored: Sequence[tuple[Session, Session]], names: TopicNames
) -> list[Session]:
    """Make sessions, each given as it is stored and as it was read, what the log says, and return them so.

    None needs its body. Only what changes is written: all else would be indexed anew.
    """
    changes: list[tuple[str, Mapping[str, object]]] = []
    sessions: list[Session] = []
    for before, as_read in stored:
        made = corrected(as_read, action_log.about_session(connection, as_read.id), names)
        _write_around(connection, as_read, made, names)
        known, now = _corrected_columns(before), _corrected_columns(made.session)
        changes.append((as_read.id, {name: value for name, value in now.items() if value != known[name]}))
        sessions.append(made.session)
    # One after the other: the index writes what it has gathered down whenever another table is written to.
    for session_id, changed in changes:
        if changed:
            columns = ", ".join(f"{name} = ?" for name in changed)
            connection.run(
                f"UPDATE sessions SET {columns}, updated_at = datetime('now') WHERE id = ?",
                (*changed.values(), session_id),
            )
    return sessions


def write_variants(connection: Connection, topics: Iterable[str], names: TopicNames) -> None:
    """Let what is called otherwise now be found as one of `topics` as well."""
    renamed = [(topic, names[topic]) for topic in topics if names.get(topic, topic) != topic]
    connection.run_many(_ADD_VARIANT, renamed)


def _write_around(connection: Connection, as_read: Session, made: Corrected, names: TopicNames) -> None:
    originals.keep(connection, as_read, made.session)
    _write_entities(connection, made.session)
    _write_markers(connection, made.session, made.markers)
    _write_links(connection, made)
    if made.session.entities != as_read.entities:
        write_variants(connection, as_read.entities, names)


def _storable(session: Session) -> Session:
    """Return a session with the texts that actions name as they will be stored, and evidence of its markers alone."""
    held = {*(("decision", text) for text in session.decisions), *(("open", text) for text in session.open)}
    return replace(
        session,
        id=storable(session.id),
        label=storable(session.label),
        decisions=tuple(map(storable, session.decisions)),
        open=tuple(map(storable, session.open)),
        entities=tuple(dict.fromkeys(map(storable, session.entities))),
        evidence={
            (kind, storable(text)): Evidence(told.message, storable(told.quote))
            for (kind, text), told in session.evidence.items()
            if (kind, text) in held
        },
    )


def _corrected_columns(session: Session) -> dict[str, object]:
    values = {name: _column(session, name) for name in _CORRECTED if name in _FIELDS}
    return values | _short_texts(session)


def _indexed_texts(session: Session) -> tuple[str | None, ...]:
    """Return what `session` is found by beside label, summary and body, in the order of _INDEXED."""
    parts = {f"{name}_parts": index_parts(getattr(session, name)) or None for name in ("summary", "body")}
    return tuple((_short_texts(session) | parts)[name] for name in _INDEXED)


def _short_texts(session: Session) -> dict[str, str | None]:
    names = (*session.entities, project_words(session.project), session.branch, session.note)
    return {
        "decisions": indexed_texts(session.decisions),
        "open_questions": indexed_texts(session.open),
        "names": indexed_texts(filter(None, names)),
        "label_parts": index_parts(session.label) or None,
    }


def _column(session: Session, name: str) -> object:
    if name == "turns":
        return encode_turns(session.turns)
    if name == "details":
        return encode_details(session.details)
    if name == "note":
        return session.note or None
    return getattr(session, name)


def _write_markers(connection: Connection, session: Session, markers: Sequence[Marker]) -> None:
    connection.run("DELETE FROM markers WHERE session_id = ?", (session.id,))
    about = indexed_texts(filter(None, (session.label, *session.entities, project_words(session.project))))
    positions = {"decision": 0, "open": 0}
    for marker in markers:
        kind, first_text = marker.kind, marker.first_text if marker.first_text != marker.text else None
        said = marker.evidence or (None, None)
        values = (session.id, kind, marker.text, positions[kind], marker.state, marker.answer, first_text, *said)
        ((row,),) = connection.rows(_ADD_MARKER, values)
        connection.run(
            "INSERT INTO markers_fts (rowid, kind, text, about, parts) VALUES (?, ?, ?, ?, ?)",
            (row, kind, marker.text, about, index_parts(marker.text)),
        )
        positions[kind] += 1


def _write_links(connection: Connection, made: Corrected) -> None:
    older = made.session.id
    known = connection.rows(f"SELECT from_session, kind {_LINKS} ORDER BY 1, 2", (older,))
    if known == list(made.links):
        return
    connection.run(f"DELETE {_LINKS}", (older,))
    connection.run_many(_ADD_LINK, [(older, kind, newer) for newer, kind in made.links])


def _write_entities(connection: Connection, session: Session) -> None:
    known = connection.rows(
        "SELECT entity_canonical FROM session_entities WHERE session_id = ? ORDER BY rowid", (session.id,)
    )
    before = [canonical for (canonical,) in known]
    now = list(session.entities)
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
