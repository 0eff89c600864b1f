"""What the memory lists beside sessions: decisions, open questions, topics, facts, and how they followed each other."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, Generic, Literal, Protocol, TypeVar

from nlm_tui.core.corrections import MarkerState
from nlm_tui.core.filters import is_findable, understood
from nlm_tui.core.matching import Matcher, query_matcher
from nlm_tui.core.ports import Interruptible
from nlm_tui.core.query import MarkerKind, RecallQuery, SessionFilter
from nlm_tui.core.units import units
from nlm_tui.core.values import unknown_values, with_beginnings

Grouping = Literal["day", "project", "agent"]

MAX_PAGE: Final = 500
"""How many rows are given at most at once."""

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
    """A session on a timeline, with its markers and the ids of the sessions that it superseded or continues.

    `labels` are theirs, by these ids: they may stand far down in the timeline, or not pass at all.
    """

    origin: Origin
    decisions: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    continues: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)


@dataclass(frozen=True, slots=True)
class Listed(Generic[Row_co]):
    """Some of `total` rows; `oldest` is, of open questions, the one among all of them that stands longest."""

    rows: Sequence[Row_co]
    total: int
    oldest: Row_co | None = None


@dataclass(frozen=True, slots=True)
class Browsed(Generic[Row_co]):
    """Some of `total` rows that pass a query, the words to mark in them, and what of the query does not count.

    `loosened` says that no row holds every word, so that those with any of them are shown, most words first.
    `oldest` is, of open questions, the one among all that pass that stands longest. Text in rows is as it was read, not
    safe to show.
    """

    rows: tuple[Row_co, ...]
    total: int
    words: Matcher
    notes: tuple[str, ...] = ()
    loosened: bool = False
    oldest: Row_co | None = None


@dataclass(frozen=True, slots=True)
class RowQuery:
    """What a store is asked for: rows of sessions that pass, and that hold all of `words`.

    With `typing` the last of the words may be a beginning. `any_word` asks for rows with any of them, those with most
    of them first; words that most rows hold need not count.
    """

    words: str = ""
    session_filter: SessionFilter | None = None
    limit: int = MAX_PAGE
    offset: int = 0
    typing: bool = False
    any_word: bool = False


class BrowsingStore(Protocol):
    """A store that lists what sessions hold. All raise `SearchInterruptedError` and `StoreError` as searches do."""

    def marker_rows(self, kind: MarkerKind, query: RowQuery) -> Listed[MarkerRow]:
        """Return markers: standing ones first, of these the newest first.

        Words are looked for in the text of a marker, and in label, topics and project of its session.
        """
        ...

    def topic_rows(self, query: RowQuery) -> Listed[TopicRow]:
        """Return topics, those of most sessions first; `words` are looked for in their names, as beginnings."""
        ...

    def fact_rows(self, query: RowQuery) -> Listed[FactRow]:
        """Return current facts, the newest first; none where the store has none."""
        ...

    def timeline_rows(self, query: RowQuery) -> Listed[TimelineRow]:
        """Return sessions, the newest first; `words` are looked for in all that is indexed of them."""
        ...

    def span(self) -> tuple[str, str] | None:
        """Return when the first and the last session began; None without sessions."""
        ...

    def times(self, query: RowQuery, borders: Sequence[str]) -> Sequence[int]:
        """Return how many sessions began from each of `borders` until before the next, these as text of UTC.

        Those count that recall by words would find; without words all that pass.
        """
        ...

    def count(self, session_filter: SessionFilter | None = None) -> int:
        """Return how many sessions pass the filter."""
        ...


class BrowseService:
    """Lists what a store holds, by the same query language as recall.

    Words must all stand in a row; filters, phrases and excluded words are those of its session. Days are those of
    `zone` (None: the machine's), counted from `now`. Of every method `query.limit` is clamped to 1..500, and
    `top_level` leaves out subagents, unless it `lists_subagents`.
    """

    def __init__(
        self,
        store: BrowsingStore,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        zone: tzinfo | None = None,
        lists_subagents: bool = False,
    ) -> None:
        self._store = store
        self._now = now
        self._zone = zone
        self._lists_subagents = lists_subagents

    def markers(self, kind: MarkerKind, query: RecallQuery, *, top_level: bool = False) -> Browsed[MarkerRow]:
        """Return decisions, the newest first, or open questions, standing ones first."""
        return self._browsed(query, lambda asked: self._store.marker_rows(kind, asked), top_level=top_level)

    def topics(self, query: RecallQuery, *, top_level: bool = False) -> Browsed[TopicRow]:
        """Return topics whose names hold the words, with counts of what passes the filters, most sessions first."""
        return self._browsed(query, self._store.topic_rows, top_level=top_level)

    def facts(self, query: RecallQuery, *, top_level: bool = False) -> Browsed[FactRow]:
        """Return current facts, the newest first, with the values that they replaced."""
        return self._browsed(query, self._store.fact_rows, top_level=top_level)

    def timeline(self, query: RecallQuery, *, top_level: bool = False) -> Browsed[TimelineRow]:
        """Return sessions with what they hold and how they follow each other, the newest first."""
        return self._browsed(query, self._store.timeline_rows, top_level=top_level)

    def days(self, query: RecallQuery, *, top_level: bool = False) -> tuple[tuple[date, int], ...]:
        """Return on which days sessions began that recall by words finds, and how many; in order of days."""
        with self._searching():
            asked, _ = self._asked(query, top_level=top_level)
            span = self._store.span()
            days = _days(*span, self._zone) if span else []
            counts = self._store.times(asked, [_border(day, self._zone) for day in days]) if days else ()
        return tuple((day, count) for day, count in zip(days, counts, strict=False) if count)

    def _browsed(
        self, query: RecallQuery, ask: Callable[[RowQuery], Listed[Row_co]], *, top_level: bool
    ) -> Browsed[Row_co]:
        with self._searching():
            asked, notes = self._asked(query, top_level=top_level)
            listed = ask(asked)
            loosened = not listed.total and len(units(asked.words)) > 1
            if loosened:
                listed = ask(replace(asked, any_word=True))
            notes = (*notes, *unknown_values(query, self._store.count, found=listed.total > 0))
        text = " ".join(filter(None, (*(f'"{phrase}"' for phrase in query.phrases), asked.words)))
        return Browsed(
            tuple(listed.rows),
            listed.total,
            query_matcher(text, typing=query.typing),
            notes,
            loosened and listed.total > 0,
            listed.oldest,
        )

    def _asked(self, query: RecallQuery, *, top_level: bool) -> tuple[RowQuery, tuple[str, ...]]:
        """Return what the store is asked, and what of the query does not count."""
        meant = understood(query, self._now(), self._zone)
        top_level = top_level or (query.is_narrowed and not meant.asks)  # what is left is an empty query
        session_filter = replace(meant.session_filter, top_level=top_level and not self._lists_subagents)
        if query.typing:
            session_filter = with_beginnings(session_filter, self._store.count)
        words = query.query if is_findable(query.query) else ""
        limit = min(max(query.limit, 1), MAX_PAGE)
        asked = RowQuery(words, session_filter, limit, max(query.offset, 0), query.typing)
        return asked, (*meant.notes, *((_LIKE,) if meant.like else ()))

    def _searching(self) -> AbstractContextManager[None]:
        return self._store.searching() if isinstance(self._store, Interruptible) else nullcontext()


_LIKE: Final = "like: counts among sessions only"
_MOST_DAYS: Final = 36_600


def _days(first: str, last: str, zone: tzinfo | None) -> list[date]:
    """Return the days of `zone` from one time to another and the day after, at most so many; none if one is no time."""
    try:
        begin, end = (
            datetime.fromisoformat(time).replace(tzinfo=UTC).astimezone(zone).date() for time in (first, last)
        )
    except (ValueError, OverflowError):
        return []
    begin = max(begin, end - timedelta(days=_MOST_DAYS))
    return [begin + timedelta(days=place) for place in range((end - begin).days + 2)]


def _border(day: date, zone: tzinfo | None) -> str:
    """Return when a day begins, as text that sorts among stored times."""
    begin = datetime.combine(day, time.min, zone)
    return begin.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds")
