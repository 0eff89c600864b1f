"""What every reader builds: the messages of one conversation, within a cap, and what was counted on the way."""

import dataclasses
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta

from nlm_tui.core import MESSAGE_GAP, Message, one_line, strip_control
from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.asking import SHOWN_LIMIT, is_users_answer, shown_to_user
from nlm_tui.runtimes.jsonl import as_dict, as_list

TEXT_LIMIT = 2_000_000
"""Characters that one conversation may have; what is left out of its middle stays in the transcript."""

TAIL_LIMIT = 600_000
"""Characters of these that are for the end of a conversation, with its decisions and its last answer."""

MESSAGE_LIMIT = 200_000
"""Characters that one message may have, so that a pasted file does not push out the answer to it."""

TOOL_LINE = 200
COMMIT_LINE = 1000
TOOL_OUTPUT = 300

_GAP = len(MESSAGE_GAP)
_EPOCH = datetime.fromtimestamp(0, UTC)
_MOST_TOKENS = 1_000_000_000  # of one answer; more is an error of the runtime
_PLAIN = bytes(range(0x20, 0x7F)) + b"\n\t"
_TELLING = ("command", "cmd", "file_path", "path", "notebook_path", "pattern", "query", "url", "skill", "description")


class Conversation:
    """Collects messages in the order of the transcript, each under its number from 0.

    Past the cap the messages in the middle are left out, the oldest behind the beginning first. Numbers and counts go
    on over all of them.
    """

    def __init__(self, limit: int = TEXT_LIMIT, tail: int = TAIL_LIMIT) -> None:
        self.total = 0
        self.prompts = 0
        self.answers = 0
        self.tool_calls = 0
        self.tool_results = 0
        self.images = 0
        self.summaries = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.messages: dict[int, Message] = {}
        self.started_at: str | None = None
        self.ended_at: str | None = None
        self._room = limit
        self._reserved = tail  # until the tail begins
        self._middle = self._tail = 0  # the first message behind the beginning, the first of the tail
        self._left_out = 0

    def see_time(self, value: object) -> str | None:
        """Return a record's time in our form, and let the conversation span it."""
        at = utc_time(value)
        if at is None:
            return None
        if self.started_at is None or self.ended_at is None:
            self.started_at = self.ended_at = at
        elif at > self.ended_at:
            self.ended_at = at
        elif at < self.started_at:
            self.started_at = at
        return at

    def prompt(self, text: str, at: str | None, images: Sequence[str] = ()) -> bool:
        """Add what a person typed, images behind the text; False if there is nothing in it."""
        if images:
            text = "\n".join((text, *images))
            self.images += len(images)
        added = self._add("user", text, at)
        self.prompts += added
        return added

    def answer(self, text: str, at: str | None) -> bool:
        """Add what the agent said; False if there is nothing in it."""
        added = self._add("assistant", text, at)
        self.answers += added
        return added

    def tool_call(self, name: str, arguments: object, at: str | None) -> None:
        """Add a call: the tool and its most telling argument on one line, or the plan, tasks or questions it shows."""
        self.tool_calls += 1
        shown = shown_to_user(arguments)
        line = tool_line(name, {} if shown else arguments)
        self._keep("tool", f"{line}\n{_clean(shown)}" if shown else line, at)

    def tool_result(self, text: str, at: str | None, images: Sequence[str] = ()) -> None:
        """Add the beginning of a tool's output."""
        self.tool_results += 1
        text = _clean(text[:SHOWN_LIMIT]) if is_users_answer(text) else beginning(text)
        if images:
            text = "\n".join((text, *images)).lstrip()
            self.images += len(images)
        if text:
            self._keep("output", text, at)

    def command(self, text: str, at: str | None) -> None:
        """Add a slash command."""
        self._add("command", one_line(text), at)

    def summary(self, text: str, at: str | None) -> None:
        """Add the summary of a compacted history; one without a text counts too."""
        self.summaries += 1
        self._add("summary", text, at)

    def rewrite(self, number: int, text: str) -> None:
        """Give a message another text, if it is not left out."""
        if old := self.messages.get(number):
            text = _clean(_shortened(text))
            self._room -= len(text) - len(old.text)
            self.messages[number] = old._replace(text=text)
            if self._room < 0:
                self._make_room()

    def withdraw(self, numbers: Iterable[int]) -> None:
        """Mark messages that a rewind or rollback took back."""
        for number in numbers:
            if message := self.messages.get(number):
                self.messages[number] = message._replace(withdrawn=True)

    def inherit(self, numbers: Iterable[int]) -> None:
        """Mark messages that were copied from another session."""
        for number in numbers:
            if message := self.messages.get(number):
                self.messages[number] = message._replace(inherited=True)

    def use_tokens(self, read: object, written: object) -> None:
        """Count what a model read and wrote, if these are numbers."""
        self.input_tokens += _count(read)
        self.output_tokens += _count(written)

    def append(self, other: "Conversation") -> None:
        """Add what another conversation holds behind what is here; times are as they were seen."""
        for message in other.messages.values():
            self._keep(message.role, message.text, message.at)
        self.prompts += other.prompts
        self.answers += other.answers
        self.tool_calls += other.tool_calls
        self.tool_results += other.tool_results
        self.images += other.images
        self.summaries += other.summaries
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens

    def drop_prompts(self, numbers: Collection[int], images: int) -> None:
        """Take out prompts that turned out to be none, and the number of images they had."""
        for number in numbers:
            self.messages.pop(number, None)
        self.prompts -= len(numbers)
        self.images -= images

    def complete(self, transcript: Transcript) -> Transcript:
        """Return `transcript` with the messages, counts and times collected here."""
        messages = tuple(self.messages.values())
        if missing := self._tail - self._middle:
            note = (
                f"… {self._left_out:,} characters of {missing:,} message{'s' if missing > 1 else ''} in the middle"
                " are left out here; the transcript itself has them"
            )
            head = sum(number < self._middle for number in self.messages)
            messages = (*messages[:head], Message("note", note), *messages[head:])
        return dataclasses.replace(
            transcript,
            messages=messages,
            started_at=self.started_at,
            ended_at=self.ended_at,
            prompts=self.prompts,
            answers=self.answers,
            tool_calls=self.tool_calls,
            tool_results=self.tool_results,
            images=self.images,
            summaries=self.summaries,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
        )

    def _add(self, role: str, text: str, at: str | None) -> bool:
        """Clean a message and keep it; False if there is nothing in it."""
        text = _clean(_shortened(text))
        if not text:
            return False
        self._keep(role, text, at)
        return True

    def _keep(self, role: str, text: str, at: str | None) -> None:
        """Keep a message that is clean."""
        self.messages[self.total] = Message(role, text, at)
        self.total += 1
        self._room -= len(text) + _GAP
        if self._room < self._reserved:
            self._make_room()

    def _make_room(self) -> None:
        """Begin the tail with the latest message, or let its oldest ones go."""
        if self._reserved:
            self._reserved = 0
            self._middle = self._tail = self.total - 1
        while self._room < 0 and self._tail < self.total:
            if message := self.messages.pop(self._tail, None):
                self._room += len(message.text) + _GAP
                self._left_out += len(message.text)
            self._tail += 1


def utc_time(value: object) -> str | None:
    """Return a time as `YYYY-MM-DDTHH:MM:SS.mmmZ`, and None for what is none.

    `value` is ISO 8601, in UTC where it names no zone, or a number: seconds, milliseconds or microseconds since 1970.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _epoch_time(value)
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        if len(value) == 24 and value[7] == "-" and value[10] == "T" and value[19] == "." and value[23] == "Z":
            return value
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def epoch_ns(value: object) -> int:
    """Return a time, in a form that `utc_time` takes, in nanoseconds since 1970.

    What is none is 0, and so is what no file could have: what is before 1970, or does not fit in 63 bits.
    """
    at = utc_time(value)
    if at is None:
        return 0
    since = (datetime.fromisoformat(at) - _EPOCH) // timedelta(microseconds=1) * 1000
    return since if 0 <= since < 1 << 63 else 0


def _epoch_time(number: float) -> str | None:
    for unit, least in ((1_000_000, 1e14), (1_000, 1e11), (1, 1e6)):  # less than two weeks is no date but a count
        if number >= least:
            try:
                moment = _EPOCH + timedelta(seconds=number / unit)
            except OverflowError:
                return None
            return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST_TOKENS else 0


def tool_line(name: str, arguments: object) -> str:
    """Return a tool call on one line, such as `Bash  pytest -q`."""
    if not name.isidentifier():
        name = one_line(name[:TOOL_LINE])
    telling = _telling(arguments)
    limit = COMMIT_LINE if "git commit" in telling[:COMMIT_LINE] else TOOL_LINE  # its message tells what was done
    line = f"{name}  {' '.join(_clean(telling[:limit]).split())}".strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"


def beginning(text: str) -> str:
    """Return the first lines of a tool's output, with a mark for the rest."""
    if len(text) <= TOOL_OUTPUT:
        return _clean(text)
    head = text[:TOOL_OUTPUT]
    if (end := head.rfind("\n")) > TOOL_OUTPUT // 2:
        head = head[:end]
    lines = text.count("\n") + (not text.endswith("\n")) - head.count("\n") - 1
    if lines > 0:
        return f"{_clean(head)}\n… {lines:,} more line{'s' if lines > 1 else ''}"
    return f"{_clean(head)}\n… {len(text) - len(head):,} more characters"


def image_mark(media_type: str, base64_length: int) -> str:
    """Return what stands for an image, such as `[image png, 12 kB]`."""
    kind = one_line(media_type[:40].rpartition("/")[2])
    size = base64_length * 3 // 4
    if not size:
        return f"[image {kind}]" if kind else "[image]"
    shown = f"{size} B" if size < 1000 else f"{size / 1000:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
    return f"[image {kind}, {shown}]" if kind else f"[image {shown}]"


def image_at(address: str) -> str:
    """Return what stands for the image that a `data:` address holds, or that a path or URL names."""
    if address.startswith("data:"):
        end = address.find(",", 0, 200) + 1
        return image_mark(address[5:end].partition(";")[0], len(address) - end)
    return image_mark(address.rpartition("/")[2], 0)


def _shortened(text: str) -> str:
    """Return a message of an acceptable length, with a word on what is missing."""
    if len(text) <= MESSAGE_LIMIT:
        return text
    return f"{text[:MESSAGE_LIMIT]}\n… {len(text) - MESSAGE_LIMIT:,} more characters of this message are left out here"


def _clean(text: str) -> str:
    """Return `text` without control characters; the quick test spares nearly all of it the slow one."""
    if not text.isascii() or text.encode().translate(None, _PLAIN):
        text = strip_control(text)
    return text.strip()


def _telling(arguments: object) -> str:
    """Return the argument that says most about a call."""
    if isinstance(arguments, str):
        return arguments
    named = as_dict(arguments)
    for key in _TELLING:
        value = named.get(key)
        if not value:
            continue
        if isinstance(value, str):
            return value
        if words := [word for word in as_list(value) if isinstance(word, str)]:
            return words[2] if len(words) == 3 and words[1] in {"-c", "-lc"} else " ".join(words)
    return next((value for value in named.values() if isinstance(value, str)), "")
