"""A document to step through: by the matches of the query, or by what is found in it."""

import asyncio
from collections.abc import Iterator

from rich.segment import Segment
from textual import work
from textual.message import Message

from nlm_tui.ui.finding import Find
from nlm_tui.ui.layout import Document
from nlm_tui.ui.painting import CURRENT_MATCH, CURRENT_NEAR, MATCH, NEAR, NEAR_SIGN
from nlm_tui.ui.passages import Spot, is_said
from nlm_tui.ui.rendering import Marked
from nlm_tui.ui.rows import FOLDED, Places, Row, Stops
from nlm_tui.ui.widgets.document_view import DocumentView

_NO_STOPS = Stops(Places())


class SteppingView(DocumentView):
    """Marks the places to step to, one of which is the current one."""

    class FindWanted(Message):
        """The user wants to find something in the session."""

    class FindLost(Message):
        """Another session is shown: what was looked for is looked for no more."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._current: int | None = None  # of the query's matches
        self._find: Find | None = None
        self._before_find = Spot(0, 0)
        self._wrapped = False

    @property
    def is_finding(self) -> bool:
        """Whether something is looked for in the session."""
        return self._find is not None

    @property
    def found_text(self) -> str:
        """What is looked for."""
        return self._find.text if self._find else ""

    @property
    def stop(self) -> Spot | None:
        """Where the current match is."""
        return self._stops[self._at] if self._at is not None else None

    @property
    def stop_words(self) -> str:
        """Which match is the current one, and of how many: `find 3 of 17`."""
        document, total = self._document, len(self._stops)
        if document is None:
            return ""
        near = f"{NEAR_SIGN} near in meaning   " if document.near and not self._find else ""
        count = f" of {total}" if self._is_searched else ""
        wrapped = ", from the other end" if self._wrapped else ""
        if self._find is not None:
            at = self._find.current
            if at is not None:
                return f"find {at + 1}{count}{wrapped}"
            return f"find 0{count}"
        if self._current is not None:
            return f"{near}match {self._current + 1}{count}{wrapped}"
        return f"{near}matches {total}" if total and self._is_searched else near.strip()

    @property
    def _stops(self) -> Stops:
        if self._find is not None:
            return self._find.stops
        return self._document.stops if self._document else _NO_STOPS

    @property
    def _at(self) -> int | None:
        return self._find.current if self._find else self._current

    def action_step(self, step: int) -> None:
        """Make the next or previous match the current one, and bring it into view."""
        if self._document is not None:
            self.wait_for(lambda: self._step(step))

    def _step(self, step: int) -> bool:
        """Step, if it is known by now where to."""
        stops, at, is_all = self._stops, self._at, self._is_searched
        from_top = stops.first_from(self.top) if step > 0 else None
        number = from_top if at is None else at + step
        wraps = number is None or not 0 <= number < len(stops)
        if wraps and not is_all:
            return False
        if not stops:
            return True
        if number is None or wraps:
            number = (0 if step > 0 else len(stops) - 1) if at is None else (at + step) % len(stops)
        return self._go_to(number, wrapped=wraps and at is not None)

    @property
    def _is_searched(self) -> bool:
        document, find = self._document, self._find
        if document is None or not document.is_complete:
            return False
        return find is None or find.reached == len(document.lines)

    def _go_to(self, number: int, *, wrapped: bool = False) -> bool:
        """Make a match the current one and bring it into view, if its row is known by now."""
        spot = self._stops[number]
        if not self.reveal(spot):
            return False
        if self._find is not None:
            self._find.current = number
        else:
            self._current = number
        self._wrapped = wrapped
        self.lines_changed(self.row_count)
        self.post_message(self.Moved())
        return True

    def reveal(self, spot: Spot, *, at_top: bool = False) -> bool:
        """Bring a character into view, unfolded, if its row is known by now."""
        document = self._document
        if document is None or document.rows.reached <= spot.line:
            return False
        row = document.rows.row_of(*spot)
        if document.rows[row].end == FOLDED and document.flip(spot.line):
            row = document.rows.row_of(*spot)
        top, height = self.first_line, self.visible_lines
        if at_top:
            top = row
        elif not top <= row < top + height:
            top = max(row - height // 3, 0)
        self.lines_changed(len(document.rows), first_line=top)
        return True

    def action_find(self) -> None:
        """Ask what to find."""
        if self._document is None:
            return
        self._before_find = self.top
        self.post_message(self.FindWanted())

    def look_for(self, text: str) -> None:
        """Mark where `text` stands, and go to the first place from where the view was; '' goes back there."""
        if self._document is None:
            return
        if text:
            self._find, self._wrapped = Find(text), False
            self.wait_for(self._go_to_first)
            self._search()
        else:
            self.end_find()

    def action_end_find(self) -> None:
        self._find = None
        self.lines_changed(self.row_count)
        self.post_message(self.Moved())

    def end_find(self) -> None:
        """Take away what was found, and go back to where the view was."""
        self.action_end_find()
        self._waiting = None
        self.reveal(self._before_find, at_top=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "end_find":
            return self.is_finding
        return super().check_action(action, parameters)

    @work(group="find")
    async def _search(self) -> None:
        document, find = self._document, self._find
        if document is None or find is None or find.is_searching:
            return
        find.is_searching = True
        try:
            while find is self._find and document is self._document and find.reached < len(document.lines):
                find.add(*await asyncio.to_thread(find.search, document.lines))
                if find is self._find and self.is_attached:
                    self._found()
        finally:
            find.is_searching = False

    def _found(self) -> None:
        if self._waiting is not None and self._waiting():
            self._waiting = None
        self.lines_changed(self.row_count)
        self.post_message(self.Moved())

    def _go_to_first(self) -> bool:
        if self._find is None:
            return True
        number = self._stops.first_from(self._before_find)
        if number is None and not self._is_searched:
            return False
        if not self._stops:
            return self.reveal(self._before_find, at_top=True)
        return self._go_to(number or 0, wrapped=number is None)

    def document_changed(self, before: Document | None, after: Document | None) -> None:
        same = before is not None and after is not None and before.session_id == after.session_id
        self._current = _same_stop(before, after, self._current) if same and before and after else None
        self._wrapped = False
        if self._find is None:
            return
        if same:
            self._find = Find(self._find.text)
            self._search()
        else:
            self._find = None
            self.post_message(self.FindLost())

    def document_grown(self) -> None:
        if self._find is not None:
            self._search()

    def marks_in(self, number: int, row: Row) -> Iterator[Marked]:  # noqa: ARG002 - a view may mark a row
        stops, at = self._stops, self._at
        current = stops.place_number(at) if at is not None else None
        for place, span in stops.places.within(row):
            yield span, CURRENT_MATCH if place == current else MATCH

    def sign_of(self, number: int, row: Row) -> Segment | None:  # noqa: ARG002 - as above
        document = self._document
        if document is None or not document.is_near(row):
            return None
        line = document.lines[row.line]
        if not is_said(line):
            return None
        is_current = self._find is None and self._current is not None and self._current == document.stops.near_number
        return Segment(NEAR_SIGN, self.looks_of(line.kind).base + (CURRENT_NEAR if is_current else NEAR))


def _same_stop(before: Document, after: Document, number: int | None) -> int | None:
    """Return the number of a match of `before` among those of `after`."""
    if number is None:
        return None
    spot = before.stops[number]
    if spot.line >= len(after.lines) or before.lines[spot.line] != after.lines[spot.line]:
        return None
    same = after.stops.first_from(spot)
    return same if same is not None and after.stops[same] == spot else None
