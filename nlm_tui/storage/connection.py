"""One SQLite connection: how it is opened, what it may do, how errors and interruption come out of it."""

import importlib.util
import os
import stat
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from nlm_tui.core import EmbedderUnavailable, SearchInterruptedError, StoreError, storable

Row = tuple[Any, ...]

_BUSY_TIMEOUT_MS = 10_000
_FILE_MODE = 0o600
_LARGE_CACHE = -(1 << 18)  # in KiB, as SQLite counts it
_MAPPED_BYTES = 1 << 30  # counts as memory of ours in most tools, though the system may take it back


class Connection:
    """A connection that one thread uses at a time; others wait. `interrupt` may be called from any thread."""

    def __init__(self, database: apsw.Connection, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._database = database
        self._lock = threading.RLock()
        self._interrupted = threading.Event()
        self._has_vectors = False
        self._transactions = 0
        self._search = threading.local()
        self._latest_search = threading.Event()
        database.setbusytimeout(_BUSY_TIMEOUT_MS)

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """Run `sql` and return all rows.

        Raises:
            SearchInterruptedError: `interrupt` was called while it ran.
            StoreError: SQLite refused.
        """
        with self._lock, self._reported():
            return list(self._execute(sql, parameters))

    def run(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """Run `sql`, one statement or a script, and return how many rows the last statement changed."""
        with self._lock, self._reported():
            for _ in self._execute(sql, parameters):
                pass
            return self._database.changes()

    def run_many(self, sql: str, parameters: Sequence[Sequence[object]]) -> None:
        """Run `sql` once for each of `parameters`."""
        if parameters:
            with self._lock, self._reported():
                for values in parameters:
                    self._execute(sql, values)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """One write transaction, rolled back when the block raises; inside another one it is part of that."""
        with self._lock:
            self._transactions += 1
            if self._database.in_transaction:
                yield
                self._transactions += 1
                return
            self.run("BEGIN IMMEDIATE")
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                if self._database.in_transaction:  # SQLite itself rolls back after some errors, such as a full disk
                    self.run("ROLLBACK")
                raise
            finally:
                self._transactions += 1

    @contextmanager
    def at_large(self) -> Generator[None]:
        """Much that is read and written here and there: pages that were changed stay in memory for longer."""
        with self._lock:
            ((before,),) = self.rows("PRAGMA cache_size")
            self.run(f"PRAGMA cache_size = {_LARGE_CACHE}")
            try:
                yield
            finally:
                self.run(f"PRAGMA cache_size = {before}")
                self.run("PRAGMA shrink_memory")

    @contextmanager
    def searching(self) -> Generator[None]:
        """One search of this thread, of several statements: an interrupt stops it also between two of them."""
        self._search.stopped = self._latest_search = threading.Event()
        try:
            yield
        finally:
            self._search.stopped = None

    def raise_if_stopped(self) -> None:
        """Raise `SearchInterruptedError` if the search of this thread was interrupted."""
        stopped: threading.Event | None = getattr(self._search, "stopped", None)
        if stopped is not None and stopped.is_set():
            raise SearchInterruptedError

    def interrupt(self) -> None:
        """Stop the search that began last, and the statement that runs now, if any."""
        self._latest_search.set()
        self._interrupted.set()
        with suppress(apsw.ConnectionClosedError):
            self._database.interrupt()

    def load_vector_functions(self) -> None:
        """Make sqlite-vec's functions available.

        Raises:
            EmbedderUnavailable: sqlite-vec is not installed, or has no build for this platform.
        """
        if self._has_vectors:
            return
        # Found by path: importing the package would load numpy.
        found = importlib.util.find_spec("sqlite_vec")
        if found is None or found.origin is None:
            raise EmbedderUnavailable("vectors are compared by sqlite-vec: pip install sqlite-vec")
        with self._lock:
            self._database.enable_load_extension(enable=True)
            try:
                self._database.load_extension(str(Path(found.origin).with_name("vec0")))
            except apsw.Error as error:
                raise EmbedderUnavailable(f"sqlite-vec cannot be loaded here: {error}") from error
            finally:
                self._database.enable_load_extension(enable=False)
        self._has_vectors = True

    def add_function(self, name: str, function: Callable[[str], str | None]) -> None:
        """Make a function of one text available to SQL; it gives NULL for NULL."""

        def call(*values: str | None) -> str | None:
            return None if values[0] is None else function(values[0])

        with self._lock:
            # The driver's types name numpy, which is not here.
            self._database.create_scalar_function(  # pyright: ignore[reportUnknownMemberType]
                name,
                call,  # pyright: ignore[reportArgumentType]
                1,
                deterministic=True,
            )

    def state(self) -> object:
        """Return a value that differs whenever this or another connection may have changed the store."""
        ((version,),) = self.rows("PRAGMA data_version")
        return version, self._transactions

    def back_up(self, target: Path) -> None:
        """Write a consistent copy to `target`; an older copy there is replaced once the new one is complete.

        Raises:
            StoreError: there is no room for it, most likely; nothing is left of it.
        """
        partial = _beside(target, ".partial")
        try:
            partial.unlink(missing_ok=True)
            _create_private(partial)
            # What is read on a connection of its own may be copied while this one keeps others from writing.
            with (
                closing(apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)) as source,
                closing(apsw.Connection(str(partial))) as copy,
                copy.backup("main", source, "main") as backup,
            ):
                backup.step()
            partial.replace(target)
        except (OSError, apsw.Error) as error:
            reason = f"no copy can be made before the store is brought up to date; make room for {target.name}"
            raise StoreError(f"{self.path}: {reason}") from error
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)

    def map_file(self) -> None:
        """Read the file through the memory of the system, where that can be: quicker for many small reads."""
        self.run(f"PRAGMA mmap_size = {_MAPPED_BYTES}")

    def close(self) -> None:
        """Close the connection; closing twice does nothing."""
        with self._lock:
            self._database.close()

    def _execute(self, sql: str, parameters: Sequence[object]) -> Iterator[Row]:
        # Text is made such that SQLite can keep it. The driver's types name numpy, which is not here.
        values = tuple(storable(value) if isinstance(value, str) else value for value in parameters)
        return self._database.execute(sql, values)  # pyright: ignore[reportUnknownMemberType]

    @contextmanager
    def _reported(self) -> Generator[None]:
        """Turn SQLite's exceptions into ours. Which one it was while interrupted does not tell: the flag does."""
        self._interrupted.clear()
        self.raise_if_stopped()
        try:
            yield
        except apsw.Error as error:
            if self._interrupted.is_set() and isinstance(error, apsw.InterruptError | apsw.SQLError):
                raise SearchInterruptedError from error
            raise StoreError(describe(error, self.path)) from error


def open_writable(path: Path) -> Connection:
    """Open the store at `path` for reading and writing; the file is created, and is readable by its owner alone.

    Raises:
        StoreError: the folder or file cannot be created or opened, or is no SQLite database.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _create_private(path)
        elif stat.S_IMODE(path.stat().st_mode) != _FILE_MODE:
            with suppress(PermissionError):  # a file of somebody else
                path.chmod(_FILE_MODE)
    except OSError as error:
        reason = f"cannot create the store ({error.strerror}); choose another place with --db"
        raise StoreError(f"{path}: {reason}") from error
    connection = _open(path, str(path), apsw.SQLITE_OPEN_READWRITE)
    connection.run("PRAGMA foreign_keys = ON")
    connection.run("PRAGMA synchronous = NORMAL")
    return connection


def open_readonly(path: Path) -> Connection:
    """Open a store of ours that cannot be written. Unless another instance writes it, nobody does: it is unchanging."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    if not _beside(path, "-shm").exists():
        address += "&immutable=1"
    return _open(path, address, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def can_write(path: Path) -> bool:
    """Return whether the file may be written, and others beside it, which SQLite needs too."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _open(path: Path, address: str, flags: int) -> Connection:
    try:
        database = apsw.Connection(address, flags=flags)
    except apsw.Error as error:
        raise StoreError(describe(error, path)) from error
    connection = Connection(database, path, read_only=bool(flags & apsw.SQLITE_OPEN_READONLY))
    connection.run("PRAGMA temp_store = MEMORY")
    try:
        connection.rows("SELECT count(*) FROM sqlite_schema")
    except StoreError:
        connection.close()
        raise
    return connection


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _create_private(path: Path) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, stat.S_IMODE(_FILE_MODE)))


def describe(error: apsw.Error, path: Path) -> str:
    """Return what an error of SQLite says to users of the store at `path`."""
    match error:
        case apsw.NotADBError():
            reason = "this file is no SQLite database; choose another with --db"
        case apsw.BusyError() | apsw.LockedError():
            reason = "another program is writing to the store; try again in a moment"
        case apsw.CantOpenError():
            reason = "cannot be opened; does it exist, and may you read it?"
        case apsw.ReadOnlyError():
            reason = "the store is read-only"
        case apsw.SQLError() if "it is a view" in str(error):
            reason = "the store is read-only"
        case apsw.FullError():
            reason = "the disk is full"
        case apsw.CorruptError():
            reason = f"the store is damaged ({error}); restore a backup that lies beside it"
        case _:
            reason = str(error)
    return f"{path}: {reason}"
