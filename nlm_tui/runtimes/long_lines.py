"""Lines of JSON that are too long to be held: of their longest texts only the beginning is kept."""

import re

TEXT_LIMIT = 8 * 1024 * 1024
"""Bytes of one text in a line, as it is written; what shows or searches it takes less."""

_QUOTE = re.compile(rb'\\.|(")', re.DOTALL)
_BACKSLASH = 0x5C
_LONGEST_ESCAPE = 6  # bytes, `\u00e9`


class LongLine:
    """Gathers a line piece by piece, texts cut to `limit` bytes. What was valid JSON stays so."""

    def __init__(self, limit: int = TEXT_LIMIT) -> None:
        self.kept = bytearray()
        self._limit = limit
        self._room = limit
        self._in_text = False
        self._held = b""  # the beginning of an escape that ends in the next piece

    def add(self, piece: bytes | bytearray) -> None:
        """Take the next piece of the line."""
        piece = self._held + piece
        end = len(piece) - _unfinished(piece)
        self._held = bytes(piece[end:])
        start = 0
        for quote in _QUOTE.finditer(piece, 0, end):
            if quote[1]:
                self._keep(piece, start, quote.start())
                start = quote.start()
                self._in_text = not self._in_text
                self._room = self._limit
        self._keep(piece, start, end)

    def finish(self) -> bytearray:
        """Return the line."""
        self.kept += self._held
        self._held = b""
        return self.kept

    def _keep(self, piece: bytes | bytearray, start: int, end: int) -> None:
        if self._in_text and end - start > self._room:
            end, self._room = _whole(piece, start, start + self._room), 0
        elif self._in_text:
            self._room -= end - start
        self.kept += memoryview(piece)[start:end]


def _unfinished(piece: bytes | bytearray) -> int:
    """Return how many bytes at the end of a piece are the beginning of an escape."""
    begun = piece.rfind(b"\\", max(len(piece) - _LONGEST_ESCAPE + 1, 0))
    if begun < 0:
        return 0
    if (begun - len(piece[:begun].rstrip(b"\\"))) % 2:
        return 0  # it is itself escaped
    length = len(piece) - begun
    return length if length == 1 or piece[begun + 1 : begun + 2] == b"u" else 0


def _whole(piece: bytes | bytearray, start: int, end: int) -> int:
    """Return where to cut a text that is to end at `end`, so that no character and no escape is cut in two."""
    escape = piece.rfind(b"\\", max(start, end - _LONGEST_ESCAPE), end)
    if escape >= 0:
        while escape > start and piece[escape - 1] == _BACKSLASH:
            escape -= 1
        return escape
    while end > start and piece[end] & 0xC0 == 0x80:
        end -= 1
    return end
