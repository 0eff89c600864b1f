"""The sessions that databases hold, and which store to read where several hold the same one."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nlm_tui.ingest.ports import Source, TranscriptError, reason_of
from nlm_tui.ingest.unreadable import note_reason
from nlm_tui.runtimes.databases import Database, reading


@dataclass(frozen=True, slots=True)
class Listed:
    """A session in a database: how much there is of it, when it was last written to, in nanoseconds, and a revision."""

    length: int
    updated_ns: int
    revision: str = ""


class SessionLists:
    """The sessions of databases by their ids, as `ask` finds them. A database is asked again when it changed."""

    def __init__(self, ask: Callable[[Database], Mapping[str, Listed]]) -> None:
        self._ask = ask
        self._known: dict[Path, tuple[Source, Mapping[str, Listed]]] = {}

    def parts(self, database: Source, databases: Iterable[Source]) -> list[Source]:
        """Return the sessions of a database that none of the others has in a newer state.

        Raises:
            TranscriptError: it cannot be read.
            OSError: it cannot be opened.
        """
        own = self._sessions(database)
        newer: set[str] = set()
        for other in databases:
            if other.path == database.path:
                continue
            with suppress(TranscriptError, OSError):  # what cannot be read holds nothing newer
                for session, listed in self._sessions(other).items():
                    mine = own.get(session)
                    if mine and (listed.updated_ns, other.path) > (mine.updated_ns, database.path):
                        newer.add(session)
        return [
            Source(database.path, listed.length, listed.updated_ns, listed.revision, session)
            for session, listed in own.items()
            if session not in newer
        ]

    def left_out(self, files: Iterable[tuple[str, Source]], databases: Iterable[Source]) -> Iterator[Source]:
        """Yield the files of sessions, given with their ids, that no database holds; of several the first.

        Where a database cannot be read, it is not known what it holds, and its files wait.
        """
        files = list(files)
        held: set[str] = set()
        for database in databases if files else ():
            try:
                held.update(self._sessions(database))
            except (TranscriptError, OSError) as error:
                if database.path not in self._known:
                    note_reason(str(database.path), reason_of(error))
                    return
                held.update(self._known[database.path][1])
        for session, source in files:
            if session not in held:
                held.add(session)
                yield source

    def _sessions(self, database: Source) -> Mapping[str, Listed]:
        known = self._known.get(database.path)
        if known is None or known[0] != database:
            with reading(database.path) as opened:
                known = self._known[database.path] = (database, self._ask(opened))
        return known[1]
