"""pi, and its fork omp: one JSON-lines file per session below `sessions`, its entries a tree since version 2.

A fork is a file of its own that begins with a copy of what it goes on from. omp keeps what subagents did in a folder
beside the file of their session, with the same name.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.blocks import blocks, images, texts
from nlm_tui.runtimes.branches import Branches, Copies
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.homes import named_folder
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

_TYPES = ("session", "model_change", "thinking_level_change", "compaction", "branch_summary", "session_info")
_NAME = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+Z_(.+)")  # of a session's file: when it began, and its id
_SKILL = re.compile(r'<skill name="([^"]+)"')
_INJECTED = Injected("skill", "file", "system-reminder")


class PiReader:
    """Reads the sessions of pi and omp."""

    runtime: str = "pi"

    def __init__(self, homes: Sequence[Path], folders: Sequence[Path] = ()) -> None:
        """Look for sessions in `folders` too, besides those in the homes."""
        self.roots: Sequence[Path] = (*folders, *(home / "sessions" for home in homes))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "PiReader":
        """Look where pi and omp themselves would keep their sessions."""
        agent = named_folder(environ.get("PI_CODING_AGENT_DIR") or "~/.pi/agent", home)
        told = environ.get("PI_CODING_AGENT_SESSION_DIR") or _setting(agent)
        folder = named_folder(told, home)
        if folder.is_absolute():
            return cls([home / ".omp" / "agent"], [folder])
        return cls([agent, home / ".omp" / "agent"])

    def discover(self) -> Iterator[Source]:
        """Yield the sessions of every directory, and those of their subagents."""
        for root in self.roots:
            found = entries(root)
            yield from _files(found)
            for folder in found:
                if folder.name.startswith("-") and folder.is_dir():
                    yield from _sessions(Path(folder.path))

    def read(self, source: Source) -> Transcript | None:
        """Read a session; None if nothing was said in it."""
        session = _Session(source.path)
        lines = take_records(source.path, session.take)
        require_known("no entry of pi in it", known=session.recognised, bad_lines=lines.bad_lines)
        return session.transcript(lines)


class _Session:
    """The state of reading one file."""

    def __init__(self, path: Path) -> None:
        self.recognised: bool | None = None  # None before the first entry
        self._path = path
        self._header: Record = {}
        self._began: str | None = None
        self._name = ""
        self._title = ""
        self._agent = ""
        self._source = ""  # the session that this one goes on from
        self._model: object = None
        self._talk = Conversation()
        self._branches = Branches()
        self._copies = Copies(self._talk)

    def take(self, entry: Record) -> None:
        """Take the next entry of the file; what is not known is passed over."""
        kind = as_text(entry.get("type"))
        message = as_dict(entry.get("message"))
        self.recognised = self.recognised or kind in _TYPES or (kind == "message" and "timestamp" in message)
        if (key := as_text(entry.get("id"))) and key in self._branches:
            return
        at = self._talk.see_time(entry.get("timestamp") or message.get("timestamp"))
        start = self._talk.total
        if kind == "session":
            self._take_header(entry, at)
            return
        if kind == "message":
            self._take_message(as_text(message.get("role")), message, at)
        elif kind in {"compaction", "branch_summary"}:
            self._talk.summary(as_text(entry.get("summary")), at)
        elif kind == "session_info":
            self._name = one_line(as_text(entry.get("name")))
        elif kind in {"title", "title_change"}:
            self._title = one_line(as_text(entry.get("title")))
        elif kind == "session_init":
            self._agent = one_line(as_text(entry.get("agent")))
        if key:
            parent = entry.get("parentId", "")
            self._branches.add(key, parent if isinstance(parent, str) else None, start)
        self._copies.take(copied=bool(self._source and at and self._began and at < self._began))

    def transcript(self, lines: JsonLines) -> Transcript | None:
        """Return what the file held, once all entries are taken; None if nothing was said."""
        if not self._talk.messages:
            return None
        self._talk.withdraw(self._branches.abandoned(self._talk.total))
        self._copies.mark()
        header, path = self._header, self._path
        native_id = one_line(as_text(header.get("id"))) or _id_in(path.name) or storable(path.stem)
        parent = _id_in(path.parent.name)
        return self._talk.complete(
            Transcript(
                session_id=f"pi_{native_id}",
                runtime=PiReader.runtime,
                native_id=native_id,
                kind="pi-jsonl",
                messages=(),
                title=self._name or self._title or None,
                project=strip_control(as_text(header.get("cwd"))) or None,
                model=one_line(as_text(self._model or header.get("modelId"))) or None,
                parent_id=f"pi_{parent}" if parent else None,
                forked_from=f"pi_{self._source}" if self._source else None,
                is_subagent=bool(parent),
                agent_type=self._agent or None,
                inherited_prompts=self._copies.prompts,
                inherited_answers=self._copies.answers,
                bad_lines=lines.bad_lines,
                bad_line=lines.bad_line,
                truncated_tail=lines.truncated_tail,
            )
        )

    def _take_header(self, header: Record, at: str | None) -> None:
        if not self._header:
            self._header, self._began = header, at
            self._title = self._title or one_line(as_text(header.get("title")))
            self._source = _id_in(re.split(r"[/\\]", as_text(header.get("parentSession")))[-1])

    def _take_message(self, role: str, message: Record, at: str | None) -> None:
        content = message.get("content")
        if role == "user":
            self._take_prompt("\n".join(texts(content)), images(content), at)
        elif role == "assistant":
            self._take_answer(message, at)
        elif role == "toolResult":
            self._talk.tool_result("\n".join(texts(content)), at, images(content))
        elif role == "bashExecution":
            self._talk.command(f"!{as_text(message.get('command'))}", at)
        elif role in {"branchSummary", "compactionSummary"}:
            self._talk.summary(as_text(message.get("summary")), at)

    def _take_prompt(self, text: str, marks: list[str], at: str | None) -> None:
        if skill := _SKILL.match(text):
            self._talk.command(f"/skill:{skill[1]}", at)
        text = _INJECTED.removed(text).strip()
        if text or marks:
            self._talk.prompt(text, at, marks)

    def _take_answer(self, message: Record, at: str | None) -> None:
        content = message.get("content")
        if message.get("stopReason") not in ("error", "aborted"):
            self._model = message.get("model") or self._model
        self._talk.answer("\n\n".join(texts(content)), at)
        for block in blocks(content):
            if block.get("type") == "toolCall":
                self._talk.tool_call(as_text(block.get("name")), block.get("arguments"), at)
        usage = as_dict(message.get("usage"))
        self._talk.use_tokens(usage.get("input"), usage.get("output"))
        self._talk.use_tokens(usage.get("cacheRead"), 0)
        self._talk.use_tokens(usage.get("cacheWrite"), 0)


def _sessions(folder: Path) -> Iterator[Source]:
    """Yield the sessions of a directory, and those of their subagents."""
    found = entries(folder)
    yield from _files(found)
    for entry in found:
        if _id_in(entry.name) and entry.is_dir(follow_symlinks=False):
            yield from _files(entries(entry.path))


def _files(found: Iterable[os.DirEntry[str]]) -> Iterator[Source]:
    for entry in found:
        if entry.name.endswith(".jsonl"):
            yield from as_source(entry)


def _id_in(name: str) -> str:
    """Return the id that the name of a session's file or folder ends with, '' for another name."""
    found = _NAME.fullmatch(name.removesuffix(".jsonl"))
    return one_line(found[1]) if found else ""


def _setting(agent: Path) -> str:
    """Return the folder that the settings say sessions are kept in, '' where they say none."""
    with suppress(OSError, TranscriptError):
        return as_text(read_document(agent / "settings.json").get("sessionDir"))
    return ""
