"""Files of JSON lines that are appended to: read once, and then only what was added."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from nlm_tui.ingest.ports import Source, Transcript
from nlm_tui.runtimes.jsonl import READ_BUFFER, JsonLines, Record

_SAMPLE = 4096
_BLANK = b"\x00 \t\r\n"


class LineCounts(Protocol):
    """What a transcript says of the lines it was read from, as `JsonLines` counts them."""

    bad_lines: int
    bad_line: int | None
    truncated_tail: bool


class Told(Protocol):
    """What the records of one file tell, taken one by one."""

    def take(self, record: Record, /) -> None:
        """Take the next record."""
        ...

    def transcript(self, lines: LineCounts, /) -> Transcript | None:
        """Return what was told so far, None for no conversation. More may be taken afterwards.

        Raises:
            TranscriptError: the file is no transcript.
        """
        ...


class GrowingLines:
    """The objects of a JSON-lines file that grows, each of them once; counts are those of `JsonLines` over all of it.

    An incomplete last line is read again from its start, once there is more of it; the whole file is, where something
    of that line was taken and it then goes on.
    """

    def __init__(self, path: Path) -> None:
        self.bad_lines = 0
        self.bad_line: int | None = None
        self.truncated_tail = False
        self._path = path
        self._file: tuple[int, int] | None = None
        self._head = self._tail = b""  # the beginning, and what stands before the offset
        self._size = self._offset = 0  # bytes that were seen, and where to go on
        self._lines = 0  # before the offset
        self._is_inside = False  # what is before the offset does not end with a newline

    def read(self, take: Callable[[Record], None]) -> bool:
        """Let `take` have what was added. False, and nothing taken, if the file is not the one read so far.

        Raises:
            OSError: the file cannot be read.
        """
        with self._path.open("rb", buffering=READ_BUFFER) as file:
            if not self._is_same(file):
                return False
            if self._is_inside:
                rest = file.readline(_SAMPLE)
                if not rest:
                    return True
                if self.truncated_tail or rest.strip(_BLANK) or not rest.endswith(b"\n"):
                    return False
                self._offset += len(rest)
            lines = JsonLines(file)
            last = 0
            for record in lines:
                last = lines.lines
                take(record)
            self._note(lines, is_last_taken=last == lines.lines)
            self._sample(file)
        return True

    def _is_same(self, file: BinaryIO) -> bool:
        stat = os.fstat(file.fileno())
        identity = (stat.st_dev, stat.st_ino)
        if identity != (self._file or identity) or stat.st_size < self._size:
            return False
        self._file = identity
        if file.read(len(self._head)) != self._head:
            return False
        file.seek(self._offset - len(self._tail))
        return file.read(len(self._tail)) == self._tail

    def _note(self, lines: JsonLines, *, is_last_taken: bool) -> None:
        known_bad = self.bad_lines - self.truncated_tail
        first = self.bad_line if known_bad else None
        self.bad_line = first or (lines.bad_line and self._lines + lines.bad_line)
        self.bad_lines = known_bad + lines.bad_lines
        self.truncated_tail = lines.truncated_tail
        self._size = self._offset + lines.size
        self._is_inside = lines.complete < lines.size and (is_last_taken or not lines.truncated_tail)
        is_read_again = lines.truncated_tail and not is_last_taken
        self._lines += lines.lines - is_read_again
        self._offset += lines.complete if is_read_again else lines.size

    def _sample(self, file: BinaryIO) -> None:
        file.seek(0)
        self._head = file.read(min(_SAMPLE, self._offset))
        file.seek(self._offset - len(self._head))
        self._tail = file.read(len(self._head))


class GrowingFile:
    """The state of reading one file (a `Reading`): its lines, and what they told."""

    def __init__(self, source: Source, told: Told, *, grows: bool = True) -> None:
        """Read what there is. One that not `grows` is to be read from its beginning once there is more.

        Raises:
            OSError: the file cannot be read.
        """
        self._grows = grows
        self._salt = source.salt
        self._told = told
        self._lines = GrowingLines(source.path)
        self._lines.read(told.take)

    def grow(self, source: Source) -> bool:
        """Read what was added; False for a file that was rewritten, which is to be read from its beginning.

        Raises:
            OSError: the file cannot be read.
        """
        return self._grows and source.salt == self._salt and self._lines.read(self._told.take)

    def transcript(self) -> Transcript | None:
        """Return what was read so far, None for no conversation.

        Raises:
            TranscriptError: the file is no transcript.
        """
        return self._told.transcript(self._lines)


class Closed:
    """A `Reading` of a file that is read as a whole: from its beginning, whenever it changes."""

    def __init__(self, transcript: Transcript | None) -> None:
        self._transcript = transcript

    def grow(self, source: Source) -> bool:  # noqa: ARG002 - as any Reading has it
        """Return False: what the file is now is not known."""
        return False

    def transcript(self) -> Transcript | None:
        """Return what was read, None for no conversation."""
        return self._transcript
