"""A session's lines wrapped to a width, and the places where the query matches, by words or by meaning."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from typing import NamedTuple

from nlm_tui.core import Matcher, Span
from nlm_tui.display.document import Kind, Line
from nlm_tui.ui.passages import find_passage
from nlm_tui.ui.wrap import wrap, wrap_items

_UNSEARCHED = frozenset({Kind.META, Kind.HEADING, Kind.SPEAKER})


class Row(NamedTuple):
    """A row of the screen: characters `start` to `end` of a line."""

    line: int
    start: int
    end: int


class Match(NamedTuple):
    """A place where the query matches: the row that it begins in, its line and its span there."""

    row: int
    line: int
    span: Span


class Marks(NamedTuple):
    """What to mark in a session: the words that were looked for, and the passage that is near to them in meaning.

    `leads` says that this passage comes before the words: they alone would not have found the session.
    """

    words: Matcher
    near: str = ""
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A session, wrapped. `spans` holds the matches of each line that has any.

    `near` are the rows of the passage that is near in meaning; number `near_match` of the matches is its beginning.
    """

    session_id: str
    marks: Marks
    width: int
    lines: tuple[Line, ...]
    rows: tuple[Row, ...]
    spans: dict[int, list[Span]]
    matches: tuple[Match, ...]
    near: range = range(0)
    near_match: int | None = None


def lay_out(session_id: str, lines: tuple[Line, ...], marks: Marks, width: int) -> Document:
    """Return the document that `lines` make at `width` cells, with the matches of `marks`."""
    rows: list[Row] = []
    first_rows: list[int] = []
    for number, line in enumerate(lines):
        first_rows.append(len(rows))
        text = line.text
        if len(text) <= width and text.isascii():
            rows.append(Row(number, 0, len(text)))
            continue
        fold = wrap_items if line.kind == Kind.META else wrap
        rows += [Row(number, start, end) for start, end in fold(text, max(width - line.indent, width // 2, 1))]

    def row_of(line: int, character: int) -> int:
        return bisect_right(rows, character, first_rows[line], key=_start_in(line)) - 1

    spans = _spans(lines, marks.words)
    matches = [
        Match(row_of(number, start), number, (start, end)) for number, found in spans.items() for start, end in found
    ]
    near, near_match = range(0), None
    if (passage := find_passage(lines, marks.near)) is not None:
        first, last = passage
        near = range(row_of(*first), row_of(*last) + 1)
        beginning = Match(near.start, first.line, (first.character, first.character))
        near_match = 0 if marks.leads else bisect_left(matches, beginning)
        matches.insert(near_match, beginning)
    return Document(session_id, marks, width, lines, tuple(rows), spans, tuple(matches), near, near_match)


def _spans(lines: tuple[Line, ...], words: Matcher) -> dict[int, list[Span]]:
    """Return the matches of each line that has any. All lines are searched at once: a session has up to 300,000."""
    texts = ["" if line.kind in _UNSEARCHED else line.text for line in lines]
    ends = list(accumulate(len(text) + 1 for text in texts))
    spans: dict[int, list[Span]] = {}
    for start, end in words.spans("\n".join(texts)):
        number = bisect_right(ends, start)
        begins = ends[number] - len(texts[number]) - 1
        # A compound such as `rate-limiter` may go on in the next line; what is marked ends with its own.
        spans.setdefault(number, []).append((start - begins, min(end - begins, len(texts[number]))))
    return spans


def _start_in(line: int) -> Callable[[Row], float]:
    """Return a key that orders rows by where they start in `line`; rows of later lines come after all."""
    return lambda row: row.start if row.line == line else inf
