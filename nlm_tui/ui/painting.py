"""Text to segments: clipped to a width in cells, matches marked."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style

from nlm_tui.core import Span

# By weight and line, not by colour: so it is readable in every theme, on every row, and without colours.
MATCH = Style.parse("bold underline")
CURRENT_MATCH = Style.parse("bold underline reverse")
NEAR = Style.parse("bold")
CURRENT_NEAR = Style.parse("bold reverse")
NEAR_SIGN = "~"  # stands before what is near in meaning
_ELLIPSIS = "…"
_LEAST_LEFT = 12


def clip(text: str, width: int) -> str:
    """Return `text`, one line, in at most `width` cells; an ellipsis shows that it was cut."""
    if len(text) * 2 <= width or cell_len(text) <= width:
        return text
    if width <= 1:
        return _ELLIPSIS[: max(width, 0)]
    return chop_cells(text, width - 1)[0].rstrip() + _ELLIPSIS


@lru_cache(maxsize=256)
def blank_style(style: Style) -> Style:
    """Return the style of blanks beside a text of some style: without lines under or through it."""
    return style + Style(underline=False, strike=False) if style.underline or style.strike else style


def marked(text: str, start: int, end: int, spans: Iterable[tuple[Span, Style]], style: Style) -> list[Segment]:
    """Return the segments of `text[start:end]` in `style`, with each of `spans`, in order, in its own style on top."""
    segments: list[Segment] = []
    for span, match in spans:
        first, last = max(span[0], start), min(span[1], end)
        if first >= last:
            continue
        segments.append(Segment(text[start:first], style))
        segments.append(Segment(text[first:last], style + match))
        start = last
    segments.append(Segment(text[start:end], style))
    return [segment for segment in segments if segment.text]


def clipped(text: str, spans: Sequence[tuple[Span, Style]], width: int, style: Style) -> list[Segment]:
    """Return the segments of `text` in at most `width` cells, with each of `spans` in its own style on top."""
    shown = clip(text, width)
    return marked(shown, 0, len(shown), spans, style)


def two_sides(left: str, spans: Sequence[tuple[Span, Style]], right: str, width: int, style: Style) -> list[Segment]:
    """Return the segments of a line with text at both ends; where there is no room for both, of the left one alone."""
    room = width - cell_len(right) - 1
    if not right or room < _LEAST_LEFT:
        return clipped(left, spans, width, style)
    segments = clipped(left, spans, room, style)
    used = sum(segment.cell_length for segment in segments)
    return [*segments, Segment(" " * (room + 1 - used) + right, style)]
