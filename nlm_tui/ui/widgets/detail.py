"""The detail pane: one session as a long document, wrapped off the event loop, painted row by row."""

import asyncio
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from nlm_tui.core import Matcher, Span
from nlm_tui.display.document import Kind, Line
from nlm_tui.ui.layout import Document, Match, lay_out
from nlm_tui.ui.widgets.results import MATCH_STYLE

_MATCH = Style.parse(MATCH_STYLE)
_CURRENT = Style.parse(f"{MATCH_STYLE} reverse")


class DetailView(ScrollView, can_focus=True):
    """Shows a session and steps through the matches in it."""

    DEFAULT_CSS = """
    DetailView {
        height: 1fr; width: 1fr; padding: 0 1; background: $background; scrollbar-size-vertical: 1;
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
        Binding("n", "step(1)", "Next match", id="detail.next", tooltip="To the next match", show=False),
        Binding("N,p", "step(-1)", "Previous match", id="detail.previous", tooltip="To the match before", show=False),
    ]

    class Moved(Message):
        """Another part of the document is in view, or another match is the current one."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._session_id: str | None = None
        self._lines: tuple[Line, ...] = ()
        self._words: Matcher | None = None
        self._document: Document | None = None
        self._current: int | None = None

    @property
    def session_id(self) -> str | None:
        """The session that is shown."""
        return self._session_id

    @property
    def position(self) -> str:
        """Where in the document the view is: `match 1 of 7   lines 1-30 of 412`."""
        if self._document is None or not self._document.rows:
            return ""
        matches = len(self._document.matches)
        found = ""
        if matches:
            found = f"match {self._current + 1} of {matches}" if self._current is not None else f"matches {matches}"
        first, total = self.scroll_offset.y + 1, len(self._document.rows)
        last = min(first + self.scrollable_content_region.height - 1, total)
        return f"{found}   lines {first}-{max(last, first)} of {total}".strip()

    def show(self, session_id: str, lines: tuple[Line, ...], words: Matcher) -> None:
        """Show a session; the view stays where it is when the session is the same."""
        moved = session_id != self._session_id
        self._session_id, self._lines, self._words = session_id, lines, words
        self._lay_out(from_top=moved)

    def clear(self) -> None:
        """Show nothing."""
        self.workers.cancel_group(self, "lay_out")
        self._session_id, self._lines, self._document, self._current = None, (), None, None
        self.virtual_size = Size(0, 0)
        self.refresh()
        self.post_message(self.Moved())

    def action_step(self, step: int) -> None:
        """Make the next or previous match the current one, and bring it into view."""
        matches = self._document.matches if self._document else ()
        if not matches:
            return
        if self._current is not None:
            self._current = (self._current + step) % len(matches)
        else:
            top = self.scroll_offset.y
            below = (place for place, match in enumerate(matches) if match.row >= top)
            self._current = next(below, 0) if step > 0 else len(matches) - 1
        row = matches[self._current].row
        height = self.scrollable_content_region.height
        if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
            self.scroll_to(y=max(row - height // 3, 0), animate=False, immediate=True)
        self.refresh()
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        if self._lines:
            self._lay_out(from_top=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Moved())

    @work(exclusive=True, group="lay_out")
    async def _lay_out(self, *, from_top: bool) -> None:
        width = self.scrollable_content_region.width
        if width <= 0 or self._session_id is None or self._words is None:
            return
        document = await asyncio.to_thread(lay_out, self._session_id, self._lines, self._words, width)
        top = self._first_visible(document) if not from_top else 0
        self._document, self._current = document, None
        self.virtual_size = Size(width, len(document.rows))
        self.scroll_to(y=top, animate=False, immediate=True)
        self.refresh()
        self.post_message(self.Moved())

    def _first_visible(self, document: Document) -> int:
        """Return the row of `document` that shows what the first row shows now."""
        if self._document is None or not self._document.rows:
            return 0
        shown = self._document.rows[min(self.scroll_offset.y, len(self._document.rows) - 1)]
        for number, row in enumerate(document.rows):
            if row.line > shown.line or (row.line == shown.line and row.end >= shown.start):
                return number
        return 0

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        background = self.rich_style
        number = self.scroll_offset.y + y
        if self._document is None or width <= 0 or number >= len(self._document.rows):
            return Strip.blank(max(width, 0), background)
        row = self._document.rows[number]
        line = self._document.lines[row.line]
        style = self.get_component_rich_style(f"detail--{line.kind}")
        spans = [
            (max(start, row.start), min(end, row.end), _CURRENT if self._is_current(row.line, (start, end)) else _MATCH)
            for start, end in self._document.spans.get(row.line, ())
            if start < row.end and end > row.start
        ]
        segments = [Segment(" " * line.indent, style)] if row.start and line.indent < width else []
        segments += _segments(line.text, row.start, row.end, spans, style)
        return Strip(segments).adjust_cell_length(width, background)

    def _is_current(self, line: int, span: Span) -> bool:
        match: Match | None = None
        if self._document is not None and self._current is not None:
            match = self._document.matches[self._current]
        return match is not None and match.line == line and match.span == span


def _segments(text: str, start: int, end: int, spans: list[tuple[int, int, Style]], style: Style) -> list[Segment]:
    segments: list[Segment] = []
    for first, last, match in spans:
        segments.append(Segment(text[start:first], style))
        segments.append(Segment(text[first:last], style + match))
        start = last
    segments.append(Segment(text[start:end], style))
    return [segment for segment in segments if segment.text]
