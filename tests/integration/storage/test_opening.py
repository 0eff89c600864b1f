"""How a store is opened, and what is refused."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from support import a_session, rows

from nlm_tui.core import StoreError
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.storage.migrations import migrations_folder

NOBODY = 65534


def test_a_store_is_made_with_its_folders_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "memory.sqlite"
    with SqliteSessionStore.open(path) as store:
        store.insert_sessions(a_session())
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert [file.name for file in path.parent.iterdir()] == ["memory.sqlite"]


def test_a_store_is_opened_by_text_too_and_again(store_path: Path) -> None:
    with SqliteSessionStore.open(str(store_path)) as store:
        store.insert_sessions(a_session())
        assert not store.read_only
    with SqliteSessionStore.open(store_path) as store:
        assert store.get_by_id("cc_1") == a_session()


def test_it_is_a_store_of_ours(store: SqliteSessionStore, store_path: Path) -> None:
    assert rows(store_path, "PRAGMA application_id") == [(int.from_bytes(b"nlmt"),)]
    assert rows(store_path, "PRAGMA journal_mode") == [("wal",)]
    assert store.count() == 0


def test_an_empty_file_becomes_a_store(store_path: Path) -> None:
    store_path.touch()
    with SqliteSessionStore.open(store_path) as store:
        assert store.list() == []


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX rights")
@pytest.mark.parametrize("empty", [True, False])
def test_a_file_that_others_could_read_becomes_private(store_path: Path, *, empty: bool) -> None:
    if empty:
        store_path.touch()
    else:
        SqliteSessionStore.open(store_path).close()
    store_path.chmod(0o644)
    with SqliteSessionStore.open(store_path) as store:
        store.insert_sessions(a_session())
        for file in store_path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_closing_twice_does_nothing_and_use_afterwards_is_an_error(store: SqliteSessionStore) -> None:
    store.close()
    store.close()
    store.interrupt()
    with pytest.raises(StoreError):
        store.count()


@pytest.mark.parametrize(
    "content", [b"not a database at all " * 100, b"\x00" * 5000, b"SQLite format 3\x00" + b"x" * 5000]
)
def test_a_file_of_another_kind_is_refused_and_left_alone(store_path: Path, content: bytes) -> None:
    store_path.write_bytes(content)
    with pytest.raises(StoreError, match=r"memory\.sqlite: this file is no SQLite database; choose another with --db"):
        SqliteSessionStore.open(store_path)
    assert store_path.read_bytes() == content
    assert len(list(store_path.parent.iterdir())) == 1


def test_the_database_of_another_program_is_refused_and_left_alone(store_path: Path) -> None:
    connection = apsw.Connection(str(store_path))
    connection.execute("CREATE TABLE cookies (id); INSERT INTO cookies VALUES (1)")
    connection.close()
    content = store_path.read_bytes()
    with pytest.raises(StoreError, match="no session memory"):
        SqliteSessionStore.open(store_path)
    assert store_path.read_bytes() == content


def test_places_that_cannot_hold_a_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path, reason in (
        (tmp_path, "this is a folder"),
        (tmp_path / "file" / "x.sqlite", "cannot create the store"),
        (tmp_path / ("x" * 300), "File name too long"),
        (tmp_path / "x\udcff.sqlite", "names that are text"),
    ):
        with pytest.raises(StoreError, match=reason):
            SqliteSessionStore.open(path)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.name != "posix", reason="needs special files")
def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path(os.devnull), tmp_path / "pipe"):
        with pytest.raises(StoreError, match=f"{path}: not a file"):
            SqliteSessionStore.open(path)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX rights")
class TestWithoutWritePermission:
    """In a folder, or with a file, without write bits: no store can be made, but one that is there can be read."""

    SCRIPT = f"""
import os, sys, urllib.parse  # loaded late otherwise, where nobody can read it
from pathlib import Path
from nlm_tui.core import StoreError
from nlm_tui.storage import SqliteSessionStore
if os.geteuid() == 0:
    os.setgid({NOBODY}); os.setuid({NOBODY})
try:
    with SqliteSessionStore.open(Path(sys.argv[1])) as store:
        print(store.count(), store.read_only, len(store.keyword_search("orchard-api", 20)))
except StoreError as error:
    print(error)
"""

    @pytest.fixture
    def folder(self) -> Iterator[Path]:
        # Not below tmp_path, which nobody else may enter.
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            folder.chmod(0o755)
            yield folder
            folder.chmod(0o755)

    def opened(self, path: Path, folder_mode: int = 0o555) -> str:
        path.parent.chmod(folder_mode)
        command = [sys.executable, "-c", self.SCRIPT, str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def test_no_store_can_be_made(self, folder: Path) -> None:
        reason = "cannot create the store (Permission denied); choose another place with --db"
        assert self.opened(folder / "memory.sqlite") == f"{folder / 'memory.sqlite'}: {reason}"

    @pytest.mark.parametrize(("mode", "folder_mode"), [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555)])
    def test_our_own_store_can_be_read(self, folder: Path, mode: int, folder_mode: int) -> None:
        path = folder / "memory.sqlite"
        with SqliteSessionStore.open(path) as store:
            store.insert_sessions(a_session(label="orchard-api"))
        path.chmod(mode)
        content = path.read_bytes()
        assert self.opened(path, folder_mode) == "1 True 1"
        assert path.read_bytes() == content
        assert list(folder.iterdir()) == [path]

    @pytest.mark.parametrize("steps", [0, 2])
    def test_but_not_brought_up_to_date(self, folder: Path, tmp_path: Path, steps: int) -> None:
        path = folder / "memory.sqlite"
        path.touch()
        if steps:
            some = tmp_path / "some"
            some.mkdir()
            for file in sorted(migrations_folder().iterdir())[:steps]:
                shutil.copy(file, some)
            SqliteSessionStore.open(path, migrations=some).close()
        path.chmod(0o444)
        assert self.opened(path).startswith(f"{path}: this version must open the store once where it can be written")

    def test_a_store_of_another_program_can_be_read(self, folder: Path, interop_bytes: bytes) -> None:
        path = folder / "other.sqlite"
        path.write_bytes(interop_bytes)
        assert self.opened(path) == "41 True 5"
        assert path.read_bytes() == interop_bytes
        assert len(list(folder.iterdir())) == 1

    def test_nor_may_the_folder_be_entered(self, folder: Path) -> None:
        inner = folder / "inner"
        inner.mkdir()
        SqliteSessionStore.open(inner / "memory.sqlite").close()
        inner.chmod(0o000)
        try:
            command = [sys.executable, "-c", self.SCRIPT, str(inner / "memory.sqlite")]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        finally:
            inner.chmod(0o755)
        assert "cannot be opened (Permission denied)" in output


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that cannot be written, for root neither."""
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.W_OK)


def test_nothing_is_written_where_it_cannot_be(
    store: SqliteSessionStore, store_path: Path, request: pytest.FixtureRequest
) -> None:
    store.insert_sessions(a_session())
    store.close()
    request.getfixturevalue("unwritable")
    with SqliteSessionStore.open(store_path) as opened:
        assert (opened.read_only, opened.foreign, opened.count()) == (True, False, 1)
        with pytest.raises(StoreError, match=r"memory\.sqlite: the store cannot be written"):
            opened.insert_sessions(a_session("cc_2"))
