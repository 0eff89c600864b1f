"""Runtimes that the user describes: folders of JSON lines or of Markdown, and what stands where in them."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatch
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

import orjson

from nlm_tui.core import one_line, strip_control
from nlm_tui.ingest.ports import Reader, Source, Transcript, TranscriptError
from nlm_tui.runtimes.conversation import Conversation, epoch_ns, image_at, image_mark
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
)
from nlm_tui.runtimes.pieces import Part, Piece, Pieces, following
from nlm_tui.runtimes.splitting import Splitter
from nlm_tui.settings import GenericSettings, JsonlFields, MarkdownTurns

_TOOL_ROLES = ("tool", "function")
_OTHER_ROLES = ("system", "developer", "")
_TEXTS = ("text", "input_text", "output_text")
_IMAGES = ("image", "image_url", "input_image")
_LONGEST_NAME = 200  # characters of what tells sessions apart
_UNNAMED = "unnamed"  # what stands in a file before the first name
_MOST_ROLES = 8  # that a message may repeat
_FENCE = re.compile(r" {0,3}(```+|~~~+)(.*)")


def generic_reader(settings: GenericSettings) -> Reader:
    """Return a reader of what `settings` describe."""
    if isinstance(settings.form, MarkdownTurns):
        return MarkdownReader(settings, settings.form)
    return JsonlReader(settings, settings.form)


class _FilesReader:
    """Finds the files of a runtime by their names."""

    def __init__(self, settings: GenericSettings) -> None:
        self.runtime: str = settings.name
        self.roots: Sequence[Path] = settings.roots
        self._files = settings.files

    def discover(self) -> Iterator[Source]:
        """Yield the files below the roots whose names fit."""
        for root in self.roots:
            yield from _below(root, self._files)

    def _transcript(self, source: Source, kind: str) -> Transcript:
        """Return a transcript to be completed: its id is of the place of its file, and of its name in it."""
        native_id = one_line(source.part) or one_line(source.path.stem)
        place = f"{os.path.realpath(source.path)}#{source.part}".encode("utf-8", "replace")
        return Transcript(
            session_id=f"generic_{self.runtime}_{hashlib.blake2b(place, digest_size=8).hexdigest()}",
            runtime=self.runtime,
            native_id=native_id,
            kind=kind,
            messages=(),
        )


def _below(folder: Path, pattern: str) -> Iterator[Source]:
    for entry in entries(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from _below(Path(entry.path), pattern)
        elif fnmatch(entry.name, pattern):
            yield from as_source(entry)


class JsonlReader(_FilesReader):
    """Reads files of JSON lines: each is a session, or holds those that a field tells apart."""

    def __init__(self, settings: GenericSettings, fields: JsonlFields) -> None:
        super().__init__(settings)
        self._fields = fields
        self._roles = _roles(fields)
        self._splitter = Splitter(self._split)

    def parts(self, source: Source) -> Iterator[Source]:
        """Yield the sessions in a file, or the file itself where it names none or nobody says anything."""
        spoken: dict[str, Part] = {}
        if self._fields.session:
            spoken = {name: part for name, part in self._splitter.parts(source.path).items() if part.speaks}
        if spoken.keys() <= {_UNNAMED}:
            yield source
            return
        for name, part in spoken.items():
            written = part.written or source.mtime_ns
            yield Source(source.path, part.size, written, part.digest.hexdigest(), name, source.file)

    def read(self, source: Source) -> Transcript | None:
        """Read a session; None if nobody said anything in it."""
        talk = _Talk(self._fields)
        part = self._splitter.parts(source.path).get(source.part) if source.part else None
        if source.part and part is None:
            raise TranscriptError("the session is no longer in the file")
        with source.path.open("rb", buffering=READ_BUFFER) as file:
            lines = JsonLines(BufferedReader(Pieces(file, part.pieces), READ_BUFFER) if part else file)
            name = ""
            for record in lines:
                name = self._session(record) or name
                if not part or name in {"", source.part}:
                    talk.take(record)
        told = talk.complete(self._transcript(source, "jsonl"), lines)
        if told and part and told.bad_line:
            return replace(told, bad_line=part.line_of(told.bad_line))
        return told

    def _session(self, record: Record) -> str:
        """Return the name of the session that a record names."""
        return _word(_value(record, self._fields.session))[:_LONGEST_NAME]

    def _split(self, file: BinaryIO) -> dict[str, Part]:
        """Return the sessions of a file by name. Records that name none are of the one before."""
        parts: dict[str, Part] = {}
        name, piece = _UNNAMED, Piece(0, 0, 1, 0)
        lines = JsonLines(file)
        for record in lines:
            if (here := file.tell()) > piece.end:
                piece = following(piece, here, lines.lines)
            name = self._session(record) or name
            part = parts.setdefault(name, Part())
            part.add(piece)
            part.speaks = part.speaks or self._speaks(record)
            part.digest.update(orjson.dumps(record))
            part.written = max(part.written, epoch_ns(_value(record, self._fields.time)))
        if name in parts:
            parts[name].add(following(piece, file.tell(), lines.lines))
        return parts

    def _speaks(self, record: Record) -> bool:
        """Return whether a record says something, or is of a role that nobody knows."""
        role = _role(record, self._fields)
        if role not in self._roles:
            return role not in _OTHER_ROLES
        content = _value(record, self._fields.text)
        return bool(_text(content).strip() or _images(content))


class _Talk:
    """What is said in the records of a session."""

    def __init__(self, fields: JsonlFields) -> None:
        self._fields = fields
        self._roles = _roles(fields)
        self._talk = Conversation()
        self._title = self._cwd = ""
        self._local_times: tuple[str, ...] = ()  # the first and the last
        self._seen: dict[str, None] = {}  # the first roles, in the order in which they came

    def take(self, record: Record) -> None:
        """Take the next record."""
        at = self._time(_value(record, self._fields.time))
        self._title = as_text(_value(record, self._fields.title)) or self._title
        self._cwd = self._cwd or as_text(_value(record, self._fields.cwd))
        role = _role(record, self._fields)
        if len(self._seen) < _MOST_ROLES:
            self._seen.setdefault(role)
        content = _value(record, self._fields.text)
        speaker = self._roles.get(role)
        if speaker == "user":
            self._talk.prompt(_text(content), at, _images(content))
        elif speaker == "assistant":
            self._talk.answer(_text(content), at)
        elif speaker == "tool":
            self._talk.tool_result(_text(content), at, _images(content))

    def complete(self, transcript: Transcript, lines: JsonLines) -> Transcript | None:
        """Return the transcript, None where nobody said anything.

        Raises:
            TranscriptError: the fields, or the roles, are not those of the settings.
        """
        if not self._talk.messages:
            self._require_known_roles(lines)
            return None
        return self._talk.complete(
            replace(
                transcript,
                title=one_line(self._title) or None,
                project=strip_control(self._cwd) or None,
                local_start=min(self._local_times, default=None),
                local_end=max(self._local_times, default=None),
                bad_lines=lines.bad_lines,
                bad_line=lines.bad_line,
                truncated_tail=lines.truncated_tail,
            )
        )

    def _require_known_roles(self, lines: JsonLines) -> None:
        unknown = [one_line(role) for role in self._seen if role not in {*self._roles, *_OTHER_ROLES}]
        if unknown:
            known = ", ".join((*self._fields.user_roles, *self._fields.assistant_roles))
            raise TranscriptError(f"the settings know the roles {known}, but in it are {', '.join(unknown)}")
        if not any(self._seen) and (self._seen or lines.bad_lines):
            raise TranscriptError(f"no record in it has the field {' or '.join(self._fields.role)}")

    def _time(self, value: object) -> str | None:
        """Return a record's time; one that names no zone is kept apart."""
        if isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value)
            except ValueError:
                return None
            if moment.tzinfo is None:
                times = (*self._local_times, moment.isoformat())
                self._local_times = (min(times), max(times))
                return None
        return self._talk.see_time(value)


def _roles(fields: JsonlFields) -> dict[str, str]:
    """Return whose each known role is."""
    roles = dict.fromkeys(_TOOL_ROLES, "tool")
    roles |= {role.casefold(): "user" for role in fields.user_roles}
    return roles | {role.casefold(): "assistant" for role in fields.assistant_roles}


def _role(record: Record, fields: JsonlFields) -> str:
    return _word(_value(record, fields.role)).casefold()


def _value(record: Record, fields: Iterable[str]) -> object:
    """Return the value of the first of the fields, names with dots, that the record has; None if it has none."""
    for name in fields:
        *outer, last = name.split(".")
        inner = record
        for step in outer:
            inner = as_dict(inner.get(step))
        if (value := inner.get(last)) is not None:
            return value
    return None


def _word(value: object) -> str:
    """Return a value that tells one thing from another as text."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int) else ""


def _blocks(content: object) -> Iterator[Record]:
    """Yield the blocks of content: it may be a text, a block, or a list of both."""
    for block in as_list(content) or [content]:
        yield {"text": block} if isinstance(block, str) else as_dict(block)


def _text(content: object) -> str:
    texts = [as_text(block.get("text")) for block in _blocks(content) if block.get("type", "text") in _TEXTS]
    return "\n\n".join(filter(None, texts))


def _images(content: object) -> list[str]:
    return [_image(block) for block in _blocks(content) if block.get("type") in _IMAGES]


def _image(block: Record) -> str:
    named = block.get("image_url")
    if address := as_text(named) or as_text(as_dict(named).get("url")):
        return image_at(address)
    source = as_dict(block.get("source"))
    return image_mark(as_text(source.get("media_type")), len(as_text(source.get("data"))))


class MarkdownReader(_FilesReader):
    """Reads Markdown files, each a session: lines that begin in a certain way begin a turn.

    What stands before the first of them is left out, but for a heading, which is the title.
    """

    def __init__(self, settings: GenericSettings, turns: MarkdownTurns) -> None:
        super().__init__(settings)
        speakers = [*((words, "user") for words in turns.user), *((words, "assistant") for words in turns.assistant)]
        self._turns = sorted(((words.strip(), role) for words, role in speakers), key=lambda turn: -len(turn[0]))

    def read(self, source: Source) -> Transcript | None:
        """Read a file; None for a blank one.

        Raises:
            TranscriptError: there is text, but nobody's turn.
        """
        with source.path.open("rb") as file:
            text = file.read(LINE_LIMIT).decode("utf-8-sig", "replace")
        lines = [line.removesuffix("\r") for line in text.split("\n")]
        talk = Conversation()
        title, role, block = "", "", list[str]()
        for line, is_code in zip(lines, _in_code(lines), strict=True):
            turn = None if is_code else self._turn(line)
            if turn:
                _say(talk, role, block)
                role, rest = turn
                block = [rest]
            else:
                block.append(line)
            if not role and not title and line.startswith("# "):
                title = one_line(line[2:])
        _say(talk, role, block)
        if not role and text.strip():
            beginnings = " or ".join(f'"{words}"' for words, _ in self._turns)
            raise TranscriptError(f"no line in it begins with {beginnings}")
        if not talk.messages:
            return None
        return talk.complete(replace(self._transcript(source, "markdown"), title=title or None))

    def _turn(self, line: str) -> tuple[str, str] | None:
        """Return whose turn a line begins, and what follows on it; behind a heading nothing does."""
        for words, role in self._turns:
            beginning, rest = line[: len(words)], line[len(words) :]
            if beginning.casefold() == words.casefold() and not (words[-1].isalnum() and rest[:1].isalnum()):
                return role, "" if words.startswith("#") else rest.strip()
        return None


def _say(talk: Conversation, role: str, block: list[str]) -> None:
    text = "\n".join(block)
    if role == "user":
        talk.prompt(text, None)
    elif role == "assistant":
        talk.answer(text, None)


def _in_code(lines: Sequence[str]) -> list[bool]:
    """Return of each line whether it is within fences; one that does not end is none."""
    fenced = [False] * len(lines)
    start, mark = 0, ""
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if not fence:
            continue
        if not mark:
            start, mark = number, fence[1]
        elif fence[1].startswith(mark) and not fence[2].strip():
            fenced[start : number + 1] = [True] * (number + 1 - start)
            mark = ""
    return fenced
