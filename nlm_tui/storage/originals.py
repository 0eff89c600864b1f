"""Sessions as they were read, kept where corrections changed them."""

from dataclasses import fields
from typing import Any

import orjson

from nlm_tui.core import Evidence, Session
from nlm_tui.core.corrections import Original
from nlm_tui.storage.connection import Connection

WITH_TOPIC = """
SELECT s.id FROM session_originals AS o JOIN sessions AS s ON s.row = o.session_row
WHERE EXISTS (SELECT 1 FROM json_each(o.original, '$.entities') WHERE value IN (SELECT value FROM json_each(?1)))
"""
TOPICS = "SELECT value FROM session_originals, json_each(original, '$.entities')"


def keep(connection: Connection, as_read: Session, now: Session) -> None:
    """Keep what corrections changed of a session that is stored, and nothing of one that they left as it was."""
    original = Original.of(as_read)
    if original == Original.of(now):
        connection.run(
            "DELETE FROM session_originals WHERE session_row = (SELECT row FROM sessions WHERE id = ?)", (now.id,)
        )
        return
    connection.run(
        "INSERT INTO session_originals (session_row, original) SELECT row, ? FROM sessions WHERE id = ? "
        "ON CONFLICT (session_row) DO UPDATE SET original = excluded.original",
        (_text(original), now.id),
    )


def read(connection: Connection, ids: str) -> dict[str, Original]:
    """Return what is kept of the sessions with `ids`, a JSON array, by their ids."""
    rows = connection.rows(
        "SELECT s.id, o.original FROM sessions AS s JOIN session_originals AS o ON o.session_row = s.row "
        "WHERE s.id IN (SELECT value FROM json_each(?))",
        (ids,),
    )
    return {session_id: _original(text) for session_id, text in rows}


def _text(original: Original) -> str:
    values = {field.name: getattr(original, field.name) for field in fields(original)}
    values["evidence"] = [[*marker, *told] for marker, told in original.evidence.items()]
    return orjson.dumps(values).decode()


def _original(text: str) -> Original:
    values: dict[str, Any] = orjson.loads(text)
    lists = {name: tuple(values[name]) for name in ("decisions", "open", "entities")}
    # Older versions kept no evidence.
    evidence = {(kind, read): Evidence(*told) for kind, read, *told in values.get("evidence", ())}
    return Original(label=values["label"], status=values["status"], **lists, evidence=evidence)
