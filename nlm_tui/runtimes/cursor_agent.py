"""The sessions of Cursor's agent on the command line.

Each has a transcript of JSON lines without times, ids or what tools put out, and a store, which knows its title, model
and time; some have only the store.
"""

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

from nlm_tui.core import storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.conversation import Conversation, image_at, image_mark, utc_time
from nlm_tui.runtimes.cursor_blobs import Facts, store_facts, store_messages
from nlm_tui.runtimes.cursor_bubbles import shown
from nlm_tui.runtimes.cursor_composers import RUNTIME, session_id
from nlm_tui.runtimes.cursor_store import moment, salted, told_in
from nlm_tui.runtimes.databases import database_source
from nlm_tui.runtimes.jsonl import READ_BUFFER, JsonLines, Record, as_dict, as_list, as_source, as_text, entries

STORE = "store.db"

_SUFFIX = ".jsonl"
_SUBAGENTS = "subagents"
_REDACTED = "[REDACTED]"
_QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
_CONTEXT = (
    "user_info|git_status|project_layout|rules|agent_skills|agent_transcripts|attached_files|system_reminder|timestamp"
    "|open_and_recently_viewed_files|additional_data|context|cursor_commands|manually_attached_skills|mcp_instructions"
    "|mcp_file_system|always_applied_workspace_rules|available_skills|terminal_files_information|system_notification"
)
_CONTEXT_FIRST = re.compile(rf"\s*<({_CONTEXT})>.*?(?:</\1>|\Z)\s*", re.DOTALL)
_SAID_AT = re.compile(
    r"<timestamp>\w+, (\w{3})\w* (\d+), (\d{4}),? (?:at )?(\d+):(\d\d) ([AP])M"
    r" \(UTC(?:([+-])(\d+)(?::(\d\d))?)?\)</timestamp>"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FOLDER = re.compile(r"^Workspace Path: (.+)$", re.MULTILINE)


def agent_folders(home: Path) -> tuple[Path, Path]:
    """Return the folders of transcripts and of stores below `~/.cursor`."""
    return home / "projects", home / "chats"


def agent_sources(home: Path) -> dict[str, Source]:
    """Return the transcripts, and the stores of sessions that have none, by the ids of their sessions."""
    projects, chats = agent_folders(home)
    stores: dict[str, Source] = {}
    for chat in (chat for bucket in entries(chats) for chat in entries(bucket.path)):
        for store in database_source(Path(chat.path, STORE)):
            beside = "".join(
                f" {file.size} {file.mtime_ns}"
                for entry in entries(chat.path)
                if entry.name == "meta.json"
                for file in as_source(entry)
            )
            stores[chat.name] = dataclasses.replace(store, salt=beside)
    transcripts: dict[str, Source] = {}
    for project in entries(projects):
        for session, source in _transcripts(Path(project.path, "agent-transcripts")):
            store = stores.pop(session, None)
            revision = f"{store.size} {store.mtime_ns}{store.salt}" if store else ""
            transcripts[session] = dataclasses.replace(source, salt=salted(revision, str(store.path) if store else ""))
    return stores | transcripts


def read_transcript(source: Source) -> Transcript:
    """Read a transcript, with what its store says of it.

    Raises:
        TranscriptError: it holds nothing that is known.
        OSError: it cannot be opened.
    """
    talk = _Talk()
    is_known: bool | None = None  # None before the first record
    with source.path.open("rb", buffering=READ_BUFFER) as file:
        lines = JsonLines(file)
        for record in lines:
            is_known = is_known or "role" in record or "type" in record
            message = as_dict(record.get("message")) or record
            talk.take(as_text(record.get("role")), message.get("content"), record.get("timestamp"))
    if not is_known and (lines.bad_lines or is_known is not None):
        raise TranscriptError("no Cursor record in it")
    store = told_in(source.salt)
    facts = store_facts(Path(store)) if store else Facts()
    found = dataclasses.replace(
        talk.transcript(source.path.stem, "cursor-agent-jsonl", facts),
        bad_lines=lines.bad_lines,
        bad_line=lines.bad_line,
        truncated_tail=lines.truncated_tail,
    )
    if source.path.parent.name == _SUBAGENTS:
        parent = session_id(storable(source.path.parent.parent.name))
        return dataclasses.replace(found, is_subagent=True, parent_id=parent)
    return found


def read_store(source: Source) -> Transcript:
    """Read a session of which there is only a store: those of its messages that are JSON.

    Raises:
        TranscriptError: it cannot be read.
        OSError: it cannot be opened.
    """
    talk = _Talk()
    for message in store_messages(source.path):
        talk.take(as_text(message.get("role")), message.get("content"), None)
    return talk.transcript(source.path.parent.name, "cursor-agent-sqlite", store_facts(source.path))


class _Talk:
    """The state of reading one session."""

    def __init__(self) -> None:
        self._talk = Conversation()
        self._folder = ""

    def take(self, role: str, content: object, time: object) -> None:
        """Take a message; what is not known is passed over."""
        at = self._talk.see_time(moment(time))
        texts: list[str] = []
        images: list[str] = []
        for part in _parts(content):
            kind = as_text(part.get("type"))
            if kind == "text":
                texts.append(as_text(part.get("text")))
            elif kind == "image":
                images.append(_image(part))
            elif kind in {"tool_result", "tool-result"}:
                result = next((part[key] for key in ("result", "content", "output") if key in part), None)
                self._talk.tool_result(shown(result), at)
        if role == "user":
            at = at or self._talk.see_time(next(filter(None, map(_told_time, texts)), None))
            self._folder = self._folder or next((found[1] for text in texts if (found := _FOLDER.search(text))), "")
            self._talk.prompt("\n".join(filter(None, map(_typed, texts))), at, images)
        elif role == "assistant":
            self._talk.answer("\n".join(filter(None, map(_visible, texts))), at)
            for part in _parts(content):
                if as_text(part.get("type")) in {"tool_use", "tool-call"}:
                    name = as_text(part.get("name")) or as_text(part.get("toolName"))
                    self._talk.tool_call(name, part.get("input") or part.get("args"), at)

    def transcript(self, name: str, kind: str, facts: Facts) -> Transcript:
        """Return what was said, once all messages are taken, with what is known from elsewhere."""
        native_id = storable(name)
        complete = self._talk.complete(
            Transcript(
                session_id=session_id(native_id),
                runtime=RUNTIME,
                native_id=native_id,
                kind=kind,
                messages=(),
                title=facts.title,
                project=strip_control(facts.folder or self._folder).strip() or None,
                model=facts.model,
                parent_id=session_id(facts.parent) if facts.parent else None,
                is_subagent=facts.is_subagent,
                agent_type=facts.agent_type,
            )
        )
        began, ended = utc_time(moment(facts.created)), utc_time(moment(facts.updated))
        return dataclasses.replace(
            complete, started_at=began or complete.started_at, ended_at=ended or complete.ended_at
        )


def _transcripts(folder: Path) -> Iterator[tuple[str, Source]]:
    """Yield the transcripts of a project with their ids; one in a folder of its own comes after an older flat one."""
    found = entries(folder)
    for entry in sorted(found, key=lambda entry: not entry.name.endswith(_SUFFIX)):
        inside = [] if entry.name.endswith(_SUFFIX) else entries(entry.path)
        below = [file for inner in inside if inner.name == _SUBAGENTS for file in entries(inner.path)]
        for file in (entry, *inside, *below):
            if file.name.endswith(_SUFFIX):
                for source in as_source(file):
                    yield source.path.stem, source


def _parts(content: object) -> list[Record]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [{"type": "text", "text": part} if isinstance(part, str) else as_dict(part) for part in as_list(content)]


def _typed(text: str) -> str:
    """Return what a person typed of a text, without the context around it."""
    if queries := _QUERY.findall(text):
        return "\n".join(query.strip() for query in queries)
    start = 0
    while (found := _CONTEXT_FIRST.match(text, start)) and found.end() > start:
        start = found.end()
    return text[start:].strip()


def _told_time(text: str) -> str | None:
    """Return the time in the context of a prompt, such as `Sunday, Sep 20, 2026, 12:31 AM (UTC+3)`, to the minute."""
    found = _SAID_AT.search(text)
    if not found or found[1] not in _MONTHS:
        return None
    month, hour = _MONTHS.index(found[1]) + 1, int(found[4]) % 12 + 12 * (found[6] == "P")
    zone = f"{found[7]}{int(found[8]):02}:{found[9] or '00'}" if found[7] else "Z"
    return f"{found[3]}-{month:02}-{int(found[2]):02}T{hour:02}:{found[5]}:00{zone}"


def _visible(text: str) -> str:
    """Return an answer without what stands for reasoning that is not shown."""
    return text.strip().removesuffix(_REDACTED).rstrip()


def _image(part: Record) -> str:
    source = as_dict(part.get("source"))
    kind = as_text(source.get("media_type")) or as_text(part.get("mimeType")) or as_text(part.get("mediaType"))
    data = as_text(source.get("data")) or as_text(part.get("image")) or as_text(part.get("data"))
    return image_mark(kind, len(data)) if kind or not data.startswith("data:") else image_at(data)
