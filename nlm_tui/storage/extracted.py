"""What a language model made of a session, as the store keeps it, and how it comes into the session."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

import orjson

from nlm_tui.core import Evidence, Session, project_name, storable
from nlm_tui.extraction import Meaning
from nlm_tui.storage.connection import Connection

_RESULTS = """
SELECT s.id, e.content, e.result FROM extractions AS e JOIN sessions AS s ON s.row = e.session_row
WHERE s.id IN (SELECT value FROM json_each(?))
"""
_TEXTS = ("label", "summary")
_LISTS = ("entities", "decisions", "open")
_FORGET = "DELETE FROM extractions WHERE session_row IN (SELECT row FROM sessions WHERE id = ?)"


def content_of(session: Session) -> str:
    """Return a hash of the messages of a session: what is made of it holds as long as that is the same."""
    digest = blake2b(digest_size=16)
    for message in session.messages:
        head = f"\0{message.role}\0{message.withdrawn:d}{message.inherited:d}\0"
        digest.update(f"{head}{message.text}".encode("utf-8", "replace"))
    return digest.hexdigest()


def with_results(connection: Connection, sessions: Sequence[Session]) -> list[Session]:
    """Return sessions that are to be stored with what models made of the same messages before.

    What was made of other messages is deleted: it is to be made anew.
    """
    ids = orjson.dumps([session.id for session in sessions]).decode()
    known = {session_id: found for session_id, *found in connection.rows(_RESULTS, (ids,))}
    return [_with_result(connection, session, *known.get(session.id, (None, None))) for session in sessions]


def _with_result(connection: Connection, session: Session, content: str | None, result: str | None) -> Session:
    if content is None:
        return session
    if content != content_of(session):
        connection.run(_FORGET, (session.id,))
        return session
    return session if result is None else _put_into(session, decode(result))


def _put_into(session: Session, made: Meaning) -> Session:
    """Return a session with what a model made of it; a title of its runtime and its project stay."""
    spellings = {name.casefold(): name for name in session.entities}
    project = project_name(session.project).casefold() if session.project else ""
    names = [*(name for name in session.entities if name.casefold() == project), *made.entities]
    return replace(
        session,
        label=made.label if made.label and not session.details.titled else session.label,
        summary=made.summary or session.summary,
        entities=tuple(dict.fromkeys(spellings.get(name.casefold(), name) for name in names)),
        decisions=made.decisions,
        open=made.open,
        evidence=made.evidence,
    )


def encode(made: Meaning) -> str:
    """Return the JSON text that keeps what a model made."""
    evidence = [
        [kind, storable(text), told.message, storable(told.quote)] for (kind, text), told in made.evidence.items()
    ]
    lists = {name: list(map(storable, getattr(made, name))) for name in _LISTS}
    return orjson.dumps(
        {name: storable(getattr(made, name)) for name in _TEXTS} | lists | {"evidence": evidence}
    ).decode()


def decode(text: str) -> Meaning:
    """Return what `encode` made a text of."""
    kept = orjson.loads(text)
    lists = {name: tuple(kept[name]) for name in _LISTS}
    evidence = {(kind, marker): Evidence(*told) for kind, marker, *told in kept["evidence"]}
    return Meaning(kept["label"], kept["summary"], **lists, evidence=evidence)
