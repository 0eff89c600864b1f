"""What is being looked for inside of a session, and where it stands as far as that was searched."""

from collections.abc import Sequence

from nlm_tui.core.finding import Finder
from nlm_tui.display.document import Kind, Line
from nlm_tui.ui.rows import Places, Stops, polite

_UNSAID = frozenset({Kind.HEADING, Kind.SPEAKER, Kind.PROMPT})
_CHARACTERS = 500_000  # that are searched at once


class Find:
    """A text that is looked for in a session. Its first `reached` lines were searched."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.reached = 0
        self.current: int | None = None
        self.is_searching = False
        self.stops = Stops(Places())
        self._finder = Finder(text)

    def search(self, lines: Sequence[Line]) -> tuple[Places, int]:
        """Return where the text stands in some lines from `reached` on, and up to which one. For a thread."""
        places, last, left = Places(), len(lines), _CHARACTERS  # more lines may come meanwhile
        for number in polite(range(self.reached, last)):
            line = lines[number]
            if line.kind not in _UNSAID:
                for span in self._finder.spans(line.text):
                    places.add(number, span)
            left -= len(line.text) + 1
            if left <= 0:
                return places, number + 1
        return places, last

    def add(self, places: Places, reached: int) -> None:
        """Take over what was found."""
        self.stops.places.extend(places)
        self.reached = reached
