"""The detail pane: one session as a long document, wrapped off the event loop, painted line by line."""

import asyncio
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from nlm_tui.core import Span
from nlm_tui.display.document import Kind
from nlm_tui.ui.layout import Document, lay_out
from nlm_tui.ui.painting import CURRENT_MATCH, CURRENT_NEAR, MATCH, NEAR, NEAR_SIGN, marked
from nlm_tui.ui.passages import is_said
from nlm_tui.ui.widgets.lines import LineView

_MARGIN = 1


class DetailView(LineView, can_focus=True):
    """Shows a session and steps through the matches in it."""

    DEFAULT_CSS = """
    DetailView {
        background: $background;
        & > .detail--title { text-style: bold; color: $foreground; }
        & > .detail--meta { color: $text-muted; }
        & > .detail--heading { text-style: bold; color: $text-primary; }
        & > .detail--text { color: $foreground; }
        & > .detail--speaker { text-style: bold; color: $text-secondary; }
        & > .detail--tool { color: $text-muted; }
        & > .detail--note { color: $text-muted; text-style: italic; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"detail--{kind}" for kind in Kind}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", id="detail.up", tooltip="One line up", show=False),
        Binding("down,j", "scroll_down", "Down", id="detail.down", tooltip="One line down", show=False),
        Binding("pageup", "page_up", "Page up", id="detail.page_up", tooltip="One page up", show=False),
        Binding("pagedown,space", "page_down", "Page down", id="detail.page_down", tooltip="One page down", show=False),
        Binding("home,g", "scroll_home", "Top", id="detail.home", tooltip="To the beginning", show=False),
        Binding("end,G", "scroll_end", "End", id="detail.end", tooltip="To the end", show=False),
        Binding("n", "step(1)", "Next match", id="detail.next", tooltip="To the next match"),
        Binding("N,p", "step(-1)", "Match before", id="detail.previous", tooltip="To the match before"),
    ]

    class Moved(Message):
        """Another part of the document is in view, or another match is the current one."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._document: Document | None = None
        self._current: int | None = None

    @property
    def session_id(self) -> str | None:
        """The session that is shown."""
        return self._document.session_id if self._document else None

    @property
    def row_count(self) -> int:
        """How many rows the session has."""
        return len(self._document.rows) if self._document else 0

    @property
    def text_width(self) -> int:
        """The cells that a row of text may take."""
        return max(self.content_width - 2 * _MARGIN, 1)

    @property
    def position(self) -> str:
        """Where in the document the view is: `match 1 of 7   lines 1-30 of 412`."""
        if self._document is None or not self._document.rows:
            return ""
        matches = len(self._document.matches)
        found = f"{NEAR_SIGN} near in meaning   " if self._document.near else ""
        if self._current is not None:
            found += f"match {self._current + 1} of {matches}"
        elif matches:
            found += f"matches {matches}"
        first, total = self.first_line + 1, len(self._document.rows)
        last = max(min(first + self.visible_lines - 1, total), first)
        return f"{found}   lines {first}-{last} of {total}".strip()

    def show(self, document: Document | None) -> None:
        """Show a document, or nothing. The view stays where it is while the session is the same."""
        before, same = self._document, document is not None and document.session_id == self.session_id
        top = _same_place(before, document, self.first_line) if same and before and document else 0
        if self._current is not None:
            self._current = _same_match(before, document, self._current) if same and before and document else None
        self._document = document
        self.lines_changed(len(document.rows) if document else 0, first_line=top)
        self.post_message(self.Moved())

    def action_step(self, step: int) -> None:
        """Make the next or previous match the current one, and bring it into view."""
        matches = self._document.matches if self._document else ()
        if not matches or self._document is None:
            return
        if self._current is not None:
            self._current = (self._current + step) % len(matches)
        else:
            below = (place for place, match in enumerate(matches) if match.row >= self.first_line)
            self._current = next(below, 0) if step > 0 else len(matches) - 1
        row, top, height = matches[self._current].row, self.first_line, self.visible_lines
        first = top if top <= row < top + height else max(row - height // 3, 0)
        self.lines_changed(len(self._document.rows), first_line=first)
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        document = self._document
        if document is not None and document.width != self.text_width:
            self._lay_out_again(document)
        self.post_message(self.Moved())  # more or fewer lines are in view

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Moved())

    @work(exclusive=True, group="lay_out")
    async def _lay_out_again(self, document: Document) -> None:
        again = await asyncio.to_thread(lay_out, document.session_id, document.lines, document.marks, self.text_width)
        if self._document is document:
            self.show(again)

    def paint(self, number: int, width: int) -> Strip:
        document = self._document
        if document is None or number >= len(document.rows):
            return Strip.blank(width, self.get_component_rich_style("detail--text"))
        row = document.rows[number]
        line = document.lines[row.line]
        style = self.get_component_rich_style(f"detail--{line.kind}")
        indent = line.indent if row.start and line.indent < self.text_width else 0
        spans = [(span, self._match_style(row.line, span)) for span in document.spans.get(row.line, ())]
        margin = [Segment(" " * (_MARGIN + indent), style)]
        if number in document.near and is_said(line):
            is_current = self._current is not None and self._current == document.near_match
            margin = [Segment(NEAR_SIGN, style + (CURRENT_NEAR if is_current else NEAR)), Segment(" " * indent, style)]
        segments = [*margin, *marked(line.text, row.start, row.end, spans, style)]
        # One style for text and blanks: each change of style costs as many bytes as half a line of text.
        return Strip(segments).adjust_cell_length(width, style).simplify()

    def _match_style(self, line: int, span: Span) -> Style:
        if self._document is not None and self._current is not None:
            match = self._document.matches[self._current]
            if (match.line, match.span) == (line, span):
                return CURRENT_MATCH
        return MATCH


def _same_match(before: Document, after: Document, place: int) -> int | None:
    """Return the place of a match of `before` among those of `after`."""
    match = before.matches[place]
    return after.matches.index(match) if before.lines == after.lines and match in after.matches else None


def _same_place(before: Document, after: Document, first_row: int) -> int:
    """Return the row of `after` that shows what row `first_row` of `before` shows."""
    if before.lines == after.lines and before.width == after.width:
        return first_row
    if first_row >= len(before.rows):
        return 0
    shown = before.rows[first_row]
    places = (
        number
        for number, row in enumerate(after.rows)
        if row.line > shown.line or (row.line == shown.line and row.end >= shown.start)
    )
    return next(places, 0)
