"""What OpenCode stores of a session, in whichever of its stores, to a transcript."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.conversation import Conversation, image_at, image_mark
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text

RUNTIME = "opencode"

Part: TypeAlias = object
"""A part of a message: an object, or None where it is unreadable."""

_PLACEHOLDER = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT")
_FORK = re.compile(r"\(fork #\d+\)$")
_ENDED = {"completed", "error", "result"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a store says of a session as a whole. Times are in milliseconds since 1970."""

    native_id: str
    kind: str
    title: object = None
    directory: object = None
    parent: object = None
    fork: object = None
    revert: Record = field(default_factory=dict[str, object])
    created: object = None
    updated: object = None
    archived: bool = False


@dataclass(slots=True)
class _Step:
    """What an assistant said and called in one message."""

    texts: list[str] = field(default_factory=list[str])
    tools: list[tuple[str, Record]] = field(default_factory=list[tuple[str, Record]])


class Talk:
    """The state of reading one session. Messages are taken in their order."""

    def __init__(self, header: Header) -> None:
        self.bad = 0
        self._header = header
        self._talk = Conversation()
        self._talk.see_time(header.created)
        self._talk.see_time(header.updated)
        self._is_fork = bool(header.fork) or bool(_FORK.search(as_text(header.title)))
        self._copied = 0
        self._reverted: int | None = None
        self._model = ""
        self._agent = ""
        self._folder = ""

    def take_message(self, native_id: str, value: object, parts: Iterable[Part]) -> None:
        """Take a message of the tree or of 1.x, which keep its text in parts."""
        message = as_dict(value)
        self.bad += message is not value
        old = as_dict(message.get("metadata"))  # before parts were files of their own
        time = as_dict(message.get("time") or old.get("time"))
        at = self._begin(native_id, time.get("created"), message)
        self._talk.see_time(time.get("completed"))
        told = (*as_list(message.get("parts")), *parts)
        self.bad += sum(not isinstance(part, dict) for part in told)
        known = [as_dict(part) for part in told]
        if message.get("role") == "user":
            self._take_user(message, known, at)
        elif message.get("role") == "assistant":
            message = message | as_dict(old.get("assistant"))
            self._folder = self._folder or as_text(as_dict(message.get("path")).get("cwd"))
            self._use_tokens(message)
            is_summary = message.get("summary") is True
            self._take_assistant(_step(known), as_text(message.get("modelID")), at, is_summary=is_summary)
        self._end(native_id, time.get("created"))

    def take_row(self, native_id: str, kind: str, created: object, value: object) -> None:
        """Take a row of 2.x, which holds all of a message."""
        data = as_dict(value)
        self.bad += data is not value
        at = self._begin(native_id, created, data)
        if kind == "user":
            files = [as_dict(file) for file in as_list(data.get("files"))]
            self._prompt([as_text(data.get("text"))], files, at)
        elif kind == "assistant":
            model = as_text(as_dict(data.get("model")).get("id"))
            self._use_tokens(data)
            self._take_assistant(_step([as_dict(part) for part in as_list(data.get("content"))]), model, at)
        elif kind == "shell":
            self._talk.command(f"!{as_text(data.get('command'))}", at)
        elif kind == "compaction" and (summary := as_text(data.get("summary"))):
            self._talk.summary(summary, at)
        self._end(native_id, created)

    @property
    def has_begun(self) -> bool:
        """Whether there is anything in it, be it unreadable."""
        return bool(self._talk.messages or self.bad)

    def transcript(self) -> Transcript | None:
        """Return what was told, once all messages are taken; None if nothing was."""
        if not self._talk.messages:
            return None
        self._talk.inherit(range(self._copied))
        if self._reverted is not None:
            self._talk.withdraw(range(self._reverted, self._talk.total))
        header = self._header
        title, parent = one_line(as_text(header.title)), one_line(as_text(header.parent))
        fork = one_line(as_text(header.fork))
        return self._talk.complete(
            Transcript(
                session_id=f"opencode_{storable(header.native_id)}",
                runtime=RUNTIME,
                native_id=storable(header.native_id),
                kind=header.kind,
                messages=(),
                title=None if _PLACEHOLDER.match(title) else title or None,
                project=strip_control(as_text(header.directory) or self._folder) or None,
                model=one_line(self._model) or None,
                parent_id=f"opencode_{parent}" if parent else None,
                forked_from=f"opencode_{fork}" if fork else None,
                is_subagent=bool(parent),
                agent_type=(one_line(self._agent) or None) if parent else None,
                archived=header.archived,
                bad_lines=self.bad,
            )
        )

    def _begin(self, native_id: str, created: object, message: Record) -> str | None:
        """Begin a message: a revert takes it back with all that follow."""
        revert = self._header.revert
        if native_id and native_id == revert.get("messageID") and not revert.get("partID"):
            self._reverted = self._talk.total
        self._agent = self._agent or as_text(message.get("agent")) or as_text(message.get("mode"))
        return self._talk.see_time(created)

    def _end(self, native_id: str, created: object) -> None:
        """End a message: a revert to a part of it leaves it; what is older than a fork was copied into it."""
        if native_id and native_id == self._header.revert.get("messageID") and self._reverted is None:
            self._reverted = self._talk.total
        began = self._header.created
        if self._is_fork and isinstance(created, int) and isinstance(began, int) and created < began:
            self._copied = self._talk.total

    def _take_user(self, message: Record, parts: list[Record], at: str | None) -> None:
        texts: list[str] = []
        files: list[Record] = []
        for part in parts:
            kind = part.get("type")
            if kind == "text" and not (part.get("synthetic") or part.get("ignored")):
                texts.append(as_text(part.get("text")))
            elif kind == "file":
                files.append(part)
            elif kind == "subtask" and (command := as_text(part.get("command"))):
                self._talk.command(f"/{command}", at)
        if not parts:  # of some early sessions only this is left
            texts.append(as_text(as_dict(message.get("summary")).get("title")))
        self._prompt(texts, files, at)

    def _prompt(self, texts: Iterable[str], files: Iterable[Record], at: str | None) -> None:
        images = [_image(file) for file in files if as_text(file.get("mime")).startswith("image/")]
        self._talk.prompt("\n".join(filter(None, texts)), at, images)

    def _take_assistant(self, step: _Step, model: str, at: str | None, *, is_summary: bool = False) -> None:
        text = "\n\n".join(step.texts)
        if is_summary:
            if text:
                self._talk.summary(text, at)
            return
        if self._talk.answer(text, at) or step.tools:
            self._model = model or self._model
        for name, state in step.tools:
            time = as_dict(state.get("time"))
            began = self._talk.see_time(time.get("start")) or at
            self._talk.tool_call(name, state.get("input") or state.get("args"), began)
            if as_text(state.get("status") or state.get("state")) in _ENDED:
                self._talk.tool_result(_output(state), self._talk.see_time(time.get("end")) or began)

    def _use_tokens(self, message: Record) -> None:
        tokens = as_dict(message.get("tokens"))
        cache = as_dict(tokens.get("cache"))
        self._talk.use_tokens(tokens.get("input"), tokens.get("output"))
        self._talk.use_tokens(cache.get("read"), tokens.get("reasoning"))
        self._talk.use_tokens(cache.get("write"), 0)


def _step(parts: Iterable[Record]) -> _Step:
    step = _Step()
    for part in parts:
        kind = part.get("type")
        text = as_text(part.get("text"))
        if kind == "text" and not text.isspace() and text and not (part.get("synthetic") or part.get("ignored")):
            step.texts.append(text)
        elif kind == "tool":
            name = as_text(part.get("tool")) or as_text(part.get("name"))
            step.tools.append((name, as_dict(part.get("state"))))
        elif kind == "tool-invocation":
            call = as_dict(part.get("toolInvocation"))
            step.tools.append((as_text(call.get("toolName")), call))
    return step


def _output(state: Record) -> str:
    """Return what a tool gave back: a text, texts and files, or an error."""
    content = [as_dict(part) for part in as_list(state.get("content"))]
    texts = [as_text(part.get("text")) or _attachment(part) for part in content]
    error = state.get("error")
    texts += [as_text(state.get("output")), as_text(state.get("result"))]
    texts += [as_text(error) or as_text(as_dict(error).get("message"))]
    texts += [_attachment(as_dict(part)) for part in as_list(state.get("attachments"))]
    return "\n".join(filter(None, texts))


def _attachment(part: Record) -> str:
    return _image(part) if as_text(part.get("mime")).startswith("image/") else ""


def _image(file: Record) -> str:
    address = as_text(file.get("url")) or as_text(file.get("uri"))
    return image_at(address) if address else image_mark(as_text(file.get("mime")), len(as_text(file.get("data"))))
