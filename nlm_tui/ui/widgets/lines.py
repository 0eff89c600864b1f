"""A view of lines that repaints only the lines that changed: what makes typing cheap, also over a slow connection."""

from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip


class LineView(ScrollView):
    """Shows `line_count` lines, painted one by one by `paint`."""

    DEFAULT_CSS = """
    LineView {
        height: 1fr; width: 1fr; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
        scrollbar-background: $background; scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._painted: list[Strip] = []
        self._painted_at = (0, 0)  # the first line and the width of what is painted

    def paint(self, number: int, width: int) -> Strip:
        """Return line `number`, `width` cells wide; beyond the last line a blank one."""
        raise NotImplementedError

    @property
    def content_width(self) -> int:
        """The width of a line in cells."""
        return self.scrollable_content_region.width

    @property
    def visible_lines(self) -> int:
        """How many lines are on the screen at once."""
        return self.scrollable_content_region.height

    @property
    def first_line(self) -> int:
        """The line at the top of the view."""
        return self.scroll_offset.y

    def lines_changed(self, line_count: int, *, first_line: int | None = None) -> None:
        """Show `line_count` lines, beginning at `first_line` (None: where the view is), and repaint what differs."""
        self._count(line_count)
        before, at = self._painted, self._painted_at
        if first_line is not None:
            self.scroll_to(y=first_line, animate=False, immediate=True)
        else:
            self.scroll_y = self.validate_scroll_y(self.scroll_y)
        self._paint_all()
        if at != self._painted_at or len(before) != len(self._painted):
            self.refresh()
            return
        pairs = enumerate(zip(before, self._painted, strict=True))
        changed = [(y, *_difference(old, new)) for y, (old, new) in pairs if old != new]
        if changed:
            # Neither the scrollbar beside them, nor the blanks that were there before.
            self.refresh(*(Region(start, y, end - start, 1) for y, start, end in changed))

    def lines_added(self, line_count: int) -> None:
        """Show `line_count` lines, of which those that were there are the first."""
        if self.virtual_size.height < self.first_line + self.visible_lines:
            self.lines_changed(line_count)
        else:
            self._count(line_count)

    def render_line(self, y: int) -> Strip:
        width = self.content_width
        if self._painted_at != (self.first_line, width) or y >= len(self._painted):
            self._paint_all()
        return self._painted[y] if y < len(self._painted) else Strip.blank(width, self.rich_style)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painted = []

    def _count(self, line_count: int) -> None:
        # Setting the attribute itself would lay out the whole screen, for a scrollbar that is always there.
        size = Size(self.content_width, line_count)
        self.set_reactive(ScrollView.virtual_size, size)  # pyright: ignore[reportArgumentType] - a descriptor
        bar = self.vertical_scrollbar
        bar.window_virtual_size, bar.window_size = line_count, self.visible_lines

    def _paint_all(self) -> None:
        width, first = self.content_width, self.first_line
        self._painted_at = (first, width)
        self._painted = [self.paint(first + y, width) for y in range(self.visible_lines)] if width > 0 else []


def _difference(before: Strip, after: Strip) -> tuple[int, int]:
    """Return from which cell to which two lines of the same width differ; of wide characters, the whole line."""
    old, new = _cells(before), _cells(after)
    if len(old) != len(new) or len(new) != after.cell_length:
        return 0, after.cell_length
    places = [place for place, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    return (places[0], places[-1] + 1) if places else (0, after.cell_length)


def _cells(strip: Strip) -> list[tuple[str, Style | None]]:
    return [(character, segment.style) for segment in strip for character in segment.text]
