"""A session as it is read: lines, rows and matches come in batches, the first screen at once."""

import math
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

from nlm_tui.core import Evidence, Matcher, Span, Turn, display_safe
from nlm_tui.core.corrections import HeldMarker
from nlm_tui.display.document import Kind, Line
from nlm_tui.display.markdown import fence
from nlm_tui.display.words import counted
from nlm_tui.ui.kept_lines import KeptLines
from nlm_tui.ui.passages import Quoted, Spot, find_quote
from nlm_tui.ui.rows import FOLDED, Layout, Places, Row, Rows, Stops, polite

_UNSEARCHED = frozenset({Kind.META, Kind.HEADING, Kind.SPEAKER, Kind.PROMPT})
_CALL = re.compile(r"\s*[A-Za-z_][\w.:-]*  \S")  # as runtimes write a call: the tool, two blanks, what it was told
_FIRST_LINES, _LINES = 200, 4_000
_AT_ONCE = 1_500  # lines that are laid out without a thread
_FIRST_CHARACTERS, _CHARACTERS = 20_000, 150_000


class Marks(NamedTuple):
    """What to mark in a session: the words that were looked for, and the passage that is near to them in meaning.

    `leads` says that this passage comes before the words: they alone would not have found the session.
    """

    words: Matcher
    near: str = ""
    leads: bool = False


class Block(NamedTuple):
    """A block of code: its lines from `first` to before `end`, and the language that it names."""

    first: int
    end: int
    language: str


class Batch(NamedTuple):
    """What comes next of a document: lines, the matches in them, and rows of them or of lines that were there."""

    lines: Sequence[Line]
    matches: Places
    rows: Rows
    near: tuple[Spot, Spot] | None
    is_last: bool


class Document:
    """A session, wrapped as far as it is read.

    `prepare` runs in a thread and changes nothing that is shown; `add` takes over what it made. One at a time asks for
    batches: `is_filling` says that somebody does. `said` are the markers of which is known what message they come from.
    """

    def __init__(  # noqa: PLR0913 - what a session is beside its lines
        self,
        session_id: str,
        lines: Iterable[Line],
        marks: Marks,
        width: int,
        *,
        turns: Sequence[Turn] = (),
        said: Sequence[HeldMarker] = (),
    ) -> None:
        self.session_id = session_id
        self.marks = marks
        self.turns = turns
        self.said = said
        self.lines = KeptLines()
        self.rows = Rows(Layout(width))
        self.next_rows: Rows | None = None  # those of another layout, to be shown once they reach far enough
        self.near: tuple[Spot, Spot] | None = None
        self.stops = Stops(Places())
        self.is_read = False
        self.is_filling = False
        self._source: Iterator[Line] = iter(lines)
        self._prompts, self._fences, self._messages = array("l"), array("l"), array("l")  # lines in which they begin
        self._quoted: dict[Evidence, Quoted] = {}
        self._runs: dict[int, str] = {}

    @property
    def latest_rows(self) -> Rows:
        """The rows of the layout that was wanted last."""
        return self.rows if self.next_rows is None else self.next_rows

    @property
    def unfinished(self) -> Rows | None:
        """The rows that lack some lines."""
        rows = self.latest_rows
        return None if self.is_read and rows.reached == len(self.lines) else rows

    @property
    def is_complete(self) -> bool:
        """Whether all lines are read and have their rows."""
        return self.unfinished is None

    @property
    def prompts(self) -> Sequence[int]:
        """The lines in which prompts of the user begin."""
        return self._prompts

    def prepare(self, rows: Rows) -> Batch:
        """Return the batch that `rows` go on with."""
        if rows.reached < len(self.lines):
            size = _LINES if rows.reached else _FIRST_LINES
            return Batch((), Places(), rows.following(self.lines[rows.reached : rows.reached + size]), None, False)  # noqa: FBT003
        lines, is_last = self._take()
        near = None
        if is_last and self.marks.near:
            everything = [*self.lines, *lines]
            near = find_quote(everything, self.marks.near)
        matches = match_places(lines, len(self.lines), self.marks.words)
        return Batch(lines, matches, rows.following(lines), near, is_last)

    def add(self, batch: Batch, rows: Rows) -> None:
        """Add a batch that was prepared for `rows`; of rows that are not wanted any more, only the lines."""
        first = len(self.lines)
        self.lines.extend(batch.lines)
        for number, line in enumerate(batch.lines, first):
            if line.kind is Kind.PROMPT:
                self._prompts.append(number)
            elif line.kind is Kind.FENCE:
                self._fences.append(number)
            if line.message == len(self._messages):
                self._messages.append(number)
        self.stops.places.extend(batch.matches)
        if rows is self.rows or rows is self.next_rows:
            rows.extend(batch.rows)
        if batch.is_last:
            self.is_read = True
            self._source = iter(())  # lets go of the session
        if batch.near is not None:
            self.near = batch.near
            number = 0 if self.marks.leads else self.stops.places.first_from(batch.near[0])
            self.stops = Stops(self.stops.places, batch.near[0], number)

    def lay_out_anew(self, layout: Layout) -> None:
        """Give the lines other rows, at once those of the beginning; `prepare` goes on."""
        self.rows, self.next_rows = Rows(layout), None
        self.rows.extend(self.rows.following(self.lines[:_AT_ONCE]))

    def lay_out_beside(self, layout: Layout) -> None:
        """Prepare other rows while those that are there are shown; a short document has them at once."""
        if self.is_read and len(self.lines) <= _AT_ONCE:
            self.lay_out_anew(layout)
        else:
            self.next_rows = Rows(layout)

    def fill(self, lines: float) -> None:
        """Read and lay out the document until so many lines are there; not beside anybody else."""
        while (rows := self.unfinished) is not None and rows.reached < lines:
            self.add(self.prepare(rows), rows)

    def spot_of(self, row: int) -> Spot:
        """Return the character that a row begins with."""
        return Spot(*self.rows[row][:2]) if 0 <= row < len(self.rows) else Spot(0, 0)

    def is_near(self, row: Row) -> bool:
        """Return whether a row shows a part of the passage that is near in meaning."""
        if self.near is None or row.end == FOLDED:
            return False
        first, last = self.near
        return (row.line, row.end) > first and (row.line, row.start) <= last

    def quoted(self, evidence: Evidence) -> Quoted | None:
        """Return where a marker comes from; None as long as not all of that message is there."""
        if evidence not in self._quoted:
            first, end = self._lines_of(evidence.message)
            if end <= first:
                return None
            words = find_quote(self.lines[first:end], display_safe(evidence.quote))
            if words is not None:
                words = (words[0]._replace(line=first + words[0].line), words[1]._replace(line=first + words[1].line))
            self._quoted[evidence] = Quoted(first, words)
        return self._quoted[evidence]

    def _lines_of(self, message: int) -> Span:
        """Return the first line of a message and the one after its last; nothing between them while it is not there."""
        if message + 1 < len(self._messages):
            return self._messages[message], self._messages[message + 1]
        if message < len(self._messages) and self.is_read:
            return self._messages[message], len(self.lines)
        return 0, 0

    def run(self, line: int) -> tuple[int, int] | None:
        """Return the run of tool calls that a line is in: its first line, and the one after it."""
        if line >= len(self.lines) or self.lines.kind(line) is not Kind.TOOL:
            return None
        first = last = line
        while first and self.lines.kind(first - 1) is Kind.TOOL:
            first -= 1
        while last < len(self.lines) and self.lines.kind(last) is Kind.TOOL:
            last += 1
        return first, last

    def run_words(self, line: int) -> str:
        """Return what stands for a folded run of tool calls: `12 tool calls  340 lines`."""
        if (said := self._runs.get(line)) is not None:
            return said
        first, last = self.run(line) or (line, line + 1)
        begins: dict[int, str] = {}
        for one in self.lines[first:last]:
            begins.setdefault(one.message, one.text)
        calls = sum(_CALL.match(text) is not None for text in begins.values())
        said = f"{counted(max(calls, 1), 'tool call')}  {counted(last - first, 'line')}"
        if last < len(self.lines) or self.is_read:
            self._runs[line] = said
        return said

    def flip(self, line: int) -> bool:
        """Fold or unfold the run of tool calls that a line is in; False where there is none, or its end is to come."""
        run = self.run(line)
        if run is None or run[1] >= self.rows.reached != len(self.lines):
            return False
        self.rows.flip(run[0], self.lines[run[0] : run[1]])
        return True

    def block_start(self, line: int) -> int:
        """Return the first line of the block of code that line `line`, one of code, is in."""
        return self._fences[bisect_right(self._fences, line) - 1] + 1

    def block(self, line: int, longest: float = math.inf) -> Block | None:
        """Return the block of code that a line is in, and at most `longest` lines of it."""
        if self.lines.kind(line) is not Kind.CODE:
            return None
        first = last = self.block_start(line)
        while last < len(self.lines) and last - first < longest and self.lines.kind(last) is Kind.CODE:
            last += 1
        opened = fence(self.lines[first - 1].text)
        return Block(first, last, opened.language if opened else "")

    def prompt_at(self, line: int) -> int:
        """Return how many prompts begin in `line` or before."""
        return bisect_right(self._prompts, line)

    def _take(self) -> tuple[list[Line], bool]:
        most, characters = (_LINES, _CHARACTERS) if self.lines else (_FIRST_LINES, _FIRST_CHARACTERS)
        lines: list[Line] = []
        for line in polite(islice(self._source, most)):
            lines.append(line)
            characters -= len(line.text)
            if characters <= 0:
                return lines, False
        return lines, len(lines) < most


def lay_out(session_id: str, lines: Iterable[Line], marks: Marks, width: int) -> Document:
    """Return the whole document that `lines` make at `width` cells."""
    document = Document(session_id, lines, marks, width)
    document.fill(math.inf)
    return document


def match_places(lines: Sequence[Line], first: int, words: Matcher) -> Places:
    """Return where words match in lines, of which the first is number `first`. All are searched at once."""
    places = Places()
    if not words:
        return places
    texts = ["" if line.kind in _UNSEARCHED else line.text for line in lines]
    ends = list(accumulate(len(text) + 1 for text in texts))
    for start, end in words.spans("\n".join(texts)):
        number = bisect_right(ends, start)
        begins = ends[number] - len(texts[number]) - 1
        # A compound such as `rate-limiter` may go on in the next line; what is marked ends with its own.
        places.add(first + number, (start - begins, min(end - begins, len(texts[number]))))
    return places
