"""A list of rows with one of them selected; headings may stand between them."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from nlm_tui.ui.painting import blank_style, clip
from nlm_tui.ui.widgets.lines import LineView
from nlm_tui.ui.wrap import wrap

MARK_WIDTH = 2  # before each line of a row
BOLD = Style(bold=True)
_MARK, _FOCUSED_MARK, NO_MARK = "> ", "» ", "  "


class Spot(NamedTuple):
    """What a line of the list is: line `line` of row `slot`, or, where that is negative, the heading above it."""

    slot: int
    line: int


@dataclass(frozen=True, slots=True)
class Slots:
    """Where rows stand: how many lines each takes, and the headings above some of them."""

    heights: tuple[int, ...] = ()
    headings: Mapping[int, str] = field(default_factory=dict[int, str])
    starts: tuple[int, ...] = ()
    line_count: int = 0

    @classmethod
    def of(cls, heights: Sequence[int], headings: Mapping[int, str] | None = None) -> "Slots":
        """Return slots of these heights, one line for each heading on top."""
        above = headings or {}
        ends = list(accumulate(height + (slot in above) for slot, height in enumerate(heights)))
        starts = tuple(end - height for end, height in zip(ends, heights, strict=True))
        return cls(tuple(heights), above, starts, ends[-1] if ends else 0)

    def at(self, number: int) -> Spot | None:
        """Return what line `number` is; None beyond the last one."""
        if not 0 <= number < self.line_count:
            return None
        slot = bisect_right(self.starts, number) - 1
        if slot < 0 or number >= self.starts[slot] + self.heights[slot]:
            return Spot(slot + 1, -1)
        return Spot(slot, number - self.starts[slot])

    def extent(self, slot: int) -> tuple[int, int]:
        """Return the first line of a row, its heading included, and the line behind its last one."""
        start = self.starts[slot]
        return start - (slot in self.headings), start + self.heights[slot]


@dataclass(slots=True)
class Listed:
    """What a list shows, and how: the id of each row, which one is selected, where the view is.

    The selection follows the first row until the user moves it, then it stays on its own. Where that is gone, it goes
    to the row that took its place: the one that is called `instead`, else the one below.
    """

    keys: tuple[str, ...] = ()
    slots: Slots = field(default_factory=Slots)
    message: str = ""
    selected: int = 0
    follows_top: bool = True
    preferred: str | None = None
    instead: str | None = None
    first_line: int = 0

    def wanted(self, *, keep: bool = False) -> str | None:
        """Return the row that stays selected when others come; None for the first one, whichever it is.

        `keep` holds the selection on its row even where it follows the top.
        """
        if self.preferred is not None:
            return self.preferred
        return self.keys[self.selected] if self.keys and (keep or not self.follows_top) else None

    def take(self, keys: Sequence[str], slots: Slots, *, message: str = "", keep: bool = False) -> None:
        """Hold other rows, with the selection on its own where that is among them."""
        places = {key: place for place, key in enumerate(keys)}
        wanted = self.wanted(keep=keep)
        place = None if wanted is None else places.get(wanted)
        if place is not None:
            self.follows_top = self.follows_top and (place == 0 or self.preferred is None)
            self.preferred = None
        elif keep and self.preferred is None:
            place = self._place_instead(places)
        self.follows_top = self.follows_top or place is None
        self.instead = None
        self.keys, self.slots, self.message, self.selected = tuple(keys), slots, message, place or 0

    def _place_instead(self, places: Mapping[str, int]) -> int | None:
        """Return where the selection goes that has lost its row; None where no row of before is left."""
        if self.instead is not None and self.instead in places:
            return places[self.instead]
        below, above = self.keys[self.selected + 1 :], reversed(self.keys[: self.selected])
        return next((places[key] for key in (*below, *above) if key in places), None)


class SlotView(LineView, can_focus=True):
    """Shows rows, painted line by line, and moves the selection among them."""

    DEFAULT_CSS = """
    SlotView {
        background: $background;
        & > .slots--strong { color: $foreground; background: $background; text-style: bold; }
        & > .slots--plain { color: $foreground; background: $background; }
        & > .slots--faint { color: $text-muted; background: $background; }
        & > .slots--accent { color: $text-accent; background: $background; }
        & > .slots--selected { color: $row-foreground; background: $primary-muted; text-style: $row-text-style; }
        & > .slots--heading { color: $text-primary; background: $background; text-style: bold; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "slots--strong",
        "slots--plain",
        "slots--faint",
        "slots--accent",
        "slots--selected",
        "slots--heading",
    }

    class SelectionMoved(Message):
        """The user moved the selection to another row, maybe near the end of what is loaded."""

        def __init__(self, key: str, *, nears_end: bool) -> None:
            super().__init__()
            self.key = key
            self.nears_end = nears_end

    class Opened(Message):
        """The user clicked on a row twice."""

    class Resized(Message):
        """More rows may have room, or fewer."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.listed = Listed()

    def paint_row(self, slot: int, line: int, width: int, style: Style) -> tuple[str, list[Segment]]:
        """Return the mark and the text of a line of a row; `style` is that of the selected row, or plain."""
        raise NotImplementedError

    @property
    def selected_key(self) -> str | None:
        """The row under the selection."""
        return self.listed.keys[self.listed.selected] if self.listed.keys else None

    @property
    def message(self) -> str:
        """What stands in place of the rows when there are none."""
        return self.listed.message

    @property
    def follows_top(self) -> bool:
        """Whether the selection still follows the first row."""
        return self.listed.follows_top

    @property
    def page(self) -> int:
        """How many rows fit on the screen."""
        slots = self.listed.slots
        tallest = max(slots.heights[: self.visible_lines + 1], default=self.usual_height)
        return max(self.visible_lines // max(tallest, 1), 1)

    @property
    def usual_height(self) -> int:
        """The lines of a row."""
        return 1

    def move(self, step: int) -> None:
        """Move the selection by `step` rows, without wrapping around."""
        self.select(self.listed.selected + step)

    def move_to_edge(self, step: int) -> None:
        """Select the last row that is loaded, or the first one."""
        self.select(len(self.listed.keys) - 1 if step > 0 else 0)

    def follow_top(self) -> None:
        """Select the first row and let the selection follow it again."""
        self.select(0)
        self.listed.follows_top = True

    def let_go(self) -> None:
        """Let the selection follow the first row of what is shown next."""
        self.listed.follows_top = True

    def prefer(self, key: str | None) -> None:
        """Select a row when it is among those that are shown next; None for none in particular."""
        self.listed.preferred = key

    def on_resize(self) -> None:
        self.bring_into_view()
        self.post_message(self.Resized())

    def on_focus(self) -> None:
        self.lines_changed(self.line_count)

    def on_blur(self) -> None:
        self.lines_changed(self.line_count)

    def on_click(self, event: events.Click) -> None:
        spot = self.listed.slots.at(self.first_line + event.y)
        if spot is not None:
            self.select(spot.slot)
            if event.chain > 1:
                self.post_message(self.Opened())

    def select(self, slot: int) -> None:
        """Select a row."""
        listed = self.listed
        if not listed.keys:
            return
        listed.follows_top = False
        slot = min(max(slot, 0), len(listed.keys) - 1)
        moved, listed.selected = slot != listed.selected, slot
        if moved:
            self.bring_into_view()
            self.post_message(self.SelectionMoved(listed.keys[slot], nears_end=self.nears_end(slot)))

    def nears_end(self, slot: int) -> bool:
        """Return whether a row is near the end of what is loaded."""
        return slot >= len(self.listed.keys) - self.page

    def bring_into_view(self) -> None:
        """Scroll as little as shows the whole selected row, and repaint what changed."""
        listed = self.listed
        first = 0
        if listed.keys:
            top, end = listed.slots.extent(listed.selected)
            first = max(min(max(self.first_line, end - self.visible_lines), top), 0)
        self.lines_changed(self.line_count, first_line=first)

    @property
    def line_count(self) -> int:
        """How many lines the rows take, or the message in their place."""
        return self.listed.slots.line_count if self.listed.keys else self.message.count("\n") + 1

    def paint(self, number: int, width: int) -> Strip:
        if not self.listed.keys:
            return self._paint_message(number, width)
        spot = self.listed.slots.at(number)
        if spot is None:
            return Strip.blank(width, self.get_component_rich_style("slots--plain"))
        if spot.line < 0:
            style = self.get_component_rich_style("slots--heading")
            text = clip(self.listed.slots.headings[spot.slot], width)
            return Strip([Segment(text, style)]).adjust_cell_length(width, style)
        chosen = spot.slot == self.listed.selected
        style = self.get_component_rich_style("slots--selected" if chosen else "slots--plain")
        mark, segments = self.paint_row(spot.slot, spot.line, width - MARK_WIDTH, style)
        if chosen and spot.line == 0:
            mark = _FOCUSED_MARK if self.has_focus else _MARK
        # One style for text and blanks: each change of style costs as many bytes as half a line of text.
        before, behind = (blank_style(segments[place].style or style) if segments else style for place in (0, -1))
        return Strip([Segment(mark, before), *segments]).adjust_cell_length(width, behind).simplify()

    def _paint_message(self, number: int, width: int) -> Strip:
        style = self.get_component_rich_style("slots--faint")
        lines = [line[start:end] for line in self.message.split("\n") for start, end in wrap(line, max(width - 4, 1))]
        # One blank line above, so that it does not stick to the frame.
        text = lines[number - 1] if 0 < number <= len(lines) else ""
        return Strip([Segment(f"  {text}", style)]).adjust_cell_length(width, style)
