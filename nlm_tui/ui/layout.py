"""A session's lines wrapped to a width, and the places where the query matches."""

from bisect import bisect_right
from dataclasses import dataclass

from nlm_tui.core import Matcher, Span
from nlm_tui.display.document import Kind, Line
from nlm_tui.ui.wrap import wrap, wrap_items

_UNSEARCHED = frozenset({Kind.META, Kind.HEADING, Kind.SPEAKER})


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the screen: characters `start` to `end` of a line."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Match:
    """A place where the query matches: the row that it begins in, its line and its span there."""

    row: int
    line: int
    span: Span


@dataclass(frozen=True, slots=True)
class Document:
    """A session, wrapped. `spans` holds the matches of each line that has any."""

    session_id: str
    words: Matcher
    width: int
    lines: tuple[Line, ...]
    rows: tuple[Row, ...]
    spans: dict[int, list[Span]]
    matches: tuple[Match, ...]


def lay_out(session_id: str, lines: tuple[Line, ...], words: Matcher, width: int) -> Document:
    """Return the document that `lines` make at `width` cells, with the matches of `words`."""
    rows: list[Row] = []
    spans: dict[int, list[Span]] = {}
    matches: list[Match] = []
    for number, line in enumerate(lines):
        first = len(rows)
        fold = wrap_items if line.kind == Kind.META else wrap
        pieces = fold(line.text, width - line.indent if line.indent < width else width)
        rows += [Row(number, start, end) for start, end in pieces]
        found = words.spans(line.text) if line.text and line.kind not in _UNSEARCHED else []
        if found:
            spans[number] = found
            starts = [start for start, _ in pieces]
            matches += [Match(first + bisect_right(starts, span[0]) - 1, number, span) for span in found]
    return Document(session_id, words, width, lines, tuple(rows), spans, tuple(matches))
