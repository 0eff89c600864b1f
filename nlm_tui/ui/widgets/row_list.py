"""The list of whatever a view browses; views take turns in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.segment import Segment
from rich.style import Style

from nlm_tui.core import Matcher
from nlm_tui.ui.views.look import Look, Painter
from nlm_tui.ui.widgets.slots import BOLD, NO_MARK, Listed, Slots, SlotView


@dataclass(slots=True)
class Page:
    """The rows of a view, how they are painted, and where in them the user is. Turned, the last one is on top."""

    painter: Painter[Any]
    rows: tuple[Any, ...] = ()
    words: Matcher = field(default_factory=Matcher)
    listed: Listed = field(default_factory=Listed)
    turned: bool = False

    @property
    def selected(self) -> Any | None:  # noqa: ANN401 - a row of whatever view this is
        """The row under the selection."""
        return self.rows[self.listed.selected] if self.rows else None

    def take(self, rows: Sequence[Any], words: Matcher, message: str, *, keep: bool) -> None:
        """Hold other rows."""
        self.rows = tuple(reversed(rows)) if self.turned else tuple(rows)
        self.words = words
        keys = [self.painter.key(row) for row in self.rows]
        slots = Slots.of([self.painter.height(row) for row in self.rows], self.painter.headings(self.rows))
        self.listed.take(keys, slots, message=message, keep=keep)


class RowList(SlotView):
    """Shows the page of a view."""

    def __init__(self, page: Page, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._page = page
        self.listed = page.listed

    def turn_to(self, page: Page) -> None:
        """Show another page, where the user left it."""
        self.listed.first_line = self.first_line
        self._page, self.listed = page, page.listed
        self.lines_changed(self.line_count, first_line=page.listed.first_line)

    def nears_end(self, slot: int) -> bool:
        return slot < self.page if self._page.turned else super().nears_end(slot)

    def paint_row(self, slot: int, line: int, width: int, style: Style) -> tuple[str, list[Segment]]:
        chosen = slot == self.listed.selected
        faint = style if chosen else self.get_component_rich_style("slots--faint")
        accent = style if chosen else self.get_component_rich_style("slots--accent")
        look = Look(width, self._page.words, style + BOLD, style, faint, accent)
        return NO_MARK, self._page.painter.paint(self._page.rows[slot], line, look)
