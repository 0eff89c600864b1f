"""A conversation as Gemini CLI keeps it: one JSON object, or a log of changes to one. Early Qwen Code kept the former.

In the log a message of a known id replaces the earlier one, so messages are kept apart until the end.
"""

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from nlm_tui.core import one_line
from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.gemini_parts import SNAPSHOT, parts_of, say, told, typed
from nlm_tui.runtimes.jsonl import (
    LINE_LIMIT,
    READ_BUFFER,
    JsonLines,
    Record,
    as_dict,
    as_list,
    as_text,
    parse_json,
    read_document,
    require_known,
)

_ANSWERS = {"gemini", "qwen"}
_RECEIPT = "Got it. Thanks for the additional context!"  # what a model is made to say to the summary of its history


class GeminiChat:
    """The state of reading one conversation."""

    def __init__(self) -> None:
        self._recognised: bool | None = None  # None before the first record
        self._bad_lines = 0
        self._bad_line: int | None = None
        self._truncated_tail = False
        self._talk = Conversation()  # spans the times of all records
        self._messages: dict[str, Conversation] = {}
        self._withdrawn: list[Conversation] = []
        self._called: set[str] = set()
        self._header: Record = {}
        self._model: object = None
        self._unnamed = 0

    @property
    def native_id(self) -> str:
        """The id that the conversation gives itself, '' if it gives none."""
        return one_line(as_text(self._header.get("sessionId")))

    @property
    def is_subagent(self) -> bool:
        """Whether an agent began it."""
        return self._header.get("kind") == "subagent"

    @property
    def folder(self) -> str:
        """The directory whose hash it names, '' where it does not name the directory too."""
        named = map(as_text, as_list(self._header.get("directories")))
        return next((folder for folder in named if hash_of(folder) == self._header.get("projectHash")), "")

    def take(self, record: Record) -> None:
        """Take the next record of a log, or a whole conversation."""
        rewind, changes = record.get("$rewindTo"), record.get("$set")
        recognised = True
        if isinstance(rewind, str):
            self._rewind(rewind)
        elif isinstance(changes, dict):
            self._change(as_dict(record.get("$set")))
        elif "id" in record and "type" in record and "content" in record:
            self._messages[self._key(record)] = self._message(record)
        elif "sessionId" in record and ("projectHash" in record or "messages" in record):
            self._change(record)
        else:
            recognised = False
        self._recognised = self._recognised or recognised

    def take_all(self, path: Path) -> None:
        """Take what a file holds.

        Raises:
            TranscriptError: there is no such conversation in it.
            OSError: it cannot be opened.
        """
        with path.open("rb", buffering=READ_BUFFER) as file:
            if path.suffix == ".json" and not as_dict(parse_json(file.readline(LINE_LIMIT))):
                if document := read_document(path):
                    self.take(document)
            else:  # some versions gave logs this suffix too
                file.seek(0)
                self._take_lines(JsonLines(file))
        problem = "no record of a Gemini conversation in it"
        require_known(problem, known=self._recognised, bad_lines=self._bad_lines)

    def complete(self, transcript: Transcript) -> Transcript | None:
        """Return `transcript` with what was said, once all records are taken; None if nothing was."""
        for message in self._withdrawn:
            self._talk.append(message)
        self._talk.withdraw(range(self._talk.total))
        for message in self._messages.values():
            self._talk.append(message)
        if not self._talk.messages:
            return None
        return replace(
            self._talk.complete(transcript),
            title=one_line(as_text(self._header.get("summary"))) or None,
            model=one_line(as_text(self._model)) or None,
            bad_lines=self._bad_lines,
            bad_line=self._bad_line,
            truncated_tail=self._truncated_tail,
        )

    def _take_lines(self, lines: JsonLines) -> None:
        for record in lines:
            self.take(record)
        self._bad_lines, self._bad_line = lines.bad_lines, lines.bad_line
        self._truncated_tail = lines.truncated_tail

    def _rewind(self, to: str) -> None:
        """Take out a message and all behind it. Without that message the CLI takes out all: here it is kept, marked."""
        if to not in self._messages:
            self._withdrawn += self._messages.values()
            self._messages.clear()
            return
        keys = list(self._messages)
        for key in keys[keys.index(to) :]:
            del self._messages[key]

    def _change(self, changes: Record) -> None:
        for key in ("sessionId", "projectHash", "kind", "summary", "directories"):
            if key in changes:
                self._header[key] = changes[key]
        for key in ("startTime", "lastUpdated"):
            self._talk.see_time(changes.get(key))
        if messages := as_list(changes.get("messages")):
            self._replace(map(as_dict, messages))

    def _replace(self, messages: Iterable[Record]) -> None:
        """Take other messages for those so far. Those that a summary stands for are kept in front of it."""
        new = {self._key(message): self._message(message) for message in messages}
        is_compressed = any(message.summaries for message in new.values())
        self._messages = self._left_out(new) | new if is_compressed else new

    def _left_out(self, new: dict[str, Conversation]) -> dict[str, Conversation]:
        """Return the messages that are not in `new`, where some have other ids."""
        left = {key: message for key, message in self._messages.items() if key not in new}
        same: dict[tuple[str, ...], list[str]] = {}
        for key, message in left.items():
            same.setdefault(_texts(message), []).append(key)
        for key in reversed(new):
            if key not in self._messages and (keys := same.get(_texts(new[key]))):
                del left[keys.pop()]
        return left

    def _key(self, message: Record) -> str:
        self._unnamed += 1
        return as_text(message.get("id")) or f"#{self._unnamed}"

    def _message(self, record: Record) -> Conversation:
        talk = Conversation()
        at = self._talk.see_time(record.get("timestamp"))
        kind = as_text(record.get("type"))
        if kind == "user":
            self._take_prompt(record, talk, at)
        elif kind in _ANSWERS:
            self._take_answer(record, talk, at)
        return talk

    def _take_prompt(self, record: Record, talk: Conversation, at: str | None) -> None:
        sent = parts_of(record.get("content"))
        for response in sent.responses:
            if as_text(response.get("id")) not in self._called:
                text, images = told(response)
                talk.tool_result(text, at, images)
        texts = parts_of(record.get("displayContent")).texts or sent.texts
        text = "".join(texts).strip()
        if text.startswith(SNAPSHOT):
            talk.summary(text.removeprefix(SNAPSHOT).removesuffix("</state_snapshot>"), at)
        else:
            say(typed(texts), sent.images, talk, at)

    def _take_answer(self, record: Record, talk: Conversation, at: str | None) -> None:
        sent = parts_of(record.get("content"))
        text = "".join(parts_of(record.get("displayContent")).texts or sent.texts)
        if text.strip() != _RECEIPT:
            talk.answer(text, at)
        self._model = record.get("model") or self._model
        calls = [as_dict(call) for call in as_list(record.get("toolCalls"))]
        for call in calls or sent.calls:
            talk.tool_call(as_text(call.get("name")), call.get("args"), at)
        for call in calls:
            self._called.add(as_text(call.get("id")))
            if call.get("result") or call.get("resultDisplay"):
                text, images = _result(call)
                talk.tool_result(text, at, images)
        tokens = as_dict(record.get("tokens"))
        talk.use_tokens(tokens.get("input"), tokens.get("output"))
        talk.use_tokens(tokens.get("tool"), tokens.get("thoughts"))


def hash_of(folder: str) -> str:
    """Return the name by which the CLI knows a project directory."""
    return sha256(folder.encode("utf-8", "replace")).hexdigest()


def _result(call: Record) -> tuple[str, list[str]]:
    """Return the text and images of what a tool answered: what the model got, or what the screen showed of it."""
    got = parts_of(call.get("result"))
    texts, images = [*got.texts], [*got.images]
    for response in got.responses:
        text, marks = told(response)
        texts.append(text)
        images += marks
    shown = call.get("resultDisplay")
    displayed = as_text(shown) or as_text(as_dict(shown).get("fileDiff"))
    return "\n".join(filter(None, texts)) or displayed, images


def _texts(message: Conversation) -> tuple[str, ...]:
    return tuple(part.text for part in message.messages.values())
