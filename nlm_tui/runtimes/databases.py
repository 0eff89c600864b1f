"""SQLite databases of other programs: read as they are, nothing written into them or beside them."""

import sqlite3
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import copy2
from typing import Any, TypeAlias
from urllib.parse import quote

from nlm_tui.ingest.ports import Source, TranscriptError

Row: TypeAlias = tuple[Any, ...]

_BUSY_SECONDS = 5.0
_LARGEST_COPY = 1 << 30  # bytes of a database that is copied where its log can be read in no other way


class Database:
    """A database to be asked. What SQLite raises becomes a `TranscriptError`."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def rows(self, sql: str, values: tuple[object, ...] = ()) -> Iterator[Row]:
        """Yield the rows of a query. Text that is no UTF-8 has its bad bytes replaced.

        Raises:
            TranscriptError: the database is damaged, locked, or has no such tables.
        """
        try:
            yield from self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise _unreadable(self._path, error) from None

    def columns(self, table: str) -> frozenset[str]:
        """Return the names of the columns of a table; of one that is not there, none."""
        return frozenset(name for (name,) in self.rows("SELECT name FROM pragma_table_info(?)", (table,)))


@contextmanager
def reading(path: Path) -> Generator[Database]:
    """Open a database to be read, with what its log holds.

    Raises:
        TranscriptError: it is no database, or cannot be read.
    """
    log = Path(f"{path}-wal")
    with tempfile.TemporaryDirectory(prefix="nlm-tui-") as folder:
        options = "mode=ro"
        if not _has_content(log):
            options = "immutable=1"  # else SQLite would make files beside it
        elif not Path(f"{path}-shm").exists():
            path = _copy(path, log, Path(folder))  # the log of a crash: reading it in place would change it
        try:
            with closing(_connect(path, options)) as connection:
                yield Database(connection, path)
        except sqlite3.Error as error:
            raise _unreadable(path, error) from None


def database_source(path: Path, salt: str = "") -> Iterator[Source]:
    """Yield a database as a source that changes with its log, if it is there."""
    try:
        stat = path.stat()
    except OSError:
        return
    if not path.is_file():
        return
    size, mtime_ns = stat.st_size, stat.st_mtime_ns
    try:
        log = Path(f"{path}-wal").stat()
        size, mtime_ns = size + log.st_size, max(mtime_ns, log.st_mtime_ns)
    except OSError:
        pass  # without a log all is in the file
    yield Source(path, size, mtime_ns, salt, file=(stat.st_dev, stat.st_ino) if stat.st_ino else None)


def _connect(path: Path, options: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path))}?{options}", uri=True, timeout=_BUSY_SECONDS)
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _copy(path: Path, log: Path, folder: Path) -> Path:
    try:
        if path.stat().st_size > _LARGEST_COPY:
            raise TranscriptError(f"{path.name} was left by a crash; start its program once, which repairs it")
        for file in (path, log):
            copy2(file, folder / file.name)
    except OSError as error:
        raise TranscriptError(f"cannot be read: {error.strerror or type(error).__name__}") from None
    return folder / path.name


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _unreadable(path: Path, error: sqlite3.Error) -> TranscriptError:
    return TranscriptError(f"{path.name} cannot be read: {error}")
