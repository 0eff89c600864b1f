"""Which sessions a language model is still to look at, and what it made of the others."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

import orjson

from nlm_tui.core import Extraction, Session, storable
from nlm_tui.extraction import Meaning
from nlm_tui.extraction.by_model import Fact
from nlm_tui.storage import established, originals
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.extracted import content_of, encode

_FIRST_PAUSE = timedelta(minutes=5)
_LONGEST_PAUSE = timedelta(days=1)

_IS_DUE = """
(e.session_row IS NULL
 OR NOT (e.result IS NOT NULL AND NOT e.outdated AND e.provider = ?1 AND e.model = ?2 AND e.prompt_version = ?3)
 AND (e.failures = 0 OR e.tried IS NOT ?4 OR e.retry_at <= ?5))
"""
_DUE = f"""
SELECT s.id, octet_length(s.body) FROM sessions AS s LEFT JOIN extractions AS e ON e.session_row = s.row
WHERE octet_length(s.body) > 0 AND coalesce(s.ended_at, s.started_at) <= ?6 AND {_IS_DUE}
ORDER BY s.parent_id IS NOT NULL, s.started_at DESC, s.id
"""
_SAVE = """
INSERT INTO extractions (session_row, content, provider, model, prompt_version, extracted_at, result)
SELECT row, ?, ?, ?, ?, ?, ? FROM sessions WHERE id = ?
ON CONFLICT (session_row) DO UPDATE SET content = excluded.content, provider = excluded.provider,
  model = excluded.model, prompt_version = excluded.prompt_version, extracted_at = excluded.extracted_at,
  result = excluded.result, outdated = 0, failures = 0, tried = NULL, retry_at = NULL, problem = NULL
"""
_FAIL = """
INSERT INTO extractions (session_row, content, failures, tried, retry_at, problem)
SELECT row, ?, ?, ?, ?, ? FROM sessions WHERE id = ?
ON CONFLICT (session_row) DO UPDATE SET failures = excluded.failures, tried = excluded.tried,
  retry_at = excluded.retry_at, problem = excluded.problem
"""
_FAILURES = """
SELECT e.failures, e.tried FROM extractions AS e JOIN sessions AS s ON s.row = e.session_row WHERE s.id = ?
"""
_MADE = """
SELECT s.id FROM extractions AS e JOIN sessions AS s ON s.row = e.session_row WHERE e.result IS NOT NULL
ORDER BY s.started_at DESC, s.id
"""
_DISCARD = "DELETE FROM extractions WHERE session_row = (SELECT row FROM sessions WHERE id = ?)"
_ALWAYS = "\U0010ffff"  # after every time


class Due(NamedTuple):
    """A session that is to be looked at, and how long it is, in bytes."""

    id: str
    size: int


class _Store(Protocol):
    def get_by_id(self, session_id: str) -> Session | None: ...
    def insert_sessions(self, *sessions: Session) -> None: ...
    def require_writable(self) -> None: ...


class Extractions:
    """What models made of the sessions of one store."""

    def __init__(self, connection: Connection, store: _Store) -> None:
        self._connection = connection
        self._store = store

    def due(self, wanted: Extraction, rested_since: str | None = None) -> list[Due]:
        """Return the sessions that have no result as `wanted` of their messages yet, newest first, subagents last.

        Those that failed come when their pause is over at the time of `wanted`. `rested_since` leaves out the sessions
        in which something was said since then.
        """
        target = (wanted.provider, wanted.model, wanted.prompt_version, _target(wanted), wanted.at)
        return [Due(*row) for row in self._connection.rows(_DUE, (*target, rested_since or _ALWAYS))]

    def outdate(self, session_ids: Iterable[str] | None = None) -> None:
        """Have all sessions, or some, looked at again; what was made of them stays until then."""
        self._store.require_writable()
        only, values = "", ()
        if session_ids is not None:
            only = "WHERE session_row IN (SELECT row FROM sessions WHERE id IN (SELECT value FROM json_each(?)))"
            values = (orjson.dumps([storable(session_id) for session_id in session_ids]).decode(),)
        with self._connection.transaction():
            self._connection.run(f"UPDATE extractions SET outdated = 1, failures = 0, retry_at = NULL {only}", values)

    def save(self, read: Session, made: Meaning, facts: Sequence[Fact], by: Extraction) -> bool:
        """Keep what was made of a session, as it was `read`, and write it to the session, as users corrected it.

        Return whether that was done: a session that is another by now, or gone, stays due.
        """
        self._store.require_writable()
        with self._connection.transaction():
            content, stored = content_of(read), self._store.get_by_id(read.id)
            if stored is None or content_of(stored) != content:
                return False
            told = (by.provider, by.model, by.prompt_version, by.at)
            self._connection.run(_SAVE, (content, *told, encode(made), stored.id))
            self._store.insert_sessions(self._as_read(stored))
            established.replace_facts(self._connection, stored, facts)
        return True

    def made(self) -> list[str]:
        """Return the ids of the sessions that say what a model made of them, newest first."""
        return [session_id for (session_id,) in self._connection.rows(_MADE)]

    def discard(self, session_id: str, remade: Callable[[Session], Session]) -> None:
        """Delete what a model made of a session, facts too, and write it as it is `remade` of what was read."""
        self._store.require_writable()
        with self._connection.transaction():
            stored = self._store.get_by_id(session_id)
            if stored is not None:
                self._connection.run(_DISCARD, (stored.id,))
                self._store.insert_sessions(remade(self._as_read(stored)))
                established.replace_facts(self._connection, stored, ())

    def fail(self, read: Session, problem: str, tried: Extraction) -> None:
        """Note that nothing could be made of a session, as it was `read`: it is due again after a pause.

        Each pause is twice as long as the one before. What was made of it before stays.
        """
        self._store.require_writable()
        with self._connection.transaction():
            found = self._connection.rows(_FAILURES, (read.id,))
            before = next((failures for failures, by in found if by == _target(tried)), 0)
            pause = min(_FIRST_PAUSE * 2 ** min(before, 16), _LONGEST_PAUSE)
            retry_at = _iso(datetime.fromisoformat(tried.at) + pause)
            values = (content_of(read), before + 1, _target(tried), retry_at, storable(problem), read.id)
            self._connection.run(_FAIL, values)

    def _as_read(self, stored: Session) -> Session:
        """Return a session without what users changed."""
        kept = originals.read(self._connection, orjson.dumps([stored.id]).decode())
        return kept[stored.id].put_into(stored) if stored.id in kept else stored


def _target(wanted: Extraction) -> str:
    return f"{wanted.provider}/{wanted.model}/{wanted.prompt_version}"


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
