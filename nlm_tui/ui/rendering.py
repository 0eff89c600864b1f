"""Rows of a session as segments: what a line is, how its parts look, what in it is marked."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from nlm_tui.core import Span
from nlm_tui.display.markdown import Look, Piece

_LEAST_CONTRAST = 4.5
Marked = tuple[Span, Style]


class Looks(NamedTuple):
    """The style of a line and those of the parts in it that look unlike the rest."""

    base: Style
    parts: dict[Look, Style]


def segments(text: str, span: Span, pieces: Sequence[Piece], marks: Iterable[Marked], looks: Looks) -> list[Segment]:
    """Return a row, the characters `span` of `text`: of pieces that overlap the later counts, marks lie on top."""
    start, end = span
    inside = [piece for piece in pieces if piece.start < end and piece.end > start]
    over = [(mark, style) for mark, style in marks if mark[0] < end and mark[1] > start]
    if not inside and not over:
        return [Segment(text[start:end], looks.base)] if start < end else []
    cuts = {start, end}
    for first, last in (*((piece.start, piece.end) for piece in inside), *(mark for mark, _ in over)):
        cuts.update((max(first, start), min(last, end)))
    found: list[Segment] = []
    for first, last in pairwise(sorted(cuts)):
        style = looks.base
        for piece in inside:
            if piece.start <= first < piece.end:
                style = looks.parts.get(piece.look, style)
        for mark, on_top in over:
            if mark[0] <= first < mark[1]:
                style += on_top
        found.append(Segment(text[first:last], style))
    return found


def readable(style: Style, plain: Style) -> Style:
    """Return `style`, in the colour of `plain` where its own is too near to the background."""
    if style.color is None or style.bgcolor is None or plain.color is None:
        return style
    if style.color.triplet is None or style.bgcolor.triplet is None:
        return style  # the terminal's own colours, whatever they are
    if contrast(style.color.triplet, style.bgcolor.triplet) >= _LEAST_CONTRAST:
        return style
    return style + Style(color=plain.color)


def contrast(one: Sequence[int], other: Sequence[int]) -> float:
    """Return how much two colours differ in light, as the guidelines for readable text count it: 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Sequence[int]) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
