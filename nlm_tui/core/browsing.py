"""What the memory lists beside sessions: decisions, open questions, topics, facts, and how they followed each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, Literal, Protocol, TypeVar

from nlm_tui.core.matching import Matcher
from nlm_tui.core.query import MarkerKind, SessionFilter

MarkerState = Literal["standing", "resolved", "promoted"]
Grouping = Literal["day", "project", "agent"]

PAGE: Final = 100
"""How many rows are asked for at once."""

Row_co = TypeVar("Row_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The session that a row comes from. Its `successor` superseded it: (id, label)."""

    session_id: str
    label: str
    runtime: str
    started_at: str
    project: str | None = None
    status: str = "closed"
    topics: tuple[str, ...] = ()
    successor: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerRow:
    """A decision or an open question. `id` names it to actions; `answer` is what a question was closed with."""

    id: str
    kind: MarkerKind
    text: str
    origin: Origin
    state: MarkerState = "standing"
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow:
    """A named thing that sessions are about, and how many of them, and of their markers. `last_seen` is a time."""

    name: str
    sessions: int
    decisions: int
    open: int
    last_seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRow:
    """What a session established. `versions` are the values that it replaced, the newest of them first."""

    id: str
    kind: str
    subject: str
    predicate: str
    value: str
    confidence: float
    created_at: str
    origin: Origin
    quote: str = ""
    versions: tuple["FactRow", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineRow:
    """A session on a timeline, with its markers and the ids of the sessions that it superseded or continues."""

    origin: Origin
    decisions: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    continues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Browsed(Generic[Row_co]):
    """Some of `total` rows that pass a query, the words to mark in them, and what of the query does not count.

    `loosened` says that no row holds every word, so that those with any of them are shown, most words first.
    """

    rows: tuple[Row_co, ...]
    total: int
    words: Matcher
    notes: tuple[str, ...] = ()
    loosened: bool = False


@dataclass(frozen=True, slots=True)
class RowQuery:
    """What a store is asked for rows: sessions that pass, and words that each row must hold.

    Each of `words` is an alternative of units of text as the query language gives them; with `typing` the last of them
    may be a beginning. `any_word` asks for rows with any of them, those with most of them first.
    """

    words: str = ""
    session_filter: SessionFilter = SessionFilter()
    limit: int = PAGE
    offset: int = 0
    typing: bool = False
    any_word: bool = False


class BrowsingStore(Protocol):
    """A store that lists what sessions hold. All raise `SearchInterruptedError` and `StoreError` as searches do."""

    def marker_rows(self, kind: MarkerKind, query: RowQuery) -> tuple[Sequence[MarkerRow], int]:
        """Return markers, and how many pass in all: standing ones first, of these the newest first."""
        ...

    def topic_rows(self, query: RowQuery) -> tuple[Sequence[TopicRow], int]:
        """Return topics, those of most sessions first; `words` are looked for in their names."""
        ...

    def fact_rows(self, query: RowQuery) -> tuple[Sequence[FactRow], int]:
        """Return current facts, the newest first; none where the store has none."""
        ...

    def timeline_rows(self, query: RowQuery) -> tuple[Sequence[TimelineRow], int]:
        """Return sessions, the newest first; `words` are looked for in all that is indexed of them."""
        ...

    def days(self, query: RowQuery) -> Sequence[tuple[str, int]]:
        """Return how many sessions with any of the words began on each day, `2026-05-01`, in order of days."""
        ...
