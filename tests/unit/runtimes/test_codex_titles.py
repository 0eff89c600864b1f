import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from codex_records import event, header, prompt_event
from transcript_fixtures import jsonl

from nlm_tui.runtimes import CodexReader, codex_titles

THREAD = "00000001-0000-4000-8000-000000000000"


@pytest.fixture
def home(tmp_path):
    path = tmp_path / "home" / "sessions" / f"rollout-2026-09-01T10-00-00-{THREAD}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(jsonl([header(THREAD), prompt_event("Fire the kiln")]))
    return tmp_path / "home"


def title(reader):
    (source,) = reader.discover()
    return reader.read(source).title


def keep(path, *rows, columns="id, title, first_user_message"):
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE IF EXISTS threads")
        connection.execute(f"CREATE TABLE threads ({columns})")
        for row in rows:
            connection.execute(f"INSERT INTO threads VALUES ({', '.join('?' for _ in row)})", row)  # noqa: S608


def name(home, *names):
    (home / "session_index.jsonl").write_bytes(jsonl({"id": THREAD, "thread_name": text} for text in names))


def test_the_title_in_the_database_serves_where_no_name_was_given(home):
    reader = CodexReader([home])
    assert title(reader) is None
    keep(home / "state_5.sqlite", (THREAD, "Kilns and \x1b[31mglazes\n", "Fire the kiln"))
    assert title(reader) == "Kilns and glazes"
    name(home, "March", "April")
    assert title(reader) == "April"


def test_a_name_in_the_rollout_comes_before_the_database(home):
    path = next((home / "sessions").iterdir())
    path.write_bytes(path.read_bytes() + jsonl([event("thread_name_updated", thread_name="Ovens")]))
    keep(home / "state_5.sqlite", (THREAD, "Kilns", ""))
    assert title(CodexReader([home])) == "Ovens"


@pytest.mark.parametrize("text", ["Fire the kiln", "  Fire\nthe ", "", None, b"\xff\x00"])
def test_a_title_that_only_repeats_the_prompt_is_none(home, text):
    keep(home / "state_5.sqlite", (THREAD, text, "Fire the kiln"))
    assert title(CodexReader([home])) is None


def test_a_name_in_the_database_comes_before_its_title(home):
    keep(home / "state_5.sqlite", (THREAD, "Fire the kiln", "Kilns"), columns="id, title, name")
    assert title(CodexReader([home])) == "Kilns"


def test_the_newest_database_of_a_folder_serves(home):
    keep(home / "state_5.sqlite", (THREAD, "Old", ""))
    keep(home / "state_10.sqlite", (THREAD, "New", ""))
    assert title(CodexReader([home])) == "New"


def test_databases_may_lie_elsewhere(home, tmp_path):
    keep(home / "state_5.sqlite", (THREAD, "Old", ""))
    keep(home / "sqlite" / "state_5.sqlite", (THREAD, "Newer", ""))
    environ = {"CODEX_HOME": str(home)}
    assert title(CodexReader.from_environment(environ, Path("/nowhere"))) == "Newer"
    keep(tmp_path / "state" / "state_5.sqlite", (THREAD, "Elsewhere", ""))
    environ["CODEX_SQLITE_HOME"] = str(tmp_path / "state")
    assert title(CodexReader.from_environment(environ, Path("/nowhere"))) == "Elsewhere"


def test_a_database_is_read_again_only_when_it_changed(home, monkeypatch):
    keep(home / "state_5.sqlite", (THREAD, "Kilns", ""))
    reader = CodexReader([home])
    assert title(reader) == "Kilns"
    monkeypatch.setattr(codex_titles, "reading", None)
    assert title(reader) == "Kilns"


def test_an_odd_database_or_none_is_normal(home):
    database = home / "state_5.sqlite"
    database.write_bytes(b"no database")
    reader = CodexReader([home])
    assert title(reader) is None
    database.unlink()
    keep(database, (THREAD, "x"), columns="id, name")
    assert title(reader) is None
    database.unlink()
    keep(database, (THREAD, "Kilns", ""))
    assert title(reader) == "Kilns"
    database.write_bytes(b"damaged now")
    assert title(reader) == "Kilns"


def test_titles_leave_the_database_as_it_is(home):
    keep(home / "state_5.sqlite", (THREAD, "Kilns", ""))
    before = {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}
    assert title(CodexReader([home])) == "Kilns"
    assert {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()} == before
