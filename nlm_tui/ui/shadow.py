"""Fewer bytes for the same picture: over a slow connection a key is as quick as what it sends is short.

Textual repaints whole parts of lines, and most of a part may look as before. What the terminal shows is remembered, and
what differs is sent. What is not known for certain is sent as it came.
"""

import re
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from textual.driver import Driver

from nlm_tui.ui.thrift import PLAIN, TextStyle, change, pieces, thrifty

if TYPE_CHECKING:
    from textual.app import App

_MOVE = re.compile(r"\x1b\[([0-9]+);([0-9]+)H")
_WRAPS: Final = {"\x1b[?7h": True, "\x1b[?7l": False}
_CHANGES_NO_CELL: Final = {"\x07", "\x1b[?25h", "\x1b[?25l", "\x1b[?2026h", "\x1b[?2026l"}
# Controls, and sequences that neither style nor move. An end of line just before a move does nothing.
_ELSE = re.compile(
    r"[\0-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f]|\n(?!\x1b\[[0-9]+;[0-9]+H)|\x1b(?!\[(?:[0-9;]*m|[0-9]+;[0-9]+H))"
)
# What fills one cell each, whatever stands beside it: letters, punctuation, arrows, lines and blocks.
_ONE_CELL_EACH = re.compile(
    r"[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203b\u20ac\u2190-\u2193\u2500-\u259f]*"
)
_UNKNOWN: Final = "\0"
_LONGEST_BRIDGE: Final = 4  # cells: to send them again takes no more bytes than a move
_MOST_STYLES: Final = 1 << 15


class _Run(NamedTuple):
    """What is written from a place on; line and column are indexes."""

    line: int
    column: int
    text: str


class _Screen:
    """What a terminal shows: of each line the characters, and signs that stand for their styles."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.styles: list[TextStyle] = [PLAIN]  # by the number of their sign; the first is that of unknown cells
        self._on_blanks: list[TextStyle] = [PLAIN]
        self._sign_of: dict[TextStyle, str] = {}
        self._characters = [_UNKNOWN * columns] * lines
        self._signs = [_UNKNOWN * columns] * lines

    def sign(self, style: TextStyle) -> str:
        """Return what stands for a style."""
        if (sign := self._sign_of.get(style)) is None:
            sign = self._sign_of[style] = chr(len(self.styles))
            self.styles.append(style)
            self._on_blanks.append(style.on_blanks)
        return sign

    def put(self, line: int, column: int, characters: str, signs: str) -> None:
        """Remember what was written."""
        end = column + len(characters)
        for lines, new in ((self._characters, characters), (self._signs, signs)):
            lines[line] = f"{lines[line][:column]}{new}{lines[line][end:]}"

    def forget_around(self, line: int, column: int) -> None:
        """Forget the cell before a place and the rest of its line."""
        line_before, column_before = divmod(max(line * self.columns + column - 1, 0), self.columns)
        for each, start in ((line_before, column_before), (line, column)):
            unknown = _UNKNOWN * (self.columns - start)
            self.put(each, start, unknown, unknown)

    def differing(self, line: int, column: int, characters: str, signs: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each part of `characters` that has to be sent."""
        places = self._differing_places(line, column, characters, signs)
        if not places:
            return
        start = places[0]
        for place, following in pairwise(places):
            if following == place + 1:
                continue
            between = signs[place + 1 : following]
            if len(between) > _LONGEST_BRIDGE or between.lstrip(signs[place]).rstrip(signs[following]):
                yield start, place + 1
                start = following
        yield start, places[-1] + 1

    def _differing_places(self, line: int, column: int, characters: str, signs: str) -> list[int]:
        end = column + len(characters)
        shown, shown_signs = self._characters[line][column:end], self._signs[line][column:end]
        if shown == characters and shown_signs == signs:
            return []
        seen = self._on_blanks
        return [
            place
            for place, (old, new, old_sign, sign) in enumerate(zip(shown, characters, shown_signs, signs, strict=True))
            if old != new or (old_sign != sign and (new != " " or seen[ord(old_sign)] != seen[ord(sign)]))
        ]


class _Pen:
    """Collects what is sent, and knows where and in which style the terminal writes next."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._style = PLAIN
        self._line = self._column = -1

    @property
    def sent(self) -> str:
        return "".join(self._parts)

    def move(self, line: int, column: int) -> None:
        """Go to a place."""
        if line != self._line or column < self._column:
            self._parts.append(f"\x1b[{line + 1};{column + 1}H")
        elif column > self._column:
            self._parts.append(f"\x1b[{column - self._column}C")
        self._line, self._column = line, column

    def get_lost(self) -> None:
        """Know no longer where the terminal writes next."""
        self._line = -1

    def change(self, style: TextStyle) -> None:
        """Write in a style from now on."""
        self._parts.append(change(self._style, style))
        self._style = style

    def write(self, text: str, style: TextStyle) -> None:
        """Write what takes one cell for each character, so that it looks as in a style."""
        if text.strip(" ") or style.on_blanks != self._style.on_blanks:
            self.change(style)
        self._parts.append(text)
        self._column += len(text)


class Shadow:
    """Remembers what a terminal shows."""

    def __init__(self) -> None:
        self._wraps = True
        self._screen = _Screen(0, 0)

    def forget(self) -> None:
        """Take note that the terminal may show anything."""
        self._screen = _Screen(0, 0)

    def changes(self, text: str, columns: int, lines: int) -> str:
        """Return what makes a terminal of that size show what `text` would. Each style in it is made of a plain one.

        What is sent next goes on where `text` ends, and in the style of its end.
        """
        if text in _CHANGES_NO_CELL:
            return text
        self._wraps = _WRAPS.get(text, self._wraps)
        # Where lines wrap, nobody knows what a line that is longer than it seems writes over, or scrolls.
        runs = [] if self._wraps else _runs(text, columns, lines)
        screen = self._screen
        is_known = (screen.columns, screen.lines) == (columns, lines) and len(screen.styles) < _MOST_STYLES
        if not runs or not is_known:
            # In one step: a signal, or the thread that reads, may send something in the midst of this.
            screen = self._screen = _Screen(columns, lines)
        return _sent(runs, screen) if runs else thrifty(text)


def _runs(text: str, columns: int, lines: int) -> list[_Run]:
    """Return what is written where; nothing where that cannot be said for certain."""
    before, *rest = _MOVE.split(text)
    if before or _ELSE.search(text):
        return []
    runs = [
        _Run(int(line) - 1, int(column) - 1, written)
        for line, column, written in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    ]
    are_inside = all(
        0 <= line < lines - written.endswith("\n") and 0 <= column < columns for line, column, written in runs
    )
    return runs if are_inside else []


def _sent(runs: list[_Run], screen: _Screen) -> str:
    """Return what has to be sent, and remember what the terminal shows then."""
    pen = _Pen()
    style = PLAIN
    for run in runs:
        written = pieces(run.text.rstrip("\n"), style)
        style = written[-1][0]
        text = "".join(piece for _, piece in written)
        if run.column + len(text) > screen.columns or not _ONE_CELL_EACH.fullmatch(text):
            _pass(run, written, screen, pen)
            continue
        signs = "".join(screen.sign(style) * len(piece) for style, piece in written)
        is_last = run is runs[-1]
        parts = [(0, len(text))] if is_last else screen.differing(run.line, run.column, text, signs)
        for start, end in parts:
            pen.move(run.line, run.column + start)
            at = start
            for sign, same in groupby(signs[start:end]):
                pen.write(text[at : (at := at + len(list(same)))], screen.styles[ord(sign)])
        screen.put(run.line, run.column, text, signs)
    pen.change(style)
    return pen.sent


def _pass(run: _Run, written: list[tuple[TextStyle, str]], screen: _Screen, pen: _Pen) -> None:
    """Send what fills nobody knows how many cells, and may join the one before it."""
    pen.move(run.line, run.column)
    for style, piece in written:
        if piece:
            pen.change(style)
            pen.write(piece, style)
    pen.get_lost()
    screen.forget_around(run.line, run.column)


class Thrifty(Driver):
    """Sends the terminal no more than it needs."""

    def __init__(
        self, app: "App[Any]", *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._shadow = Shadow()

    def forget(self) -> None:
        """Send all of what is written next: the terminal may show anything."""
        self._shadow.forget()

    def write(self, data: str) -> None:
        super().write(self._shadow.changes(data, *self._app.size))


def thrifty_driver(base: type[Driver]) -> type[Driver]:
    """Return a driver that does so."""

    class ThriftyDriver(Thrifty, base):
        pass

    return ThriftyDriver
