"""The lines of a session, kept without an object for each: the garbage collector would look at all of them."""

from array import array
from collections.abc import Iterable, Sequence
from typing import overload

from nlm_tui.display.document import Kind, Line

_KINDS = tuple(Kind)
_CODES = {kind: code for code, kind in enumerate(_KINDS)}


class KeptLines(Sequence[Line]):
    """Lines to which others can be added."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._kinds, self._indents, self._messages = array("b"), array("b"), array("l")

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, number: int) -> Line: ...
    @overload
    def __getitem__(self, number: slice) -> list[Line]: ...
    def __getitem__(self, number: int | slice) -> Line | list[Line]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self._texts)))]
        kind = _KINDS[self._kinds[number]]
        return Line(self._texts[number], kind, self._indents[number], self._messages[number])

    def kind(self, number: int) -> Kind:
        """Return the kind of a line."""
        return _KINDS[self._kinds[number]]

    def extend(self, lines: Iterable[Line]) -> None:
        """Add lines at the end. The texts come last: another thread may ask how many there are."""
        added = list(lines)
        self._kinds.extend(_CODES[line.kind] for line in added)
        self._indents.extend(line.indent for line in added)
        self._messages.extend(line.message for line in added)
        self._texts += [line.text for line in added]
