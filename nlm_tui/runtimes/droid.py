"""Factory Droid: one JSON-lines file per session below `sessions`, with what was set for it in a file beside."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.blocks import blocks, images, texts
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.injected import Injected
from nlm_tui.runtimes.jsonl import (
    JsonLines,
    Record,
    as_dict,
    as_source,
    as_text,
    entries,
    read_document,
    require_known,
    take_records,
)

_TYPES = ("session_start", "message", "compaction_state", "todo_state")
_SETTINGS = ".settings.json"
_INJECTED = Injected("system-reminder", "system-notification")
_NO_TITLES = ("", "new session", "untitled")


class DroidReader:
    """Reads the sessions of Factory Droid."""

    runtime: str = "droid"

    def __init__(self, homes: Sequence[Path]) -> None:
        self.roots: Sequence[Path] = tuple(home / "sessions" for home in homes)

    @classmethod
    def from_environment(cls, _environ: Mapping[str, str], home: Path) -> "DroidReader":
        """Look where Droid itself would keep its sessions; no variable says otherwise."""
        return cls([home / ".factory"])

    def discover(self) -> Iterator[Source]:
        """Yield the sessions of every directory, each with when its settings changed."""
        for root in self.roots:
            found = entries(root)
            yield from _sessions(found)
            for folder in found:
                if folder.is_dir():
                    yield from _sessions(entries(folder.path))

    def read(self, source: Source) -> Transcript | None:
        """Read a session; None if nothing was said in it."""
        session = _Session(source.path)
        lines = take_records(source.path, session.take)
        require_known("no record of Droid in it", known=session.recognised, bad_lines=lines.bad_lines)
        return session.transcript(lines)


class _Session:
    """The state of reading one file."""

    def __init__(self, path: Path) -> None:
        self.recognised: bool | None = None  # None before the first record
        self._path = path
        self._header: Record = {}
        self._model: object = None
        self._known: set[str] = set()
        self._talk = Conversation()

    def take(self, record: Record) -> None:
        """Take the next record of the file; what is not known is passed over."""
        kind = as_text(record.get("type"))
        self.recognised = self.recognised or kind in _TYPES
        key = as_text(record.get("id"))
        if kind == "session_start":
            self._header = self._header or record
        if not key or key not in self._known:
            self._known.add(key)
            at = self._talk.see_time(record.get("timestamp"))
            if kind == "message":
                self._take_message(as_dict(record.get("message")), at)
            elif kind == "compaction_state":
                self._talk.summary(_summary(record), at)

    def transcript(self, lines: JsonLines) -> Transcript | None:
        """Return what the file held, once all records are taken; None if nothing was said."""
        if not self._talk.messages:
            return None
        header = self._header
        settings = _settings(self._path)
        self._use_tokens(as_dict(settings.get("tokenUsage")))
        native_id = one_line(as_text(header.get("id"))) or storable(self._path.stem)
        title = one_line(as_text(header.get("title")))
        parent = one_line(as_text(header.get("callingSessionId")))
        return self._talk.complete(
            Transcript(
                session_id=f"droid_{native_id}",
                runtime=DroidReader.runtime,
                native_id=native_id,
                kind="droid-jsonl",
                messages=(),
                title=title if title.lower() not in _NO_TITLES else None,
                project=strip_control(as_text(header.get("cwd"))) or None,
                model=one_line(as_text(settings.get("model")) or as_text(self._model)) or None,
                parent_id=f"droid_{parent}" if parent else None,
                is_subagent=bool(parent),
                bad_lines=lines.bad_lines,
                bad_line=lines.bad_line,
                truncated_tail=lines.truncated_tail,
            )
        )

    def _take_message(self, message: Record, at: str | None) -> None:
        content = message.get("content")
        if message.get("role") == "assistant":
            self._model = message.get("modelId") or message.get("model") or self._model
            self._talk.answer("\n\n".join(texts(content)), at)
        elif message.get("role") == "user" and message.get("visibility") != "llm_only":
            text = "\n".join(filter(None, (_INJECTED.removed(text).strip() for text in texts(content))))
            if text or images(content):
                self._talk.prompt(text, at, images(content))
        for block in blocks(content):
            if block.get("type") == "tool_use":
                self._talk.tool_call(as_text(block.get("name")), block.get("input"), at)
            elif block.get("type") == "tool_result":
                told = block.get("content")
                self._talk.tool_result("\n".join(texts(told)), at, images(told))

    def _use_tokens(self, used: Record) -> None:
        self._talk.use_tokens(used.get("inputTokens"), used.get("outputTokens"))
        self._talk.use_tokens(used.get("cacheReadTokens"), 0)
        self._talk.use_tokens(used.get("cacheCreationTokens"), 0)


def _sessions(found: Sequence[os.DirEntry[str]]) -> Iterator[Source]:
    settings = {entry.name: entry for entry in found if entry.name.endswith(_SETTINGS)}
    for entry in found:
        stem, _, suffix = entry.name.rpartition(".")
        if suffix == "jsonl":
            yield from as_source(entry, _changed(settings.get(stem + _SETTINGS)))


def _changed(settings: os.DirEntry[str] | None) -> str:
    """Return a text that changes with the settings of a session."""
    with suppress(OSError):
        return str(settings.stat().st_mtime_ns) if settings else ""
    return ""


def _settings(path: Path) -> Record:
    """Return what was set for a session, nothing where that cannot be read."""
    with suppress(OSError, TranscriptError):
        return read_document(path.with_suffix(_SETTINGS))
    return {}


def _summary(record: Record) -> str:
    """Return the summary of a compacted history, which had several forms."""
    summary = record.get("summary")
    return as_text(record.get("summaryText")) or as_text(summary) or as_text(as_dict(summary).get("body"))
