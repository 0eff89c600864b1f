"""Stores of another program in all shapes, and that program itself, at work in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random

import apsw

INTEROP = Path(__file__).parent / "integration" / "interop"
CANONICAL = INTEROP / "nlm-memory-canonical.sqlite"
OLD = INTEROP / "nlm-memory-v0.5.2.sqlite"

TREES = ("alder", "birch", "cedar", "dogwood", "elm", "fir")

# Schema 0, before vectors, facts and everything else.
MINIMAL = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, runtime TEXT NOT NULL, runtime_session_id TEXT, started_at TEXT NOT NULL,
  ended_at TEXT, duration_min INTEGER, label TEXT NOT NULL, summary TEXT NOT NULL, body TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'closed', 'superseded')), transcript_kind TEXT,
  transcript_path TEXT, transcript_offset INTEGER, transcript_length INTEGER,
  created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE INDEX idx_sessions_started_at ON sessions(started_at DESC);
CREATE INDEX idx_sessions_status ON sessions(status);
CREATE INDEX idx_sessions_runtime ON sessions(runtime);
CREATE TABLE entities (canonical TEXT PRIMARY KEY, type TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE entity_variants (variant TEXT PRIMARY KEY, canonical TEXT NOT NULL, source_session_id TEXT);
CREATE TABLE session_entities (session_id TEXT NOT NULL, entity_canonical TEXT NOT NULL,
  PRIMARY KEY (session_id, entity_canonical));
CREATE TABLE markers (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, kind TEXT NOT NULL,
  text TEXT NOT NULL, position INTEGER NOT NULL DEFAULT 0);
CREATE TABLE session_edges (from_session TEXT NOT NULL, to_session TEXT NOT NULL, kind TEXT NOT NULL,
  PRIMARY KEY (from_session, to_session, kind));
CREATE VIRTUAL TABLE sessions_fts USING fts5(label, summary, body, content='sessions', content_rowid='rowid');
CREATE TRIGGER sessions_ai AFTER INSERT ON sessions BEGIN
  INSERT INTO sessions_fts(rowid, label, summary, body) VALUES (new.rowid, new.label, new.summary, new.body); END;
CREATE TRIGGER sessions_au AFTER UPDATE ON sessions BEGIN
  INSERT INTO sessions_fts(sessions_fts, rowid, label, summary, body)
  VALUES ('delete', old.rowid, old.label, old.summary, old.body);
  INSERT INTO sessions_fts(rowid, label, summary, body) VALUES (new.rowid, new.label, new.summary, new.body); END;
CREATE TRIGGER sessions_ad AFTER DELETE ON sessions BEGIN
  INSERT INTO sessions_fts(sessions_fts, rowid, label, summary, body)
  VALUES ('delete', old.rowid, old.label, old.summary, old.body); END;
CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT);
CREATE TABLE adapter_state (adapter_name TEXT NOT NULL, source_path TEXT NOT NULL, last_offset INTEGER NOT NULL,
  PRIMARY KEY (adapter_name, source_path));
CREATE TABLE actions (id TEXT PRIMARY KEY, timestamp TEXT NOT NULL, kind TEXT NOT NULL, subject_type TEXT NOT NULL,
  subject_id TEXT NOT NULL, payload TEXT, actor TEXT NOT NULL DEFAULT 'user', reverted_by TEXT);
INSERT INTO schema_migrations VALUES (0, 'initial_schema', '2026-01-01');
INSERT INTO sessions (id, runtime, runtime_session_id, started_at, label, summary, body, status) VALUES
  ('cc_a', 'claude-code/1.0', 'a', '2026-05-01T10:00:00.000Z', 'Retry budget', 'Three retries', 'body one', 'closed'),
  ('cc_b', 'claude-code/1.0', 'b', '2026-05-02T10:00:00.000Z', 'Idempotency keys', 'On the API', NULL, 'superseded'),
  ('cx_c', 'codex/1.0', 'c', '2026-05-03T10:00:00.000Z', 'Zürich import', '検索 broken', 'mergeGuestCart', 'active');
INSERT INTO entities VALUES ('pay-worker', 'project', 'active'), ('SQS', 'candidate', 'candidate');
INSERT INTO entity_variants VALUES ('payworker', 'pay-worker', NULL);
INSERT INTO session_entities VALUES ('cc_a', 'pay-worker'), ('cc_b', 'pay-worker'), ('cx_c', 'SQS');
INSERT INTO markers (session_id, kind, text) VALUES ('cc_a', 'decision', 'dead-letter after SIGTERM'),
  ('cc_b', 'open', 'who reads the queue at night');
INSERT INTO session_edges VALUES ('cc_b', 'cc_b', 'supersedes');
"""

_PROGRAM = """
import sys
import apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(10_000)
for line in sys.stdin:
    if line == "die\\n":
        import os
        os._exit(1)
    connection.execute(line)
    print("done", flush=True)
connection.close()
"""


class Program:
    """Another program that has the store open, and runs the SQL that it is told."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", _PROGRAM, str(path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, sql: str) -> None:
        """Run `sql` and wait for its end."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(sql.replace("\n", " ") + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"

    def die(self) -> None:
        """End as if it had crashed, and leave all behind."""
        self._process.communicate("die\n")

    def close(self) -> None:
        """End in order."""
        if self._process.poll() is None:
            self._process.communicate()


@contextmanager
def program(path: Path) -> Iterator[Program]:
    """Another program that has the store open."""
    running = Program(path)
    try:
        yield running
    finally:
        running.close()


def minimal_store(path: Path, *statements: str) -> Path:
    """Make a store of the first schema with three sessions, and run `statements` on it."""
    return changed(path, MINIMAL, *statements)


def changed(path: Path, *statements: str) -> Path:
    """Run `statements` on a database."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return path


def grown(path: Path, sessions: int, first: int = 0) -> Path:
    """Add so many sessions of a few words."""
    random = Random(first)
    rows: Sequence[tuple[str, str]] = [
        (f"g_{number:05}", " ".join(random.choices(TREES, k=30))) for number in range(first, first + sessions)
    ]
    connection = apsw.Connection(str(path))
    with connection:
        connection.executemany(
            "INSERT INTO sessions (id, runtime, started_at, label, summary, body, status) "
            "VALUES (?1, 'pi/1.0', '2026-01-01T00:00:00.000Z', ?1, '', ?2, 'closed')",
            rows,
        )
    connection.close()
    return path


def files(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Return what is in a folder: names, times, and hashes of what stands in the files."""
    return {
        file.name: (file.stat().st_ino, file.stat().st_mtime_ns, sha256(file.read_bytes()).hexdigest())
        for file in sorted(folder.iterdir())
    }
