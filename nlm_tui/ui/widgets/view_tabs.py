"""The views by name, one of them the current one; a click turns to another."""

from collections.abc import Mapping
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.views.names import TITLES, VIEW_NAMES, ViewName

_ALT = "alt+"


class ViewTabs(Widget):
    """One line: `alt+ 1 Sessions 12  2 Decisions ...`, without the numbers where there is no room for them.

    What all their keys begin with stands once.
    """

    DEFAULT_CSS = """
    ViewTabs {
        height: 1; width: 1fr; background: $background; color: $text-muted;
        & > .tabs--current { color: $foreground; background: $background; text-style: bold reverse; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tabs--current"}

    class Chosen(Message):
        """The user wants another view."""

        def __init__(self, name: ViewName) -> None:
            super().__init__()
            self.name = name

    def __init__(self, keys: KeyMap, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        named = {name: keys.brief(f"view.{name}") for name in VIEW_NAMES}
        alike = all(key.startswith(_ALT) for key in named.values())
        self._before = f" {_ALT}" if alike else ""
        self._keys = {name: key.removeprefix(_ALT) if alike else key for name, key in named.items()}
        self._current: ViewName = VIEW_NAMES[0]
        self._counts: dict[ViewName, int] = {}

    def show(self, current: ViewName, counts: Mapping[ViewName, int]) -> None:
        """Show which view is the current one, and of how many rows each knows."""
        if (current, counts) != (self._current, self._counts):
            self._current, self._counts = current, dict(counts)
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        for name, start, end, _ in self._places(self.size.width):
            if start <= event.x < end:
                self.post_message(self.Chosen(name))

    def render_line(self, y: int) -> Strip:
        style, width = self.rich_style, self.size.width
        if y:
            return Strip.blank(width, style)
        segments = [Segment(self._before, style)]
        at = len(self._before)
        for name, start, end, text in self._places(width):
            current = self.get_component_rich_style("tabs--current") if name == self._current else style
            segments += [Segment(" " * (start - at), style), Segment(text, current)]
            at = end
        return Strip([one for one in segments if one.text]).adjust_cell_length(width, style).simplify()

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Widget's signature
        return container.width

    def _places(self, width: int) -> list[tuple[ViewName, int, int, str]]:
        """Return where each name stands, and what stands there: the longest form that fits."""
        places: list[tuple[ViewName, int, int, str]] = []
        for counted, short in ((True, False), (False, False), (False, True)):
            places, at = [], len(self._before)
            for name in VIEW_NAMES:
                title = TITLES[name].title
                count = f" {self._counts[name]:,}" if counted and name in self._counts else ""
                text = f" {self._keys[name]} {title.split()[0] if short else title}{count} "
                places.append((name, at, at + cell_len(text), text))
                at = places[-1][2]
            if at <= width:
                break
        return places
