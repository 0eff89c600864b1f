"""A store of another program is read in any state of its files, and nothing beside it changes through us."""

import shutil
import stat
import tempfile
from pathlib import Path

import apsw
import pytest
from foreign_stores import CANONICAL, changed, files, minimal_store, program
from support import rows

from nlm_tui.core import SessionFilter, StoreError
from nlm_tui.storage import SqliteSessionStore, traceless
from nlm_tui.storage.traceless import FileState, PrivateCopy

ALL = SessionFilter(kind="decision")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of three sessions, in a folder of its own, changed long ago."""
    folder = tmp_path / "other"
    folder.mkdir()
    return minimal_store(folder / "canonical.sqlite")


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where private copies are made."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def labels(store: SqliteSessionStore) -> list[str]:
    return [session.label for session in store.list()]


def use(store: SqliteSessionStore) -> None:
    """Do everything that reads."""
    assert store.count() == len(store.list()) >= 3
    assert store.keyword_search("retries", 5)
    assert store.keyword_search("retries", 5, ALL, ranking="reference")
    assert store.get_by_id("cc_a")
    assert store.filter_values("entity")
    assert store.semantic_search([1.0], 5) == []


def test_without_a_log_nothing_appears(path: Path) -> None:
    before = files(path.parent)
    with SqliteSessionStore.open(path) as store:
        use(store)
        assert files(path.parent) == before
    assert files(path.parent) == before


@pytest.mark.parametrize("endings", [["-wal"], ["-shm"], ["-wal", "-shm"]])
def test_empty_logs_stay_as_they_are(path: Path, endings: list[str]) -> None:
    for ending in endings:
        Path(f"{path}{ending}").write_bytes(b"" if ending == "-wal" else bytes(32768))
    before = files(path.parent)
    with SqliteSessionStore.open(path) as store:
        use(store)
    assert files(path.parent) == before


def test_a_rollback_journal_is_no_reason_for_traces(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    before = files(path.parent)
    with SqliteSessionStore.open(path) as store, program(path) as other:
        use(store)
        assert files(path.parent) == before
        other.run("UPDATE sessions SET label = 'renamed' WHERE id = 'cc_a'")
        assert "renamed" in labels(store)
        assert [hit.session_id for hit in store.keyword_search("renamed", 5)] == ["cc_a"]
        other.run("BEGIN")
        other.run("UPDATE sessions SET label = 'half done' WHERE id = 'cc_a'")
        assert "renamed" in labels(store)
        other.run("COMMIT")
        assert "half done" in labels(store)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_what_a_live_program_wrote_is_seen_and_it_tidies_up_as_if_alone(path: Path) -> None:
    with program(path) as other:
        other.run("UPDATE sessions SET label = 'in the log' WHERE id = 'cc_a'")
        before = files(path.parent)
        assert len(before) == 3
        with SqliteSessionStore.open(path) as store:
            use(store)
            assert "in the log" in labels(store)
            assert files(path.parent) == before
            other.run("UPDATE sessions SET label = 'again' WHERE id = 'cc_a'")
            assert "again" in labels(store)
            other.close()
            assert [file.name for file in path.parent.iterdir()] == [path.name], "nobody held on to the log"
            assert "again" in labels(store)
            with program(path) as another:
                another.run("UPDATE sessions SET label = 'by another' WHERE id = 'cc_a'")
                assert "by another" in labels(store)
    before = files(path.parent)
    assert list(before) == [path.name]


def test_what_is_written_between_two_opened_stores_is_seen_by_both(path: Path) -> None:
    with SqliteSessionStore.open(path) as one, SqliteSessionStore.open(path) as two, program(path) as other:
        for number in range(20):
            other.run(f"UPDATE sessions SET label = 'number{number}' WHERE id = 'cc_a'")  # noqa: S608 - a number
            for store in (one, two):
                assert f"number{number}" in labels(store)
                assert [hit.session_id for hit in store.keyword_search(f"number{number}", 5)] == ["cc_a"]


@pytest.mark.parametrize("shared_memory", [True, False])
def test_a_log_that_was_left_behind_is_read(path: Path, copies: Path, *, shared_memory: bool) -> None:
    with program(path) as other:
        other.run("UPDATE sessions SET label = 'left behind' WHERE id = 'cc_a'")
        other.die()
    if not shared_memory:
        Path(f"{path}-shm").unlink()
    before = files(path.parent)
    with SqliteSessionStore.open(path) as store:
        use(store)
        assert "left behind" in labels(store)
        for copy in copies.iterdir():
            assert stat.S_IMODE(copy.stat().st_mode) == 0o700
            assert all(stat.S_IMODE(file.stat().st_mode) & 0o077 == 0 for file in copy.glob("copy.sqlite"))
        assert bool(list(copies.iterdir())) != shared_memory
        assert files(path.parent) == before
        # Its program comes back, and what it found is written.
        with program(path) as other:
            other.run("UPDATE sessions SET label = 'recovered' WHERE id = 'cc_b'")
            assert {"left behind", "recovered"} <= set(labels(store))
        assert {"left behind", "recovered"} <= set(labels(store))
    assert list(copies.iterdir()) == []
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_transaction_that_was_broken_off_is_not_seen(path: Path, copies: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    with program(path) as other:
        other.run("PRAGMA cache_spill = 1")
        other.run("PRAGMA cache_size = 1")
        other.run("BEGIN")
        other.run("UPDATE sessions SET label = 'broken off', body = zeroblob(200000)")
        other.die()
    before = files(path.parent)
    assert f"{path.name}-journal" in before
    with SqliteSessionStore.open(path) as store:
        use(store)
        assert "broken off" not in labels(store)
    assert files(path.parent) == before
    assert list(copies.iterdir()) == []


def test_a_copy_follows_its_original(path: Path, copies: Path) -> None:
    with program(path) as other:
        other.run("UPDATE sessions SET label = 'first' WHERE id = 'cc_a'")
        other.die()
    Path(f"{path}-shm").unlink()
    with SqliteSessionStore.open(path) as store:
        assert "first" in labels(store)
        with program(path) as other:
            other.run("UPDATE sessions SET label = 'second' WHERE id = 'cc_a'")
            other.die()
        Path(f"{path}-shm").unlink()
        assert "second" in labels(store)
        assert len(list(copies.iterdir())) == 1


def test_a_copy_that_cannot_be_made_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object, target: object) -> None:
        raise OSError(28, "No space left on device", str(target))

    with program(path) as other:
        other.run("UPDATE sessions SET label = 'left behind' WHERE id = 'cc_a'")
        other.die()
    Path(f"{path}-shm").unlink()
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(StoreError, match=r"canonical\.sqlite: .* no copy can be made .*No space left on device"):
        SqliteSessionStore.open(path)


def test_a_copy_of_what_changes_all_the_time_is_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FileState, "__eq__", lambda *_: False)
    with pytest.raises(StoreError, match="keeps changing it"):
        PrivateCopy(path)


def test_what_changes_while_it_is_read_is_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteSessionStore.open(path) as store:
        reads: list[str] = []
        original = apsw.Connection.execute

        class Watched:
            """The database, that another program writes to the first time it is asked for labels."""

            def __init__(self, database: apsw.Connection) -> None:
                self._database = database

            def __getattr__(self, name: str) -> object:
                return getattr(self._database, name)

            def execute(self, sql: str, values: tuple = ()) -> object:
                answer = list(original(self._database, sql, values))
                if "s.label" in sql:
                    reads.append(sql)
                    if len(reads) == 1:
                        changed(path, "UPDATE sessions SET label = 'meanwhile' WHERE id = 'cc_a'")
                return iter(answer)

        monkeypatch.setattr(store._connection, "_database", Watched(store._connection._database))
        assert "meanwhile" in labels(store)
        assert len(reads) == 2
        monkeypatch.undo()


def test_a_store_that_goes_away_is_told(path: Path) -> None:
    with SqliteSessionStore.open(path) as store:
        path.rename(path.with_name("moved"))
        with pytest.raises(StoreError, match=r"canonical\.sqlite: cannot be opened"):
            store.count()
        path.with_name("moved").rename(path)
        assert store.count() == 3
        other = minimal_store(path.with_name("new"), "DELETE FROM sessions WHERE id = 'cc_a'")
        other.replace(path)
        assert store.count() == 2
        assert store.keyword_search("retry", 5) == []


def test_use_after_closing_is_an_error(path: Path) -> None:
    store = SqliteSessionStore.open(path)
    store.close()
    store.close()
    store.interrupt()
    for use_again in (store.count, store.list, lambda: store.keyword_search("retry", 5)):
        with pytest.raises(StoreError):
            use_again()


def test_a_database_in_wal_mode_that_is_no_memory_is_left_alone(tmp_path: Path) -> None:
    path = changed(tmp_path / "cookies.sqlite", "CREATE TABLE cookies (id)")
    before = files(tmp_path)
    with pytest.raises(StoreError, match=r"cookies\.sqlite: this database is no session memory"):
        SqliteSessionStore.open(path)
    assert files(tmp_path) == before


def test_our_own_store_with_a_log_is_not_copied(tmp_path: Path, copies: Path) -> None:
    path = tmp_path / "ours.sqlite"
    SqliteSessionStore.open(path).close()
    with program(path) as other:
        other.run("CREATE TABLE more (id)")
        other.die()
    Path(f"{path}-shm").unlink()
    monkey = pytest.MonkeyPatch()
    monkey.setattr(shutil, "copyfile", None)
    with SqliteSessionStore.open(path) as store:
        assert (store.foreign, store.read_only) == (False, False)
    monkey.undo()
    assert list(copies.iterdir()) == []


def test_a_new_store_whose_content_is_all_in_the_log_is_another_programs(tmp_path: Path) -> None:
    path = tmp_path / "canonical.sqlite"
    with program(path) as other:
        other.run("PRAGMA journal_mode = WAL")
        other.run("PRAGMA wal_autocheckpoint = 0")
        other.run("CREATE TABLE sessions (id TEXT PRIMARY KEY, started_at TEXT, label TEXT)")
        other.run("INSERT INTO sessions VALUES ('a', '2026-01-01', 'in the log')")
        with SqliteSessionStore.open(path) as store:
            assert store.foreign
            assert labels(store) == ["in the log"]
    assert rows(path, "PRAGMA application_id") == [(0,)]


def test_the_table_of_keys_is_never_read(tmp_path: Path) -> None:
    path = tmp_path / "canonical.sqlite"
    shutil.copyfile(CANONICAL, path)
    changed(path, "INSERT INTO providers (kind, name, api_key) VALUES ('openai', 'x', 'sk-secret')")
    read: list[str | None] = []

    def authorize(action: int, first: str | None, *_: object) -> int:
        if action == apsw.SQLITE_READ:
            read.append(first)
        return apsw.SQLITE_OK

    with SqliteSessionStore.open(path) as store:
        store._connection._database.authorizer = authorize
        assert store.list()
        assert store.keyword_search("tokenizer", 5)
        assert store.keyword_search("tokenizer", 5, ranking="reference")
        assert store.semantic_search([1.0] + [0.0] * 767, 5)
        store._connection._database.authorizer = None
    assert "sessions" in read
    assert "providers" not in read


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_states_are_told_apart(path: Path, ending: str) -> None:
    before = FileState.of(path)
    assert before == FileState.of(path)
    Path(f"{path}{ending}").write_bytes(b"x")
    after = FileState.of(path)
    assert after != before
    assert not after.is_settled
    assert traceless.opening(after, in_wal_mode=True) == ("copied" if ending == "-wal" else "unchanging")
