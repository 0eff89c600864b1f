"""What the store knows of the files that its sessions came from."""

from abc import ABC, abstractmethod
from collections.abc import Collection

from nlm_tui.ingest.ports import SourceState
from nlm_tui.storage.connection import Connection

_RECORD = """
INSERT INTO adapter_state
  (adapter_name, source_path, last_offset, file_size, session_id, mtime_ns, fingerprint, reason, gone, bad_lines,
  bad_line)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (adapter_name, source_path) DO UPDATE SET
  last_offset = excluded.last_offset, file_size = excluded.file_size, session_id = excluded.session_id,
  mtime_ns = excluded.mtime_ns, fingerprint = excluded.fingerprint, reason = excluded.reason, gone = excluded.gone,
  bad_lines = excluded.bad_lines, bad_line = excluded.bad_line,
  last_processed_at = datetime('now')
"""

# A part of a file is named after it, with a mark between them.
_MARK_GONE = """
UPDATE sessions SET source_gone = 1
WHERE runtime = ?1 AND (transcript_path = ?2 OR transcript_path || '#' = substr(?2, 1, length(transcript_path) + 1))
  AND id = (SELECT session_id FROM adapter_state WHERE adapter_name = ?1 AND source_path = ?2)
"""
_PROBLEM = """
SELECT a.reason FROM sessions AS s JOIN adapter_state AS a ON a.session_id = s.id
WHERE s.id = ? AND NOT a.gone AND a.reason IS NOT NULL
  AND (a.source_path = s.transcript_path
    OR s.transcript_path || '#' = substr(a.source_path, 1, length(s.transcript_path) + 1))
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
            "SELECT source_path, file_size, mtime_ns, fingerprint, session_id, gone, reason, bad_lines, bad_line "
            "FROM adapter_state WHERE adapter_name = ?",
            (runtime,),
        )
        return {
            path: SourceState(size or 0, mtime_ns or 0, fingerprint or "", session_id, bool(gone), *told)
            for path, size, mtime_ns, fingerprint, session_id, gone, *told in rows
        }

    def project_folders(self) -> list[str]:
        """Return the directories that sessions took place in."""
        rows = self._connection.rows("SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL ORDER BY project")
        return [project for (project,) in rows]

    def sessions_by_project(self) -> dict[str, int]:
        """Return how many sessions took place in each directory."""
        counted = "SELECT project, count(*) FROM sessions WHERE project IS NOT NULL GROUP BY project ORDER BY project"
        return dict(self._connection.rows(counted))

    def source_problem(self, session_id: str) -> str | None:
        """Return why the source of a session could not be read again, None where it could."""
        rows = self._connection.rows(_PROBLEM, (session_id,))
        return next((reason for (reason,) in rows), None)

    def record_source(self, runtime: str, path: str, state: SourceState) -> None:
        """Remember that a source was read."""
        self.require_writable()
        values = (state.size, state.size, state.session_id, state.mtime_ns, state.fingerprint, state.reason, state.gone)
        self._connection.run(_RECORD, (runtime, path, *values, state.bad_lines, state.bad_line))

    def mark_source_gone(self, runtime: str, path: str) -> None:
        """Remember that a source was deleted; its session stays, marked, unless it was read from another file since."""
        self.require_writable()
        values = (runtime, path)
        self._connection.run("UPDATE adapter_state SET gone = 1 WHERE adapter_name = ? AND source_path = ?", values)
        self._connection.run(_MARK_GONE, values)

    def mark_replaced(self, session_id: str, path: str) -> None:
        """Mark a session whose source at `path` holds another one now, unless it was read from another file since."""
        self.require_writable()
        self._connection.run(
            "UPDATE sessions SET source_gone = 1 WHERE id = ? AND transcript_path = ?", (session_id, path)
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
