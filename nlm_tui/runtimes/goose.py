"""Goose: one database of all sessions since 1.10; before, a JSON-lines file for each."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.blocks import blocks, images, texts
from nlm_tui.runtimes.conversation import Conversation, epoch_ns
from nlm_tui.runtimes.databases import Database, database_source, parsed, reading
from nlm_tui.runtimes.jsonl import READ_BUFFER, JsonLines, Record, as_dict, as_source, as_text, entries
from nlm_tui.runtimes.session_lists import Listed, SessionLists

_SUFFIX = ".jsonl"
_SESSION = (
    *("name", "description", "session_type", "working_dir", "created_at", "updated_at", "model_config_json"),
    *("parent_session_id", "accumulated_input_tokens", "accumulated_output_tokens", "archived_at"),
)
_MESSAGE = ("role", "content_json", "created_timestamp", "metadata_json")
_PLACEHOLDER = re.compile(r"(?:CLI Session|New (?:Chat|Session)(?: \d+)?|Untitled)", re.IGNORECASE)
_SUBAGENT = {"sub_agent", "subagent"}


class GooseReader:
    """Reads the sessions of Goose from its data folders."""

    runtime: str = "goose"

    def __init__(self, homes: Sequence[Path]) -> None:
        self.roots: Sequence[Path] = tuple(home / "sessions" for home in homes)
        self._lists = SessionLists(_listed)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path, *, platform: str = sys.platform) -> "GooseReader":
        """Look where Goose itself would keep its sessions, which a relative path does not change."""
        root = Path(environ.get("GOOSE_PATH_ROOT", ""))
        if root.is_absolute():
            return cls([root / "data"])
        if platform == "win32":
            return cls([Path(environ.get("APPDATA") or home / "AppData" / "Roaming") / "Block" / "goose" / "data"])
        data = Path(environ.get("XDG_DATA_HOME", ""))
        homes = [(data if data.is_absolute() else home / ".local" / "share") / "goose"]
        if platform == "darwin":
            homes.append(home / "Library" / "Application Support" / "Block" / "goose")
        return cls(homes)

    def discover(self) -> Iterator[Source]:
        """Yield the databases, and the older files of sessions that none of them took over."""
        databases = list(self._databases())
        yield from databases
        found = (entry for root in self.roots for entry in entries(root) if entry.name.endswith(_SUFFIX))
        files = ((source.path.stem, source) for entry in found for source in as_source(entry))
        yield from self._lists.left_out(files, databases)

    def parts(self, source: Source) -> Sequence[Source]:
        """Return the sessions of a database that no other has in a newer state; the source itself if it is a file."""
        if source.path.suffix == _SUFFIX:
            return (source,)
        return self._lists.parts(source, self._databases())

    def read(self, source: Source) -> Transcript | None:
        """Read a session; None if nothing was said in it."""
        if not source.part:
            return _read_file(source.path)
        with reading(source.path) as database:
            for session in database.records("sessions", _SESSION, "WHERE id = ?", (source.part,)):
                talk = _Talk(session)
                rest = "WHERE session_id = ? ORDER BY id"
                for message in database.records("messages", _MESSAGE, rest, (source.part,)):
                    metadata = as_dict(parsed(message["metadata_json"]))
                    talk.take(message, parsed(message["content_json"]), message["created_timestamp"], metadata)
                return talk.transcript(source.part, "goose-sqlite")
        return None

    def _databases(self) -> Iterator[Source]:
        for root in self.roots:
            yield from database_source(root / "sessions.db")


class _Talk:
    """The state of reading one session, of which `session` is what its store says of it as a whole."""

    def __init__(self, session: Record) -> None:
        self._bad = 0
        self._session = session
        self._talk = Conversation()
        self._talk.see_time(session.get("created_at"))
        self._talk.see_time(session.get("updated_at"))
        self._last_prompt = ""
        self._talk.use_tokens(session.get("accumulated_input_tokens"), session.get("accumulated_output_tokens"))

    def take(self, message: Record, content: object, created: object, metadata: Record) -> None:
        """Take the next message."""
        at = self._talk.see_time(created)
        if content is None:
            self._bad += 1
        is_shown = metadata.get("userVisible") is not False
        text = "\n".join(filter(None, texts(content)))
        if message.get("role") == "assistant" and is_shown:
            self._talk.answer(text, at)
        elif message.get("role") == "user" and is_shown:
            self._talk.prompt(text, at, images(content))
            self._last_prompt = text or self._last_prompt
        elif message.get("role") == "user" and text and text != self._last_prompt:
            self._talk.summary(text, at)  # what the agent was given instead of what was said
        for block in blocks(content) if is_shown else ():
            self._take_tool(block, at)

    def transcript(self, native_id: str, kind: str, lines: JsonLines | None = None) -> Transcript | None:
        """Return what was told, once all messages are taken; None if nothing was."""
        if not self._talk.messages:
            return None
        session = self._session
        parent = one_line(as_text(session.get("parent_session_id")))
        title = one_line(as_text(session.get("name"))) or one_line(as_text(session.get("description")))
        model = as_dict(parsed(session.get("model_config_json"))).get("model_name")
        is_subagent = session.get("session_type") in _SUBAGENT
        return self._talk.complete(
            Transcript(
                session_id=f"goose_{storable(native_id)}",
                runtime=GooseReader.runtime,
                native_id=storable(native_id),
                kind=kind,
                messages=(),
                title=None if _PLACEHOLDER.fullmatch(title) else title or None,
                project=strip_control(as_text(session.get("working_dir"))) or None,
                model=one_line(as_text(model)) or None,
                parent_id=f"goose_{parent}" if parent else None,
                is_subagent=is_subagent,
                archived=bool(session.get("archived_at")),
                bad_lines=self._bad + (lines.bad_lines if lines else 0),
                bad_line=lines.bad_line if lines else None,
                truncated_tail=lines.truncated_tail if lines else False,
            )
        )

    def _take_tool(self, block: Record, at: str | None) -> None:
        kind = as_text(block.get("type"))
        if kind in {"toolRequest", "frontendToolRequest"}:
            call = as_dict(as_dict(block.get("toolCall")).get("value"))
            self._talk.tool_call(as_text(call.get("name")), call.get("arguments"), at)
        elif kind == "toolResponse":
            self._talk.tool_result(_output(as_dict(block.get("toolResult"))), at)


def _output(result: Record) -> str:
    """Return what a tool gave back: an error, or content, which newer versions wrap in an object."""
    value = result.get("value")
    content = as_dict(value).get("content", value)
    return "\n".join(filter(None, (*texts(content), *images(content), as_text(result.get("error")))))


def _listed(database: Database) -> dict[str, Listed]:
    if not database.has_tables():
        return {}
    if not (database.columns("sessions") and database.columns("messages")):
        raise TranscriptError("no Goose session in it")
    counted = "SELECT session_id, count(*), max(id) FROM messages GROUP BY session_id"
    messages = {session: (count, last) for session, count, last in database.rows(counted)}
    return {
        session: Listed(messages[session][0], epoch_ns(updated), str(messages[session][1]))
        for session, updated in database.rows("SELECT id, updated_at FROM sessions")
        if session in messages and isinstance(session, str)
    }


def _read_file(path: Path) -> Transcript | None:
    """Read a session of before 1.10: a header, then its messages.

    Raises:
        TranscriptError: it is none of Goose.
        OSError: it cannot be opened.
    """
    talk: _Talk | None = None
    is_known = False
    with path.open("rb", buffering=READ_BUFFER) as file:
        lines = JsonLines(file)
        for record in lines:
            is_message = "role" in record and "content" in record
            is_known |= is_message or "working_dir" in record
            if talk is None:
                talk = _Talk({} if is_message else record)
            if is_message:
                talk.take(record, record["content"], record.get("created"), as_dict(record.get("metadata")))
    if not is_known and (lines.bad_lines or talk):
        raise TranscriptError("no Goose session in it")
    if talk is None:
        return None
    return talk.transcript(path.stem, "goose-jsonl", lines)
