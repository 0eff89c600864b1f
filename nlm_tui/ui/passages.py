"""Where a passage of a session stands among the lines that show it."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from nlm_tui.core import one_line
from nlm_tui.core.secrets import mask
from nlm_tui.display.document import Kind, Line

_SAID = frozenset({Kind.TITLE, Kind.TEXT, Kind.STRUCK, Kind.FENCE, Kind.CODE, Kind.TOOL, Kind.NOTE})
_LIST_MARKS = ("* ", "? ", "x ")
_TELLING = 16  # characters of a line that tell it from others


class Spot(NamedTuple):
    """A character of a line."""

    line: int
    character: int


class Quoted(NamedTuple):
    """Where a message begins, and the first and the last character of what is quoted of it, where that is there."""

    line: int
    words: tuple[Spot, Spot] | None


def is_said(line: Line) -> bool:
    """Return whether a line is text of the session, not something that the screen says about it."""
    return line.kind in _SAID and bool(line.text)


def find_quote(lines: Sequence[Line], quote: str) -> tuple[Spot, Spot] | None:
    """Return where a text stands that may be masked among `lines`, as `find_passage` does."""
    return find_passage(lines, quote) or find_passage(lines, mask(quote))


def find_passage(lines: Sequence[Line], passage: str) -> tuple[Spot, Spot] | None:
    """Return the first and the last character of `passage`; None where it is not among `lines`.

    Blanks do not count, since lines are indented and messages stand apart. Of a passage that is not there as a whole,
    the first of its longer lines that is there counts.
    """
    wanted = [_squeezed(part) for part in passage.split("\n")]
    if not any(wanted):
        return None
    texts = [_squeezed(own_text(line)) if is_said(line) else "" for line in lines]
    ends = list(accumulate(map(len, texts)))
    said = "".join(texts)
    for part in ("".join(wanted), *(one for one in wanted if len(one) >= _TELLING)):
        start = said.find(part)
        if start >= 0:
            return _spot(lines, ends, start), _spot(lines, ends, start + len(part) - 1)
    return None


def _spot(lines: Sequence[Line], ends: list[int], place: int) -> Spot:
    """Return the character that is number `place` of those that are no blanks."""
    number = bisect_right(ends, place)
    skipped = place - (ends[number - 1] if number else 0)
    line = lines[number]
    first = len(line.text) - len(own_text(line))
    solid = (at for at in range(first, len(line.text)) if not line.text[at].isspace())
    for _ in range(skipped):
        next(solid)
    return Spot(number, next(solid))


def find_marker(lines: Sequence[Line], marker: str) -> int | None:
    """Return the line of a decision or an open question; of a closed one, with its answer."""
    wanted = {one_line(marker), mask(one_line(marker))}
    for number, line in enumerate(lines):
        if line.kind is Kind.PROMPT or line.kind is Kind.SPEAKER:
            break  # markers stand before the conversation
        if line.indent == 2 and (text := own_text(line)) != line.text and text.partition(" -> ")[0] in wanted:
            return number
    return None


def own_text(line: Line) -> str:
    """Return the text of a line without the mark that makes it an item of a list."""
    return line.text[line.indent :] if line.indent == 2 and line.text.startswith(_LIST_MARKS) else line.text


def _squeezed(text: str) -> str:
    return "".join(text.split())
