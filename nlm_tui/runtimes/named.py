"""Transcripts that a user names, wherever they lie."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from nlm_tui.ingest.ports import PartsReader, Reader, Source, Transcript, TranscriptError
from nlm_tui.runtimes.databases import database_source

MakeReader = Callable[[Sequence[Path]], Reader]

_LEVELS = 3  # folders above a named one that may be what its runtime calls its own


def readers_of(named: Iterable[Path], known: Sequence[Reader], kinds: Sequence[MakeReader]) -> list[Reader]:
    """Return readers of the files and folders `named` of which the `known` readers find nothing.

    `kinds` make the readers of the runtimes from folders of theirs: the first that can read what is there has it, of a
    folder all that can.
    """
    return [reader for path in named if not _find(known, path) for reader in _readers_of(path, kinds)]


def _find(readers: Sequence[Reader], path: Path) -> bool:
    return any(
        source.path == path or source.path.is_relative_to(path) for each in readers for source in each.discover()
    )


def _readers_of(path: Path, kinds: Sequence[MakeReader]) -> Iterator[Reader]:
    if not path.is_dir():
        found = (_OneFile(make([path.parent]), path) for make in kinds)
        yield from islice((reader for reader in found if reader.can_read()), 1)
        return
    for home in (path, *path.parents)[:_LEVELS]:
        readers = [reader for make in kinds if _find([reader := make([home])], path)]
        if readers:
            yield from readers
            return


class _OneFile:
    """A reader that finds one file, whatever its name and folder."""

    def __init__(self, reader: Reader, path: Path) -> None:
        self._reader = reader
        self._path = path
        self.runtime: str = reader.runtime
        self.roots: Sequence[Path] = (path,)

    def can_read(self) -> bool:
        """Return whether there is a session in the file."""
        try:
            return any(self.read(part) for source in self.discover() for part in self.parts(source))
        except (TranscriptError, OSError):
            return False

    def discover(self) -> Iterator[Source]:
        """Yield the file."""
        yield from database_source(self._path)

    def parts(self, source: Source) -> Iterable[Source]:
        """Return the sessions in the file. Raises what those of its runtime raise."""
        return self._reader.parts(source) if isinstance(self._reader, PartsReader) else (source,)

    def read(self, source: Source) -> Transcript | None:
        """Read a session. Raises what the reader of its runtime raises."""
        return self._reader.read(source)
