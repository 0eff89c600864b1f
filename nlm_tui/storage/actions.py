"""What users change takes effect: sessions in the store follow the log."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol

import orjson

from nlm_tui.core import Session, StoreError, storable
from nlm_tui.core.actions import Action, session_of
from nlm_tui.core.corrections import Marker, TopicNames
from nlm_tui.storage import action_log, originals, writing
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.rows import SessionColumns, evidence_of, read_sessions
from nlm_tui.storage.vector_sets import SessionVectors

_BATCH = 500  # sessions that are held in memory at once, without their bodies


class _Store(Protocol):
    vectors: SessionVectors

    def get_by_id(self, session_id: str) -> Session | None: ...
    def require_writable(self) -> None: ...


class Corrections:
    """Applies actions to the sessions of one store."""

    def __init__(self, connection: Connection, columns: SessionColumns, store: _Store) -> None:
        self._connection = connection
        self._store = store
        without = {"body": "NULL", "turns": "NULL"}
        self._select = ", ".join(without.get(field, value) for field, value in columns.expressions.items())

    def require_writable(self) -> None:
        """Refuse to go on where nothing can be written.

        Raises:
            StoreError: the store is only read.
        """
        self._store.require_writable()

    def get_by_id(self, session_id: str) -> Session | None:
        """Return the session, or None."""
        return self._store.get_by_id(session_id)

    def log(self) -> Sequence[Action]:
        """Return all actions, oldest first."""
        return action_log.log(self._connection)

    def act(self, action: Action) -> None:
        """Append an action to the log and apply it, all of it or nothing.

        Raises:
            StoreError: nothing can be written, or what it is about was forgotten meanwhile: it would leave a trace.
        """
        self.require_writable()
        with self._connection.at_large(), self._connection.transaction():
            known = {known.id: known for known in self.log()} if action.kind == "undo" else {}
            meant = known.get(action.subject_id, action)
            if meant.subject_type != "entity":
                session_id = session_of(meant)
                if meant is action and not self._has_session(session_id):
                    raise StoreError("what was to be changed was forgotten meanwhile")
                action_log.write(self._connection, action)
                self.follow([session_id])
                return
            before = action_log.names_of_topics(self._connection)
            action_log.write(self._connection, action)
            after = action_log.names_of_topics(self._connection)
            changed = [name for name in {**before, **after} if before.get(name, name) != after.get(name, name)]
            self._follow(self._read_with(changed), after)
            self._connection.run_many("DELETE FROM entity_variants WHERE variant = ?", [(name,) for name in changed])
            writing.write_variants(self._connection, changed, after)

    def set_status(self, session_id: str, status: str) -> bool:
        """Set the status that a session was read with; return whether there is such a session."""
        with self._connection.transaction():
            names = action_log.names_of_topics(self._connection)
            found = self._stored([session_id])
            self._apply([(stored, replace(as_read, status=status)) for stored, as_read in found], names)
        return bool(found)

    def markers(self, session_id: str) -> Sequence[Marker]:
        """Return the markers of a session, closed questions too, in their order."""
        rows = self._connection.rows(
            "SELECT kind, text, coalesce(original_text, text), state, answer, message, quote FROM markers "
            "WHERE session_id = ? "
            "ORDER BY kind, position, id",
            (session_id,),
        )
        return [Marker(*row[:-2], evidence=evidence_of(*row[-2:])) for row in rows]

    def has_topic(self, name: str) -> bool:
        """Return whether any session has the topic."""
        return bool(self._connection.rows("SELECT 1 FROM session_entities WHERE entity_canonical = ? LIMIT 1", (name,)))

    def follow(self, session_ids: Sequence[str]) -> None:
        """Make sessions what the log says."""
        self._follow(session_ids, action_log.names_of_topics(self._connection))

    def _has_session(self, session_id: str) -> bool:
        return bool(self._connection.rows("SELECT 1 FROM sessions WHERE id = ?", (session_id,)))

    def _follow(self, session_ids: Sequence[str], names: TopicNames) -> None:
        for start in range(0, len(session_ids), _BATCH):
            self._apply(self._stored(session_ids[start : start + _BATCH]), names)

    def _apply(self, stored: Sequence[tuple[Session, Session]], names: TopicNames) -> None:
        sessions = writing.rewrite_sessions(self._connection, stored, names)
        for (before, _), now in zip(stored, sessions, strict=True):
            if (now.label, now.decisions, now.open) != (before.label, before.decisions, before.open):
                whole = self._store.get_by_id(now.id)
                if whole is not None:
                    self._store.vectors.follow(whole)

    def _stored(self, session_ids: Sequence[str]) -> list[tuple[Session, Session]]:
        """Return sessions as they are stored and as they were read, without bodies."""
        ids = orjson.dumps([storable(session_id) for session_id in session_ids]).decode()
        rows = self._connection.rows(
            f"SELECT {self._select} FROM sessions AS s WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY s.row",
            (ids,),
        )
        kept = originals.read(self._connection, ids)
        return [
            (stored, kept[stored.id].put_into(stored) if stored.id in kept else stored)
            for stored in read_sessions(self._connection, rows)
        ]

    def _read_with(self, names: Collection[str]) -> list[str]:
        """Return the ids of the sessions that were read with a topic of one of `names`, and perhaps of some others."""
        wanted = orjson.dumps(sorted(map(storable, names))).decode()
        rows = self._connection.rows(
            "SELECT session_id FROM session_entities WHERE entity_canonical IN (SELECT value FROM json_each(?1)) "
            f"UNION {originals.WITH_TOPIC} ORDER BY 1",
            (wanted,),
        )
        return [session_id for (session_id,) in rows]
