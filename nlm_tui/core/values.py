"""Values of filters that no session has: beginnings while they are typed, and what is said of them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from nlm_tui.core.filters import MAX_CONDITIONS
from nlm_tui.core.query import Filter, FilterName, RecallQuery, SessionFilter
from nlm_tui.core.safe import one_line

Count = Callable[[SessionFilter], int]

_IN_STORE: Final[tuple[FilterName, ...]] = ("agent", "project", "entity", "branch", "model")


def with_beginnings(session_filter: SessionFilter, count: Count) -> SessionFilter:
    """Return the filter; values that no session has and that may be half typed count as beginnings in it."""
    conditions = session_filter.filters
    if session_filter.entity:
        conditions = (Filter("entity", (session_filter.entity,)), *conditions)
    half_typed = [
        condition
        for condition in conditions
        if condition.name in _IN_STORE and not condition.negated and not count(SessionFilter(filters=(condition,)))
    ]
    if not half_typed:
        return session_filter
    known = tuple(replace(found, unfinished=True) if found in half_typed else found for found in conditions)
    return replace(session_filter, entity=None, filters=known)


def unknown_values(query: RecallQuery, count: Count, *, found: bool) -> Iterator[str]:
    """Yield a note for each value in `query` that no session has and that is not half typed.

    Where anything was `found`, it can only be one of several values of a filter.
    """
    values = (
        replace(condition, values=(value,), unfinished=query.typing)
        for condition in query.conditions
        if condition.name in _IN_STORE and not condition.negated and not (found and len(condition.values) == 1)
        for value in condition.values
    )
    for condition in islice(values, MAX_CONDITIONS):
        if not count(SessionFilter(filters=(condition,))):
            yield one_line(f"no session has {condition.name}:{condition.values[0]}")
