"""Qwen Code: one JSON-lines file per session in `projects/<folder>/chats`, its records a tree.

Below `chats/archive` lie those that were put away, below `subagents/<session>` those of subagents. Before, it kept
conversations as Gemini CLI does, of which it is a fork: in `tmp/<project>/chats`.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript
from nlm_tui.runtimes.branches import Branches, Copies
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.gemini_chat import GeminiChat
from nlm_tui.runtimes.gemini_parts import SNAPSHOT, Parts, parts_of, say, told, typed
from nlm_tui.runtimes.homes import named_folder
from nlm_tui.runtimes.jsonl import (
    JsonLines,
    Record,
    as_dict,
    as_list,
    as_source,
    as_text,
    entries,
    require_known,
    take_records,
)

_ARCHIVE = "archive"
_SUBAGENTS = "subagents"
_TYPED = (None, "mid_turn_user_message", "realtime_message")
_BESIDE = "session_artifact"  # such records stand beside the conversation


class QwenReader:
    """Reads the sessions of Qwen Code."""

    runtime: str = "qwen-code"

    def __init__(self, homes: Sequence[Path]) -> None:
        self.roots: Sequence[Path] = tuple(home / name for home in homes for name in ("projects", "tmp"))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "QwenReader":
        """Look where Qwen Code itself would keep its sessions."""
        named = environ.get("QWEN_RUNTIME_DIR") or environ.get("QWEN_HOME")
        return cls([named_folder(named, home) if named else home / ".qwen"])

    def discover(self) -> Iterator[Source]:
        """Yield the sessions of every project, and those of their subagents."""
        for root in self.roots:
            for project in entries(root):
                chats = entries(Path(project.path, "chats"))
                yield from _files(chats, ".jsonl" if root.name == "projects" else ".json")
                live = {entry.name for entry in chats}
                archived = entries(Path(project.path, "chats", _ARCHIVE))
                yield from _files([entry for entry in archived if entry.name not in live], ".jsonl")
                for session in entries(Path(project.path, _SUBAGENTS)):
                    yield from _files(entries(session.path), ".jsonl")

    def read(self, source: Source) -> Transcript | None:
        """Read a session; None if nothing was said in it."""
        if source.path.suffix == ".json":
            return _early(source.path)
        session = _Session(source.path)
        lines = take_records(source.path, session.take)
        require_known("no record of Qwen Code in it", known=session.recognised, bad_lines=lines.bad_lines)
        return session.transcript(lines)


class _Answer(NamedTuple):
    """The answer that came last; more of it may follow."""

    uuid: str = ""
    number: int = -1
    text: str = ""


class _Session:
    """The state of reading one file."""

    def __init__(self, path: Path) -> None:
        self.recognised: bool | None = None  # None before the first record
        self._path = path
        self._parent = one_line(path.parent.name) if path.parent.parent.name == _SUBAGENTS else ""
        self._talk = Conversation()
        self._branches = Branches()
        self._known: set[tuple[str, str]] = set()
        self._first: Record = {}
        self._git_branch: object = None
        self._model: object = None
        self._titles: dict[bool, str] = {}  # by whether a person gave it
        self._answer = _Answer()
        self._source = ""  # the session that this one begins with a copy of
        self._copies = Copies(self._talk)
        self._beside = Conversation()  # of subagents whose records stand here too

    def take(self, record: Record) -> None:
        """Take the next record of the file; what is not known is passed over."""
        at = self._talk.see_time(record.get("timestamp"))
        if not self.recognised:
            is_ours = "parts" in as_dict(record.get("message")) or "systemPayload" in record
            self.recognised = is_ours and "sessionId" in record
        self._first = self._first or record
        if self._is_known(record):
            return
        is_beside = not self._parent and (record.get("isSidechain") is True or "agentId" in record)
        talk = self._beside if is_beside else self._talk
        start = self._talk.total
        kind = record.get("type")
        if kind == "user":
            self._take_prompt(record, talk, at)
        elif kind == "assistant":
            self._take_answer(record, talk, at)
        elif kind == "tool_result":
            _take_results(record, talk, at)
        elif kind == "system":
            self._take_event(as_text(record.get("subtype")), as_dict(record.get("systemPayload")), at)
        self._place(record, start)

    def transcript(self, lines: JsonLines) -> Transcript | None:
        """Return what the file held, once all records are taken; None if nothing was said."""
        talk, beside, copies = self._talk, self._beside, self._copies
        if not talk.messages:
            return None
        talk.withdraw(self._branches.abandoned(talk.total))
        copies.mark()
        stem = storable(self._path.stem)
        native_id = stem if self._parent else one_line(as_text(self._first.get("sessionId"))) or stem
        return talk.complete(
            Transcript(
                session_id=f"qwen_{native_id}",
                runtime=QwenReader.runtime,
                native_id=native_id,
                kind="qwen-jsonl",
                messages=(),
                title=self._titles.get(True) or self._titles.get(False),
                project=strip_control(as_text(self._first.get("cwd"))) or None,
                branch=strip_control(as_text(self._git_branch)) or None,
                model=one_line(as_text(self._model)) or None,
                parent_id=f"qwen_{self._parent}" if self._parent else None,
                forked_from=f"qwen_{self._source}" if self._source else None,
                is_subagent=bool(self._parent),
                agent_type=one_line(as_text(self._first.get("agentName"))) or None if self._parent else None,
                archived=self._path.parent.name == _ARCHIVE,
                inherited_prompts=copies.prompts,
                inherited_answers=copies.answers,
                sidechain_prompts=beside.prompts,
                sidechain_answers=beside.answers,
                bad_lines=lines.bad_lines,
                bad_line=lines.bad_line,
                truncated_tail=lines.truncated_tail,
            )
        )

    def _is_known(self, record: Record) -> bool:
        """Return whether a record stands twice. Those that only share an id are pieces of one."""
        uuid = as_text(record.get("uuid"))
        key = (uuid, as_text(record.get("timestamp")))
        if uuid and key in self._known:
            return True
        self._known.add(key)
        return False

    def _place(self, record: Record, start: int) -> None:
        """Give a record, with its messages from number `start`, its place in the tree."""
        if uuid := as_text(record.get("uuid")):
            parent = record.get("parentUuid")
            leaf = not as_text(record.get("subtype")).startswith(_BESIDE)
            self._branches.add(uuid, parent if isinstance(parent, str) else None, start, leaf=leaf)
        source = one_line(as_text(as_dict(record.get("forkedFrom")).get("sessionId")))
        self._source = source or self._source
        self._copies.take(copied=bool(source))

    def _take_prompt(self, record: Record, talk: Conversation, at: str | None) -> None:
        self._git_branch = record.get("gitBranch") or self._git_branch
        parts = _parts(record)
        for response in parts.responses:
            text, images = told(response)
            talk.tool_result(text, at, images)
        if self._is_typed(record):
            payload = as_dict(record.get("systemPayload"))
            shown = payload.get("displayText")
            if isinstance(shown, str) and (record.get("subtype") or "hookContext" in payload):
                say(shown, parts.images, talk, at)
            else:
                say(typed(parts.texts), parts.images, talk, at)

    def _is_typed(self, record: Record) -> bool:
        subtypes = (*_TYPED, "agent_launch_prompt") if self._parent else _TYPED
        return record.get("provenance") in (None, "real_user") and record.get("subtype") in subtypes

    def _take_answer(self, record: Record, talk: Conversation, at: str | None) -> None:
        self._git_branch = record.get("gitBranch") or self._git_branch
        self._model = record.get("model") or self._model
        parts = _parts(record)
        uuid, text = as_text(record.get("uuid")), "".join(parts.texts)
        if uuid and uuid == self._answer.uuid:
            text = self._answer.text + text
            talk.rewrite(self._answer.number, text)
            self._answer = _Answer(uuid, self._answer.number, text)
        elif talk.answer(text, at):
            self._answer = _Answer(uuid, talk.total - 1, text)
        for call in parts.calls:
            talk.tool_call(as_text(call.get("name")), call.get("args"), at)
        usage = as_dict(record.get("usageMetadata"))
        talk.use_tokens(usage.get("promptTokenCount"), usage.get("candidatesTokenCount"))
        talk.use_tokens(0, usage.get("thoughtsTokenCount"))

    def _take_event(self, kind: str, payload: Record, at: str | None) -> None:
        if kind == "custom_title":
            by_person = payload.get("titleSource") != "auto"
            self._titles[by_person] = one_line(as_text(payload.get("customTitle"))) or self._titles.get(by_person, "")
        elif kind == "slash_command":
            if payload.get("phase") != "result" and payload.get("hiddenInvocation") is not True:
                self._talk.command(as_text(payload.get("rawCommand")), at)
        elif kind == "chat_compression":
            first = next(map(as_dict, as_list(payload.get("compressedHistory"))), Record())
            text = "".join(parts_of(first.get("parts")).texts).strip()
            self._talk.summary(text.removeprefix(SNAPSHOT).removesuffix("</state_snapshot>"), at)


def _files(found: Iterable[os.DirEntry[str]], suffix: str) -> Iterator[Source]:
    for entry in found:
        if entry.name.endswith(suffix):
            yield from as_source(entry)


def _early(path: Path) -> Transcript | None:
    """Read a conversation as early versions kept it."""
    chat = GeminiChat()
    chat.take_all(path)
    native_id = chat.native_id or storable(path.stem)
    return chat.complete(
        Transcript(
            session_id=f"qwen_{native_id}",
            runtime=QwenReader.runtime,
            native_id=native_id,
            kind="qwen-json",
            messages=(),
            project=strip_control(chat.folder) or None,
            is_subagent=chat.is_subagent,
        )
    )


def _parts(record: Record) -> Parts:
    return parts_of(as_dict(record.get("message")).get("parts"))


def _take_results(record: Record, talk: Conversation, at: str | None) -> None:
    """Take what tools answered: what the model got of it, or what the screen showed."""
    result = as_dict(record.get("toolCallResult"))
    shown = result.get("resultDisplay")
    displayed = as_text(shown) or as_text(as_dict(shown).get("fileDiff"))
    parts = _parts(record)
    images = parts.images
    for response in parts.responses or [result]:
        text, marks = told(response)
        talk.tool_result(text or displayed, at, [*marks, *images])
        images = []
