"""How rows are painted: what a view says about its rows, and what the list gives it to paint with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from rich.segment import Segment
from rich.style import Style

from nlm_tui.core import Matcher, Span, display_safe, one_line
from nlm_tui.core.secrets import mask
from nlm_tui.ui.painting import MATCH, clipped, two_sides

_STRUCK = Style(strike=True)

Row_contra = TypeVar("Row_contra", contravariant=True)


def joined(*parts: str) -> str:
    """Return stored texts beside each other, on one line."""
    return "  ".join(filter(None, map(one_line, parts)))


def _struck(spans: Sequence[tuple[Span, Style]], length: int) -> list[tuple[Span, Style]]:
    """Return spans that strike through all of a text, the matches in it as well."""
    all_of_it: list[tuple[Span, Style]] = []
    at = 0
    for (start, end), style in spans:
        all_of_it += [((at, start), _STRUCK), ((start, end), style + _STRUCK)]
        at = end
    return [*all_of_it, ((at, length), _STRUCK)]


def _shown(text: str) -> str:
    return mask(display_safe(text)).replace("\n", " ")


@dataclass(frozen=True, slots=True)
class Look:
    """The room that a line has, and its styles; on the selected row they are one."""

    width: int
    words: Matcher
    strong: Style
    plain: Style
    faint: Style
    accent: Style

    def text(
        self, text: str, style: Style, right: str = "", *, before: str = "", struck: bool = False
    ) -> list[Segment]:
        """Return a line that holds stored text with its matches marked, something `before` it and at its right end."""
        head = [Segment(before, style)] if before else []
        text = _shown(text)
        spans = [(span, MATCH) for span in self.words.spans(text)]
        if struck:
            spans = _struck(spans, len(text))
        return [*head, *two_sides(text, spans, _shown(right), self.width - len(before), style)]

    def line(self, text: str, style: Style) -> list[Segment]:
        """Return a line without marks."""
        return clipped(_shown(text), (), self.width, style)


class Painter(Protocol[Row_contra]):
    """What a view says about its rows."""

    def key(self, row: Row_contra, /) -> str:
        """Return what tells a row from all others."""
        ...

    def height(self, row: Row_contra, /) -> int:
        """Return how many lines a row takes."""
        ...

    def headings(self, rows: Sequence[Row_contra], /) -> Mapping[int, str]:
        """Return the headings that stand above rows."""
        ...

    def paint(self, row: Row_contra, line: int, look: Look, /) -> list[Segment]:
        """Return a line of a row."""
        ...
