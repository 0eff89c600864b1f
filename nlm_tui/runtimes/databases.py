"""SQLite databases of other programs: read as they are, nothing written into them or put beside them."""

import os
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from nlm_tui.ingest.ports import Source, SourceBusyError, TranscriptError
from nlm_tui.runtimes.jsonl import LINE_LIMIT, Record, file_source, parse_json

Row: TypeAlias = tuple[Any, ...]
State: TypeAlias = tuple[tuple[int, int] | None, ...]

_BUSY_SECONDS = 1.0
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_PRIMARY = 0xFF  # of an extended error code
_LARGEST_COPY = 1 << 30  # bytes of a database that is copied where what a crash left can be read in no other way
_VERSION_AT, _WAL = 18, 2  # in the header: how the database is written


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
        except UnicodeDecodeError:  # of what SQLite says of it
            raise TranscriptError(f"{self._path.name} cannot be read: it is damaged") from None

    def columns(self, table: str) -> frozenset[str]:
        """Return the names of the columns of a table; of one that is not there, none."""
        return frozenset(name for (name,) in self.rows("SELECT name FROM pragma_table_info(?)", (table,)))

    def has_tables(self) -> bool:
        """Return whether there is anything in it: a program may have made the file only."""
        return any(self.rows("SELECT 1 FROM sqlite_master LIMIT 1"))

    def records(
        self, table: str, columns: Sequence[str], rest: str = "", values: tuple[object, ...] = ()
    ) -> Iterator[Record]:
        """Yield these columns of a table's rows, None for what is too long and for columns that it does not have.

        Raises:
            TranscriptError: as for `rows`.
        """
        known = self.columns(table)
        chosen = ", ".join(bounded(column) if column in known else "NULL" for column in columns)
        for row in self.rows(f"SELECT {chosen} FROM {table} {rest}", values):
            yield dict(zip(columns, row, strict=True))


@contextmanager
def reading(path: Path) -> Generator[Database]:
    """Open a database to be read, with what its log holds.

    Raises:
        TranscriptError: it is no database, cannot be read, or was written to in a way that its reader cannot see.
        OSError: it cannot be opened.
    """
    state = _state(path)
    copy: _Copy | None = None
    try:
        connection, is_guarded = _connect(path, state)
    except _LeftByCrash:
        copy = _copy(path, state)
        connection, is_guarded = _opened(copy.path, "mode=rw"), True
    except sqlite3.Error as error:
        raise _unreadable(path, error) from None
    with closing(connection):
        yield Database(connection, path)
    if not is_guarded and _state(path) != state:
        raise SourceBusyError(f"{path.name} was being written to; it is read when that is done")


def bounded(column: str) -> str:
    """Return SQL for a text, NULL where it is too long to be taken into memory."""
    return f"CASE WHEN length({column}) <= {LINE_LIMIT} THEN {column} END"


def parsed(value: object) -> object:
    """Return what a column that holds JSON says, None where it is unreadable."""
    if isinstance(value, str):
        return parse_json(value.encode())
    return parse_json(value) if isinstance(value, bytes) else None


def database_source(path: Path, salt: str = "") -> Iterator[Source]:
    """Yield a database as a source that changes with its log, if it is there."""
    for source in file_source(path):
        size, mtime_ns = source.size, source.mtime_ns
        with suppress(OSError):  # without a log all is in the file
            log = _beside(path, "-wal").stat()
            size, mtime_ns = size + log.st_size, max(mtime_ns, log.st_mtime_ns)
        yield replace(source, size=size, mtime_ns=mtime_ns, salt=salt)


class _LeftByCrash(Exception):  # noqa: N818 - a state, not a fault
    """What a crash left beside a database cannot be read without changing the one or the other."""


class _Copy:
    """A database and what a crash left beside it, copied to where it may be changed. Goes with its last user."""

    def __init__(self, path: Path) -> None:
        folder = Path(tempfile.mkdtemp(prefix="nlm-tui-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = folder / path.name
        for suffix in ("", "-wal", "-journal"):
            with suppress(FileNotFoundError):
                shutil.copy2(_beside(path, suffix), _beside(self.path, suffix))


@lru_cache(maxsize=1)
def _copy(path: Path, state: State) -> _Copy:
    """Copy a database in this `state`; the last copy is kept, for the sessions in it are read one by one."""
    if sum(stat[0] for stat in state if stat) > _LARGEST_COPY:
        raise TranscriptError(f"{path.name} was left by a crash; start its program once, which repairs it")
    return _Copy(path)


def _connect(path: Path, state: State) -> tuple[sqlite3.Connection, bool]:
    """Return a connection, and whether it sees all that others write.

    Raises:
        _LeftByCrash: the database must be repaired first.
        sqlite3.Error: it cannot be read.
        OSError: it cannot be opened.
    """
    _, log, index, _ = state
    if not _is_wal(path) or (log and index):
        try:
            return _opened(path, "mode=ro"), True
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK:
                raise _LeftByCrash from None
            raise
    if log and log[0]:
        raise _LeftByCrash
    return _opened(path, "immutable=1"), False  # nobody has it open; else SQLite would make files beside it


def _opened(path: Path, options: str) -> sqlite3.Connection:
    address = f"file:{quote(os.fsencode(path), safe='')}?{options}"
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS)
    try:
        connection.text_factory = _text
        connection.execute("PRAGMA schema_version").fetchall()  # opens the file
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _is_wal(path: Path) -> bool:
    with path.open("rb", buffering=0) as file:
        return file.read(_VERSION_AT + 1)[_VERSION_AT:] == bytes((_WAL,))


def _state(path: Path) -> State:
    """Return size and time of a database and of its log, its log's index and its journal, where they exist."""
    found: list[tuple[int, int] | None] = []
    for suffix in ("", "-wal", "-shm", "-journal"):
        try:
            stat = _beside(path, suffix).stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((stat.st_size, stat.st_mtime_ns))
    return tuple(found)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _unreadable(path: Path, error: sqlite3.Error) -> TranscriptError:
    is_busy = getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _BUSY
    kind = SourceBusyError if is_busy else TranscriptError
    return kind(f"{path.name} cannot be read: {error}")
