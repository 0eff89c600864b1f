"""Transcripts that a user names, wherever they lie: folders of agents, such folders further down, and loose files."""

import os
import re
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable

from nlm_tui.ingest.ports import (
    PartsReader,
    ProjectsReader,
    Reader,
    Source,
    SourceBusyError,
    Transcript,
    TranscriptError,
    reason_of,
)
from nlm_tui.ingest.unreadable import note_reason
from nlm_tui.runtimes.databases import database_source
from nlm_tui.runtimes.jsonl import entries

MakeReader = Callable[[Sequence[Path]], Reader]

_ABOVE = 6  # folders above a named one that may be what its runtime calls its own
_BELOW = 8  # levels of folders below it
_MOST_FOLDERS = 5000
_MOST_LOOSE = 2000  # files that are tried by what is in them
_PASSED_OVER = {".git", "node_modules"}
_STORES = ("storage", "project", "sessions", "profiles")  # that agents have beside a database
_DATABASES = (".db", ".vscdb")
_LINES = (".jsonl", ".jsonl.zst")
_LOOSE = (*_LINES, *_DATABASES, ".json", ".aider.chat.history.md")
_LENIENT = ("cursor",)
_NO_LETTERS = re.compile(r"[^a-z]+")
_BOOKKEEPING = {"history.jsonl", "session_index.jsonl", "journal.jsonl"}
_BEGINNING = 1 << 20  # bytes by which a long file of lines is told
_NOTHING = "nothing recognised in it: no transcript of an agent that is known"
_TOO_MANY = "there is more in it than was looked at: name a folder further down"


def readers_of(named: Iterable[Path], known: Sequence[Reader], kinds: Sequence[MakeReader]) -> list[Reader]:
    """Return readers of what is at and below the `named` paths, but for what the `known` readers find.

    `kinds` make the readers of the runtimes from folders of theirs. What is in none of these is read by the first that
    can make something of it. The last of the readers finds nothing: it notes what none of the others can read.
    """
    named = tuple(named)
    search = _Search(kinds, known if named else ())
    for path in named:
        search.look(path)
    return search.readers()


class _Search:
    """A search for readers. Each file is read by one of them."""

    def __init__(self, kinds: Sequence[MakeReader], known: Sequence[Reader]) -> None:
        self._kinds = list(map(_Kind, kinds))
        self._found: list[Reader] = []
        self._loose: dict[MakeReader, list[Path]] = {}
        self._reasons: dict[Path, str] = {}
        self._taken: set[Path] = set()  # files that some reader reads
        self._owned: set[Path] = set()  # folders all of which is some reader's
        for reader in known:
            self._taken.update(source.path for source in reader.discover())
            self._owned.update(reader.roots)

    def look(self, path: Path) -> None:
        """Look for what is at a path and below it."""
        is_owned = self._has_any(path) and any(path.is_relative_to(folder) for folder in self._owned)
        if not is_owned and not any(self._take_home(home, path) for home in path.parents[:_ABOVE]):
            if path.is_dir():
                self._look_below(path)
            else:
                self._take_file(path)
        if not self._has_any(path):
            self._reasons.setdefault(path, _NOTHING)

    def readers(self) -> list[Reader]:
        """Return what was found."""
        loose = [_of_files(make, paths) for make, paths in self._loose.items()]
        return [*self._found, *loose, *([_Unrecognised(self._reasons)] if self._reasons else [])]

    def _has_any(self, path: Path) -> bool:
        """Return whether anything below a path is read."""
        return any(taken.is_relative_to(path) for taken in self._taken)

    def _look_below(self, path: Path) -> None:
        """Take the folders of agents in a folder, then what is left there of files that may be transcripts."""
        loose: list[Path] = []
        folders = deque([(path, 0)])
        seen: set[tuple[int, int]] = set()
        while folders:
            folder, level = folders.popleft()
            if folder in self._owned or not _is_new(folder, seen):
                continue
            if len(seen) > _MOST_FOLDERS or len(loose) > _MOST_LOOSE:
                self._reasons[path] = _TOO_MANY
                break
            found = entries(folder)
            self._take_home(folder, path, {entry.name for entry in found})
            loose += [Path(entry.path) for entry in found if entry.name.endswith(_LOOSE) and not entry.is_dir()]
            if level < _BELOW:
                below = (entry for entry in found if entry.is_dir() and entry.name not in _PASSED_OVER)
                folders += [(Path(entry.path), level + 1) for entry in below]
        left = [file for file in loose if file not in self._taken and file.parent not in self._owned]
        unread = [file for file in left if not self._take_file(file)]
        if self._has_any(path):
            lines = (file for file in unread if file.name.endswith(_LINES) and file.name not in _BOOKKEEPING)
            self._reasons |= dict.fromkeys(lines, _NOTHING)

    def _take_home(self, home: Path, below: Path, names: Collection[str] | None = None) -> bool:
        """Take what can be read below a path by readers to which `home`, with these names in it, is an agent's folder.

        Of a file that several find, the first that can read it has it.
        """
        offers = [
            (reader, offered)
            for kind in self._kinds_for(home)
            if kind.may_have(names)
            for reader in (kind.make([home]),)
            if not isinstance(reader, ProjectsReader) and (offered := self._offered(reader, below))
        ]
        finders = Counter(path for _, offered in offers for path in offered)
        takers: dict[Path, Reader] = {}  # by the folder of what they took
        for reader, offered in offers:
            own = {
                path: source
                for path, source in offered.items()
                if path not in self._taken
                and (finders[path] == 1 or _can_read(reader, source))
                and not _is_left_out(source, takers.get(path.parent))
            }
            if any(finders[path] > 1 or path.suffix in _DATABASES or _can_read(reader, own[path]) for path in own):
                others = offered.keys() - own.keys()
                self._found.append(_Without(reader, others) if others else reader)
                self._taken.update(own)
                self._owned.update(_own_folders(reader, home))
                takers |= {path.parent: reader for path in own}
        return bool(takers)

    def _kinds_for(self, path: Path) -> list["_Kind"]:
        """Return the kinds, those first after which a path is named: some keep their sessions alike."""
        return sorted(self._kinds, key=lambda kind: (not kind.is_named_in(path), kind.is_lenient))

    def _offered(self, reader: Reader, below: Path) -> Mapping[Path, Source]:
        """Return the files below a path that a reader finds and no other reads."""
        found = ((source.path, source) for source in reader.discover())
        return {path: source for path, source in found if path.is_relative_to(below) and path not in self._taken}

    def _take_file(self, path: Path) -> bool:
        """Let the first kind that can read a file have it; return whether there is one, or a reason why not."""
        try:
            with _told_by(path) as beginning:
                sources = list(database_source(beginning))
                for kind in self._kinds_for(path):
                    if any(_holds_session(kind.make([beginning.parent]), source) for source in sources):
                        self._loose.setdefault(kind.make, []).append(path)
                        self._taken.add(path)
                        return True
        except (SourceBusyError, OSError) as error:
            self._reasons[path] = reason_of(error)
            return True
        return False


class _Kind:
    """What makes the reader of a runtime, and what is in a folder of it: one of these names; '' where that is open.

    One that `is_lenient` makes something of what others write, too.
    """

    def __init__(self, make: MakeReader) -> None:
        home = Path(os.sep, "home")
        reader = make([home])
        within = [root.relative_to(home).parts if root.is_relative_to(home) else () for root in reader.roots]
        self.make = make
        self.is_lenient = reader.runtime in _LENIENT
        self._word = reader.runtime.partition("-")[0]
        self._names = frozenset(parts[0] if parts else "" for parts in within)

    def may_have(self, names: Collection[str] | None) -> bool:
        """Return whether a folder with these names in it may be one of the runtime; None is not known."""
        return names is None or "" in self._names or not self._names.isdisjoint(names)

    def is_named_in(self, path: Path) -> bool:
        """Return whether a folder, or a file, is called after the runtime."""
        return any(self._word in _NO_LETTERS.split(part.casefold()) for part in path.parts)


@runtime_checkable
class _TakesFiles(Protocol):
    """What makes a reader of files that lie anywhere, and knows how they belong together."""

    def of_files(self, files: Sequence[Path], /) -> Reader: ...


def _of_files(make: MakeReader, paths: Sequence[Path]) -> Reader:
    return make.of_files(paths) if isinstance(make, _TakesFiles) else _LooseReader(make, paths)


class _LooseReader:
    """Reads files of one runtime, whatever their names and folders."""

    def __init__(self, make: MakeReader, paths: Sequence[Path]) -> None:
        self._readers = {path: make([path.parent]) for path in paths}
        self.runtime: str = self._readers[paths[0]].runtime
        self.roots: Sequence[Path] = tuple(paths)

    def discover(self) -> Iterator[Source]:
        """Yield the files."""
        for path in self._readers:
            yield from database_source(path)

    def parts(self, source: Source) -> Iterable[Source]:
        """Return the sessions in a file. Raises what those of its runtime raise."""
        return _parts(self._readers[source.path], source)

    def read(self, source: Source) -> Transcript | None:
        """Read a session. Raises what the reader of its runtime raises."""
        return self._readers[source.path].read(source)


class _Without:
    """A reader that leaves some of the files that it finds to `others`."""

    def __init__(self, reader: Reader, others: Collection[Path]) -> None:
        self._reader = reader
        self._others = others
        self.runtime: str = reader.runtime
        self.roots: Sequence[Path] = reader.roots

    def discover(self) -> Iterator[Source]:
        """Yield the files."""
        return (source for source in self._reader.discover() if source.path not in self._others)

    def parts(self, source: Source) -> Iterable[Source]:
        """Return the sessions in a file. Raises what those of its runtime raise."""
        return _parts(self._reader, source)

    def read(self, source: Source) -> Transcript | None:
        """Read a session. Raises what the reader of its runtime raises."""
        return self._reader.read(source)


class _Unrecognised:
    """Finds nothing, and notes what no reader makes anything of."""

    runtime: str = ""
    roots: Sequence[Path] = ()

    def __init__(self, reasons: Mapping[Path, str]) -> None:
        self._reasons = reasons

    def discover(self) -> Iterable[Source]:
        """Note the paths with their reasons."""
        for path, reason in self._reasons.items():
            note_reason(str(path), reason)
        return ()

    def read(self, source: Source) -> Transcript | None:
        """Refuse: it finds nothing that could be read."""
        raise TranscriptError(self._reasons.get(source.path, _NOTHING))


def _parts(reader: Reader, source: Source) -> Iterable[Source]:
    return reader.parts(source) if isinstance(reader, PartsReader) else (source,)


def _holds_session(reader: Reader, source: Source) -> bool:
    """Return whether a reader finds a session in a file. Raises SourceBusyError where that cannot be told."""
    try:
        return any(reader.read(part) for part in _parts(reader, source))
    except SourceBusyError:
        raise
    except (TranscriptError, OSError):
        return False


def _can_read(reader: Reader, source: Source) -> bool:
    """Return whether a reader finds a session in a file that has a name as its runtime gives it."""
    try:
        return _holds_session(reader, source)
    except SourceBusyError:
        return True


def _is_left_out(source: Source, taker: Reader | None) -> bool:
    """Return whether the reader of the files beside a source leaves it out on purpose: it could read it."""
    return taker is not None and _can_read(taker, source)


def _own_folders(reader: Reader, home: Path) -> Iterator[Path]:
    """Yield folders that hold nothing but what is an agent's."""
    for root in reader.roots:
        yield from (root / name for name in _STORES) if root == home else (root,)


def _is_new(folder: Path, seen: set[tuple[int, int]]) -> bool:
    """Note a folder, and return whether it was not among those `seen`, also by a link."""
    try:
        found = folder.stat()
    except OSError:
        return False
    identity = (found.st_dev, found.st_ino)
    is_new = identity not in seen
    seen.add(identity)
    return is_new


@contextmanager
def _told_by(path: Path) -> Generator[Path]:
    """Yield a file by which another is recognised: itself, or its beginning where it is a long one of lines.

    Raises:
        OSError: it cannot be opened.
    """
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING + 1) if path.suffix == ".jsonl" else b""
    end = beginning.rfind(b"\n") + 1
    if len(beginning) <= _BEGINNING or not end:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="nlm-tui-", ignore_cleanup_errors=True) as folder:
        short = Path(folder, path.name)
        short.write_bytes(beginning[:end])
        yield short
