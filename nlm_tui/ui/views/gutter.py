"""Lines beside a timeline, from a session to the one that it superseded."""

from collections.abc import Iterable, Sequence
from typing import Final

LANES: Final = 2
"""How many lines are drawn side by side; of others only the words tell."""

WIDTH: Final = LANES + 1


def gutters(heights: Sequence[int], links: Iterable[tuple[int, int]]) -> list[list[str]]:
    """Return what is drawn before each line of each row. Each of `links` joins two rows, whichever is on top."""
    canvas = [[[" "] * LANES for _ in range(height)] for height in heights]
    taken = [-1] * LANES  # the last row of each lane so far
    for first, last in sorted({(min(link), max(link)) for link in links}):
        lane = next((lane for lane in range(LANES) if taken[lane] <= first), None)
        if lane is None or first == last:
            continue
        taken[lane] = last
        _draw(canvas, lane, first, last)
    return [["".join(line) + " " for line in row] for row in canvas]


def passing(gutter: str) -> str:
    """Return what is drawn between a row that begins with `gutter` and the one above it."""
    return "".join("│" if sign in _FROM_ABOVE else " " for sign in gutter)


_FROM_ABOVE: Final = "│├└┼┴"
_CROSSED: Final = {"┌": "┬", "├": "┼", "│": "┼", "└": "┴"}


def _draw(canvas: list[list[list[str]]], lane: int, first: int, last: int) -> None:
    top, bottom = canvas[first][0], canvas[last][0]
    _put(top, lane, "├" if top[lane] == "└" else "┌")
    for line in (*canvas[first][1:], *(line for row in canvas[first + 1 : last] for line in row)):
        _put(line, lane, "│")
    _put(bottom, lane, "└")
    for line in (top, bottom):
        for beside in range(lane + 1, LANES):
            line[beside] = "─" if line[beside] == " " else _CROSSED.get(line[beside], line[beside])


def _put(line: list[str], lane: int, sign: str) -> None:
    line[lane] = _CROSSED[sign] if line[lane] == "─" else sign
