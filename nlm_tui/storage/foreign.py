"""A store of another program: how it is recognised, and how it is read like one of ours."""

from collections.abc import Sequence
from pathlib import Path

import apsw

from nlm_tui.core import StoreError, storable
from nlm_tui.storage.attached import AttachedConnection
from nlm_tui.storage.connection import describe
from nlm_tui.storage.foreign_actions import apply_actions
from nlm_tui.storage.foreign_schema import columns, find_parents, make_up
from nlm_tui.storage.migrations import APPLICATION_ID
from nlm_tui.storage.traceless import FileState, read_header

_HEADER = 100
_ID_PLACE = slice(68, 72)  # of the header


class ForeignConnection(AttachedConnection):
    """A store of another program, with what it lacks made up in memory beside it.

    `revision` grows whenever that changes.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.revision = 0
        self._schema: object = None
        self._linked: FileState | None = None
        with self.reading():
            pass

    def state(self) -> object:
        """Return a value that differs whenever the store, or what is made up, may have changed."""
        return super().state(), self.revision

    def file_state(self) -> object:
        """Return a value that differs whenever the other program may have changed the store."""
        return super().state()

    def write_beside(self, statements: Sequence[tuple[str, Sequence[Sequence[object]]]]) -> None:
        """Run statements on what is in memory, each with several rows of values: all of it or nothing."""
        with self._lock, self._reported(), self._database:
            for sql, parameters in statements:
                for values in parameters:
                    self._execute(sql, values)
            self.revision += 1

    def _prepare(self, state: FileState) -> None:
        schema = (state.database and state.database[0], self._directly("PRAGMA other.schema_version"))
        if schema != self._schema:
            try:
                make_up(self._directly)
            except StoreError as error:
                raise StoreError(f"{self.path}: {error}") from error
            self._schema, self._linked = schema, None
        if self._linked != state or not state.is_settled:
            find_parents(self._directly)
            apply_actions(self._directly, columns(self._directly, "actions"))
            self._linked = state


def is_foreign(path: Path) -> bool:
    """Return whether `path` holds a store that is not ours.

    Raises:
        StoreError: it holds something else.
    """
    if storable(str(path)) != str(path):
        raise StoreError(f"{path}: SQLite takes only file names that are text; choose another with --db")
    try:
        if not path.exists():
            return False
        if path.is_dir():
            raise StoreError(f"{path}: this is a folder; choose a file with --db")
        if not path.is_file():
            raise StoreError(f"{path}: not a file; choose another with --db")
        size = path.stat().st_size
    except OSError as error:
        raise StoreError(f"{path}: cannot be opened ({error.strerror}); choose another store with --db") from error
    return size > 0 and not _is_ours(path)


def _is_ours(path: Path) -> bool:
    """Return whether a file is a store of ours, or a database in which nothing was made yet."""
    try:
        # The header tells, even while a log is read in: a copy of a large store of ours would take long.
        if int.from_bytes(read_header(path.resolve(), _HEADER)[_ID_PLACE]) == APPLICATION_ID:
            return True
    except apsw.Error as error:
        raise StoreError(describe(error, path)) from error
    connection = AttachedConnection(path)
    try:
        ((application_id,),) = connection.rows("PRAGMA other.application_id")
        return application_id == APPLICATION_ID or not connection.rows("SELECT 1 FROM other.sqlite_schema LIMIT 1")
    finally:
        connection.close()
