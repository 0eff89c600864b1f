"""Looks of code by its language, worked out in a thread for the blocks that come into view, within bounds."""

from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, islice
from typing import Any

from nlm_tui.display.markdown import Look, Piece

LONGEST_BLOCK = 2_000  # lines; a longer one is shown plain
_MOST_CHARACTERS = 60_000
_LONGEST_LINE = 2_000  # data, not code; and patterns of lexers are not made for it
_MOST_TOKENS = 30_000
_KEPT_LINES = 20_000

Looks = Sequence[Sequence[Piece]]


def code_looks(lines: Sequence[str], language: str) -> Looks:
    """Return for each line of a block the parts that look unlike the rest; none where the language is not known."""
    text = "\n".join(lines)
    if not language or len(text) > _MOST_CHARACTERS or max(map(len, lines), default=0) > _LONGEST_LINE:
        return ()
    # Loads slowly, and many sessions hold no code.
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415 # pyright: ignore[reportUnknownVariableType]
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return ()
    ends = list(accumulate(len(line) + 1 for line in lines))
    looks: list[list[Piece]] = [[] for _ in lines]
    number = 0
    for start, kind, value in islice(lexer.get_tokens_unprocessed(text + "\n"), _MOST_TOKENS):
        while number < len(lines) and ends[number] <= start:
            number += 1
        look, at, end = _look(kind), number, start + len(value)
        while look is not None and at < len(lines):
            begins = ends[at] - len(lines[at]) - 1
            _add(looks[at], lines[at], Piece(max(start - begins, 0), min(end - begins, len(lines[at])), look))
            if end <= ends[at]:
                break
            at += 1
    return looks


def _add(pieces: list[Piece], line: str, piece: Piece) -> None:
    """Add a piece to those of its line; it goes on with the one before where only blanks stand between them."""
    if piece.start >= piece.end:
        return
    if pieces and pieces[-1].look is piece.look and not line[pieces[-1].end : piece.start].strip():
        pieces[-1] = pieces[-1]._replace(end=piece.end)
    else:
        pieces.append(piece)


@cache
def _look(kind: Any) -> Look | None:  # noqa: ANN401 - its type is private to pygments
    from pygments.token import Comment, Generic, Keyword, Name, String  # noqa: PLC0415 - as above

    if kind in Comment or kind in Generic.Deleted:
        return Look.COMMENT
    if kind in String or kind in Generic.Inserted:
        return Look.STRING
    if kind in Keyword or kind in Name.Tag or kind in Generic.Heading or kind in Generic.Subheading:
        return Look.KEYWORD
    return None


class KnownLooks:
    """The looks of blocks that were in view lately."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, Looks] = OrderedDict()
        self._lines = 0

    def get(self, first: int) -> Looks | None:
        """Return the looks of the block that begins in line `first`; None while they are not known."""
        if first in self._blocks:
            self._blocks.move_to_end(first)
        return self._blocks.get(first)

    def put(self, first: int, looks: Looks) -> None:
        """Keep the looks of a block, and let go of those that were not looked at for the longest time."""
        self._lines += len(looks) - len(self._blocks.pop(first, ()))
        self._blocks[first] = looks
        while self._lines > _KEPT_LINES and len(self._blocks) > 1:
            self._lines -= len(self._blocks.popitem(last=False)[1])

    def clear(self) -> None:
        """Know nothing any more."""
        self._blocks.clear()
        self._lines = 0
