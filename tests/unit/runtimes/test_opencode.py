import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opencode_stores import SCHEMA, SCHEMA_2, USER, T, add_session, add_session_2, said
from transcript_fixtures import (
    TRANSCRIPTS,
    all_sources,
    check,
    files_without_session,
    read_all,
    sessions,
    source_of,
)
from transcript_stores import database, only, put, told

from nlm_tui.ingest.ports import PartsReader, Source, TranscriptError
from nlm_tui.ingest.unreadable import noting
from nlm_tui.runtimes import databases, opencode_tables
from nlm_tui.runtimes.databases import reading
from nlm_tui.runtimes.opencode import OpenCodeReader

SESSIONS = list(sessions("opencode", set()))
WITHOUT = list(files_without_session("opencode", set()))


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    reader = OpenCodeReader([root])
    files = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    transcript = read_all(reader)[Path(expected["file"]).name, expected["session_id"]]
    check(transcript, expected)
    assert transcript.session_id == f"opencode_{expected['session_id']}"
    assert transcript.kind == ("opencode-sqlite" if expected["file"].endswith(".db") else "opencode-json")
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == files


@pytest.mark.parametrize(("root", "file"), [case[1:] for case in WITHOUT], ids=[case[0] for case in WITHOUT])
def test_files_that_a_database_superseded(root, file):
    assert root / file not in {source.path for source in all_sources(OpenCodeReader([root]))}


def test_nothing_else_is_found():
    for fixture in ("o01-tree", "o02-sqlite", "o03-v2"):
        root = TRANSCRIPTS / "opencode" / fixture
        expected = {(Path(case[2]["file"]).name, case[2]["session_id"]) for case in SESSIONS if case[1] == root}
        assert set(read_all(OpenCodeReader([root]))) == expected


def test_it_is_a_reader_of_parts(tmp_path):
    assert isinstance(OpenCodeReader([tmp_path]), PartsReader)


def test_environment(tmp_path):
    (root,) = OpenCodeReader.from_environment({}, tmp_path).roots
    assert root == tmp_path / ".local" / "share" / "opencode"
    (root,) = OpenCodeReader.from_environment({"XDG_DATA_HOME": "/data", "OPENCODE_DB": ":memory:"}, tmp_path).roots
    assert root == Path("/data/opencode")
    reader = OpenCodeReader.from_environment({"OPENCODE_DB": str(tmp_path / "own" / "talk.sqlite")}, tmp_path)
    assert tmp_path / "own" in reader.roots
    (tmp_path / "own").mkdir()
    shutil.copy(TRANSCRIPTS / "opencode" / "o03-v2" / "opencode.db", tmp_path / "own" / "talk.sqlite")
    assert len(read_all(reader)) == 3
    nested = OpenCodeReader.from_environment(
        {"XDG_DATA_HOME": str(tmp_path), "OPENCODE_DB": "opencode-dev.db"}, tmp_path
    )
    assert nested.roots == (tmp_path / "opencode",)


def test_the_older_layout_is_read_where_the_newer_has_no_such_session(tmp_path):
    older = tmp_path / "project" / "home-dana" / "storage" / "session"
    for native_id, title in (("ses_1", "stale"), ("ses_2", "Left behind")):
        put(older / "info" / f"{native_id}.json", {"id": native_id, "title": title, "time": {"created": T}})
        put(older / "message" / native_id / "msg_1.json", USER)
        put(older / "part" / native_id / "msg_1" / "prt_1.json", said("Hello?"))
    put(tmp_path / "storage" / "session" / "global" / "ses_1.json", {"id": "ses_1", "title": "Moved", "time": {}})
    put(tmp_path / "storage" / "message" / "ses_1" / "msg_1.json", USER)
    put(tmp_path / "storage" / "part" / "msg_1" / "prt_1.json", said("Hello?"))
    titles = {
        native_id: transcript.title for (_, native_id), transcript in read_all(OpenCodeReader([tmp_path])).items()
    }
    assert titles == {"ses_1": "Moved", "ses_2": "Left behind"}


def test_a_session_of_the_tree_changes_with_its_last_message(tmp_path):
    shutil.copytree(TRANSCRIPTS / "opencode" / "o01-tree", tmp_path, dirs_exist_ok=True)
    storage = tmp_path / "storage"
    for path in sorted(storage.rglob("*"), reverse=True):
        os.utime(path, ns=(10**18, 10**18))
    reader = OpenCodeReader([tmp_path])

    def token():
        (source,) = [source for source in reader.discover() if source.path.stem == "ses_main0001"]
        return source.size, source.mtime_ns

    assert token() == (5, 10**18)
    for number, path in enumerate(("message/ses_main0001/msg_0005.json", "part/msg_0005", "message/ses_main0001"), 1):
        (storage / path).mkdir(exist_ok=True) if not path.endswith(".json") else None
        os.utime(storage / path, ns=(10**18 + number, 10**18 + number))
        assert token() == (5, 10**18 + number)


def test_a_session_of_the_tree_without_messages_is_none(tmp_path):
    put(tmp_path / "storage" / "session" / "global" / "ses_1.json", {"id": "ses_1", "time": {"created": T}})
    assert read_all(OpenCodeReader([tmp_path])) == {}


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"id": "x"}', b'{"theme": "dark"}'])
def test_another_file_in_the_tree_is_told(tmp_path, data):
    path = tmp_path / "storage" / "session" / "global" / "ses_1.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    reader = OpenCodeReader([tmp_path])
    with pytest.raises(TranscriptError, match="no OpenCode session"):
        reader.read(*reader.discover())


def test_the_older_tables_serve_where_the_newer_hold_no_messages(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA + SCHEMA_2) as connection:
        add_session(connection, "ses_1", (USER, said("Old")))
        add_session_2(connection, "ses_1")
        add_session_2(connection, "ses_2")
        add_session(connection, "ses_3")
    assert told(only(OpenCodeReader([tmp_path]))) == [("user", "Old")]


def test_rows_of_a_session_that_is_gone_are_passed_over(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA) as connection:
        add_session(connection, "ses_1", (USER, said("One")))
        connection.execute("DELETE FROM session")
    assert all_sources(OpenCodeReader([tmp_path])) == []


def test_of_several_databases_the_newest_state_is_read(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA) as connection:
        add_session(connection, "ses_1", (USER, said("old")), time_updated=T + 100)
        add_session(connection, "ses_2", (USER, said("new")), time_updated=T + 500)
        add_session(connection, "ses_3", (USER, said("same")))
    with database(tmp_path / "opencode-dev.db", SCHEMA) as connection:
        add_session(connection, "ses_1", (USER, said("new")), time_updated=T + 200)
        add_session(connection, "ses_2", (USER, said("old")), time_updated=T + 400)
        add_session(connection, "ses_3", (USER, said("same")))
        add_session(connection, "ses_4", (USER, said("dev")))
    (tmp_path / "opencode-broken.db").write_bytes(b"no database" * 100)
    (tmp_path / "other.db").write_bytes(b"no database" * 100)
    reader = OpenCodeReader([tmp_path])
    databases = {source.path.name: source for source in reader.discover()}
    assert set(databases) == {"opencode.db", "opencode-dev.db", "opencode-broken.db"}
    with pytest.raises(TranscriptError, match="not a database"):
        reader.parts(databases["opencode-broken.db"])
    found = {
        source.part: told(reader.read(source))[0][1]
        for name in ("opencode.db", "opencode-dev.db")
        for source in reader.parts(databases[name])
    }
    assert found == {"ses_1": "new", "ses_2": "new", "ses_3": "same", "ses_4": "dev"}
    assert sum(len(reader.parts(databases[name])) for name in ("opencode.db", "opencode-dev.db")) == 4


def test_a_database_is_asked_once_until_it_changes(tmp_path, monkeypatch):
    shutil.copytree(TRANSCRIPTS / "opencode" / "o02-sqlite", tmp_path, dirs_exist_ok=True)
    asked = []
    original = opencode_tables.listed
    monkeypatch.setattr(opencode_tables, "listed", lambda opened: asked.append(1) or original(opened))
    reader = OpenCodeReader([tmp_path])
    for _ in range(3):
        for source in reader.discover():
            reader.parts(source)
    assert len(asked) == 1
    os.utime(tmp_path / "opencode.db", ns=(1, 1))
    list(reader.discover())
    assert len(asked) == 2


def test_the_tree_waits_for_a_database_that_cannot_be_read(tmp_path):
    shutil.copytree(TRANSCRIPTS / "opencode" / "o02-sqlite", tmp_path, dirs_exist_ok=True)
    path = tmp_path / "opencode.db"
    whole = path.read_bytes()
    path.write_bytes(b"no database" * 100)
    reader = OpenCodeReader([tmp_path])
    assert [source.path for source in reader.discover()] == [path]
    path.write_bytes(whole)
    orphan = "ses_orphan01"
    assert [source.path.stem for source in reader.discover()] == ["opencode", orphan]
    path.write_bytes(b"no database" * 100)
    assert [source.path.stem for source in reader.discover()] == ["opencode", orphan]
    path.write_bytes(b"")
    assert {source.path.stem for source in OpenCodeReader([tmp_path]).discover()} == {
        "opencode",
        orphan,
        "ses_main0001",
    }


def test_a_database_of_another_kind_is_told(tmp_path):
    with database(tmp_path / "opencode.db", "CREATE TABLE session_v9 (id TEXT)"):
        pass
    reader = OpenCodeReader([tmp_path])
    with pytest.raises(TranscriptError, match="no OpenCode session"):
        reader.parts(*reader.discover())


def test_parts_change_with_their_session_only(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA) as connection:
        add_session(connection, "ses_1", (USER, said("One")))
        add_session(connection, "ses_2", (USER, said("Two")))
        reader = OpenCodeReader([tmp_path])
        before = {source.part: source for source in all_sources(reader)}
        assert before["ses_1"] == Source(tmp_path / "opencode.db", 2, (T + 9) * 1_000_000, part="ses_1")
        connection.execute("UPDATE message SET time_updated = ? WHERE session_id = 'ses_2'", (T + 50,))
        os.utime(tmp_path / "opencode.db", ns=(1, 1))
        after = {source.part: source for source in all_sources(reader)}
        assert after["ses_1"] == before["ses_1"]
        assert after["ses_2"].mtime_ns == (T + 50) * 1_000_000
        connection.execute("UPDATE part SET time_updated = ?, data = '{}' WHERE session_id = 'ses_1'", (T + 60,))
        os.utime(tmp_path / "opencode.db", ns=(2, 2))
        last = {source.part: source for source in all_sources(reader)}
    assert last["ses_1"].mtime_ns == (T + 60) * 1_000_000
    assert last["ses_2"] == after["ses_2"]


def test_parts_need_not_tell_when_they_changed(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA) as connection:
        add_session(connection, "ses_1", (USER, said("One")))
        connection.execute("ALTER TABLE part DROP COLUMN time_updated")
        (source,) = all_sources(OpenCodeReader([tmp_path]))
    assert (source.size, source.mtime_ns) == (2, (T + 9) * 1_000_000)


def test_a_locked_database_for_which_the_tree_waits_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "_BUSY_SECONDS", 0.01)
    shutil.copytree(TRANSCRIPTS / "opencode" / "o02-sqlite", tmp_path, dirs_exist_ok=True)
    with closing(sqlite3.connect(tmp_path / "opencode.db", isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with noting() as noted:
            assert [source.path.name for source in OpenCodeReader([tmp_path]).discover()] == ["opencode.db"]
    assert noted == {str(tmp_path / "opencode.db"): "opencode.db cannot be read: database is locked"}


def test_queries_use_the_indexes_of_opencode(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA + SCHEMA_2):
        pass
    with reading(tmp_path / "opencode.db") as opened:
        for sql in (opencode_tables._MESSAGES, opencode_tables._ROWS):
            plan = [row[3] for row in opened.rows(f"EXPLAIN QUERY PLAN {sql}", ("ses_1",))]
            assert not any(step.startswith("SCAN") for step in plan), plan


@given(st.binary())
@settings(max_examples=50, deadline=None)
def test_whatever_the_files_are(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("opencode")
    (folder / "opencode.db").write_bytes(data)
    path = folder / "storage" / "session" / "global" / "ses_1.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    reader = OpenCodeReader([folder])
    for source in reader.discover():
        try:
            for part in reader.parts(source):
                reader.read(part)
        except TranscriptError:
            pass
    with pytest.raises(TranscriptError):
        reader.read(source_of(path))
