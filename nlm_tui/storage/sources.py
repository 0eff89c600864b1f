"""What the store knows of the files that its sessions came from."""

from abc import ABC, abstractmethod
from collections.abc import Collection

from nlm_tui.ingest.ports import SourceState
from nlm_tui.storage.connection import Connection

_RECORD = """
INSERT INTO adapter_state
  (adapter_name, source_path, last_offset, file_size, session_id, mtime_ns, fingerprint, reason, gone)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (adapter_name, source_path) DO UPDATE SET
  last_offset = excluded.last_offset, file_size = excluded.file_size, session_id = excluded.session_id,
  mtime_ns = excluded.mtime_ns, fingerprint = excluded.fingerprint, reason = excluded.reason, gone = excluded.gone,
  last_processed_at = datetime('now')
"""


class SourceRecords(ABC):
    """The side of a store that remembers what was read, and what is not to be read again."""

    _connection: Connection

    @abstractmethod
    def require_writable(self) -> None:
        """Refuse to go on where nothing can be written."""

    def source_states(self, runtime: str) -> dict[str, SourceState]:
        """Return what is known of the sources of `runtime`, by path."""
        rows = self._connection.rows(
            "SELECT source_path, file_size, mtime_ns, fingerprint, session_id, gone, reason FROM adapter_state "
            "WHERE adapter_name = ?",
            (runtime,),
        )
        return {
            path: SourceState(size or 0, mtime_ns or 0, fingerprint or "", session_id, bool(gone), reason)
            for path, size, mtime_ns, fingerprint, session_id, gone, reason in rows
        }

    def record_source(self, runtime: str, path: str, state: SourceState) -> None:
        """Remember that a source was read."""
        self.require_writable()
        values = (state.size, state.size, state.session_id, state.mtime_ns, state.fingerprint, state.reason, state.gone)
        self._connection.run(_RECORD, (runtime, path, *values))

    def mark_source_gone(self, runtime: str, path: str) -> None:
        """Remember that a source was deleted; its session stays, marked, unless it was read from another file since."""
        self.require_writable()
        self._connection.run(
            "UPDATE adapter_state SET gone = 1 WHERE adapter_name = ? AND source_path = ?", (runtime, path)
        )
        self._connection.run(
            "UPDATE sessions SET source_gone = 1 WHERE transcript_path = ? AND runtime = ?", (path, runtime)
        )

    def forgotten(self) -> Collection[str]:
        """Return the ids of the sessions that are not to be read again."""
        return {session_id for (session_id,) in self._connection.rows("SELECT session_id FROM forgotten")}

    def forget_also(self, session_ids: Collection[str]) -> None:
        """Note that these, which are not in the store, are not to be read again either."""
        self.require_writable()
        self._connection.run_many(
            "INSERT INTO forgotten (session_id) VALUES (?) ON CONFLICT DO NOTHING",
            [(session_id,) for session_id in sorted(session_ids)],
        )
