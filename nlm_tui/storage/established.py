"""Facts that models found: the newest of one subject and predicate is current, and supersedes the one before it."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from nlm_tui.core import Session, project_name, storable
from nlm_tui.extraction.by_model import Fact
from nlm_tui.storage.connection import Connection

_CONFIDENCE = 0.7  # somebody says so, as far as a model understands it
_MARK = "::fact::"
_OURS = "source_session_id = ?1 AND substr(id, 1, length(?2)) = ?2"
_SPELLING = (
    "SELECT subject, predicate FROM facts WHERE lower(subject) = lower(?) AND lower(predicate) = lower(?) LIMIT 1"
)
_INSERT = """
INSERT INTO facts (id, kind, subject, predicate, value, confidence, created_at, source_quote, source_session_id,
  superseded_by) VALUES (?1, 'attribute', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?1)
"""
_Pair = tuple[str, str]


def replace_facts(connection: Connection, session: Session, facts: Sequence[Fact]) -> None:
    """Keep the facts of a session in place of those that were found in it before.

    A subject that does not name the project is one of the project: facts of two projects do not replace each other.
    """
    values = (session.id, f"{session.id}{_MARK}")
    pairs: set[_Pair] = set(connection.rows(f"SELECT subject, predicate FROM facts WHERE {_OURS}", values))
    _unlink(connection, pairs)
    connection.run(f"DELETE FROM facts WHERE {_OURS}", values)
    for fact in facts:
        pair = _spelled(connection, (_subject(fact, session), storable(fact.predicate)))
        if pair not in pairs:
            _unlink(connection, [pair])
            pairs.add(pair)
        fact_id = f"{session.id}{_MARK}{_digest(*pair)}"
        told = (storable(fact.value), _CONFIDENCE, _time(session, fact.message), storable(fact.quote), session.id)
        connection.run(_INSERT, (fact_id, *pair, *told))
    for pair in sorted(pairs):
        _link(connection, pair)


def _unlink(connection: Connection, pairs: Iterable[_Pair]) -> None:
    """Let no fact of these be current: of several that are, the store would refuse all but one."""
    connection.run_many("UPDATE facts SET superseded_by = id WHERE subject = ? AND predicate = ?", list(pairs))


def _link(connection: Connection, pair: _Pair) -> None:
    """Let each fact be superseded by the one after it, in order of time."""
    rows = connection.rows("SELECT id FROM facts WHERE subject = ? AND predicate = ? ORDER BY created_at, id", pair)
    ids = [fact_id for (fact_id,) in rows]
    newer: list[str | None] = [*ids[1:], None]
    connection.run_many("UPDATE facts SET superseded_by = ? WHERE id = ?", list(zip(newer, ids, strict=False)))


def _spelled(connection: Connection, pair: _Pair) -> _Pair:
    """Return a subject and a predicate as they are spelled in the store already."""
    return next(iter(connection.rows(_SPELLING, pair)), pair)


def _subject(fact: Fact, session: Session) -> str:
    project = project_name(session.project) if session.project else ""
    subject = storable(fact.subject)
    return subject if project.casefold() in subject.casefold() else storable(f"{project}: {subject}")


def _time(session: Session, message: int) -> str:
    at = session.turns[message].at if message < len(session.turns) else None
    return at or session.ended_at or session.started_at


def _digest(*texts: str) -> str:
    return blake2b("\0".join(texts).casefold().encode("utf-8", "replace"), digest_size=8).hexdigest()
