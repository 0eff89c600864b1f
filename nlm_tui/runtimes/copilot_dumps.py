"""Sessions of Copilot CLI until the end of 2025: one JSON object each, rewritten whenever the session went on."""

from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Transcript, TranscriptError
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.copilot_texts import RUNTIME, id_of, image_marks, name_in, result_of, trimmed, trusted_folder
from nlm_tui.runtimes.jsonl import LINE_LIMIT, Record, as_dict, as_list, as_text, parse_json


def read_dump(path: Path) -> Transcript:
    """Read a dump: what the user saw, else what the model got.

    Raises:
        TranscriptError: it is no dump, or too long to be read.
        OSError: it cannot be opened.
    """
    with path.open("rb") as file:
        data = file.read(LINE_LIMIT + 1)
    if len(data) > LINE_LIMIT:
        raise TranscriptError(f"longer than {LINE_LIMIT:,} bytes")
    dump = as_dict(parse_json(data))
    timeline, messages = as_list(dump.get("timeline")), as_list(dump.get("chatMessages"))
    if data.strip(b"\x00 \t\r\n") and not ("sessionId" in dump or timeline or messages):
        raise TranscriptError("no Copilot session in it")
    reading = _Dump()
    reading.talk.see_time(dump.get("startTime"))
    for entry in map(as_dict, timeline):
        reading.take_shown(entry)
    if not reading.talk.messages:
        for message in map(as_dict, messages):
            reading.take_message(message)
    native_id = one_line(as_text(dump.get("sessionId"))) or storable(name_in(path.name))
    return reading.talk.complete(
        Transcript(
            session_id=id_of(native_id),
            runtime=RUNTIME,
            native_id=native_id,
            kind="copilot-json",
            messages=(),
            project=strip_control(reading.trusted) or None,
            model=one_line(as_text(dump.get("selectedModel"))) or None,
        )
    )


class _Dump:
    """The state of reading one dump."""

    def __init__(self) -> None:
        self.talk = Conversation()
        self.trusted = ""
        self._calls: set[str] = set()

    def take_shown(self, entry: Record) -> None:
        """Take an entry of the timeline."""
        at = self.talk.see_time(entry.get("timestamp"))
        kind, text = as_text(entry.get("type")), as_text(entry.get("text"))
        if kind == "user":
            self.talk.prompt(text, at, image_marks(entry.get("imageAttachments")))
        elif kind == "copilot":
            self.talk.answer(text, at)
        elif kind == "info":
            self.trusted = self.trusted or trusted_folder(text)
        elif kind.startswith("tool_call_"):
            self._take_call(as_text(entry.get("callId")), as_text(entry.get("name")), entry.get("arguments"), at)
            if kind == "tool_call_completed":
                result, images = result_of(entry)
                self.talk.tool_result(result, at, images)

    def take_message(self, message: Record) -> None:
        """Take a message as the model got it."""
        role = message.get("role")
        if role == "user":
            self.talk.prompt(trimmed(_text(message.get("content"))), None)
        elif role == "assistant":
            self.talk.answer(_text(message.get("content")), None)
            for call in map(as_dict, as_list(message.get("tool_calls"))):
                function = as_dict(call.get("function"))
                arguments = parse_json(as_text(function.get("arguments")).encode("utf-8", "replace"))
                self._take_call(as_text(call.get("id")), as_text(function.get("name")), arguments, None)
        elif role == "tool":
            self.talk.tool_result(_text(message.get("content")), None)

    def _take_call(self, key: str, name: str, arguments: object, at: str | None) -> None:
        if not key or key not in self._calls:
            self._calls.add(key)
            self.talk.tool_call(name, arguments, at)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(as_text(part.get("text")) for part in map(as_dict, as_list(content)))
