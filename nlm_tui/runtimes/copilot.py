"""GitHub Copilot CLI: a log of events per session, older dumps, and a database that repeats what was said.

Events hold most, so the other two are read only for sessions that have none.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript
from nlm_tui.runtimes.conversation import Conversation, epoch_ns
from nlm_tui.runtimes.copilot_dumps import read_dump
from nlm_tui.runtimes.copilot_events import EventLog
from nlm_tui.runtimes.copilot_texts import RUNTIME, id_of, name_in, trimmed, workspace_facts
from nlm_tui.runtimes.databases import Database, database_source, reading
from nlm_tui.runtimes.jsonl import as_source, as_text, entries, require_known, take_records

_EVENTS = "events.jsonl"
_WORKSPACE = "workspace.yaml"
_STORE = "session-store.db"
_COLUMNS = ("cwd", "branch", "summary", "created_at", "updated_at")
_SAID_IN_TOTAL = """
SELECT session_id, count(*), max(timestamp),
  sum(length(coalesce(user_message, '')) + length(coalesce(assistant_response, '')))
FROM turns GROUP BY session_id
"""
_SAID = "SELECT user_message, assistant_response, timestamp FROM turns WHERE session_id = ? ORDER BY turn_index, rowid"


class CopilotReader:
    """Reads the sessions of Copilot CLI."""

    runtime: str = RUNTIME

    def __init__(self, homes: Sequence[Path]) -> None:
        self._homes = tuple(homes)
        self.roots: Sequence[Path] = tuple(folder for home in homes for folder in (_states(home), _dumps(home)))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "CopilotReader":
        """Look where Copilot itself would keep its sessions, and where other tools are told that it does."""
        named = [environ[name] for name in ("COPILOT_CLI_HOME", "COPILOT_DIR") if environ.get(name)]
        own = environ.get("COPILOT_HOME") or home / ".copilot"
        return cls(list(dict.fromkeys(map(Path, (own, *named)))))

    def discover(self) -> Iterator[Source]:
        """Yield the logs, the last dump of every session that has none, and the databases."""
        for home in self._homes:
            logs = _logs(home)
            yield from logs.values()
            dumps: dict[str, Source] = {}
            for entry in sorted(entries(_dumps(home)), key=lambda entry: entry.name):
                session = name_in(entry.name)
                if entry.name.endswith((".json", ".jsonl")) and session not in logs:
                    dumps.update((session, source) for source in as_source(entry))
            yield from dumps.values()
            yield from database_source(home / _STORE)

    def parts(self, source: Source) -> Iterator[Source]:
        """Yield the sessions of a database that have no log; any other file is one session."""
        if source.path.name != _STORE:
            yield source
            return
        logged = _logs(source.path.parent)
        with reading(source.path) as database:
            for session, turns, last, length in database.rows(_SAID_IN_TOTAL):
                if isinstance(session, str) and session not in logged:
                    yield Source(source.path, length or 0, epoch_ns(last), f"{turns} turns", session, source.file)

    def read(self, source: Source) -> Transcript | None:
        """Read a session; None if nothing was said in it."""
        if source.part:
            transcript = _read_stored(source)
        elif source.path.suffix == ".json":
            transcript = read_dump(source.path)
        else:
            transcript = _read_log(source)
        return transcript if transcript.messages else None


def _states(home: Path) -> Path:
    return home / "session-state"


def _dumps(home: Path) -> Path:
    return home / "history-session-state"


def _logs(home: Path) -> dict[str, Source]:
    """Return the logs by the names of their sessions: those in folders of their own, else the older single files."""
    single: dict[str, Source] = {}
    foldered: dict[str, Source] = {}
    for entry in entries(_states(home)):
        if entry.name.endswith(".jsonl"):
            single.update((name_in(entry.name), source) for source in as_source(entry))
            continue
        files = {file.name: file for file in entries(entry.path) if file.name in {_EVENTS, _WORKSPACE}}
        if _EVENTS in files:
            told = list(as_source(files[_WORKSPACE])) if _WORKSPACE in files else []
            salt = "".join(f"{source.size} {source.mtime_ns}" for source in told)
            foldered.update((entry.name, source) for source in as_source(files[_EVENTS], salt))
    return single | foldered


def _read_log(source: Source) -> Transcript:
    folder = source.path.parent
    is_foldered = source.path.name == _EVENTS
    log = EventLog(folder.name if is_foldered else name_in(source.path.name))
    lines = take_records(source.path, log.take)
    require_known("no Copilot event in it", known=log.recognised, bad_lines=lines.bad_lines)
    return log.transcript(lines, workspace_facts(folder / _WORKSPACE) if is_foldered else {})


def _read_stored(source: Source) -> Transcript:
    """Read what the database says of one session."""
    talk = Conversation()
    with reading(source.path) as database:
        told = _told(database, source.part)
        for name in ("created_at", "updated_at"):
            talk.see_time(told.get(name))
        for prompt, answer, timestamp in database.rows(_SAID, (source.part,)):
            at = talk.see_time(timestamp)
            talk.prompt(trimmed(as_text(prompt)), at)
            talk.answer(as_text(answer), at)
    native_id = storable(source.part)
    return talk.complete(
        Transcript(
            session_id=id_of(native_id),
            runtime=RUNTIME,
            native_id=native_id,
            kind="copilot-sqlite",
            messages=(),
            title=one_line(told.get("summary", "")) or None,
            project=strip_control(told.get("cwd", "")) or None,
            branch=strip_control(told.get("branch", "")) or None,
        )
    )


def _told(database: Database, session: str) -> dict[str, str]:
    """Return the columns that the database has of those we know."""
    known = database.columns("sessions")
    columns = [name for name in _COLUMNS if name in known]
    rows = database.rows(f"SELECT {', '.join(('id', *columns))} FROM sessions WHERE id = ?", (session,))
    return {name: as_text(value) for row in rows for name, value in zip(columns, row[1:], strict=True)}
