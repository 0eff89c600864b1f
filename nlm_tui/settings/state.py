"""What the screen remembers from one run to the next."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

MOST_QUERIES: Final = 500
LONGEST_QUERY: Final = 2_000
"""Characters: what is longer was pasted, and is no query to come back to."""


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A query that was given a name."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class LastScreen:
    """What the screen showed when it was left. '' stands for what it shows at the start."""

    query: str = ""
    mode: str = ""
    view: str = ""
    layout: str = ""
    grouping: str = ""
    selected: str = ""

    @property
    def session_id(self) -> str:
        """The session that was selected, also by one of its decisions and questions: their ids begin with its own."""
        return self.selected.partition("::")[0]


@dataclass(frozen=True, slots=True)
class State:
    """What is remembered. `history` holds the queries that were used, the newest first; `saved` is sorted by name."""

    theme: str = ""
    history: tuple[str, ...] = ()
    saved: tuple[SavedQuery, ...] = ()
    last: LastScreen = LastScreen()

    def used(self, query: str, *, instead_of: str = "") -> "State":
        """Return the state with a query that was used; one that was kept for it half typed goes."""
        gone = {query, instead_of}
        others = (known for known in self.history if known not in gone)
        kept = (query,) if len(query) <= LONGEST_QUERY else ()
        return replace(self, history=(*kept, *others)[:MOST_QUERIES])

    def forgotten(self, query: str) -> "State":
        """Return the state without a query that was used."""
        return replace(self, history=tuple(known for known in self.history if known != query))

    def deselected(self, session_id: str) -> "State":
        """Return the state without a session that was selected last; what was typed is the user's own, and stays."""
        if not session_id or self.last.session_id != session_id:
            return self
        return replace(self, last=replace(self.last, selected=""))

    def named(self, name: str, query: str) -> "State":
        """Return the state with a query under a name; what had this name goes."""
        others = (saved for saved in self.saved if saved.name != name)
        return replace(self, saved=_in_order([*others, SavedQuery(name, query)]))

    def unnamed(self, name: str) -> "State":
        """Return the state without the query of this name."""
        return replace(self, saved=tuple(saved for saved in self.saved if saved.name != name))


def _in_order(saved: Iterable[SavedQuery]) -> tuple[SavedQuery, ...]:
    return tuple(sorted(saved, key=lambda query: (query.name.casefold(), query.name)))
