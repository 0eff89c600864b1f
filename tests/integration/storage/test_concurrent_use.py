"""One store under several threads, programs and accidents."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Barrier, Event, Thread

import pytest
from support import a_session, random_session, rows

from nlm_tui.core import SearchInterruptedError, StoreError
from nlm_tui.storage import SqliteSessionStore

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
ENDLESS_WRITE = """
INSERT INTO actions (id, timestamp, kind, subject_type, subject_id)
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x, x, x, x FROM n
"""


def outcome_of(work: object, store: SqliteSessionStore) -> list[object]:
    """Run work in a thread, interrupt it until it ends, and return what came out."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:  # noqa: BLE001 - it is the outcome
            outcome.append(error)

    thread = Thread(target=run)
    thread.start()
    while thread.is_alive():  # an interruption before the start is none
        store.interrupt()
        thread.join(0.001)
    return outcome


def test_interrupt_stops_a_slow_search_and_the_store_works_on(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session(label="redis"))
    (error,) = outcome_of(lambda: store._connection.rows(ENDLESS), store)
    assert isinstance(error, SearchInterruptedError)
    assert [hit.session_id for hit in store.keyword_search("redis", 5)] == ["cc_1"]


def test_an_interruption_while_nothing_runs_is_forgotten(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session(label="redis"))
    store.interrupt()
    assert len(store.keyword_search("redis", 5)) == 1


def test_an_interrupted_write_leaves_nothing(store: SqliteSessionStore) -> None:
    def write() -> None:
        with store.batch():
            store.insert_sessions(a_session())
            store._connection.run(ENDLESS_WRITE)

    (error,) = outcome_of(write, store)
    assert isinstance(error, SearchInterruptedError)
    assert store.count() == 0
    store.insert_sessions(a_session())
    assert store.count() == 1


def test_a_search_under_fire_is_right_or_interrupted(store: SqliteSessionStore) -> None:
    random = Random(1)
    with store.batch():
        for number in range(200):
            store.insert_sessions(random_session(random, number))
    expected = store.keyword_search("redis kafka", 50)

    def search() -> list[object]:
        answers: list[object] = []
        for _ in range(200):
            try:
                answers.append(store.keyword_search("redis kafka", 50))
            except SearchInterruptedError:
                answers.append("interrupted")
        return answers

    (answers,) = outcome_of(search, store)
    assert all(answer in ("interrupted", expected) for answer in answers)


def test_readers_never_wait_for_a_writer(store: SqliteSessionStore, store_path: Path) -> None:
    store.insert_sessions(a_session("a", label="redis"))
    with SqliteSessionStore.open(store_path) as reader, store.batch():
        store.insert_sessions(a_session("b", label="redis"))
        assert [hit.session_id for hit in reader.keyword_search("redis", 5)] == ["a"]
        with SqliteSessionStore.open(store_path) as another:
            assert another.count() == 1


def test_a_second_writer_waits_for_the_first(store: SqliteSessionStore, store_path: Path) -> None:
    started = Event()

    def write() -> None:
        with SqliteSessionStore.open(store_path) as other:
            started.set()
            other.insert_sessions(a_session("b"))

    with ThreadPoolExecutor(1) as pool:
        with store.batch():
            store.insert_sessions(a_session("a"))
            written = pool.submit(write)
            started.wait()
        written.result()
    assert {session.id for session in store.list()} == {"a", "b"}


def test_a_writer_that_waits_too_long_says_so(store: SqliteSessionStore, store_path: Path) -> None:
    with SqliteSessionStore.open(store_path) as other, store.batch():
        other._connection._database.setbusytimeout(1)
        with pytest.raises(StoreError, match="another program is writing to the store; try again"):
            other.insert_sessions(a_session())
    assert store.count() == 0


def test_threads_share_a_store(store: SqliteSessionStore) -> None:
    def work(number: int) -> int:
        random = Random(number)
        for place in range(10):
            store.insert_sessions(random_session(random, number * 100 + place))
            store.keyword_search("redis", 20)
        return len(store.list())

    with ThreadPoolExecutor(8) as pool:
        assert max(pool.map(work, range(8))) == 80


def test_many_may_make_the_same_store_at_once(store_path: Path) -> None:
    together = Barrier(8)

    def make(number: int) -> None:
        together.wait()
        with SqliteSessionStore.open(store_path) as store:
            store.insert_sessions(a_session(f"s{number}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(make, range(8)))
    with SqliteSessionStore.open(store_path) as store:
        assert store.count() == 8


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_program_that_is_killed_leaves_a_valid_store(store_path: Path) -> None:
    script = (
        "import sys; from random import Random; from support import random_session\n"
        "from nlm_tui.storage import SqliteSessionStore\n"
        "store, random = SqliteSessionStore.open(sys.argv[1]), Random(2)\n"
        "while True:\n"
        "    with store.batch():\n"
        "        for number in range(20): store.insert_sessions(random_session(random, number))\n"
        "    print('written', flush=True)\n"
    )
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", script, store_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        for _ in range(3):
            assert process.stdout.readline() == "written\n"
        process.send_signal(signal.SIGKILL)
    with SqliteSessionStore.open(store_path) as store:
        assert store.count() == 20
    assert rows(store_path, "PRAGMA integrity_check") == [("ok",)]
    rows(store_path, "INSERT INTO sessions_fts (sessions_fts, rank) VALUES ('integrity-check', 1)")
