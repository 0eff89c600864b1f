"""What a rollout of Codex says, in any of the four formats since April 2025.

A rollout tells the same thing up to three times: as the item or event that the user saw, and as the response item that
the model saw, where prompts are mixed with injected context.
"""

import re
from copy import copy
from datetime import datetime, timedelta
from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.codex_files import thread_id
from nlm_tui.runtimes.conversation import Conversation, image_at, utc_time
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text, parse_json

RUNTIME = "codex"

_PAUSE = timedelta(seconds=1)  # a person takes longer to say something in a fork than the fork to be written
_ITEM = "item"
_EVENT = "event"
_MODEL = "model"
_INJECTED = (
    *("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<skill>"),
    *("<permissions instructions>", "<skills_instructions>", "<turn_aborted>", "<recommended_plugins>"),
    *("<codex_internal_context", "<collaboration_mode>", "<subagent_notification>", "<user_action>"),
    *("<user_shell_command>", "<goal_context>"),
)
_IMAGE_TAGS = ("<image", "</image>")
_IDE_CONTEXT = "# Context from my IDE setup:"
_IDE_REQUEST = "## My request for Codex:"
_FOLDER = re.compile(r"<cwd>(.*?)</cwd>|Current working directory: (.*)")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


class Rollout:
    """The state of reading the files of one thread."""

    def __init__(self) -> None:
        self.recognised: bool | None = None  # None before the first record
        self._meta: Record | None = None
        self._replay: _Replay | None = None
        self._copied = (0, 0)  # prompts and answers
        self._told_name = ""
        self._folder = ""
        self._told_folder = ""
        self._branch = ""
        self._model = ""
        self._talk = Conversation()
        self._turns: list[int] = []
        self._prompts = _Views()
        self._answers = _Views()
        self._answered = False
        self._turn = 0  # the number of its first message
        self._has_shown = False
        self._unshown: dict[int, int] = {}  # prompts that only the model saw so far, with their number of images
        self._unshown_keys: dict[str, int] = {}

    def take(self, record: Record) -> None:
        """Take the next line, with or without the envelope that came in September 2025."""
        at = self._talk.see_time(record.get("timestamp"))
        if self._replay and self._replay.is_on and not self._replay.covers(record, at):
            self._end_replay()
        kind = as_text(record.get("type"))
        payload = record.get("payload")
        recognised = True
        if kind and isinstance(payload, dict):
            self._take_enveloped(kind, as_dict(record.get("payload")), at)
        elif kind:
            recognised = self._take_item(kind, record, at)
        elif at and "id" in record:
            self._take_meta(record, at)
        else:
            recognised = "record_type" in record
        self.recognised = self.recognised or recognised

    def take_document(self, document: Record) -> None:
        """Take a whole session of April 2025, which was one JSON object."""
        session = as_dict(document.get("session"))
        self.recognised = bool(session) or "items" in document
        self._take_meta(session, None)
        for item in map(as_dict, as_list(document.get("items"))):
            known = self._take_item(as_text(item.get("type")), item, self._talk.see_time(item.get("timestamp")))
            self.recognised |= known

    def begin_turn(self) -> int:
        """Begin a turn, whatever was told before, and return the number of its first message."""
        self._answered = False
        self._prompts = _Views()
        self._answers = _Views()
        self._unshown_keys.clear()
        self._turn = self._talk.total
        return self._turn

    def withdraw_since(self, number: int) -> None:
        """Mark the messages from `number` on as taken back."""
        self._talk.withdraw(range(number, self._talk.total))
        self._turns = [turn for turn in self._turns if turn < number]
        self.begin_turn()

    def transcript(self, path: Path, given: str = "", kept: str = "") -> Transcript:
        """Return what was taken so far of the thread whose newest file is at `path`.

        The name that it was `given` comes before the one in the file, and that before the one `kept` elsewhere.
        """
        meta = self._meta or {}
        folder = as_text(meta.get("cwd")) or self._folder or self._told_folder
        native_id = one_line(as_text(meta.get("id"))) or thread_id(path) or storable(path.stem)
        source = one_line(as_text(meta.get("forked_from_id"))) or (self._replay.source if self._replay else "")
        is_subagent, parent, agent_type = _spawned(meta)
        talk, copied = self._settled()
        return talk.complete(
            Transcript(
                session_id=session_id(native_id),
                runtime=RUNTIME,
                native_id=native_id,
                kind="codex-json" if path.suffix == ".json" else "codex-jsonl",
                messages=(),
                title=given or self._told_name or kept or None,
                project=strip_control(folder) or None,
                branch=strip_control(self._branch) or None,
                model=one_line(self._model) or None,
                parent_id=session_id(parent) if parent else None,
                forked_from=session_id(source) if source else None,
                is_subagent=is_subagent,
                agent_type=agent_type or None,
                inherited_prompts=copied[0],
                inherited_answers=copied[1],
            )
        )

    def _settled(self) -> tuple[Conversation, tuple[int, int]]:
        """Return the conversation as if nothing more came, and how many prompts and answers in it are copied."""
        talk = copy(self._talk)
        talk.messages = dict(talk.messages)
        if self._has_shown:
            talk.drop_prompts(self._unshown, sum(self._unshown.values()))
        if self._replay and self._replay.is_on:
            talk.inherit(range(talk.total))
            return talk, (talk.prompts, talk.answers)
        return talk, self._copied

    def _end_replay(self) -> None:
        """Mark all that was taken as copied. Which views the source told says nothing of what follows."""
        self._talk, self._copied = self._settled()
        if self._has_shown:
            self._turns = [turn for turn in self._turns if turn not in self._unshown]
        self._unshown.clear()
        self._has_shown = False
        self.begin_turn()
        if self._replay:
            self._replay.is_on = False

    def _take_enveloped(self, kind: str, payload: Record, at: str | None) -> None:
        if kind == "response_item":
            self._take_item(as_text(payload.get("type")), payload, at)
        elif kind == "event_msg":
            self._take_event(as_text(payload.get("type")), payload, at)
        elif kind == "session_meta":
            self._take_meta(payload, at)
        elif kind == "turn_context":
            self._folder = self._folder or as_text(payload.get("cwd"))
            self._model = as_text(payload.get("model")) or self._model
        elif kind == "compacted":
            self._talk.summary(as_text(payload.get("message")), at)

    def _take_meta(self, meta: Record, at: str | None) -> None:
        """Take a header. The first is the file's own; a fork replays the one of its source."""
        if self._meta is None:
            self._meta = meta
            self._talk.see_time(meta.get("timestamp"))
            self._replay = _Replay(meta)
        elif meta.get("id") != self._meta.get("id"):
            if self._replay and not self._talk.total:
                self._replay.begin(one_line(as_text(meta.get("id"))), at)
            return
        self._branch = as_text(as_dict(meta.get("git")).get("branch")) or self._branch

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
        elif total := as_dict(as_dict(event.get("info")).get("total_token_usage")):
            self._talk.input_tokens = self._talk.output_tokens = 0
            self._talk.use_tokens(total.get("input_tokens"), total.get("output_tokens"))

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
            self.begin_turn()
        if view != _MODEL and not self._has_shown:
            self._has_shown = True  # what was answered before was typed where Codex did not tell what it showed
            self._unshown = {number: images for number, images in self._unshown.items() if number >= self._turn}
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

    def _roll_back(self, turns: object) -> None:
        starts = [start for start in self._turns if not (self._has_shown and start in self._unshown)]
        if isinstance(turns, int) and turns > 0 and starts:
            self.withdraw_since(starts[-turns:][0])


class _Replay:
    """Tells what a fork copied from its source.

    Of a subagent that says where its own records begin, it is those before. Else it is what was written at one go with
    the source's header, or bears times from before the fork.
    """

    def __init__(self, meta: Record) -> None:
        self.source = ""
        self._born = utc_time(meta.get("timestamp"))
        self._first_own = meta.get("subagent_history_start_ordinal")
        self.is_on = isinstance(self._first_own, int)
        self._last: datetime | None = None

    def begin(self, source: str, at: str | None) -> None:
        """Begin with the header of the `source`."""
        self.source = self.source or source
        if at is not None and not self.is_on:
            self.is_on = True
            self._last = None if self._is_older(at) else datetime.fromisoformat(at)

    def covers(self, record: Record, at: str | None) -> bool:
        """Return whether the next record is copied."""
        if isinstance(self._first_own, int):
            ordinal = record.get("ordinal")
            return not isinstance(ordinal, int) or ordinal < self._first_own
        if at is None:
            return False
        if self._is_older(at):
            return True
        last, self._last = self._last, datetime.fromisoformat(at)
        return last is not None and self._last - last < _PAUSE

    def _is_older(self, at: str) -> bool:
        return self._born is not None and at < self._born


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


def session_id(native_id: str) -> str:
    """Return the id by which the memory knows a thread."""
    return f"{RUNTIME}_{native_id}"


def _spawned(meta: Record) -> tuple[bool, str, str]:
    """Return whether an agent began the thread, in which thread, and what kind of agent goes on with it."""
    source: object = as_dict(meta.get("source")).get("subagent")
    spawn = as_dict(as_dict(source).get("thread_spawn"))
    parent = one_line(as_text(meta.get("parent_thread_id")) or as_text(spawn.get("parent_thread_id")))
    roles = [meta.get("agent_role"), spawn.get("agent_role"), spawn.get("agent_type"), as_dict(source).get("other")]
    kind = one_line(next((text for text in map(as_text, [*roles, source]) if text), ""))
    return bool(parent or source or meta.get("thread_source") == "subagent"), parent, kind


def _key(text: str) -> str:
    """Return what two views of one text have in common: they join its parts differently."""
    return "".join(text.split())


def _request(text: str) -> str:
    """Return a prompt without the context that an editor put before it."""
    text = text.strip()
    if text.startswith(_IDE_CONTEXT) or (text.startswith("# ") and f"\n{_IDE_REQUEST}" in text):
        return text.partition(_IDE_REQUEST)[2].strip()
    return text


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
