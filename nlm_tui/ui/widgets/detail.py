"""The detail pane: one session to read in."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import ClassVar

from textual import events
from textual.binding import BindingType

from nlm_tui.ui.at_view import Whereabouts, code_at, message_at
from nlm_tui.ui.layout import Document
from nlm_tui.ui.painting import CURRENT_NEAR
from nlm_tui.ui.passages import Spot, find_marker
from nlm_tui.ui.rendering import Marked
from nlm_tui.ui.rows import FOLDED, Row
from nlm_tui.ui.widgets.detail_keys import DETAIL_KEYS
from nlm_tui.ui.widgets.quoting import QuotingView

_TO_COME = "\N{HORIZONTAL ELLIPSIS}"


class DetailView(QuotingView):
    """Shows a session: goes through its prompts, folds its tool calls, and knows what is in view."""

    BINDINGS: ClassVar[list[BindingType]] = DETAIL_KEYS

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._prompt: int | None = None  # the one that was gone to
        self._marked: int | None = None  # the line of the decision or the open question that is pointed at

    @property
    def position(self) -> str:
        """Where in the document the view is: `match 1 of 7   prompt 2 of 31   lines 1-30 of 412`."""
        document = self._document
        if document is None or not document.rows:
            return ""
        more = "" if self.is_complete else _TO_COME
        first, total = self.first_line + 1, len(document.rows)
        last = max(min(first + self.visible_lines - 1, total), first)
        waits = f"reading {_TO_COME}" if self._waiting is not None else ""
        where = f"lines {first}-{last} of {total}{more}"
        parts = (waits, self.stop_words, self.said_words, self._prompt_words(document), where)
        return "   ".join(filter(None, parts))

    def _prompt_words(self, document: Document) -> str:
        number = self._prompt + 1 if self._prompt is not None else document.prompt_at(self.top.line)
        count = f" of {len(document.prompts)}" if document.is_complete else ""
        return f"prompt {number}{count}" if number else ""

    def message_at_view(self) -> Whereabouts | None:
        """Return the message around what was gone to if that is in view, else the one at the top of the view."""
        return message_at(self._document, *self._lines_in_view()) if self._document else None

    def code_block_at_view(self) -> str:
        """Return the block of code around the current match, or the first one in view; '' without any."""
        return code_at(self._document, *self._lines_in_view()) if self._document else ""

    def _lines_in_view(self) -> tuple[int, int]:
        document = self._document
        if document is None or not document.rows:
            return 0, -1
        last = document.rows[min(self.first_line + self.visible_lines, len(document.rows)) - 1].line
        chosen = self._marked
        if self.quoted is not None:
            chosen = self.quoted.words[0].line if self.quoted.words else self.quoted.line
        elif self.stop is not None:
            chosen = self.stop.line
        elif self._prompt is not None:
            chosen = document.prompts[self._prompt]
        first = self.top.line
        return (chosen if chosen is not None and first <= chosen <= last else first), last

    def action_prompt(self, step: int) -> None:
        """Bring the next prompt of the user to the top of the view, or the one before."""
        if self._document is not None:
            self.wait_for(lambda: self._to_prompt(step))

    def _to_prompt(self, step: int) -> bool:
        document = self._document
        if document is None:
            return True
        prompts, top = document.prompts, self.top.line
        if self._prompt is not None:
            number = self._prompt + step
        else:
            number = document.prompt_at(top) if step > 0 else bisect_left(prompts, top) - 1
        if number < 0:
            return True
        if number >= len(prompts):
            return document.is_complete
        if not self.reveal(Spot(prompts[number], 0), at_top=True):
            return False
        self.leave_quote()
        self._prompt = number
        self.lines_changed(len(document.rows))
        self.post_message(self.Moved())
        return True

    def action_scroll_end(self) -> None:
        if self.is_complete:
            super().action_scroll_end()
        else:
            self.wait_for(self._to_end)

    def _to_end(self) -> bool:
        if self.is_complete:
            super().action_scroll_end()
        return self.is_complete

    def scroll_half(self, direction: int) -> None:
        """Scroll by half a page."""
        self.scroll_relative(y=direction * max(self.visible_lines // 2, 1), animate=False)

    def action_half(self, direction: int) -> None:
        self.scroll_half(direction)

    def action_fold(self) -> None:
        """Fold all tool calls, or unfold them."""
        self.folded = not self.folded

    def action_unfold(self) -> None:
        """Open the first folded run of tool calls in view."""
        document = self._document
        rows = range(self.first_line, min(self.first_line + self.visible_lines, self.row_count))
        folded = next((row for row in rows if document and document.rows[row].end == FOLDED), None)
        if folded is not None:
            self._flip(folded)

    def action_render(self) -> None:
        """Show Markdown by what it means, or as it stands."""
        self.rendered = not self.rendered

    def on_click(self, event: events.Click) -> None:
        self._flip(self.first_line + event.y)

    def _flip(self, row: int) -> None:
        """Fold or unfold the run of tool calls that begins in a row."""
        document = self._document
        if document is None or row >= len(document.rows):
            return
        line, start, _ = document.rows[row]
        run = document.run(line)
        if run is not None and (run[0], 0) == (line, start) and document.flip(line):
            self.lines_changed(len(document.rows))
            self.post_message(self.Moved())

    def point_at(self, marker: str) -> None:
        """Bring a decision or an open question into view, and mark it."""
        self.begin_before(marker)
        self.wait_for(lambda: self._point_at(marker))

    def _point_at(self, marker: str) -> bool:
        document = self._document
        line = find_marker(document.lines, marker) if document else None
        if line is None:
            return self.is_complete
        if not self.reveal(Spot(line, 0)):
            return False
        self._marked = line
        self.lines_changed(self.row_count)
        return True

    def document_changed(self, before: Document | None, after: Document | None) -> None:
        super().document_changed(before, after)
        if before is None or after is None or before.session_id != after.session_id:
            self._prompt = self._marked = None
        elif self._marked is not None:
            self._marked = find_marker(after.lines, self.marker)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._prompt = None

    def marks_in(self, number: int, row: Row) -> Iterator[Marked]:
        document = self._document
        chosen = document.prompts[self._prompt] if document and self._prompt is not None else self._marked
        if row.line == chosen:
            yield (row.start, row.end), CURRENT_NEAR
        yield from super().marks_in(number, row)
