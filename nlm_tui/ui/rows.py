"""The rows that lines of a session take at a width, with runs of tool calls folded or not."""

import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from nlm_tui.core import Span
from nlm_tui.display.document import Kind, Line
from nlm_tui.ui.passages import Spot
from nlm_tui.ui.wrap import wrap, wrap_items

_TURN = 64  # items between two pauses of a thread
FOLDED = -1  # the end of a row that stands for a run of tool calls


_Item = TypeVar("_Item")


class Layout(NamedTuple):
    """How lines become rows: `exceptions` are the first lines of runs that are the other way than `folded` says."""

    width: int
    folded: bool = False
    exceptions: frozenset[int] = frozenset()

    def folds(self, run: int) -> bool:
        """Return whether the run of tool calls that begins in line `run` is folded."""
        return self.folded != (run in self.exceptions)


class Row(NamedTuple):
    """A row of the screen: characters `start` to `end` of a line; where `end` is `FOLDED`, a run of tool calls."""

    line: int
    start: int
    end: int


class Place(NamedTuple):
    """A span of characters in a line."""

    line: int
    span: Span


class Rows(Sequence[Row]):
    """Rows of the first `reached` lines, as bare numbers: a long session has hundreds of thousands."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.reached = 0
        self.run = -1  # where the run of tool calls began that may go on in the next line
        self.lines, self.starts, self.ends = array("l"), array("l"), array("l")

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, number: int) -> Row:  # pyright: ignore[reportIncompatibleMethodOverride] - no slices
        return Row(self.lines[number], self.starts[number], self.ends[number])

    def following(self, lines: Sequence[Line]) -> "Rows":
        """Return the rows of the lines that follow, to be added."""
        rows = Rows(self.layout)
        rows.reached, rows.run = self.reached, self.run
        for line in polite(lines):
            rows.lay_out(line)
        return rows

    def extend(self, following: "Rows") -> None:
        """Add the rows of the lines that follow."""
        self.lines += following.lines
        self.starts += following.starts
        self.ends += following.ends
        self.reached, self.run = following.reached, following.run

    def row_of(self, line: int, character: int = 0) -> int:
        """Return the row that shows a character; of one that is folded away, the row that stands for it."""
        first = bisect_left(self.lines, line)
        last = bisect_right(self.lines, line, first)
        if first == last:  # folded, or not there yet
            return max(first - 1, 0)
        return max(bisect_right(self.starts, character, first, last) - 1, first)

    def flip(self, run: int, lines: Sequence[Line]) -> None:
        """Fold or unfold one run of tool calls, of which `lines` are all, and which ends before `reached`."""
        self.layout = self.layout._replace(exceptions=self.layout.exceptions ^ {run})
        again = Rows(self.layout)
        again.reached = run
        for line in lines:
            again.lay_out(line)
        first, last = bisect_left(self.lines, run), bisect_left(self.lines, run + len(lines))
        self.lines[first:last] = again.lines
        self.starts[first:last] = again.starts
        self.ends[first:last] = again.ends

    def lay_out(self, line: Line) -> None:
        """Add the rows of the next line."""
        number = self.reached
        self.reached += 1
        if line.kind is not Kind.TOOL:
            self.run = -1
        elif self.run < 0:
            self.run = number
        if self.run >= 0 and self.layout.folds(self.run):
            if self.run == number:
                self._add(number, 0, FOLDED)
            return
        width, text = self.layout.width, line.text
        if len(text) <= width and text.isascii():
            self._add(number, 0, len(text))
            return
        fold = wrap_items if line.kind is Kind.META else wrap
        for start, end in fold(text, max(width - line.indent, width // 2, 1)):
            self._add(number, start, end)

    def _add(self, line: int, start: int, end: int) -> None:
        self.lines.append(line)
        self.starts.append(start)
        self.ends.append(end)


class Places(Sequence[Place]):
    """Spans in lines, in their order, as bare numbers: a letter stands in a long session a million times."""

    def __init__(self) -> None:
        self.lines, self.starts, self.ends = array("l"), array("l"), array("l")

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, number: int) -> Place:  # pyright: ignore[reportIncompatibleMethodOverride] - no slices
        return Place(self.lines[number], (self.starts[number], self.ends[number]))

    def add(self, line: int, span: Span) -> None:
        """Add a place after all others."""
        self.lines.append(line)
        self.starts.append(span[0])
        self.ends.append(span[1])

    def extend(self, following: "Places") -> None:
        """Add places after all others."""
        self.lines += following.lines
        self.starts += following.starts
        self.ends += following.ends

    def first_from(self, spot: Spot) -> int:
        """Return the number of the first place that begins at `spot` or later."""
        first = bisect_left(self.lines, spot.line)
        last = bisect_right(self.lines, spot.line, first)
        return bisect_left(self.starts, spot.character, first, last)

    def within(self, row: Row) -> Iterator[tuple[int, Span]]:
        """Yield the number and the span of each place that has a part in a row."""
        # One may have begun in a row before; they do not overlap.
        number = max(self.first_from(Spot(row.line, row.start)) - 1, 0)
        while number < len(self) and (self.lines[number], self.starts[number]) < (row.line, row.end):
            if self.lines[number] == row.line and self.ends[number] > row.start:
                yield number, (self.starts[number], self.ends[number])
            number += 1


class Stops:
    """The places to step to, in a ring; `near`, where there is one, stands among the others as number `near_number`."""

    def __init__(self, places: Places, near: Spot | None = None, near_number: int | None = None) -> None:
        self.places = places
        self.near = near
        self.near_number = near_number

    def __len__(self) -> int:
        return len(self.places) + (self.near_number is not None)

    def __getitem__(self, number: int) -> Spot:
        if self.near is not None and number == self.near_number:
            return self.near
        place = self.places[self.place_number(number)]
        return Spot(place.line, place.span[0])

    def place_number(self, number: int) -> int:
        """Return the number of stop `number` among the places; -1 where it is none of them."""
        if self.near_number is None or number < self.near_number:
            return number
        return number - 1 if number > self.near_number else -1

    def first_from(self, spot: Spot) -> int | None:
        """Return the first stop at `spot` or later; None where there is none."""
        place = self.places.first_from(spot)
        number = place + (self.near_number is not None and place >= self.near_number)
        found = [number] if place < len(self.places) else []
        if self.near is not None and self.near_number is not None and self.near >= spot:
            found.append(self.near_number)
        return min(found, default=None)


def polite(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield `items` for a thread that works on them, with pauses: without them the event loop waits for its turns."""
    for number, item in enumerate(items):
        if number % _TURN == 0:
            time.sleep(0)
        yield item
