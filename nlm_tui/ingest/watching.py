"""Which runtimes write something right now: told by the system, and by looking where it tells nothing."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event

from nlm_tui.ingest.ports import Reader

LOOK_SECONDS = 2.0

_GROUPED_MS = 1000  # changes that come within this time are told together
_PAUSE_MS = 200  # or when nothing came for this long
_MOUNTS = Path("/proc/self/mountinfo")
_REMOTE = frozenset(
    {"9p", "afs", "ceph", "cifs", "drvfs", "glusterfs", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "vboxsf"}
)
_Roots = Mapping[str, str]  # folders, each with the runtime that writes there


class Watch:
    """Watches the folders of readers.

    Changes below a folder on this machine are told by the system. What lies on another one, is a single file, or is not
    there yet is looked at every `look_seconds`; so is everything where the system has no more watches to give.
    """

    def __init__(
        self,
        readers: Sequence[Reader],
        *,
        is_remote: Callable[[Path], bool] | None = None,
        look_seconds: float = LOOK_SECONDS,
        stop: Event | None = None,
    ) -> None:
        self._readers = readers
        self._is_remote = is_remote or Mounts().is_remote
        self._look_seconds = look_seconds
        self._stop = stop or Event()
        self._can_be_told = True
        self._seen: dict[str, object] = {}

    def changes(self) -> Iterator[frozenset[str]]:
        """Yield the runtimes whose transcripts may have changed, an empty set now and then where none has.

        What comes first is all of them: something may have changed before the watch was set up. Ends when `stop` is
        set.
        """
        begins = True
        while not self._stop.is_set():
            told = self._told_roots()
            watched = set(told.values())
            for paths in self._events(told):
                touched = {runtime for path in paths if (runtime := _owner(path, told))}
                touched |= self._looked([reader for reader in self._readers if _is_looked_at(reader, watched, told)])
                yield frozenset(reader.runtime for reader in self._readers) if begins else frozenset(touched)
                begins = False
                if self._told_roots() != told:
                    begins = True
                    break  # a folder has come or gone

    def _events(self, told: _Roots) -> Iterator[Collection[str]]:
        """Yield paths that changed, and nothing where a while has passed."""
        if not told:
            while not self._stop.wait(self._look_seconds):
                yield ()
            return
        from watchfiles import watch  # noqa: PLC0415 - to index once needs none

        try:
            for changes in watch(
                *told,
                watch_filter=None,
                debounce=_GROUPED_MS,
                step=_PAUSE_MS,
                stop_event=self._stop,
                rust_timeout=int(self._look_seconds * 1000),
                yield_on_timeout=True,
                force_polling=False,
                ignore_permission_denied=True,
            ):
                yield [path for _, path in changes]
        except OSError:
            self._can_be_told = False  # the system has no more watches: all is looked at

    def _told_roots(self) -> _Roots:
        if not self._can_be_told:
            return {}
        return {
            str(root): reader.runtime
            for reader in self._readers
            for root in reader.roots
            if root.is_dir() and not self._is_remote(root)
        }

    def _looked(self, readers: Sequence[Reader]) -> set[str]:
        """Return the runtimes whose sources are not what they were when they were looked at last."""
        changed: set[str] = set()
        for reader in readers:
            now = frozenset((source.key, source.size, source.mtime_ns, source.salt) for source in reader.discover())
            if self._seen.get(reader.runtime) != now:
                changed.add(reader.runtime)
            self._seen[reader.runtime] = now
        return changed


class Mounts:
    """The file systems of this machine, as they were mounted at the beginning."""

    def __init__(self, mounts: Path = _MOUNTS) -> None:
        try:
            lines = mounts.read_text("utf-8", "replace").splitlines()
        except OSError:
            lines = []  # only Linux has such a file
        self._types: dict[str, str] = {}
        for line in lines:
            before, _, after = line.partition(" - ")
            fields, kinds = before.split(), after.split()
            if len(fields) > _PLACE and kinds:
                self._types[_unescaped(fields[_PLACE])] = kinds[0]

    def is_remote(self, path: Path) -> bool:
        """Return whether what other machines change at `path` is not told here."""
        real = os.path.realpath(path)
        if real.startswith(("//", "\\\\")):
            return True
        for place in (real, *map(str, Path(real).parents)):
            if kind := self._types.get(place):
                return kind in _REMOTE or kind.startswith("fuse")
        return False


_PLACE = 4  # of the fields of a line, the folder where something is mounted


def _unescaped(place: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        place = place.replace(code, character)
    return place


def _is_looked_at(reader: Reader, watched: Collection[str], told: _Roots) -> bool:
    return reader.runtime not in watched or any(root.exists() and str(root) not in told for root in reader.roots)


def _owner(path: str, roots: _Roots) -> str | None:
    """Return the runtime in whose folder `path` is, the innermost of several."""
    for folder in (path, *map(str, Path(path).parents)):
        if runtime := roots.get(folder):
            return runtime
    return None
