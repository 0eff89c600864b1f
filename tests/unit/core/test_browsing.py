"""Lists beside sessions: what a store is asked, and what becomes of its answer."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from nlm_tui.core import Filter, MarkerKind, SessionFilter, TextFilter, parse
from nlm_tui.core.browsing import (
    BrowseService,
    FactRow,
    Listed,
    MarkerRow,
    Origin,
    RowQuery,
    TimelineRow,
    TopicRow,
)

NOW = datetime(2026, 5, 14, 12, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def row(text: str) -> MarkerRow:
    origin = Origin(session_id="cc_1", label="A session", runtime="claude-code", started_at="2026-05-01T10:00:00.000Z")
    return MarkerRow(id=text, kind="decision", text=text, origin=origin)


class FakeStore:
    """Holds decisions that are found by the words that they are made of, and remembers what it was asked."""

    def __init__(self, *texts: str, span: tuple[str, str] | None = None) -> None:
        self.texts = texts
        self.asked: list[RowQuery] = []
        self.borders: Sequence[str] = ()
        self.known = 1
        self._span = span

    def marker_rows(self, kind: MarkerKind, query: RowQuery) -> Listed[MarkerRow]:
        self.asked.append(query)
        words = query.words.split()
        holds = any if query.any_word else all
        found = [row(text) for text in self.texts if not words or holds(word in text.split() for word in words)]
        page = found[query.offset : query.offset + query.limit]
        return Listed(page, len(found), found[-1] if found and kind == "open" else None)

    def topic_rows(self, query: RowQuery) -> Listed[TopicRow]:
        self.asked.append(query)
        return Listed((), 0)

    def fact_rows(self, query: RowQuery) -> Listed[FactRow]:
        self.asked.append(query)
        return Listed((), 0)

    def timeline_rows(self, query: RowQuery) -> Listed[TimelineRow]:
        self.asked.append(query)
        return Listed((), 0)

    def span(self) -> tuple[str, str] | None:
        return self._span

    def times(self, query: RowQuery, borders: Sequence[str]) -> Sequence[int]:
        self.asked.append(query)
        self.borders = borders
        return [place % 2 for place in range(len(borders) - 1)]

    def count(self, session_filter: SessionFilter | None = None) -> int:
        del session_filter
        return self.known


def service(store: FakeStore) -> BrowseService:
    return BrowseService(store, now=lambda: NOW, zone=BERLIN)


def test_every_word_must_stand_in_a_row() -> None:
    store = FakeStore("three retries", "three queues", "a queue")
    found = service(store).markers("decision", parse("three retries"))
    assert ([one.text for one in found.rows], found.total, found.loosened) == (["three retries"], 1, False)
    assert len(store.asked) == 1


def test_where_no_row_holds_all_words_any_will_do() -> None:
    store = FakeStore("three retries", "three queues", "a queue")
    found = service(store).markers("decision", parse("three zebras"))
    assert ([one.text for one in found.rows], found.total, found.loosened) == (
        ["three retries", "three queues"],
        2,
        True,
    )
    assert [asked.any_word for asked in store.asked] == [False, True]


@pytest.mark.parametrize("text", ["", "zebra", "zebra  ", "?!"])
def test_nothing_to_loosen(text: str) -> None:
    store = FakeStore()
    found = service(store).markers("decision", parse(text))
    assert (found.total, found.loosened) == (0, False)
    assert len(store.asked) == 1


def test_what_is_found_by_no_word_at_all_is_not_loosened() -> None:
    found = service(FakeStore("three retries")).markers("decision", parse("zebra giraffe"))
    assert (found.total, found.loosened) == (0, False)


def test_an_empty_query_lists_everything() -> None:
    found = service(FakeStore("one", "two")).markers("decision", parse(""))
    assert ([one.text for one in found.rows], found.total, bool(found.words)) == (["one", "two"], 2, False)


@pytest.mark.parametrize(("limit", "asked"), [(0, 1), (20, 20), (500, 500), (501, 500), (10**9, 500)])
def test_pages_have_bounds(limit: int, asked: int) -> None:
    store = FakeStore("one")
    service(store).markers("decision", parse("", limit=limit, offset=-3))
    assert (store.asked[0].limit, store.asked[0].offset) == (asked, 0)


def test_a_page_beyond_the_end_still_knows_the_total() -> None:
    found = service(FakeStore("one", "two")).markers("decision", parse("", limit=5, offset=9))
    assert (found.rows, found.total) == ((), 2)


def test_the_oldest_question_comes_along() -> None:
    found = service(FakeStore("new", "old")).markers("open", parse(""))
    assert found.oldest is not None
    assert found.oldest.text == "old"


def test_conditions_are_those_of_sessions() -> None:
    store = FakeStore("one")
    service(store).markers("decision", parse('one agent:codex "two words" -three since:today'), top_level=True)
    assert store.asked[0].words.strip() == "one"
    assert store.asked[0].session_filter == SessionFilter(
        top_level=True,
        filters=(Filter("agent", ("codex",)), Filter("since", ("2026-05-13T22:00:00",))),
        texts=(TextFilter("two words"), TextFilter("three", negated=True)),
    )


def test_words_and_phrases_are_marked() -> None:
    found = service(FakeStore("retries")).markers("decision", parse('retry "dead letter"'))
    assert [found.words.occurs(text) for text in ("Retries", "the dead-letter queue", "a letter")] == [
        True,
        True,
        False,
    ]


def test_the_word_that_is_typed_may_be_a_beginning() -> None:
    store = FakeStore("one")
    found = service(store).markers("decision", parse("mig", typing=True))
    assert store.asked[0].typing
    assert found.words.occurs("a migration")


def test_likeness_is_noted() -> None:
    found = service(FakeStore("one")).markers("decision", parse("like:cc_1 since:whenever"))
    assert found.notes == (
        "since:whenever is no day: use 2026-05-01, 2026-05, 7d, 2w, 3mo, today, yesterday or monday",
        "like: counts among sessions only",
    )


def test_unknown_values_are_noted_where_nothing_is_found() -> None:
    store = FakeStore()
    store.known = 0
    assert service(store).topics(parse("agent:zebra")).notes == ("no session has agent:zebra",)
    store.known = 1
    assert service(store).topics(parse("agent:zebra")).notes == ()


def test_of_several_values_unknown_ones_are_noted_whatever_is_found() -> None:
    store = FakeStore("one")
    store.known = 0
    assert service(store).markers("decision", parse("agent:zebra")).notes == ()
    notes = ("no session has agent:zebra", "no session has agent:yak")
    assert service(store).markers("decision", parse("agent:zebra,yak")).notes == notes


def test_of_what_is_not_understood_nothing_counts() -> None:
    store = FakeStore("one")
    service(store).markers("decision", parse("since:banana"))
    service(store).markers("decision", parse("since:banana one"))
    assert [asked.session_filter.top_level for asked in store.asked] == [True, False]


def test_half_typed_values_count_as_beginnings() -> None:
    store = FakeStore("one")
    store.known = 0
    service(store).markers("decision", parse("agent:cod", typing=True))
    assert store.asked[0].session_filter == SessionFilter(filters=(Filter("agent", ("cod",), unfinished=True),))


def test_other_lists_are_asked_alike() -> None:
    store = FakeStore()
    browse = service(store)
    for ask in (browse.topics, browse.facts, browse.timeline):
        assert ask(parse("retry", limit=7, offset=3)).rows == ()
    assert store.asked == [RowQuery("retry", SessionFilter(), 7, 3)] * 3


def test_days_begin_where_they_do_in_the_zone() -> None:
    store = FakeStore(span=("2026-03-28T22:59:59.999Z", "2026-03-30T10:00:00.000Z"))
    days = service(store).days(parse("retry"))
    # The clocks were put forward on the 29th.
    assert store.borders == [
        "2026-03-27T23:00:00",
        "2026-03-28T23:00:00",
        "2026-03-29T22:00:00",
        "2026-03-30T22:00:00",
    ]
    assert days == ((date(2026, 3, 29), 1),)
    assert store.asked == [RowQuery("retry", SessionFilter(), 20)]


@pytest.mark.parametrize("span", [None, ("", "2026-05-01T10:00:00.000Z"), ("2026-05-01T10:00:00.000Z", "soon")])
def test_no_days_without_times(span: tuple[str, str] | None) -> None:
    assert service(FakeStore(span=span)).days(parse("")) == ()


def test_days_of_a_memory_with_a_time_of_long_ago_are_not_endless() -> None:
    store = FakeStore(span=("0001-01-01T00:00:00.000Z", "2026-05-01T10:00:00.000Z"))
    service(store).days(parse(""))
    assert len(store.borders) == 36_602
