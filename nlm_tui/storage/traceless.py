"""How a database that others write is opened such that no byte beside it changes.

SQLite keeps what was written last in a log, `-wal`, and what readers agree on in `-shm`. Only where another program
has both open may they be joined; a database without a log is read as if nobody ever wrote to it, and looked at again
afterwards; a log that was left behind is read in a copy of our own.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import apsw

from nlm_tui.core import StoreError

Opening = Literal["unchanging", "shared", "copied"]
Stamp = tuple[int, int, int]  # inode, size, time of the last change

_URI_FLAGS: Mapping[Opening, str] = {
    "unchanging": "mode=ro&immutable=1",
    "shared": "mode=ro&readonly_shm=1",
    "copied": "mode=rw",  # it may have to be recovered
}
_TICKS_NS = 50_000_000  # two changes within so long may bear the same time
_COPIES = 10
_WAL_MODE = 2


@dataclass(frozen=True, slots=True)
class FileState:
    """What tells that a database has changed: its file, its logs, and whether `-shm` is there."""

    database: Stamp | None
    wal: Stamp | None
    journal: Stamp | None
    shared_memory: int | None

    @classmethod
    def of(cls, path: Path) -> "FileState":
        """Look at the files of the database at `path`; none of them is opened."""
        shared_memory = _stamp(path, "-shm")
        return cls(
            _stamp(path, ""),
            _stamp(path, "-wal"),
            _stamp(path, "-journal"),
            shared_memory[0] if shared_memory else None,
        )

    @property
    def is_settled(self) -> bool:
        """Whether the next change is sure to show."""
        now = time.time_ns()
        stamps = (self.database, self.wal, self.journal)
        return all(abs(now - stamp[2]) > _TICKS_NS for stamp in stamps if stamp)

    @property
    def has_log(self) -> bool:
        """Whether something may stand in a log alone."""
        return bool(self.wal and self.wal[1])

    def same_files(self, other: "FileState") -> bool:
        """Return whether these are the same files, whatever is in them."""
        return _inode(self.database) == _inode(other.database) and _inode(self.wal) == _inode(other.wal)


def opening(state: FileState, *, in_wal_mode: bool) -> Opening:
    """Return how a database in that state is opened."""
    if state.has_log:
        return "copied" if state.shared_memory is None else "shared"
    if in_wal_mode and (state.wal is None or state.shared_memory is None):
        return "unchanging"
    return "shared"


def address(path: Path, how: Opening) -> str:
    """Return the URI that opens the database at `path` so."""
    return f"{path.as_uri()}?{_URI_FLAGS[how]}"


def read_header(path: Path, length: int) -> bytes:
    """Return the first bytes of a file.

    Through SQLite: a file that Python itself opens and closes would lose the locks that other connections of this
    process hold on it.
    """
    connection = apsw.Connection(address(path, "unchanging"), flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        _, header = connection.read("main", 0, 0, length)
    finally:
        connection.close()
    return header


def is_in_wal_mode(path: Path) -> bool:
    """Return whether a database keeps its newest content in a `-wal` file."""
    return read_header(path, 20)[18:] == bytes((_WAL_MODE, _WAL_MODE))


class PrivateCopy:
    """A copy of a database and its logs, in a folder that its owner alone may enter, and that is deleted at the end."""

    def __init__(self, path: Path) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nlm-tui-", ignore_cleanup_errors=True)
        self.path = Path(self._folder.name) / "copy.sqlite"
        try:
            self.state = self._make(path)
        except OSError as error:
            self.close()
            raise StoreError(
                f"{path}: what was written last stands in a log that no program has open, and no copy can be made to "
                f"read it ({error.strerror}: {error.filename}); make room, or open the store with its own program once"
            ) from error

    def close(self) -> None:
        """Delete the copy."""
        self._folder.cleanup()

    def _make(self, path: Path) -> FileState:
        for _ in range(_COPIES):
            state = FileState.of(path)
            for ending in ("", "-wal", "-journal"):
                target = self.path.with_name(self.path.name + ending)
                target.unlink(missing_ok=True)
                source = path.with_name(path.name + ending)
                if source.exists():
                    shutil.copyfile(source, target)
                    target.chmod(0o600)
            if FileState.of(path) == state:
                return state
        raise OSError(0, "another program keeps changing it", str(path))


def _stamp(path: Path, ending: str) -> Stamp | None:
    try:
        found = os.stat(f"{path}{ending}")  # noqa: PTH116 - three times for each query
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _inode(stamp: Stamp | None) -> int | None:
    return stamp[0] if stamp else None
