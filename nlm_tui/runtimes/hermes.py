"""Hermes: a database in its home and in every profile; before, a file for each session in one of two forms."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.conversation import epoch_ns
from nlm_tui.runtimes.databases import Database, database_source, parsed, reading
from nlm_tui.runtimes.hermes_talk import RUNTIME, Relation, Talk
from nlm_tui.runtimes.jsonl import (
    LINE_LIMIT,
    READ_BUFFER,
    JsonLines,
    Record,
    as_dict,
    as_list,
    as_source,
    as_text,
    entries,
    parse_json,
)
from nlm_tui.runtimes.session_lists import Listed, SessionLists

_FILES = (  # of a session in several, the first is read; a dump of a failed request only if there is nothing else
    re.compile(r"session_(.+)\.json"),
    re.compile(r"(.+)\.jsonl"),
    re.compile(r"request_dump_(.+?)_\d{8}_\d{6}(?:_\d+)?\.json"),
)
_SESSION = (
    *("source", "model", "model_config", "title", "parent_session_id", "started_at", "ended_at", "cwd", "git_branch"),
    *("archived", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
)
_REVISION = ("id", "started_at", "ended_at", "title", "end_reason", "message_count", "rewind_count", "archived")
_MESSAGE = ("role", "content", "tool_calls", "timestamp", "active", "compacted", "display_kind")
_RESETS = {"session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired"}


class HermesReader:
    """Reads the sessions of Hermes from its homes and their profiles."""

    runtime: str = RUNTIME

    def __init__(self, homes: Sequence[Path]) -> None:
        self.roots: Sequence[Path] = tuple(homes)
        self._lists = SessionLists(_listed)

    @classmethod
    def from_environment(
        cls, environ: Mapping[str, str], home: Path, *, platform: str = sys.platform
    ) -> "HermesReader":
        """Look where Hermes itself would keep its sessions; of a profile that it is told to use, at all others too."""
        if named := environ.get("HERMES_HOME", "").strip():
            folder = Path(named)
            return cls([folder.parent.parent if folder.parent.name == "profiles" else folder])
        if platform == "win32":
            return cls([Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "hermes"])
        return cls([home / ".hermes"])

    def discover(self) -> Iterator[Source]:
        """Yield the databases, and the older files of sessions that none of them has."""
        folders = list(self._folders())
        databases = [source for folder in folders for source in database_source(folder / "state.db")]
        yield from databases
        yield from self._lists.left_out(_files(folders), databases)

    def parts(self, source: Source) -> Sequence[Source]:
        """Return the sessions of a database that no other has in a newer state; the source itself if it is a file."""
        if source.path.suffix in {".json", ".jsonl"}:
            return (source,)
        databases = (found for folder in self._folders() for found in database_source(folder / "state.db"))
        return self._lists.parts(source, databases)

    def read(self, source: Source) -> Transcript | None:
        """Read a session; None if nothing was said in it."""
        if source.part:
            with reading(source.path) as database:
                return _read_session(database, source.part)
        return _read_lines(source.path) if source.path.suffix == ".jsonl" else _read_document(source.path)

    def _folders(self) -> Iterator[Path]:
        for home in self.roots:
            yield home
            yield from (Path(entry.path) for entry in entries(home / "profiles"))


def _files(folders: Sequence[Path]) -> Iterator[tuple[str, Source]]:
    """Yield the files of sessions with their ids, the newest of a kind first."""
    found = [entry for folder in folders for entry in entries(folder / "sessions")]
    found.sort(key=lambda entry: entry.name, reverse=True)
    for form in _FILES:
        for entry in found:
            if name := form.fullmatch(entry.name):
                yield from ((name[1], source) for source in as_source(entry))


def _listed(database: Database) -> dict[str, Listed]:
    if not database.has_tables():
        return {}
    if not (database.columns("sessions") and database.columns("messages")):
        raise TranscriptError("no Hermes session in it")
    counted = "SELECT session_id, count(*), max(id), max(timestamp) FROM messages GROUP BY session_id"
    messages = {session: counts for session, *counts in database.rows(counted)}
    found: dict[str, Listed] = {}
    for row in database.records("sessions", _REVISION):
        session = row["id"]
        if isinstance(session, str) and session in messages:
            count, last, latest = messages[session]
            written = max(epoch_ns(latest), epoch_ns(row["started_at"]), epoch_ns(row["ended_at"]))
            revision = " ".join(str(row[column]) for column in _REVISION[3:])
            found[session] = Listed(count, written, f"{last} {revision}")
    return found


def _read_session(database: Database, native_id: str) -> Transcript | None:
    for session in database.records("sessions", _SESSION, "WHERE id = ?", (native_id,)):
        relation = _relation(session, _end_of(database, as_text(session["parent_session_id"])))
        talk = Talk()
        talk.see_time(session["started_at"])
        talk.see_time(session["ended_at"])
        branched_at = session["started_at"] if relation.fork else None
        rest = "WHERE id IN (SELECT id FROM messages WHERE session_id = ?) ORDER BY id"
        for message in database.records("messages", _MESSAGE, rest, (native_id,)):
            talk.take(message, is_copy=_is_before(message["timestamp"], branched_at))
        return talk.transcript(native_id, "hermes-sqlite", session, relation) if talk.has_begun else None
    return None


def _end_of(database: Database, session: str) -> str | None:
    """Return why a session ended, '' while it goes on; None where that is not known."""
    if "end_reason" in database.columns("sessions"):
        for (reason,) in database.rows("SELECT end_reason FROM sessions WHERE id = ?", (session,)):
            return as_text(reason)
    return None


def _relation(session: Record, parent_end: str | None = None) -> Relation:
    """Return how a session relates to the one it names, of which is known why it ended.

    Hermes begins a new session for the rest of a compressed one, for a branch and for a subagent. The latter is what a
    session is whose parent goes on, or ended for another reason.
    """
    parent = as_text(session.get("parent_session_id"))
    marks = as_dict(parsed(session.get("model_config")))
    marked = {mark for mark in ("_delegate_from", "_branched_from", "_reset_from") if marks.get(mark) == parent}
    is_subagent = "subagent" in (session.get("source"), session.get("platform"))
    if is_subagent or not parent or "_delegate_from" in marked:
        return Relation(parent, is_subagent=is_subagent or bool(parent))
    if "_branched_from" in marked or parent_end == "branched":
        return Relation(fork=parent)
    if "_reset_from" in marked or parent_end in _RESETS:
        return Relation()
    return Relation(parent, is_subagent=parent_end not in {None, "compression"})


def _is_before(time: object, other: object) -> bool:
    return isinstance(time, int | float) and isinstance(other, int | float) and time < other


def _read_document(path: Path) -> Transcript | None:
    """Read a session that is one JSON object, or a request that failed in it.

    Raises:
        TranscriptError: it is none of Hermes.
        OSError: it cannot be opened.
    """
    with path.open("rb") as file:
        session = as_dict(parse_json(file.read(LINE_LIMIT)))
    body = as_dict(as_dict(session.get("request")).get("body"))
    messages = session.get("messages", body.get("messages"))
    if "session_id" not in session or not isinstance(messages, list):
        raise TranscriptError("no Hermes session in it")
    talk = Talk()
    for time in ("session_start", "last_updated", "timestamp"):
        talk.see_time(session.get(time))
    for message in as_list(session.get("messages", body.get("messages"))):
        talk.take(as_dict(message))
    native_id = as_text(session.get("session_id")) or _id_in(path)
    return talk.transcript(native_id, "hermes-json", body | session, _relation(session)) if talk.has_begun else None


def _read_lines(path: Path) -> Transcript | None:
    """Read a session of JSON lines, the first of which may tell of it as a whole.

    Raises:
        TranscriptError: it is none of Hermes.
        OSError: it cannot be opened.
    """
    talk = Talk()
    session: Record = {}
    is_known: bool | None = None
    with path.open("rb", buffering=READ_BUFFER) as file:
        lines = JsonLines(file)
        for record in lines:
            is_known = is_known or _is_message(record)
            if record.get("role") == "session_meta":
                session = record
            talk.take(record)
    if not is_known and (lines.bad_lines or is_known is not None):
        raise TranscriptError("no Hermes session in it")
    kind = "hermes-jsonl"
    return talk.transcript(_id_in(path), kind, session, _relation(session), lines) if talk.has_begun else None


def _is_message(record: Record) -> bool:
    """Return whether a line is one of Hermes; other runtimes tell what kind of a line it is, or when it was made."""
    told = "content" in record and not record.keys() & {"type", "created"}
    return record.get("role") == "session_meta" or ("role" in record and told)


def _id_in(path: Path) -> str:
    return next((name[1] for form in _FILES if (name := form.fullmatch(path.name))), path.stem)
