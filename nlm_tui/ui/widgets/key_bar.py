"""The last line of the screen: the keys that matter here."""

from collections.abc import Callable, Iterable
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from nlm_tui.ui.keynames import brief

_GAP = 2


class Hint(NamedTuple):
    """A key and what it does here: how both are shown, and the key as it is pressed."""

    key: str
    does: str
    pressed: str

    @classmethod
    def of(cls, key: str, does: str) -> "Hint":
        """Return the hint of a key as Textual names it."""
        return cls(brief(key), does, key)

    @property
    def width(self) -> int:
        """The cells that it takes."""
        return cell_len(self.key) + 1 + cell_len(self.does)


def fitting(hints: list[Hint], width: int) -> list[Hint]:
    """Return the first hints that have room, and always the last one: it leads to all others."""
    if not hints:
        return []
    *firsts, last = hints
    chosen: list[Hint] = []
    room = width - 2 - last.width
    for hint in firsts:
        room -= hint.width + _GAP
        if room < 0:
            break
        chosen.append(hint)
    return [*chosen, last]


class KeyBar(Widget):
    """One line of hints; a click presses the key. It is repainted where its text changes, never laid out again."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom; height: 1; width: 1fr; background: $panel; color: $foreground;
        & > .keys--key { text-style: bold; background: $panel; color: $text-accent; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"keys--key"}

    def __init__(self, hints: Callable[[], Iterable[Hint]], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._wanted = hints
        self._hints: list[Hint] = []

    @property
    def text(self) -> str:
        """What the line says."""
        return (" " * _GAP).join(f"{hint.key} {hint.does}" for hint in self._hints)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(  # pyright: ignore[reportUnknownMemberType] - a bare Screen
            self, self._bindings_updated
        )

    def _bindings_updated(self, _: Screen[object]) -> None:
        self.look_again()

    def on_resize(self) -> None:
        self.look_again()

    def look_again(self) -> None:
        """Show the keys that matter by now."""
        hints = fitting(list(self._wanted()), self.size.width)
        if hints != self._hints:
            self._hints = hints
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, plain = self.size.width, self.rich_style
        if y:
            return Strip.blank(width, plain)
        key_style = self.get_component_rich_style("keys--key")
        segments: list[Segment] = []
        for hint in self._hints:
            gap = _GAP if segments else 1
            segments += [Segment(" " * gap, plain), Segment(hint.key, key_style), Segment(f" {hint.does}", plain)]
        return Strip(segments).adjust_cell_length(width, plain)

    def on_click(self, event: events.Click) -> None:
        start = 1
        for hint in self._hints:
            if start <= event.x < start + hint.width:
                self.app.simulate_key(hint.pressed)  # pyright: ignore[reportUnknownMemberType] - a bare App
            start += hint.width + _GAP

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Widget's signature
        return container.width
