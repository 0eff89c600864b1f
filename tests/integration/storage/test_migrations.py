"""The schema grows step by step, each step wholly or not at all."""

import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from support import a_session, rows

from nlm_tui.core import StoreError
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.storage.migrations import migrations_folder, read_migrations

SCHEMA = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
VERSIONS = "SELECT version, name FROM schema_migrations ORDER BY version"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the migrations, to add to."""
    return shutil.copytree(migrations_folder(), tmp_path / "migrations")


def test_all_are_applied_and_recorded(store: SqliteSessionStore, store_path: Path) -> None:
    assert store.count() == 0
    recorded = rows(store_path, VERSIONS)
    assert recorded == [(found.version, found.name) for found in read_migrations(migrations_folder())]
    assert recorded[0] == (0, "initial_schema")
    assert (8, "fts_rebuild") in recorded


def test_numbers_below_a_hundred_mean_what_they_mean_to_nlm_memory() -> None:
    shared = {found.version: found.name for found in read_migrations(migrations_folder()) if found.version < 100}
    assert shared == {0: "initial_schema", 2: "adapter_state_extend", 4: "facts", 8: "fts_rebuild"}


def test_the_tables_have_the_columns_that_both_programs_know(store: SqliteSessionStore, store_path: Path) -> None:
    del store
    for table, columns in {
        "sessions": "id runtime runtime_session_id started_at ended_at duration_min label summary body status "
        "transcript_kind transcript_path transcript_offset transcript_length created_at updated_at",
        "entities": "canonical type status source notes first_seen_session last_seen_session session_count created_at "
        "updated_at",
        "entity_variants": "variant canonical source_session_id",
        "session_entities": "session_id entity_canonical",
        "markers": "id session_id kind text position",
        "session_edges": "from_session to_session kind",
        "adapter_state": "adapter_name source_path last_offset last_processed_at file_size session_id",
        "facts": "id kind subject predicate value source_session_id source_quote created_at superseded_by confidence",
        "schema_migrations": "version name applied_at",
    }.items():
        present = {name for (name,) in rows(store_path, "SELECT name FROM pragma_table_info(?)", [table])}
        assert set(columns.split()) <= present, table


def test_opening_again_changes_nothing(store_path: Path) -> None:
    SqliteSessionStore.open(store_path).close()
    before = store_path.read_bytes()
    SqliteSessionStore.open(store_path).close()
    assert store_path.read_bytes() == before


def test_a_store_of_any_earlier_version_gets_the_same_schema(tmp_path: Path, folder: Path) -> None:
    SqliteSessionStore.open(tmp_path / "new.sqlite").close()
    files = sorted(folder.iterdir())
    for count in range(1, len(files)):
        path, some = tmp_path / f"{count}.sqlite", tmp_path / f"some{count}"
        some.mkdir()
        for file in files[:count]:
            shutil.copy(file, some)
        SqliteSessionStore.open(path, migrations=some).close()
        SqliteSessionStore.open(path).close()
        assert rows(path, SCHEMA) == rows(tmp_path / "new.sqlite", SCHEMA)
        assert rows(path, VERSIONS) == rows(tmp_path / "new.sqlite", VERSIONS)


def test_a_migration_that_fails_leaves_the_store_as_it_was(store_path: Path, folder: Path) -> None:
    with SqliteSessionStore.open(store_path) as store:
        store.insert_sessions(a_session(body="redis"))
    schema = rows(store_path, SCHEMA)
    (folder / "900_good.sql").write_text("ALTER TABLE sessions ADD COLUMN mood TEXT;")
    (folder / "901_bad.sql").write_text(
        "CREATE TABLE halfway (x); INSERT INTO halfway VALUES (1); DELETE FROM sessions; SELECT no_such_function();"
    )
    with pytest.raises(StoreError, match="no_such_function"):
        SqliteSessionStore.open(store_path, migrations=folder)
    assert rows(store_path, "SELECT name FROM sqlite_schema WHERE name = 'halfway'") == []
    assert rows(store_path, "SELECT id FROM sessions") == [("cc_1",)]
    assert rows(store_path, VERSIONS)[-1] == (900, "good"), "the one before is its own transaction"
    (folder / "901_bad.sql").unlink()
    (folder / "900_good.sql").write_text("ALTER TABLE sessions ADD COLUMN twice TEXT;")
    with SqliteSessionStore.open(store_path, migrations=folder) as store:
        assert [found.session_id for found in store.keyword_search("redis", 5)] == ["cc_1"]
    assert len(rows(store_path, SCHEMA)) == len(schema)


def test_the_first_migration_may_fail_too(store_path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "000_bad.sql").write_text("CREATE TABLE sessions (id); nonsense;")
    with pytest.raises(StoreError, match="syntax error"):
        SqliteSessionStore.open(store_path, migrations=folder)
    with SqliteSessionStore.open(store_path) as store:
        assert store.count() == 0


def test_a_store_of_a_newer_version_is_refused_and_unchanged(store_path: Path, folder: Path) -> None:
    (folder / "950_later.sql").write_text("CREATE TABLE later (x);")
    with SqliteSessionStore.open(store_path, migrations=folder) as store:
        store.insert_sessions(a_session())
    before = store_path.read_bytes()
    with pytest.raises(StoreError, match=r"memory\.sqlite: written by a newer nlm-tui \(schema 950, .*upgrade nlm-tui"):
        SqliteSessionStore.open(store_path)
    assert store_path.read_bytes() == before
    assert sorted(file.name for file in store_path.parent.glob("memory*")) == ["memory.sqlite"]


def test_a_store_that_holds_sessions_is_backed_up_first(store_path: Path, folder: Path) -> None:
    with SqliteSessionStore.open(store_path) as store:
        store.insert_sessions(a_session(label="precious"))
    newest = rows(store_path, VERSIONS)[-1][0]
    (folder / "900_drop.sql").write_text("DELETE FROM sessions;")
    SqliteSessionStore.open(store_path, migrations=folder).close()
    backup = store_path.with_name(f"memory.sqlite.schema-{newest}.backup")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert sorted(file.name for file in store_path.parent.glob("memory*")) == [store_path.name, backup.name]
    assert rows(store_path, "SELECT count(*) FROM sessions") == [(0,)]
    with SqliteSessionStore.open(backup) as store:
        assert [session.label for session in store.list()] == ["precious"]


def test_many_may_bring_the_same_store_up_to_date_at_once(store_path: Path, folder: Path) -> None:
    with SqliteSessionStore.open(store_path) as store:
        for number in range(50):
            store.insert_sessions(a_session(f"s{number}", body="precious " * 10_000))
    (folder / "900_drop.sql").write_text("DELETE FROM sessions WHERE id <> 's7';")
    together = Barrier(8)

    def bring_up_to_date(_: int) -> int:
        together.wait()
        with SqliteSessionStore.open(store_path, migrations=folder) as store:
            return store.count()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(bring_up_to_date, range(8))) == [1] * 8
    (backup,) = store_path.parent.glob("*.backup*")
    with SqliteSessionStore.open(backup) as store:
        assert store.count() == 50


_OPEN_WITHOUT_ROOM = """
import resource, sys
from pathlib import Path
from nlm_tui.core import StoreError
from nlm_tui.storage import SqliteSessionStore
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19))
try:
    SqliteSessionStore.open(Path(sys.argv[1]), migrations=Path(sys.argv[2]))
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs limits of resources")
def test_without_room_for_a_backup_the_store_stays_as_it_is(store_path: Path, folder: Path) -> None:
    with SqliteSessionStore.open(store_path) as store:
        store.insert_sessions(a_session(body="precious " * 100_000))
    before = store_path.read_bytes()
    (folder / "900_drop.sql").write_text("DELETE FROM sessions;")
    command = [sys.executable, "-c", _OPEN_WITHOUT_ROOM, str(store_path), str(folder)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"{store_path}: no copy can be made before the store is brought up to date; make room for ")
    assert store_path.read_bytes() == before
    assert [file.name for file in store_path.parent.glob("memory*")] == [store_path.name]


def test_an_empty_store_needs_no_backup(store_path: Path, folder: Path) -> None:
    SqliteSessionStore.open(store_path).close()
    (folder / "900_more.sql").write_text("CREATE TABLE more (x);")
    SqliteSessionStore.open(store_path, migrations=folder).close()
    assert list(store_path.parent.glob("*.backup*")) == []


def test_an_installation_without_migrations_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlm_tui.storage.migrations.__file__", str(tmp_path / "x" / "storage" / "migrations.py"))
    with pytest.raises(StoreError, match="install nlm-tui again"):
        migrations_folder()
