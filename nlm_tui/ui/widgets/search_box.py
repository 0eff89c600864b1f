"""The search box."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input


class SearchBox(Input):
    """A line of query text. Escape clears it and brings it back: nothing typed is lost."""

    DEFAULT_CSS = """
    SearchBox { width: 1fr; background: $background; }
    SearchBox:focus { background-tint: transparent; }
    """

    # The box is as wide as the screen leaves it: what is typed must not lay out the whole screen again.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.open", "Open", id="results.open", tooltip="Move into the selected session"),
        Binding("ctrl+c", "app.quit", "Quit", id="search.quit", tooltip="Leave the program", show=False),
    ]

    def __init__(self, *, blinks: bool, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(
            placeholder="search sessions, decisions, open questions", select_on_focus=False, compact=True, id=id
        )
        self.cursor_blink = blinks
        self._cleared = ""

    def clear_or_restore(self) -> bool:
        """Empty the box, or put back what was last taken from it; return whether anything changed."""
        if self.value:
            self._cleared, self.value = self.value, ""
        elif self._cleared:
            self.value = self._cleared
        else:
            return False
        self.cursor_position = len(self.value)
        return True
