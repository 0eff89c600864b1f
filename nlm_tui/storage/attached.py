"""A connection to a database that others write: attached without leaving a trace, and followed while it changes."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from nlm_tui.core import StoreError
from nlm_tui.storage.connection import Connection, Row
from nlm_tui.storage.traceless import FileState, Opening, PrivateCopy, address, is_in_wal_mode, opening

T = TypeVar("T")

_ATTEMPTS = 10
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_MEMORY | apsw.SQLITE_OPEN_URI


class AttachedConnection(Connection):
    """A database in memory, to which the file is attached as `other`.

    Before each statement the file is looked at and, where its state asks for it, attached anew. While another program
    has it open it is attached only as long as somebody reads: that program could not tidy up behind itself otherwise.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(apsw.Connection(":memory:", flags=_FLAGS), path, read_only=True)
        self._real = path.resolve()
        self._readers = 0
        self._how: Opening = "unchanging"
        self._seen: FileState | None = None  # when it was attached; None while it is not
        self._wal_mode: tuple[FileState, bool] | None = None
        self._copy: PrivateCopy | None = None
        self._directly("PRAGMA temp_store = MEMORY")

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """Run `sql` and return all rows, as the file is now."""
        return self._steadily(partial(super().rows, sql, parameters))

    def run(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """Run `sql`, which can change nothing but what is in memory."""
        run = super().run

        def work() -> int:
            changed = 0
            with self._reported(), self._database:
                changed = run(sql, parameters)
                if self._has_moved(self._seen):  # what it took from the file is undone
                    raise StoreError(f"{self.path}: another program changes the store")
            return changed

        return self._steadily(work)

    @contextmanager
    def searching(self) -> Generator[None]:
        """One search of this thread, of several statements."""
        with super().searching(), self.reading():
            yield

    @contextmanager
    def reading(self) -> Generator[None]:
        """Several statements that follow each other: the file is attached once for all of them."""
        with self._lock:
            self._follow()
            self._readers += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers -= 1
                if not self._readers and self._how == "shared":
                    self._detach()

    def state(self) -> object:
        """Return a value that differs whenever the store may have changed."""
        state = FileState.of(self._real)
        return state if state.is_settled else object()

    def close(self) -> None:
        """Close the connection, and delete the copy if there is one."""
        with self._lock:
            super().close()
            if self._copy:
                self._copy.close()

    def _prepare(self, state: FileState) -> None:
        """Make ready what goes with the attached file, which was in `state`."""

    def _steadily(self, work: Callable[[], T]) -> T:
        """Return what `work` finds in one state of the file."""
        for _ in range(_ATTEMPTS):
            with self._lock, self.reading():
                before = self._seen
                try:
                    answer = work()
                except StoreError:
                    if not self._has_moved(before):
                        raise
                    continue
                if not self._has_moved(before):
                    return answer
        raise StoreError(f"{self.path}: another program keeps changing the store; try again in a moment")

    def _has_moved(self, before: FileState | None) -> bool:
        """Return whether the file may have changed under what was read, where SQLite itself does not see to it."""
        return self._how != "shared" and FileState.of(self._real) != before

    def _follow(self) -> None:
        """Attach the file, or attach it anew where it has changed in a way that SQLite itself would not see."""
        state = FileState.of(self._real)
        if self._seen and (
            state.same_files(self._seen) if self._how == "shared" else state == self._seen and state.is_settled
        ):
            return
        with self._reported():
            self._detach()
            if state.database is None:
                raise StoreError(f"{self.path}: cannot be opened; does it exist, and may you read it?")
            state = self._attach(state)
            self._prepare(state)
            self._seen = state

    def _attach(self, state: FileState) -> FileState:
        """Attach the file and return the state in which it was."""
        self._how = opening(state, in_wal_mode=not state.has_log and self._is_in_wal_mode(state))
        if self._how != "copied":
            try:
                self._attach_file(self._real)
            except (apsw.ReadOnlyError, apsw.CantOpenError):
                # A transaction was broken off, and whoever writes next will undo it: we only can in a copy.
                if not (state.journal or state.wal):
                    raise
            else:
                return state
            self._detach()
            self._how = "copied"
        if self._copy is None or self._copy.state != state:
            if self._copy:
                self._copy.close()
            self._copy = PrivateCopy(self._real)
        self._attach_file(self._copy.path)
        return self._copy.state

    def _attach_file(self, path: Path) -> None:
        self._directly("ATTACH ? AS other", (address(path, self._how),))
        self._directly("SELECT count(*) FROM other.sqlite_schema")

    def _is_in_wal_mode(self, state: FileState) -> bool:
        if self._wal_mode is None or self._wal_mode[0] != state:
            self._wal_mode = (state, is_in_wal_mode(self._real))
        return self._wal_mode[1]

    def _detach(self) -> None:
        self._seen = None
        with suppress(apsw.SQLError, apsw.ConnectionClosedError):  # it is not attached, or all is closed
            self._directly("DETACH other")

    def _directly(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """Run `sql` on what is attached now."""
        return list(self._execute(sql, parameters))
