"""What the store knows of the files that its sessions came from."""

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


def source_states(connection: Connection, runtime: str) -> dict[str, SourceState]:
    """Return what is known of the sources of `runtime`, by path."""
    rows = connection.rows(
        "SELECT source_path, file_size, mtime_ns, fingerprint, session_id, gone, reason FROM adapter_state "
        "WHERE adapter_name = ?",
        (runtime,),
    )
    return {
        path: SourceState(size or 0, mtime_ns or 0, fingerprint or "", session_id, bool(gone), reason)
        for path, size, mtime_ns, fingerprint, session_id, gone, reason in rows
    }


def record_source(connection: Connection, runtime: str, path: str, state: SourceState) -> None:
    """Remember that a source was read."""
    values = (state.size, state.size, state.session_id, state.mtime_ns, state.fingerprint, state.reason, state.gone)
    connection.run(_RECORD, (runtime, path, *values))


def mark_source_gone(connection: Connection, runtime: str, path: str) -> None:
    """Remember that a source was deleted, and mark its session, unless that was read from another file since."""
    connection.run("UPDATE adapter_state SET gone = 1 WHERE adapter_name = ? AND source_path = ?", (runtime, path))
    connection.run("UPDATE sessions SET source_gone = 1 WHERE transcript_path = ? AND runtime = ?", (path, runtime))
