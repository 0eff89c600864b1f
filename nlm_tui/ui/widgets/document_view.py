"""A session as a long document: read and wrapped in a thread, batch by batch, painted line by line."""

import asyncio
from collections.abc import Callable, Iterable

from rich.segment import Segment
from textual import work
from textual.message import Message
from textual.strip import Strip

from nlm_tui.display.document import Kind
from nlm_tui.display.markdown import Look
from nlm_tui.ui.layout import Document
from nlm_tui.ui.painting import blank_style
from nlm_tui.ui.passages import Spot
from nlm_tui.ui.rendering import Marked, segments
from nlm_tui.ui.rows import FOLDED, Layout, Row
from nlm_tui.ui.widgets.looks import LooksView

_MARGIN = 1
_BAR = "│"  # stands before a line of code


class DocumentView(LooksView, can_focus=True):
    """Shows a document as far as it is there, and keeps its place while more of it comes."""

    class Moved(Message):
        """Another part of the document is in view, more of it is there, or another match is the current one."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._coming: Document | None = None  # shown once it reaches to the place that is in view
        self._folded = False
        self._waiting: Callable[[], bool] | None = None  # what to do when more is there; True once it is done

    @property
    def session_id(self) -> str | None:
        """The session that is shown."""
        return self._document.session_id if self._document else None

    @property
    def is_complete(self) -> bool:
        """Whether all of the session is there."""
        return self._coming is None and (self._document is None or self._document.is_complete)

    @property
    def text_width(self) -> int:
        """The cells that a row of text may take."""
        return max(self.content_width - 2 * _MARGIN, 1)

    @property
    def folded(self) -> bool:
        """Whether each run of tool calls is shown as one row."""
        return self._folded

    @folded.setter
    def folded(self, folded: bool) -> None:
        self._folded = folded
        self._lay_out_again(Layout(self.text_width, folded))

    def show(self, document: Document | None) -> None:
        """Show a document, or nothing. The view stays where it is while the session is the same."""
        before = self._document
        self._waiting = self._coming = None
        if document is None:
            self._take_over(None, Spot(0, 0))
            return
        same = before is not None and before.session_id == document.session_id
        exceptions = before.rows.layout.exceptions if same and before else frozenset[int]()
        layout = Layout(self.text_width, self._folded, exceptions)
        if document.rows.layout != layout:
            document.lay_out_anew(layout)
        if same:
            self._coming = document
            self._arrive()
        else:
            self._take_over(document, Spot(0, 0))
        self._fill(document)

    @property
    def top(self) -> Spot:
        """The character at the top of the view."""
        return self._document.spot_of(self.first_line) if self._document else Spot(0, 0)

    def document_changed(self, before: Document | None, after: Document | None) -> None:
        """Another document is to be shown."""

    def document_grown(self) -> None:
        """More of the document is there."""

    def marks_in(self, number: int, row: Row) -> Iterable[Marked]:
        """Return what is marked in row `number`."""
        raise NotImplementedError

    def sign_of(self, number: int, row: Row) -> Segment | None:
        """Return what stands in the margin of row `number`."""
        raise NotImplementedError

    def wait_for(self, more: Callable[[], bool]) -> None:
        """Do something as soon as enough of the document is there, unless the user does something else before."""
        self._waiting = None if more() else more
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        document = self._document
        if document is not None and document.latest_rows.layout.width != self.text_width:
            self._lay_out_again(document.latest_rows.layout._replace(width=self.text_width))
        self.post_message(self.Moved())  # more or fewer lines are in view

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._waiting = None
        self.post_message(self.Moved())

    def _lay_out_again(self, layout: Layout) -> None:
        document = self._document
        if document is None:
            return
        top = self.top
        document.lay_out_beside(layout)
        if document.next_rows is None:
            self._take_over(document, top)
        self._fill(document)

    @work(group="fill")
    async def _fill(self, document: Document) -> None:
        if document.is_filling:
            return
        document.is_filling = True
        try:
            while document in {self._document, self._coming} and (rows := document.unfinished) is not None:
                batch = await asyncio.to_thread(document.prepare, rows)
                document.add(batch, rows)
                if self.is_attached:
                    self._grown(document)
        finally:
            document.is_filling = False

    def _grown(self, document: Document) -> None:
        if document is self._coming:
            self._arrive()
        elif document is self._document:
            if document.next_rows is not None:
                self._exchange_rows(document)
            else:
                self.lines_added(len(document.rows))
            self.document_grown()
        if self._waiting is not None and self._waiting():
            self._waiting = None
        self.post_message(self.Moved())

    def _arrive(self) -> None:
        """Show the coming document, if it reaches as far as the view."""
        document, top = self._coming, self.top
        if document is None:
            return
        if document.is_complete or document.rows.reached > top.line + self.visible_lines:
            self._coming = None
            self._take_over(document, top)
            self.on_resize()  # it may be for a width of before

    def _exchange_rows(self, document: Document) -> None:
        """Show the other rows of the document, if they reach as far as the view."""
        rows, top = document.next_rows, self.top
        if rows is not None and (document.is_complete or rows.reached > top.line + self.visible_lines):
            document.rows, document.next_rows = rows, None
            self.lines_changed(len(rows), first_line=rows.row_of(*top))

    def _take_over(self, document: Document | None, top: Spot) -> None:
        before, self._document = self._document, document
        if document is not before:
            self.forget_code()
            self.document_changed(before, document)
        rows = document.rows if document else ()
        self.lines_changed(len(rows), first_line=document.rows.row_of(*top) if document else 0)
        self.post_message(self.Moved())

    def paint(self, number: int, width: int) -> Strip:
        document = self._document
        if document is None or number >= len(document.rows):
            return Strip.blank(width, self.get_component_rich_style("detail--text"))
        row = document.rows[number]
        line = document.lines[row.line]
        looks = self.looks_of(line.kind)
        indent = line.indent if row.start and line.indent < self.text_width else 0
        sign = self.sign_of(number, row)
        if sign is None and line.kind is Kind.CODE and self._rendered:
            sign = Segment(_BAR, self.looks_of(Kind.TEXT).parts[Look.SIGN])
        blank = blank_style(looks.base)
        margin = [Segment(" " * (_MARGIN + indent), blank)]
        if sign is not None:
            margin = [sign, Segment(" " * indent, blank)]
        if row.end == FOLDED:
            shown = [Segment(f"  + {document.run_words(row.line)}", looks.base)]
        else:
            pieces = self.pieces(document, row.line, line) if self._rendered else ()
            shown = segments(line.text, (row.start, row.end), pieces, self.marks_in(number, row), looks)
        # One style for text and blanks: each change of style costs as many bytes as half a line of text.
        return Strip([*margin, *shown]).adjust_cell_length(width, blank).simplify()
