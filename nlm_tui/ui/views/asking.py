"""Asking the memory for the rows of a view; worked out in a thread, so without a look at any widget."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from nlm_tui.core import RecallQuery
from nlm_tui.core.browsing import Browsed, BrowseService
from nlm_tui.ui.answers import doubtful_conditions, read_query
from nlm_tui.ui.context import Context
from nlm_tui.ui.views.names import ViewName

PAGE: Final = 500
"""How many rows are asked for at once."""

_Ask = Callable[[BrowseService, RecallQuery, bool], Browsed[Any]]

_ASK: Final[Mapping[ViewName, _Ask]] = {
    "decisions": lambda service, query, top: service.markers("decision", query, top_level=top),
    "open": lambda service, query, top: service.markers("open", query, top_level=top),
    "topics": lambda service, query, top: service.topics(query, top_level=top),
    "facts": lambda service, query, top: service.facts(query, top_level=top),
    "timeline": lambda service, query, top: service.timeline(query, top_level=top),
}


@dataclass(frozen=True, slots=True)
class Rows:
    """The first rows of a view for a text, and how many were asked for. `doubtful` is as in an answer."""

    text: str
    browsed: Browsed[Any]
    reached: int
    doubtful: frozenset[str] = frozenset()
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether there are no more."""
        return self.reached >= self.browsed.total


def rows_of(context: Context, view: ViewName, text: str, wanted: int, shown: Rows | None = None) -> Rows | None:
    """Return the first `wanted` rows; what is `shown` of the same text is not fetched again.

    None where the memory lists only sessions.

    Raises:
        SearchInterruptedError: the memory was interrupted.
        StoreError: the store failed.
    """
    if (service := context.memory.browsing) is None:
        return None
    rows: list[Any] = list(shown.browsed.rows) if shown else []
    reached = shown.reached if shown else 0
    while True:
        page = page_of(service, view, text, reached, min(wanted - reached, PAGE))
        if shown is not None and (page.total, page.loosened) != (shown.browsed.total, shown.browsed.loosened):
            return rows_of(context, view, text, wanted)  # the memory has changed
        rows += page.rows
        reached = min(reached + PAGE, wanted)
        if reached >= min(wanted, page.total) or not page.rows:
            doubtful = doubtful_conditions(context, text, page.notes)
            return Rows(text, replace(page, rows=tuple(rows)), reached, doubtful)


def page_of(service: BrowseService, view: ViewName, text: str, offset: int, limit: int = PAGE) -> Browsed[Any]:
    """Return at most `limit` rows behind the first `offset`.

    Raises:
        SearchInterruptedError: the memory was interrupted.
        StoreError: the store failed.
    """
    query = read_query(text, "keyword")
    return _ASK[view](service, replace(query, limit=limit, offset=offset), _is_all(query))


def days_of(service: BrowseService, text: str) -> tuple[tuple[date, int], ...]:
    """Return on which days the sessions began that are found by the words of `text`.

    Raises:
        SearchInterruptedError: the memory was interrupted.
        StoreError: the store failed.
    """
    query = read_query(text, "keyword")
    return service.days(query, top_level=_is_all(query))


def _is_all(query: RecallQuery) -> bool:
    """Return whether nothing is asked for: subagents are left to their parents then."""
    return not (query.query.strip() or query.is_narrowed)
