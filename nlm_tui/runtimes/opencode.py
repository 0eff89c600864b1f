"""OpenCode: a tree of files up to 1.1, then databases, whose tables 2.x replaced by others.

Every migration leaves what it migrated where it was, and may be left out. So a session may be in several of these
stores, and is read from the newest only.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nlm_tui.ingest.ports import Source, Transcript
from nlm_tui.runtimes import opencode_tables as tables
from nlm_tui.runtimes import opencode_tree as tree
from nlm_tui.runtimes.databases import database_source, reading
from nlm_tui.runtimes.jsonl import entries
from nlm_tui.runtimes.opencode_talk import RUNTIME
from nlm_tui.runtimes.session_lists import SessionLists

_DATABASE = re.compile(r"opencode(?:-[\w.-]+)?\.db")


class OpenCodeReader:
    """Reads the sessions of OpenCode from its data folders, and from databases that lie elsewhere."""

    runtime: str = RUNTIME

    def __init__(self, homes: Sequence[Path], databases: Sequence[Path] = ()) -> None:
        self.roots: Sequence[Path] = tuple(dict.fromkeys((*homes, *(path.parent for path in databases))))
        self._homes = tuple(homes)
        self._others = tuple(databases)
        self._lists = SessionLists(tables.listed)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "OpenCodeReader":
        """Look where OpenCode itself would keep its sessions, which is the same on every system."""
        data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
        named = environ.get("OPENCODE_DB", "").strip()
        return cls([data], [data / named] if named and named != ":memory:" else [])

    def discover(self) -> Iterator[Source]:
        """Yield the databases, and the sessions of the tree that none of them has."""
        databases = list(self._databases())
        yield from databases
        files = ((source.path.stem, source) for home in self._homes for source in tree.sessions(home))
        yield from self._lists.left_out(files, databases)

    def parts(self, source: Source) -> Sequence[Source]:
        """Return the sessions of a database that no other has in a newer state; the source itself if it is a file."""
        if source.path.suffix == ".json":
            return (source,)
        return self._lists.parts(source, self._databases())

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
