"""Files of JSON lines as agents leave them: still being written, torn by crashes, padded with NUL bytes."""

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

import orjson

from nlm_tui.ingest.ports import Source, TranscriptError
from nlm_tui.ingest.unreadable import note
from nlm_tui.runtimes.long_lines import TEXT_LIMIT, LongLine

Record: TypeAlias = dict[str, object]

LINE_LIMIT = 128 * 1024 * 1024
"""A line that is longer, its longest texts shortened, is passed over: one record must not fill the memory."""

READ_BUFFER = 256 * 1024

_MOST_GLUED = 16  # each costs a look at the whole line
_BOM = b"\xef\xbb\xbf"
_BLANK = b"\x00 \t\r\n" + _BOM
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a surrogate pair: one character
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"  # half of one
    rb"|\\.",
    re.DOTALL,
)


class JsonLines:
    r"""The objects of a buffered JSON-lines file, in order; lines that hold none are counted and passed over.

    Lines end with `\n` only; two writers may leave several objects on one. `bad_line` is the number of the first bad
    one, from 1. `truncated_tail` tells that the last line is incomplete and has no newline: its writer is probably
    still at work. `lines` and their `size` in bytes go on with the reading, `complete` is the size of those that have
    their newline. All are final at the end.
    """

    def __init__(self, file: BinaryIO, limit: int = LINE_LIMIT, text_limit: int = TEXT_LIMIT) -> None:
        self.bad_lines = 0
        self.bad_line: int | None = None
        self.truncated_tail = False
        self.lines = self.size = self.complete = 0
        self._limit = limit
        self._text_limit = text_limit
        self._read = partial(file.readline, min(READ_BUFFER, limit))

    def __iter__(self) -> Iterator[Record]:
        while piece := self._read():
            self.lines += 1
            self.size += len(piece)
            line = piece if piece.endswith(b"\n") else self._long_line(piece)
            if line.endswith(b"\n"):
                self.complete = self.size
            value: object = ""
            if b"{" in line:  # else nothing has to be tried
                try:
                    value = orjson.loads(line)
                except orjson.JSONDecodeError:
                    value = parse_json(line)
            whole = isinstance(value, dict)
            if isinstance(value, dict):
                piece = line = b""  # while its record is looked at, a long one need not be held
                yield value
            elif value is None:
                records, whole = _glued(line)
                yield from records
            if not whole and line.strip(_BLANK):
                self.bad_lines += 1
                self.bad_line = self.bad_line or self.lines
                self.truncated_tail = not line.endswith(b"\n")

    def _long_line(self, piece: bytes) -> bytes | bytearray:
        """Return the line that begins with `piece`, or a stand-in for it that is no JSON either."""
        line = LongLine(self._text_limit)
        line.add(piece)
        while not piece.endswith(b"\n") and (piece := self._read()):
            self.size += len(piece)
            if len(line.kept) <= self._limit:  # beyond it the line is lost anyway and need not grow
                line.add(piece)
        return whole if len(whole := line.finish()) <= self._limit else b"?" + piece[-1:]


def take_records(path: Path, take: Callable[[Record], object]) -> JsonLines:
    """Let `take` have the records of a file, one after the other; return what is to say of its lines.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb", buffering=READ_BUFFER) as file:
        lines = JsonLines(file)
        for record in lines:
            take(record)
    return lines


def require_known(problem: str, *, known: bool | None, bad_lines: int) -> None:
    """Refuse a file in which nothing is `known`: not one in which there is nothing at all, then that is None.

    Raises:
        TranscriptError: with the `problem`.
    """
    if not known and (bad_lines or known is not None):
        raise TranscriptError(problem)


def read_document(path: Path) -> Record:
    """Return the object that a whole file is, an empty one for a blank file.

    Raises:
        TranscriptError: the file is too large, no JSON, or only partly written.
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        data = file.read(LINE_LIMIT + 1)
    if len(data) > LINE_LIMIT:
        raise TranscriptError(f"larger than {LINE_LIMIT >> 20} MB, the most that is read of a JSON file")
    if not data.strip(_BLANK):
        return {}
    document = parse_json(data)
    if document is None:
        raise TranscriptError("not JSON, or only partly written")
    return as_dict(document)


def parse_json(data: bytes | bytearray) -> object:
    """Return the value that `data` holds, None where it is unreadable even after repair.

    Repaired are NUL bytes, a byte order mark, bytes that are no UTF-8 and escapes of half a surrogate pair, so that
    every text in the value can be encoded again.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return orjson.loads(_repaired(data))
    except orjson.JSONDecodeError:
        return None


def entries(folder: str | Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder, nothing where it cannot be read, which is noted."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError as error:
        note(str(folder), error)
        return []


def as_source(entry: os.DirEntry[str], salt: str = "") -> Iterator[Source]:
    """Yield the entry as a source if it is a file that can be reached."""
    try:
        if not entry.is_file():
            return
        stat = entry.stat()
    except OSError:
        return
    file = (stat.st_dev, stat.st_ino) if stat.st_ino else None
    yield Source(Path(entry.path), stat.st_size, stat.st_mtime_ns, salt, file=file)


def file_source(path: Path) -> Iterator[Source]:
    """Yield what is at a path as a source if it is a file that can be reached."""
    try:
        stat = path.stat()
    except OSError:
        return
    if path.is_file():
        file = (stat.st_dev, stat.st_ino) if stat.st_ino else None
        yield Source(path, stat.st_size, stat.st_mtime_ns, file=file)


def as_dict(value: object) -> Record:
    """Return `value` if it is an object, else an empty one."""
    return cast("Record", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return `value` if it is a list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return `value` if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def _glued(line: bytes | bytearray) -> tuple[list[Record], bool]:
    """Return the objects that a line begins with, where others follow, and whether the line holds nothing else."""
    text = _repaired(line).decode().strip()
    records: list[Record] = []
    while text.startswith("{") and len(records) < _MOST_GLUED:
        try:
            end = len(text)
            record: object = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            end = error.pos
            record = parse_json(text[:end].encode()) if text.startswith("{", end) else None
        if record is None:
            return records, False
        records.append(as_dict(record))
        text = text[end:]
    return records, bool(records) and not text


def _repaired(data: bytes | bytearray) -> bytes:
    data = data.replace(b"\x00", b"").removeprefix(_BOM)
    valid = data.decode("utf-8", "replace").encode("utf-8")
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], valid)
