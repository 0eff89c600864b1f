"""A terminal in memory, and what can be seen on it."""

import pyte
from pyte.screens import Char


class _Screen(pyte.Screen):
    def draw(self, data: str) -> None:
        for character in data:  # after one that it does not know, pyte would leave out what comes with it
            super().draw(character)


class VirtualTerminal:
    """A terminal of a size, that wraps long lines or, as Textual tells it, does not."""

    def __init__(self, columns: int, lines: int, *, wraps: bool = False) -> None:
        self.screen = _Screen(columns, lines)
        self._stream = pyte.Stream(self.screen)
        self._stream.feed("\x1b[?7h" if wraps else "\x1b[?7l")

    def feed(self, text: str) -> None:
        """Take what a program writes."""
        self._stream.feed(text)

    @property
    def picture(self) -> list[list[object]]:
        """What is seen of each cell."""
        screen = self.screen
        return [[_seen(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)]

    @property
    def pen(self) -> tuple[int, int, bool, Char]:
        """Where and how it writes next, and whether the cursor is hidden."""
        cursor = self.screen.cursor
        return cursor.x, cursor.y, cursor.hidden, cursor.attrs


def _seen(cell: Char) -> object:
    has_line = cell.underscore or cell.strikethrough or cell.reverse or cell.blink
    return cell if has_line or not cell.data.startswith(" ") else (cell.data, cell.bg)
