"""Sessions that share a file of lines: which of these are whose."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from io import RawIOBase
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class Piece(NamedTuple):
    """Lines that follow each other in a file: where they begin and end, the number of the first, and how many."""

    start: int
    end: int
    line: int
    lines: int


@dataclass(slots=True)
class Part:
    """A session in a file: the pieces that are its lines, when it was written to last, a digest of its records.

    `speaks` tells that somebody says something in it, or that the settings do not know who.
    """

    pieces: list[Piece] = field(default_factory=list[Piece])
    written: int = 0
    speaks: bool = False
    digest: hashlib.blake2b = field(default_factory=partial(hashlib.blake2b, digest_size=16))

    @property
    def size(self) -> int:
        """Bytes that it has."""
        return sum(piece.end - piece.start for piece in self.pieces)

    def add(self, piece: Piece) -> None:
        """Add lines, the last of which may hold several records."""
        if self.pieces and self.pieces[-1].end >= piece.start:
            before = self.pieces.pop()
            piece = Piece(before.start, piece.end, before.line, piece.line + piece.lines - before.line)
        self.pieces.append(piece)

    def line_of(self, number: int) -> int:
        """Return the number in the file of one of its lines; both count from 1."""
        for piece in self.pieces:
            if number <= piece.lines:
                return piece.line + number - 1
            number -= piece.lines
        return number


def following(piece: Piece, end: int, last: int) -> Piece:
    """Return the lines behind a piece, up to the one with the number `last`, which ends at `end`."""
    line = piece.line + piece.lines
    return Piece(piece.end, end, line, last - line + 1)


class Pieces(RawIOBase):
    """Pieces of a file, one after the other."""

    def __init__(self, file: BinaryIO, pieces: Iterable[Piece]) -> None:
        self._file = file
        self._pieces = [(piece.start, piece.end) for piece in pieces if piece.start < piece.end][::-1]

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill the buffer, or some of it; 0 at the end."""
        if not self._pieces:
            return 0
        room = memoryview(buffer)
        start, end = self._pieces.pop()
        self._file.seek(start)
        data = self._file.read(min(end - start, len(room)))
        if start + len(data) < end:
            self._pieces.append((start + len(data), end))
        room[: len(data)] = data
        return len(data)
