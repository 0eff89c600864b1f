"""All rows of a list, however many of them the screen shows; for a thread, so without a look at any widget."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, Final

from nlm_tui.core import MAX_LIMIT, Mode, SearchInterruptedError
from nlm_tui.display.export import Row
from nlm_tui.ui.answers import hits_from
from nlm_tui.ui.context import Context
from nlm_tui.ui.views.asking import PAGE, page_of
from nlm_tui.ui.views.names import ViewName

_SWEEPS: Final = 2
"""How often all pages are asked for while rows are missing: their order may change from one page to the next."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a list shows: the rows of a view for a text, the last one first where it is turned around.

    `key` tells a row from all others; `total` is how many rows there are, None where that is not known.
    """

    view: ViewName
    text: str
    mode: Mode
    key: Callable[[Any], str]
    total: int | None
    turned: bool = False


class EveryRow:
    """The rows of a listing, page by page. `found` is called with how many came so far, and of how many.

    Raises, while it is gone through:
        SearchInterruptedError: it was stopped.
        StoreError: the store failed.
    """

    def __init__(self, context: Context, listing: Listing, found: Callable[[int, int], object]) -> None:
        self._context = context
        self._listing = listing
        self._found = found
        self._stopped = Event()
        self.count = 0
        self.total = 0

    def __iter__(self) -> Iterator[Row]:
        rows = self._in_order()
        yield from reversed(list(rows)) if self._listing.turned else rows

    def stop(self) -> None:
        """Stop what goes through the rows."""
        self._stopped.set()
        self._context.memory.stop_meaning()
        self._context.memory.interrupt_browsing()

    def _in_order(self) -> Iterator[Row]:
        seen: set[str] = set()
        for _ in range(_SWEEPS):
            for page in self._pages():
                new = {key: row for row in page if (key := self._listing.key(row)) not in seen}
                seen |= new.keys()
                self.count = len(seen)
                self._found(self.count, self.total)
                yield from new.values()
            if self.count >= self.total:
                return

    def _pages(self) -> Iterator[Sequence[Row]]:
        offset, size = 0, MAX_LIMIT if self._listing.view == "sessions" else PAGE
        while True:
            if self._stopped.is_set():
                raise SearchInterruptedError
            try:
                rows, self.total = self._page(offset)
            except SearchInterruptedError:
                continue  # by the screen, which searches in the same memory, unless this was stopped
            yield rows
            offset += size
            if not rows or offset >= self.total:
                return

    def _page(self, offset: int) -> tuple[Sequence[Row], int]:
        context, listing = self._context, self._listing
        if listing.view == "sessions":
            found = hits_from(context, listing.text, listing.mode, offset)
            return found.results, found.total
        if (service := context.memory.browsing) is None:
            return (), 0
        page = page_of(service, listing.view, listing.text, offset)
        return page.rows, page.total
