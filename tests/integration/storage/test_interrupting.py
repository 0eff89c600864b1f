"""A search of several statements is stopped wherever it is, and none but that."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest
from support import random_session

from nlm_tui.core import RecallQuery, RecallResult, RecallService, SearchInterruptedError, SessionFilter, parse
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.storage.connection import Connection

WANTED = SessionFilter(kind="decision")


@pytest.fixture
def filled(store: SqliteSessionStore) -> SqliteSessionStore:
    """A store of forty random sessions."""
    random = Random(11)
    with store.batch():
        for number in range(40):
            store.insert_sessions(random_session(random, number))
    return store


def elsewhere(work: Callable[[], object]) -> None:
    """Do `work` in another thread, and wait for its end."""
    thread = Thread(target=work)
    thread.start()
    thread.join()


@contextmanager
def after(number: int, work: Callable[[], object]) -> Iterator[list[str]]:
    """Do `work` in another thread once so many statements have run; yield the list of those that ran."""
    ran: list[str] = []
    patched = pytest.MonkeyPatch()

    def watched(name: str) -> None:
        statement = getattr(Connection, name)

        def run(connection: Connection, sql: str, parameters: Sequence[object] = ()) -> object:
            answer = statement(connection, sql, parameters)
            ran.append(sql)
            if len(ran) == number:
                elsewhere(work)
            return answer

        patched.setattr(Connection, name, run)

    watched("rows")
    watched("run")
    try:
        yield ran
    finally:
        patched.undo()


def test_an_interrupt_between_two_statements_stops_the_search(filled: SqliteSessionStore) -> None:
    expected = filled.keyword_search("redis", 5)
    with filled.searching():
        assert filled.keyword_search("redis", 5) == expected
        elsewhere(filled.interrupt)
        for _ in range(3):
            with pytest.raises(SearchInterruptedError):
                filled.keyword_search("redis", 5)
    assert filled.keyword_search("redis", 5) == expected
    with filled.searching():
        assert filled.keyword_search("redis", 5) == expected


def test_an_interrupt_before_or_after_a_search_is_none(filled: SqliteSessionStore) -> None:
    count = filled.count()
    elsewhere(filled.interrupt)
    with filled.searching():
        assert filled.count() == count
    elsewhere(filled.interrupt)
    filled.interrupt()
    assert filled.count(WANTED) > 0
    with filled.searching():
        assert filled.count() == count


QUERIES = [
    parse("redis kafka"),
    parse("redis has:decision"),
    parse("rediz"),
    parse("kafka red", typing=True),
    parse('"redis kafka" -retry entity:Redis'),
    parse("has:open"),
    parse("project:nowhere redis"),
    parse("redis", ranking="reference"),
]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.query or "filter")
@pytest.mark.parametrize("is_fresh", [False, True])
def test_a_recall_is_stopped_after_any_of_its_statements(
    filled: SqliteSessionStore, store_path: Path, query: RecallQuery, *, is_fresh: bool
) -> None:
    expected = RecallService(filled).search(query)

    def search(store: SqliteSessionStore, number: int) -> tuple[int, RecallResult | None]:
        with after(number, store.interrupt) as ran:
            try:
                return len(ran), RecallService(store).search(query)
            except SearchInterruptedError:
                return len(ran), None

    number = 0
    answer = None
    while answer is None:
        number += 1
        if is_fresh:
            with SqliteSessionStore.open(store_path) as store:
                _, answer = search(store, number)
                assert RecallService(store).search(query) == expected
        else:
            _, answer = search(filled, number)
            assert RecallService(filled).search(query) == expected
        assert number < 200
    assert answer == expected
    assert number > 2, "there was something to stop"


def test_the_search_of_another_thread_goes_on(filled: SqliteSessionStore) -> None:
    first_began, second_began, stopped = Event(), Event(), Event()
    outcomes: dict[str, object] = {}

    def search(name: str, began: Event, wait_for: Sequence[Event]) -> None:
        with filled.searching():
            outcomes[name] = filled.count()
            began.set()
            for event in wait_for:
                assert event.wait(60)
            try:
                outcomes[name] = filled.count(WANTED)
            except SearchInterruptedError:
                outcomes[name] = "stopped"

    first = Thread(target=search, args=("first", first_began, [second_began, stopped]))
    first.start()
    assert first_began.wait(60)
    second = Thread(target=search, args=("second", second_began, [stopped]))
    second.start()
    assert second_began.wait(60)
    filled.interrupt()
    stopped.set()
    first.join()
    second.join()
    assert outcomes == {"first": filled.count(WANTED), "second": "stopped"}


def test_each_search_that_was_interrupted_stops(filled: SqliteSessionStore) -> None:
    def another() -> None:
        with filled.searching():
            filled.count()
            filled.interrupt()
            with pytest.raises(SearchInterruptedError):
                filled.count(WANTED)

    with filled.searching():
        filled.count()
        filled.interrupt()
        elsewhere(another)
        with pytest.raises(SearchInterruptedError):
            filled.count(WANTED)


def test_a_statement_of_no_search_is_stopped_only_while_it_runs(filled: SqliteSessionStore) -> None:
    counts: list[int] = []
    with filled.searching():
        filled.count()
        filled.interrupt()
        elsewhere(lambda: counts.append(filled.count()))
        with pytest.raises(SearchInterruptedError):
            filled.count(WANTED)
    assert counts == [40]
