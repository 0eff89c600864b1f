"""The index over a store of another program: made beside the searches, kept whatever stops them, never out of date."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from foreign_stores import changed, grown, minimal_store, program

from nlm_tui.core import RecallQuery, RecallService, SearchInterruptedError, SessionFilter, StoreError, parse
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.foreign import ForeignConnection
from nlm_tui.storage.index import OURS
from nlm_tui.storage.overlay import Overlay

ROWS = Connection.rows
ADD = (
    "INSERT INTO sessions (id, runtime, started_at, label, summary, status) "
    "VALUES ('{}', 'pi/1', '2026-06-01', '{}', '', 'closed')"
)
ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(stop(i)) FROM n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of three sessions."""
    return minimal_store(tmp_path / "canonical.sqlite")


@pytest.fixture
def other(path: Path) -> Iterator[SqliteSessionStore]:
    """The same store, opened; nothing keeps a search from waiting for the index."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Overlay, "patience", 3600.0)
        patched.setattr(Overlay, "check_patience", 3600.0)
        with SqliteSessionStore.open(path) as store:
            yield store


def found(store: SqliteSessionStore, text: str, wanted: SessionFilter | None = None) -> list[str]:
    return [hit.session_id for hit in store.keyword_search(text, 100, wanted)]


def overlay(store: SqliteSessionStore) -> Overlay:
    assert store._overlay
    return store._overlay


def test_until_it_is_complete_the_other_index_answers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grown(path, 300)
    monkeypatch.setattr(Overlay, "patience", 0.0)
    gate = threading.Event()
    advance = Overlay._advance

    def held(self: Overlay) -> bool:
        assert gate.wait(60)
        return advance(self)

    monkeypatch.setattr(Overlay, "_advance", held)
    with SqliteSessionStore.open(path) as store, ExitStack() as stack:
        stack.callback(gate.set)
        assert found(store, "SIGTERM") == []
        assert found(store, "retry") == ["cc_a"]
        assert found(store, "retry", SessionFilter(kind="open")) == []
        assert (
            store.keyword_search("alder", 1).total == store.keyword_search("alder", 1, ranking="reference").total > 99
        )
        page = store.keyword_search("alder", 1)
        assert page.holding is not None
        assert len(page.holding([session.id for session in store.list()])) == page.total
        service = RecallService(store)
        assert [hit.id for hit in service.search(parse('"retry budget"')).results] == ["cc_a"]
        gate.set()
        overlay(store).complete()
        assert found(store, "SIGTERM") == ["cc_a"]
        assert store.keyword_search("alder", 1).total > 99


def test_a_store_without_an_index_is_searched_as_far_as_ours_goes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(
        path, "DROP TRIGGER sessions_ai; DROP TRIGGER sessions_au; DROP TRIGGER sessions_ad; DROP TABLE sessions_fts"
    )
    monkeypatch.setattr(Overlay, "patience", 0.0)
    with SqliteSessionStore.open(path) as store:
        assert store._index() == OURS
        overlay(store).complete()
        assert found(store, "retry") == ["cc_a"]
        assert [hit.session_id for hit in store.keyword_search("retry", 5, ranking="reference")] == ["cc_a"]


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_what_the_other_program_does_is_found(path: Path, other: SqliteSessionStore, journal: str) -> None:
    changed(path, f"PRAGMA journal_mode = {journal}")
    with program(path) as writer:
        for sql, text, expected in (
            ("UPDATE sessions SET label = 'zebra' WHERE id = 'cc_a'", "zebra", ["cc_a"]),
            ("SELECT 1", "retry", ["cc_a"]),  # by its summary's stem
            ("UPDATE sessions SET summary = 'none' WHERE id = 'cc_a'", "retries", []),
            ("UPDATE sessions SET body = 'body two' WHERE id = 'cc_a'", "two", ["cc_a"]),
            ("UPDATE markers SET text = 'dead-letter after SIGQUIT' WHERE session_id = 'cc_a'", "SIGTERM", []),
            ("SELECT 1", "SIGQUIT", ["cc_a"]),
            ("INSERT INTO session_entities VALUES ('cx_c', 'pay-worker')", '"pay worker"', ["cc_a", "cc_b", "cx_c"]),
            ("INSERT INTO entity_variants VALUES ('quagga', 'SQS', NULL)", "quagga", ["cx_c"]),
            ("DELETE FROM sessions WHERE id = 'cc_b'", "idempotency", []),
            (
                ADD.format("pi_d", "okapi"),
                "okapi",
                ["pi_d"],
            ),
            ("DELETE FROM sessions WHERE id = 'pi_d'", "okapi", []),
            (
                ADD.format("pi_e", "bongo"),
                "bongo",
                ["pi_e"],
            ),
            ("PRAGMA ignore_check_constraints = ON", "bongo", ["pi_e"]),
            ("UPDATE sessions SET status = 'replaced' WHERE id = 'pi_e'", "bongo", []),
            ("UPDATE sessions SET status = 'active' WHERE id = 'pi_e'", "bongo", ["pi_e"]),
        ):
            writer.run(sql)
            assert sorted(found(other, text)) == expected, sql
            assert other.keyword_search(text, 1).total == len(expected)
            assert other.count(SessionFilter(entity="SQS")) == 1
    assert sorted(found(other, "bongo")) == ["pi_e"]


def test_rows_that_were_numbered_anew_are_told_apart(path: Path, other: SqliteSessionStore) -> None:
    assert found(other, "retry") == ["cc_a"]
    changed(path, "DELETE FROM sessions WHERE id = 'cc_b'", "UPDATE sessions SET rowid = rowid + 10; UPDATE sessions "
            "SET rowid = CASE id WHEN 'cc_a' THEN 3 ELSE 1 END")  # fmt: skip
    assert found(other, "retry") == ["cc_a"]
    assert found(other, "guest") == ["cx_c"]


def test_an_interrupt_keeps_what_was_done(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grown(path, 600)
    monkeypatch.setattr(Overlay, "patience", 3600.0)
    left: list[int] = []
    with SqliteSessionStore.open(path) as store:
        index = overlay(store)
        advance = Overlay._advance

        def interrupting(self: Overlay) -> bool:
            more = advance(self)
            left.append(len(self._unknown))
            store.interrupt()
            return more

        monkeypatch.setattr(Overlay, "_advance", interrupting)
        stopped = 0
        while not left or left[-1]:
            try:
                with store.searching():
                    found(store, "alder")
            except SearchInterruptedError:
                stopped += 1
            assert stopped < 1000
        assert stopped
        assert left == sorted(left, reverse=True)
        monkeypatch.undo()
        index.complete()
        assert store.keyword_search("alder", 1).total > 500


def test_an_interrupted_batch_is_done_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grown(path, 100)
    write = ForeignConnection.write_beside
    interrupted: list[int] = []

    def failing(self: ForeignConnection, statements: Sequence[tuple[str, Sequence[Sequence[object]]]]) -> None:
        if len(interrupted) < 3:
            interrupted.append(1)
            with pytest.raises(SearchInterruptedError):
                write(self, [*statements, (ENDLESS, [()])])
            raise SearchInterruptedError
        write(self, statements)

    monkeypatch.setattr(ForeignConnection, "write_beside", failing)
    with SqliteSessionStore.open(path) as store:
        store._connection._database.create_scalar_function("stop", lambda _: store.interrupt(), 1)
        overlay(store).complete()
        assert store.keyword_search("alder", 1).total > 90
        assert len(interrupted) == 3
        ((rows,),) = store._connection.rows("SELECT count(*) FROM main.sessions_fts_docsize")
        assert rows == 103


def test_a_search_is_stopped_after_any_of_its_statements(other: SqliteSessionStore) -> None:
    for query in (parse("retry"), parse("retri has:decision"), parse('"retry budget" entity:payworker')):
        expected = RecallService(other).search(query)
        for number in range(1, 60):
            ran: list[str] = []

            def watched(
                self: Connection, sql: str, parameters: Sequence[object] = (), ran: list[str] = ran, last: int = number
            ) -> list:
                answer = ROWS(self, sql, parameters)
                ran.append(sql)
                if len(ran) == last:
                    other.interrupt()
                return answer

            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(Connection, "rows", watched)
                try:
                    answer = RecallService(other).search(query)
                except SearchInterruptedError:
                    answer = None
            assert RecallService(other).search(query) == expected
            if answer is not None:
                assert answer == expected
                assert len(ran) <= number
                break
        else:
            pytest.fail("it never came to an end")


def test_long_conversations_enter_the_index_one_by_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grown(path, 40)
    changed(path, "UPDATE sessions SET body = replace(hex(zeroblob(200000)), '00', ' oak') || id WHERE rowid % 5 = 0")
    sizes: list[int] = []
    write = ForeignConnection.write_beside

    def watched(self: ForeignConnection, statements: Sequence[tuple[str, Sequence[Sequence[object]]]]) -> None:
        sizes.append(sum(len(str(values)) for _, several in statements for values in several))
        write(self, statements)

    monkeypatch.setattr(ForeignConnection, "write_beside", watched)
    with SqliteSessionStore.open(path) as store:
        overlay(store).complete()
        assert store.keyword_search("oak", 1).total == 8
        assert store.keyword_search("alder", 1).total == 32
        changed(path, "UPDATE sessions SET label = 'maple'")
        overlay(store).complete()
        assert store.keyword_search("maple", 1).total == 43
        assert store.keyword_search("oak", 1).total == 8
    assert len(sizes) >= 16
    assert max(sizes) < 1_000_000


def test_closing_stops_the_work(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grown(path, 2000)
    monkeypatch.setattr(Overlay, "patience", 0.0)
    store = SqliteSessionStore.open(path)
    found(store, "alder")
    worker = overlay(store)._worker
    assert worker
    store.close()
    assert not worker.is_alive()
    with pytest.raises(StoreError):
        found(store, "alder")


def test_many_threads_search_while_it_is_made(path: Path, other: SqliteSessionStore) -> None:
    grown(path, 500)
    expected = 503
    problems: list[object] = []

    def search() -> None:
        try:
            for _ in range(5):
                with other.searching():
                    total = other.keyword_search("alder", 1).total
                    count = other.count()
                if count != expected or not 400 < total < expected:
                    problems.append((count, total))
        except BaseException as error:  # noqa: BLE001 - any is a failure
            problems.append(error)

    threads = [threading.Thread(target=search) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems in ([], [problem for problem in problems if isinstance(problem, SearchInterruptedError)])


def test_the_screen_shows_the_newest_of_it(other: SqliteSessionStore) -> None:
    result = RecallService(other).newest(2)
    assert ([hit.id for hit in result.results], result.total) == (["cx_c", "cc_b"], 3)
    typed = RecallService(other).search(RecallQuery("idempo", typing=True))
    assert [hit.id for hit in typed.results] == ["cc_b"]
