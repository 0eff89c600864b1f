import gc
import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from nlm_tui.ingest.ports import SourceBusyError, TranscriptError
from nlm_tui.runtimes import databases
from nlm_tui.runtimes.databases import bounded, database_source, parsed, reading

SELECT = "SELECT text FROM talk ORDER BY rowid"


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    yield
    databases._copy.cache_clear()


@pytest.fixture
def path(tmp_path):
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "a b#c?.db"


def written(path, mode, *texts):
    """Return a connection to a database that holds the texts; it stays open."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={mode}")
    connection.execute("CREATE TABLE talk (text)")
    connection.executemany("INSERT INTO talk VALUES (?)", [(text,) for text in texts])
    return connection


def crash(path, *statements):
    """Run statements in a process that ends without closing the database."""
    lines = [f"connection.execute({statement!r})" for statement in statements]
    head = f"import os, sqlite3; connection = sqlite3.connect({str(path)!r}, isolation_level=None)"
    subprocess.run([sys.executable, "-c", "\n".join((head, *lines, "os._exit(0)"))], check=True)


def files(path):
    """Return the files and what is in them, but for the index of a log: all its readers write to it."""
    shared = f"{path.name}-shm"
    found = {file.name: file for file in path.parent.iterdir()}
    return {
        name: None if name == shared else (file.read_bytes(), file.stat().st_mtime_ns) for name, file in found.items()
    }


def texts(path):
    with reading(path) as database:
        return [text for (text,) in database.rows(SELECT)]


@pytest.mark.parametrize("mode", ["wal", "delete", "persist"])
def test_what_an_open_writer_wrote_is_seen_and_nothing_is_changed(path, mode):
    with closing(written(path, mode, "one", "two")):
        before = files(path)
        assert texts(path) == ["one", "two"]
        assert files(path) == before


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_closed_database_is_read_and_nothing_is_put_beside_it(path, mode):
    written(path, mode, "one").close()
    before = files(path)
    assert texts(path) == ["one"]
    assert files(path) == before
    assert set(before) == {path.name}


def test_the_log_that_an_open_writer_emptied_is_no_crash(path):
    with closing(written(path, "wal", "one")) as writer:
        writer.execute("PRAGMA wal_checkpoint(truncate)")
        with reading(path) as database:
            writer.execute("INSERT INTO talk VALUES ('two')")
            assert len(list(database.rows(SELECT))) == 2


@pytest.mark.parametrize("left", ["-wal", "-wal and -shm"])
def test_the_log_of_a_crash_is_read(path, left):
    written(path, "wal", "one").close()
    crash(path, "INSERT INTO talk VALUES ('two')")
    if left == "-wal":
        Path(f"{path}-shm").unlink()
    before = files(path)
    assert texts(path) == ["one", "two"]
    assert files(path) == before


def test_what_a_crash_left_half_written_is_not_read(path):
    written(path, "delete", "one").close()
    long = "INSERT INTO talk WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) "
    crash(path, "PRAGMA cache_size = 1", "BEGIN", f"{long} SELECT printf('%0900d', i) FROM n")  # noqa: S608
    before = files(path)
    assert len(before) == 2
    assert texts(path) == ["one"]
    assert files(path) == before


def test_a_copy_serves_until_the_database_changes_and_goes_then(path, tmp_path):
    written(path, "wal", "one").close()
    crash(path, "INSERT INTO talk VALUES ('two')")
    Path(f"{path}-shm").unlink()
    copies = tmp_path / "temporary"
    texts(path)
    (first,) = copies.iterdir()
    texts(path)
    assert list(copies.iterdir()) == [first]
    os.utime(path, ns=(1, 1))
    assert texts(path) == ["one", "two"]
    gc.collect()
    (second,) = copies.iterdir()
    assert second != first


def test_a_large_database_is_not_copied(path, monkeypatch):
    written(path, "wal", "one").close()
    crash(path, "INSERT INTO talk VALUES ('two')")
    Path(f"{path}-shm").unlink()
    monkeypatch.setattr(databases, "_LARGEST_COPY", 100)
    with pytest.raises(TranscriptError, match="start its program once"):
        texts(path)


def test_what_is_written_while_nobody_was_expected_is_told(path):
    written(path, "wal", "one").close()
    with pytest.raises(SourceBusyError, match="was being written to"), reading(path):
        crash(path, "INSERT INTO talk VALUES ('two')")
    assert texts(path) == ["one", "two"]


def test_a_locked_database_is_told(path, monkeypatch):
    monkeypatch.setattr(databases, "_BUSY_SECONDS", 0.01)
    with closing(written(path, "delete", "one")) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SourceBusyError, match=r"a b#c\?\.db cannot be read: database is locked"):
            texts(path)


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_damaged_database_is_told(path, mode):
    written(path, mode, *("x" * 3000 for _ in range(50))).close()
    data = bytearray(path.read_bytes())
    data[4096 : len(data)] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(TranscriptError, match="malformed"):
        texts(path)


def test_damage_that_cannot_be_told_in_words_is_told(path):
    written(path, "delete", "one").close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE TAB\x80E"))
    with pytest.raises(TranscriptError, match="cannot be read: it is damaged"):
        texts(path)


@pytest.mark.parametrize("data", [b"no database, but text that is long enough", b"SQLite format 3\x00\x00"])
def test_another_file_is_told(path, data):
    path.write_bytes(data)
    with pytest.raises(TranscriptError, match=r"not a database|malformed"):
        texts(path)


def test_an_empty_file_has_no_tables(path):
    path.touch()
    with reading(path) as database:
        assert database.columns("talk") == frozenset()
        assert not database.has_tables()
        with pytest.raises(TranscriptError, match="no such table"):
            list(database.rows(SELECT))
    assert set(files(path)) == {path.name}


def test_a_missing_file_is_an_error_of_the_system(path):
    with pytest.raises(FileNotFoundError), reading(path):
        pass


def test_columns(path):
    written(path, "delete").close()
    with reading(path) as database:
        assert database.columns("talk") == {"text"}
        assert database.has_tables()
        assert database.columns("other") == frozenset()
        assert database.columns("talk); DROP TABLE talk") == frozenset()


def test_columns_that_a_version_does_not_have_are_none(path):
    written(path, "delete", "one", "two").close()
    with reading(path) as database:
        found = list(database.records("talk", ("id", "text"), "WHERE text > ?", ("one",)))
        assert found == [{"id": None, "text": "two"}]
        with pytest.raises(TranscriptError, match="no such table"):
            list(database.records("other", ("id",)))


def test_text_that_is_no_utf8_has_its_bad_bytes_replaced(path):
    with closing(written(path, "delete")) as writer:
        writer.execute("INSERT INTO talk VALUES (CAST(x'61ff62' AS TEXT)), (x'ff'), (CAST(x'610062' AS TEXT))")
    assert texts(path) == ["a\ufffdb", b"\xff", "a\0b"]


def test_what_is_too_long_stays_where_it_is(path, monkeypatch):
    written(path, "delete", "x" * 20, "y" * 21, None, b"z" * 21).close()
    monkeypatch.setattr(databases, "LINE_LIMIT", 20)
    with reading(path) as database:
        found = list(database.rows(f"SELECT {bounded('text')} FROM talk"))  # noqa: S608
    assert found == [("x" * 20,), (None,), (None,), (None,)]


def test_json_is_read_from_text_and_bytes():
    assert parsed('{"a": 1}') == parsed(b'{"a": 1}') == {"a": 1}
    assert parsed('{"a') is None
    assert parsed(5) is None
    assert parsed(None) is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("left", ["", "-wal and -shm", "-wal", "-journal"])
def test_a_folder_that_may_not_be_written_to(path, left):
    written(path, "delete" if left == "-journal" else "wal", "one").close()
    if left:
        crash(path, "BEGIN" if left == "-journal" else "SELECT 1", "INSERT INTO talk VALUES ('two')")
    if left == "-wal":
        Path(f"{path}-shm").unlink()
    for file in path.parent.iterdir():
        file.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        assert texts(path) == (["one", "two"] if "-wal" in left else ["one"])
    finally:
        path.parent.chmod(0o700)


def test_a_source_changes_with_its_log(path):
    assert list(database_source(path)) == []
    with closing(written(path, "wal", "one")) as writer:
        (before,) = database_source(path, "salt")
        writer.execute("INSERT INTO talk VALUES ('two')")
        (after,) = database_source(path, "salt")
        log = Path(f"{path}-wal").stat()
        assert before.size < after.size == path.stat().st_size + log.st_size
        assert after.mtime_ns == log.st_mtime_ns
        assert (after.path, after.salt, after.part) == (path, "salt", "")
        assert after.file == (path.stat().st_dev, path.stat().st_ino)
    (closed,) = database_source(path)
    assert closed.size == path.stat().st_size


def test_a_folder_is_no_source(tmp_path):
    assert list(database_source(tmp_path)) == []
