"""The conditions of the query, one beside the other, each to be taken off by a click."""

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from nlm_tui.core import Piece, one_line
from nlm_tui.core.secrets import mask
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.painting import clip

_LONGEST = 32
_CROSS = "x"


@dataclass(frozen=True, slots=True)
class _Chip:
    """A condition as it is shown, and the cells that it takes."""

    piece: Piece
    text: str
    start: int
    end: int


class ChipBar(Widget):
    """One line of chips, there only while there are any. One that was not understood is marked with a `?`."""

    DEFAULT_CSS = """
    ChipBar {
        height: 1; width: 1fr; display: none; background: $background; color: $text-muted;
        & > .chips--chip { color: $row-foreground; background: $panel; }
        & > .chips--doubtful { color: $row-foreground; background: $error-muted; }
    }
    ChipBar.-shown { display: block; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"chips--chip", "chips--doubtful"}

    class TakenOff(Message):
        """The user wants a condition off."""

        def __init__(self, piece: Piece) -> None:
            super().__init__()
            self.piece = piece

    def __init__(self, keys: KeyMap, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._keys = keys
        self._pieces: tuple[Piece, ...] = ()
        self._doubtful: frozenset[str] = frozenset()
        self._names: dict[str, str] = {}

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The conditions in force."""
        return self._pieces

    def show(self, pieces: tuple[Piece, ...]) -> None:
        """Show these conditions; the line comes with the first and goes with the last."""
        if pieces != self._pieces:
            self._pieces = pieces
            self.set_class(bool(pieces), "-shown")
            self.refresh()

    def doubt(self, texts: frozenset[str]) -> None:
        """Mark the conditions with these texts as not understood."""
        if texts != self._doubtful:
            self._doubtful = texts
            self.refresh()

    def show_as(self, text: str, name: str) -> None:
        """Show the condition `text` as `name` from now on."""
        self._names[text] = name
        self.refresh()

    def take_off_last(self) -> None:
        """Ask for the last condition to be taken off, if there is any."""
        if self._pieces:
            self.post_message(self.TakenOff(self._pieces[-1]))

    def on_click(self, event: events.Click) -> None:
        for chip in self._chips():
            if chip.start <= event.x < chip.end:
                self.post_message(self.TakenOff(chip.piece))

    def render_line(self, y: int) -> Strip:
        width, plain = self.size.width, self.rich_style
        if y:
            return Strip.blank(width, plain)
        chips = self._chips()
        hidden = len(self._pieces) - len(chips)
        segments = [Segment(f" +{hidden}" if hidden else "", plain)]
        for chip in chips:
            kind = "doubtful" if chip.piece.text in self._doubtful else "chip"
            segments.append(Segment(" ", plain))
            segments.append(Segment(chip.text, self.get_component_rich_style(f"chips--{kind}")))
        hint = f"  {self._keys.brief('search.take_off')} takes off the last"
        if chips and chips[-1].end + cell_len(hint) < width:
            segments.append(Segment(hint, plain))
        return Strip(segments).adjust_cell_length(width, plain)

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Widget's signature
        return container.width

    def _chips(self) -> list[_Chip]:
        """Return the chips that have room: all, or the last ones behind the number of the others."""
        texts = [self._text(piece) for piece in self._pieces]
        widths = [1 + cell_len(text) for text in texts]
        first, start = 0, 0
        while first < len(texts) - 1 and start + sum(widths[first:]) > self.size.width:
            first += 1
            start = len(f" +{first}")
        chips: list[_Chip] = []
        for piece, text, width in zip(self._pieces[first:], texts[first:], widths[first:], strict=True):
            chips.append(_Chip(piece, text, start + 1, start + width))
            start += width
        return chips

    def _text(self, piece: Piece) -> str:
        doubt = " ?" if piece.text in self._doubtful else ""
        return f" {clip(mask(one_line(self._names.get(piece.text, piece.text))), _LONGEST)}{doubt} {_CROSS} "
