"""What a store holds beside sessions, as lists."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from nlm_tui.core import MarkerKind, SessionFilter
from nlm_tui.core.browsing import FactRow, Listed, MarkerRow, RowQuery, TimelineRow, TopicRow
from nlm_tui.storage.browsed_facts import BrowsedFacts
from nlm_tui.storage.browsed_markers import BrowsedMarkers
from nlm_tui.storage.browsed_sessions import BrowsedSessions
from nlm_tui.storage.browsed_topics import BrowsedTopics
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.filters import Condition, Filters
from nlm_tui.storage.foreign import ForeignConnection
from nlm_tui.storage.foreign_lists import ForeignLists
from nlm_tui.storage.index import CurrentIndex
from nlm_tui.storage.origins import Origins
from nlm_tui.storage.rows import SessionColumns
from nlm_tui.storage.search import placed_words
from nlm_tui.storage.tables import OURS


class Browsing:
    """Lists what one store holds; the `BrowsingStore` port."""

    def __init__(self, connection: Connection, columns: SessionColumns, filters: Filters, index: CurrentIndex) -> None:
        tables = (
            ForeignLists(connection, columns).current if isinstance(connection, ForeignConnection) else lambda: OURS
        )
        origins = Origins(connection, columns)
        self._connection = connection
        self._filters = filters
        self._markers = BrowsedMarkers(connection, origins, tables)
        self._topics = BrowsedTopics(connection, tables)
        self._facts = BrowsedFacts(connection, origins)
        self._sessions = BrowsedSessions(connection, origins, index)

    def searching(self) -> AbstractContextManager[None]:
        """One search of this thread, of several calls: an interrupt stops it also between two of them."""
        return self._connection.searching()

    def marker_rows(self, kind: MarkerKind, query: RowQuery) -> Listed[MarkerRow]:
        """Return markers: standing ones first, of these the newest first."""
        return self._markers.rows(kind, query, self._passing(query), self._visible)

    def topic_rows(self, query: RowQuery) -> Listed[TopicRow]:
        """Return topics, those of most sessions first."""
        state = self._connection.state()  # of before: what passes may have changed by the time that it is counted
        return self._topics.rows(query, self._passing(query), state)

    def fact_rows(self, query: RowQuery) -> Listed[FactRow]:
        """Return current facts, the newest first."""
        return self._facts.rows(query, self._passing(query), self._visible)

    def put_fact(self, fact: FactRow) -> None:
        """Insert a fact and what it replaced."""
        self._facts.put(fact)

    def timeline_rows(self, query: RowQuery) -> Listed[TimelineRow]:
        """Return sessions, the newest first."""
        # What an index finds is counted, and one over another store finds sessions, too, that are not shown.
        passing = self._filters.condition(query.session_filter, indexed=query.words != "")
        return self._sessions.timeline(query, passing, self._visible)

    def span(self) -> tuple[str, str] | None:
        """Return when the first and the last session began."""
        return self._sessions.span()

    def times(self, query: RowQuery, borders: Sequence[str]) -> Sequence[int]:
        """Return how many sessions that recall by words would find began from each of `borders` to the next."""
        session_filter, fields = placed_words(query.session_filter)
        return self._sessions.times(query, borders, self._filters.condition(session_filter), fields)

    def count(self, session_filter: SessionFilter | None = None) -> int:
        """Return how many sessions pass the filter."""
        ((total,),) = self._connection.rows(self._filters.condition(session_filter).count_sql)
        return total

    @property
    def _visible(self) -> Condition:
        return self._filters.condition(None)

    def _passing(self, query: RowQuery) -> Condition:
        return self._filters.condition(query.session_filter)
