"""Codex CLI: rollouts in `sessions` by date and in `archived_sessions`, in four formats since April 2025.

A rollout tells the same thing up to three times: as the item or event that the user saw, and as the response item that
the model saw, where prompts are mixed with injected context.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.conversation import Conversation, image_at
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

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ITEM = "item"
_EVENT = "event"
_MODEL = "model"
_INJECTED = (
    *("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<skill>"),
    *("<permissions instructions>", "<skills_instructions>", "<turn_aborted>", "<recommended_plugins>"),
    *("<codex_internal_context>", "<collaboration_mode>", "<subagent_notification>"),
)
_IMAGE_TAGS = ("<image", "</image>")
_IDE_CONTEXT = "# Context from my IDE setup:"
_IDE_REQUEST = "## My request for Codex:"
_FOLDER = re.compile(r"<cwd>(.*?)</cwd>|Current working directory: (.*)")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


class CodexReader:
    """Reads the rollouts of Codex CLI."""

    runtime: str = "codex"

    def __init__(self, homes: Sequence[Path]) -> None:
        self.roots: Sequence[Path] = tuple(home / name for home in homes for name in ("sessions", "archived_sessions"))
        self._indexes = tuple(home / "session_index.jsonl" for home in homes)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "CodexReader":
        """Look where Codex itself would keep its sessions."""
        return cls([Path(environ.get("CODEX_HOME") or home / ".codex")])

    def discover(self) -> Iterator[Source]:
        """Yield the rollouts, each with the name that its thread was given."""
        names = self._thread_names()
        for root in self.roots:
            for entry in _rollouts(root):
                yield from as_source(entry, names.get(_id_in(entry.name), ""))

    def read(self, source: Source) -> Transcript | None:
        """Read a rollout; None if nothing was said in it."""
        rollout = _Rollout(source.path, source.salt)
        with source.path.open("rb", buffering=READ_BUFFER) as file:
            if file.read(len(_ZSTD_MAGIC)) == _ZSTD_MAGIC:
                raise TranscriptError("compressed with zstd, which cannot be read yet")
            file.seek(0)
            lines = JsonLines(file)
            if source.path.suffix == ".json":
                rollout.take_document(file.read(LINE_LIMIT))
            else:
                for record in lines:
                    rollout.take(record)
        if not rollout.recognised and (lines.bad_lines or rollout.recognised is not None):
            raise TranscriptError("no Codex record in it")
        transcript = rollout.transcript(lines)
        return transcript if transcript.messages else None

    def _thread_names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for index in self._indexes:
            with suppress(OSError), index.open("rb") as file:
                names.update(
                    (as_text(line.get("id")), one_line(as_text(line.get("thread_name")))) for line in JsonLines(file)
                )
        return names


class _Rollout:
    """The state of reading one file."""

    def __init__(self, path: Path, name: str) -> None:
        self.recognised: bool | None = None  # None before the first record
        self._path = path
        self._name = name
        self._told_name = ""
        self._meta: Record | None = None
        self._folder = ""
        self._told_folder = ""
        self._model = ""
        self._talk = Conversation()
        self._turns: list[int] = []
        self._prompts = _Views()
        self._answers = _Views()
        self._answered = False
        self._has_shown = False
        self._unshown: dict[int, int] = {}  # prompts that only the model saw so far, with their number of images
        self._unshown_keys: dict[str, int] = {}

    def take(self, record: Record) -> None:
        """Take the next line, with or without the envelope that came in September 2025."""
        at = self._talk.see_time(record.get("timestamp"))
        kind = as_text(record.get("type"))
        payload = record.get("payload")
        recognised = True
        if kind and isinstance(payload, dict):
            self._take_enveloped(kind, as_dict(record.get("payload")), at)
        elif kind:
            recognised = self._take_item(kind, record, at)
        elif at and "id" in record:
            self._take_meta(record)
        else:
            recognised = "record_type" in record
        self.recognised = self.recognised or recognised

    def take_document(self, data: bytes) -> None:
        """Take a whole session of April 2025, which was one JSON object."""
        if not data.strip():
            return
        document = as_dict(parse_json(data))
        session = as_dict(document.get("session"))
        self.recognised = bool(session)
        self._take_meta(session)
        for item in map(as_dict, as_list(document.get("items"))):
            self._take_item(as_text(item.get("type")), item, self._talk.see_time(item.get("timestamp")))

    def transcript(self, lines: JsonLines) -> Transcript:
        """Return what the file held, once all of it is taken."""
        if self._has_shown:
            self._talk.drop_prompts(self._unshown, sum(self._unshown.values()))
        meta = self._meta or {}
        folder = as_text(meta.get("cwd")) or self._folder or self._told_folder
        native_id = one_line(as_text(meta.get("id"))) or _id_in(self._path.name) or storable(self._path.stem)
        spawn = as_dict(as_dict(as_dict(meta.get("source")).get("subagent")).get("thread_spawn"))
        parent = one_line(as_text(meta.get("parent_thread_id")) or as_text(spawn.get("parent_thread_id")))
        return self._talk.complete(
            Transcript(
                session_id=f"codex_{native_id}",
                runtime=CodexReader.runtime,
                native_id=native_id,
                kind="codex-json" if self._path.suffix == ".json" else "codex-jsonl",
                messages=(),
                title=self._name or self._told_name or None,
                project=strip_control(folder) or None,
                branch=strip_control(as_text(as_dict(meta.get("git")).get("branch"))) or None,
                model=one_line(self._model) or None,
                parent_id=f"codex_{parent}" if parent else None,
                bad_lines=lines.bad_lines,
                truncated_tail=lines.truncated_tail,
            )
        )

    def _take_enveloped(self, kind: str, payload: Record, at: str | None) -> None:
        if kind == "response_item":
            self._take_item(as_text(payload.get("type")), payload, at)
        elif kind == "event_msg":
            self._take_event(as_text(payload.get("type")), payload, at)
        elif kind == "session_meta":
            self._take_meta(payload)
        elif kind == "turn_context":
            self._folder = self._folder or as_text(payload.get("cwd"))
            self._model = as_text(payload.get("model")) or self._model
        elif kind == "compacted":
            self._talk.summary(as_text(payload.get("message")), at)

    def _take_meta(self, meta: Record) -> None:
        """Take the header. The first is the file's own; a fork replays the one of its source."""
        if self._meta is None:
            self._meta = meta
            self._talk.see_time(meta.get("timestamp"))

    def _take_event(self, kind: str, event: Record, at: str | None) -> None:
        if kind == "user_message":
            if event.get("kind") in (None, "plain"):
                addresses = as_list(event.get("images")) + as_list(event.get("local_images"))
                images = [image_at(as_text(address)) for address in addresses]
                self._take_prompt(_EVENT, as_text(event.get("message")), images, at)
        elif kind == "agent_message":
            self._take_answer(_EVENT, as_text(event.get("message")), at)
        elif kind == "item_completed":
            item = as_dict(event.get("item"))
            texts, images = _parts(item.get("content"))
            if item.get("type") == "UserMessage":
                self._take_prompt(_ITEM, "\n".join(texts), images, at)
            elif item.get("type") == "AgentMessage":
                self._take_answer(_ITEM, "\n".join(texts), at)
        elif kind == "thread_rolled_back":
            self._roll_back(event.get("num_turns"))
        elif kind == "thread_name_updated":
            self._told_name = one_line(as_text(event.get("thread_name")))

    def _take_item(self, kind: str, item: Record, at: str | None) -> bool:
        """Take a response item; False if this is none we know."""
        if kind == "message":
            self._take_message(item, at)
        elif kind.endswith("_call"):
            self._answered = True
            self._talk.tool_call(as_text(item.get("name")) or kind.removesuffix("_call"), _arguments(item), at)
        elif kind.endswith("_output"):
            texts, images = _output(item.get("output"))
            self._talk.tool_result("\n".join(texts), at, images)
        else:
            return kind == "reasoning"
        return True

    def _take_message(self, message: Record, at: str | None) -> None:
        texts, images = _parts(message.get("content"))
        if message.get("role") == "assistant":
            self._take_answer(_MODEL, "\n".join(texts), at)
        elif message.get("role") == "user":
            typed: list[str] = []
            for text in texts:
                if not text.lstrip().startswith((*_INJECTED, *_IMAGE_TAGS)):
                    typed.append(text)
                elif not self._told_folder and (folder := _FOLDER.search(text)):
                    self._told_folder = folder[1] or folder[2] or ""
            self._take_prompt(_MODEL, "\n".join(typed), images, at)

    def _take_prompt(self, view: str, text: str, images: list[str], at: str | None) -> None:
        text = _request(text)
        if not (text or images):
            return
        if self._answered:
            self._begin_turn()
        self._has_shown |= view != _MODEL
        key = _key(text)
        if self._prompts.told_before(key, view):
            if view != _MODEL:
                self._unshown.pop(self._unshown_keys.pop(key, -1), None)
            return
        number = self._talk.total
        if self._talk.prompt(text, at, images):
            self._turns.append(number)
            if view == _MODEL:
                self._unshown[number] = len(images)
                self._unshown_keys[key] = number

    def _take_answer(self, view: str, text: str, at: str | None) -> None:
        if text and not text.isspace():
            self._answered = True
            if not self._answers.told_before(_key(text), view):
                self._talk.answer(text, at)

    def _begin_turn(self) -> None:
        self._answered = False
        self._prompts = _Views()
        self._answers = _Views()
        self._unshown_keys.clear()

    def _roll_back(self, turns: object) -> None:
        starts = [start for start in self._turns if not (self._has_shown and start in self._unshown)]
        if isinstance(turns, int) and turns > 0 and starts:
            start = starts[-turns:][0]
            self._talk.withdraw(range(start, self._talk.total))
            self._turns = [turn for turn in self._turns if turn < start]
            self._begin_turn()


class _Views:
    """What the views of one turn told. A text was said as often as the view that tells it most often has it."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[str, int]] = {}

    def told_before(self, key: str, view: str) -> bool:
        """Count a text that `view` tells; True if another view told it already."""
        counts = self._counts.setdefault(key, {})
        said = max(counts.values(), default=0)
        counts[view] = counts.get(view, 0) + 1
        return counts[view] <= said


def _rollouts(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    found = entries(folder)
    names = {entry.name for entry in found}
    for entry in found:
        name = entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from _rollouts(entry.path)
        elif name.endswith(".zst"):  # a plain file of the same name is newer
            if name.endswith(".jsonl.zst") and name.removesuffix(".zst") not in names:
                yield entry
        elif name.endswith(".jsonl") or (name.endswith(".json") and name.startswith("rollout-")):
            yield entry


def _id_in(name: str) -> str:
    """Return the thread's id from a file name; the id of a later page stands behind it."""
    found = _UUID.search(name)
    return found[0] if found else ""


def _key(text: str) -> str:
    """Return what two views of one text have in common: they join its parts differently."""
    return "".join(text.split())


def _request(text: str) -> str:
    """Return a prompt without the context that an editor put before it."""
    text = text.strip()
    return text.partition(_IDE_REQUEST)[2].strip() if text.startswith(_IDE_CONTEXT) else text


def _parts(content: object) -> tuple[list[str], list[str]]:
    """Return the texts of content, and what stands for its images."""
    if isinstance(content, str):
        return [content], []
    texts: list[str] = []
    images: list[str] = []
    for part in map(as_dict, as_list(content)):
        kind = as_text(part.get("type")).lower()
        if kind in {"text", "input_text", "output_text"}:
            texts.append(as_text(part.get("text")))
        elif kind in {"image", "input_image", "local_image"}:
            images.append(image_at(as_text(part.get("image_url")) or as_text(part.get("path"))))
    return texts, images


def _arguments(call: Record) -> object:
    """Return what a tool was called with: JSON in a text, a free text such as a patch, or an action."""
    arguments = call.get("arguments")
    if isinstance(arguments, str):
        return parse_json(arguments.encode()) or arguments
    given = as_text(call.get("input"))
    if patched := _PATCHED.search(given):
        return patched[1]
    return arguments or given or call.get("action")


def _output(output: object) -> tuple[list[str], list[str]]:
    """Return the texts and images of a tool's output, which may be wrapped in an object, and that in a text."""
    if isinstance(output, str) and output.startswith('{"output":'):
        output = parse_json(output.encode()) or output
    wrapped = as_dict(output)
    return _parts(wrapped.get("output") or wrapped.get("content") or ("" if wrapped else output))
