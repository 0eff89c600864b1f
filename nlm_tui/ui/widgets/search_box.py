"""The search box."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input

from nlm_tui.core import one_line

_HINTS = (
    'words, "phrase", -word, agent: project: has:open since:7d  (Tab completes)',
    'words "phrase" -word agent: since:7d',
    "type to search",
)
_EDITING = ("cursor_", "delete_", "home", "end", "cut", "copy", "paste", "select_")  # how actions of Input begin
_COMPLETES = "Complete a filter; where there is none, to the next pane"


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
        Binding("tab", "screen.complete(1)", "Complete", id="search.complete", tooltip=_COMPLETES, show=False),
        Binding(
            "shift+tab",
            "screen.complete(-1)",
            "Completion before",
            id="search.complete_back",
            tooltip="One completion back; to the pane before",
            show=False,
        ),
    ]

    def __init__(self, *, blinks: bool, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(select_on_focus=False, compact=True, id=id)
        self.cursor_blink = blinks
        self._cleared = ""

    def on_resize(self, event: events.Resize) -> None:
        fitting: Sequence[str] = [hint for hint in _HINTS if len(hint) <= event.size.width]
        self.placeholder = fitting[0] if fitting else ""

    async def _on_key(self, event: events.Key) -> None:
        # What edits acts at once: as a binding it would come after letters that were typed behind it.
        bound = self._bindings.key_to_bindings.get(event.key, ())
        if bound and bound[0].action.startswith(_EDITING):
            event.stop()
            event.prevent_default()
            await self.run_action(bound[0].action)
        else:
            await super()._on_key(event)

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        text = one_line(event.text)
        if text:
            self.replace(text, *self.selection)

    def put(self, text: str, cursor: int) -> None:
        """Let the box hold another text."""
        self.value = text
        self.cursor_position = cursor

    def clear_or_restore(self) -> None:
        """Empty the box, or put back what was last taken from it."""
        if self.value:
            self._cleared, self.value = self.value, ""
        elif self._cleared:
            self.value = self._cleared
        self.cursor_position = len(self.value)
