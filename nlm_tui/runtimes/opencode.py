"""OpenCode: a tree of files up to 1.1, then databases, whose tables 2.x replaced by others.

Every migration leaves what it migrated where it was, and may be left out. So a session may be in several of these
stores, and is read from the newest only.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes import opencode_tables as tables
from nlm_tui.runtimes import opencode_tree as tree
from nlm_tui.runtimes.databases import database_source, reading
from nlm_tui.runtimes.jsonl import entries
from nlm_tui.runtimes.opencode_tables import Listed
from nlm_tui.runtimes.opencode_talk import RUNTIME

_DATABASE = re.compile(r"opencode(?:-[\w.-]+)?\.db")


class OpenCodeReader:
    """Reads the sessions of OpenCode from its data folders, and from databases that lie elsewhere."""

    runtime: str = RUNTIME

    def __init__(self, homes: Sequence[Path], databases: Sequence[Path] = ()) -> None:
        self.roots: Sequence[Path] = tuple(dict.fromkeys((*homes, *(path.parent for path in databases))))
        self._homes = tuple(homes)
        self._others = tuple(databases)
        self._listed: dict[Path, tuple[Source, Mapping[str, Listed]]] = {}

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "OpenCodeReader":
        """Look where OpenCode itself would keep its sessions, which is the same on every system."""
        data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
        named = environ.get("OPENCODE_DB", "").strip()
        return cls([data], [data / named] if named and named != ":memory:" else [])

    def discover(self) -> Iterator[Source]:
        """Yield the databases, and the sessions of the tree that none of them has.

        Where a database cannot be read, it is not known what it has, and the tree waits.
        """
        databases = list(self._databases())
        yield from databases
        sessions = [source for home in self._homes for source in tree.sessions(home)]
        if not sessions:
            return
        held: set[str] = set()
        for database in databases:
            try:
                held.update(self._sessions(database))
            except (TranscriptError, OSError):
                if database.path not in self._listed:
                    return
                held.update(self._listed[database.path][1])
        for source in sessions:
            if source.path.stem not in held:
                held.add(source.path.stem)
                yield source

    def parts(self, source: Source) -> Sequence[Source]:
        """Return the sessions of a database that no other has in a newer state; the source itself if it is a file."""
        if not _DATABASE.fullmatch(source.path.name) and source.path not in self._others:
            return (source,)
        newer = self._newer_elsewhere(source)
        return [
            Source(source.path, listed.length, listed.updated_ns, part=session)
            for session, listed in self._sessions(source).items()
            if session not in newer
        ]

    def read(self, source: Source) -> Transcript | None:
        """Read a session; None if nothing was said in it."""
        if not source.part:
            return tree.read(source.path)
        with reading(source.path) as database:
            return tables.read(database, source.part)

    def _databases(self) -> Iterator[Source]:
        found = [Path(entry.path) for home in self._homes for entry in entries(home) if _DATABASE.fullmatch(entry.name)]
        for path in dict.fromkeys((*found, *self._others)):
            yield from database_source(path)

    def _sessions(self, database: Source) -> Mapping[str, Listed]:
        """Return the sessions of a database; it is asked again when it changed."""
        known = self._listed.get(database.path)
        if known is None or known[0] != database:
            with reading(database.path) as opened:
                known = self._listed[database.path] = (database, tables.listed(opened))
        return known[1]

    def _newer_elsewhere(self, database: Source) -> set[str]:
        """Return the ids of the sessions that another database has in a newer state."""
        own = self._sessions(database)
        newer: set[str] = set()
        for other in self._databases():
            if other.path == database.path:
                continue
            with suppress(TranscriptError, OSError):  # what cannot be read holds nothing newer
                for session, listed in self._sessions(other).items():
                    mine = own.get(session)
                    if mine and (listed.updated_ns, other.path) > (mine.updated_ns, database.path):
                        newer.add(session)
        return newer
