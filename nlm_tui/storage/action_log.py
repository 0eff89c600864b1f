"""The log of what users changed, as rows."""

from collections.abc import Sequence
from typing import Any, cast

import orjson

from nlm_tui.core.actions import ACTION_KINDS, Action, ActionKind
from nlm_tui.core.corrections import topic_names
from nlm_tui.storage.connection import Connection, Row

_SELECT = "SELECT a.id, a.timestamp, a.kind, a.subject_type, a.subject_id, a.payload FROM actions AS a"
_STANDING = (
    "a.kind <> 'undo' AND NOT EXISTS (SELECT 1 FROM actions AS undo "
    "WHERE undo.subject_type = 'action' AND undo.subject_id = a.id AND undo.kind = 'undo')"
)
_KINDS: dict[str, ActionKind] = {kind: kind for kind in ACTION_KINDS}
# A marker's id is its session's with more behind it, in which no '::' comes again: in an id of a session it may.
_MARKERS = (
    "a.subject_type = '{0}' AND a.subject_id BETWEEN ?1 || '{1}' AND ?1 || '{1}\U0010ffff' "
    "AND instr(substr(a.subject_id, length(?1 || '{1}') + 1), '::') = 0"
)
ABOUT_SESSION = (
    "(a.subject_type = 'session' AND a.subject_id = ?1 "
    f"OR {_MARKERS.format('decision', '::dec::')} OR {_MARKERS.format('open_question', '::')})"
)


def log(connection: Connection) -> list[Action]:
    """Return all actions, oldest first; kinds of other programs that mean nothing here are left out."""
    return _actions(connection.rows(f"{_SELECT} ORDER BY a.id"))


def about_session(connection: Connection, session_id: str) -> list[Action]:
    """Return the standing actions about a session and its markers, oldest first."""
    return _actions(connection.rows(f"{_SELECT} WHERE {ABOUT_SESSION} AND {_STANDING} ORDER BY a.id", (session_id,)))


def names_of_topics(connection: Connection) -> dict[str, str | None]:
    """Return what topics are called now that were renamed, merged or retired."""
    rows = connection.rows(f"{_SELECT} WHERE a.subject_type = 'entity' AND {_STANDING} ORDER BY a.id")
    return topic_names(_actions(rows))


def write(connection: Connection, action: Action) -> None:
    """Append an action."""
    payload = orjson.dumps(dict(action.payload)).decode() if action.payload else None
    connection.run(
        "INSERT INTO actions (id, timestamp, kind, subject_type, subject_id, payload) VALUES (?, ?, ?, ?, ?, ?)",
        (action.id, action.at, action.kind, action.subject_type, action.subject_id, payload),
    )


def _actions(rows: Sequence[Row]) -> list[Action]:
    return [
        Action(action_id, at, _KINDS[kind], subject_type, subject_id, payload_of(payload))
        for action_id, at, kind, subject_type, subject_id, payload in rows
        if kind in _KINDS
    ]


def payload_of(text: str | None) -> dict[str, str]:
    """Return the texts of a payload; what is no object of texts says nothing."""
    try:
        found: Any = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    items = cast("dict[str, object]", found).items() if isinstance(found, dict) else ()
    return {name: value for name, value in items if isinstance(value, str)}
