"""Where the rollouts of Codex lie, and which belong together.

A thread goes on in a second file when a turn of it is reverted or the first has become long, and a fork begins with a
part of a file of another thread. Both name the file before by the last id in its name, and the byte up to which it
counts.
"""

import math
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nlm_tui.ingest.ports import Source, TranscriptError
from nlm_tui.runtimes.jsonl import JsonLines, Record, as_dict, as_source, as_text, entries, file_source
from nlm_tui.runtimes.zstd import opened

_ID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_IDS = re.compile(f"({_ID})(?:_({_ID}))?")
_PACKED = ".zst"


@dataclass(frozen=True, slots=True)
class Page:
    """A file, and the byte up to which it counts."""

    path: Path
    end: float = math.inf


@dataclass(frozen=True, slots=True)
class Lineage:
    """The files of a thread, and those of others that it begins with; the oldest first."""

    own: Sequence[Page]
    inherited: Sequence[Page] = ()

    @property
    def origin(self) -> str:
        """The id of the thread that this one is a fork of, if its file is there."""
        return thread_id(self.inherited[-1].path) if self.inherited else ""


class Rollouts:
    """The rollouts in some folders, and `files` that lie elsewhere, as they were found, each once."""

    def __init__(self, folders: Sequence[Path], files: Sequence[Path] = ()) -> None:
        self._found: dict[str, Source] = {}
        for path in files:
            for source in file_source(path):
                self._add(source)
        for folder in folders:
            for entry in _rollouts(folder):
                for source in as_source(entry):
                    self._add(source)
        self._threads: defaultdict[str, list[Source]] = defaultdict(list)
        for source in sorted(self._found.values(), key=lambda source: source.path.name):  # which begins with its time
            self._threads[_thread(source.path)].append(source)

    def __contains__(self, path: Path) -> bool:
        """Return whether a file was found, and is no copy of another."""
        found = self._found.get(_rollout(path))
        return found is not None and found.path == path

    def threads(self) -> Iterator[list[Source]]:
        """Yield the files of every thread, the newest last."""
        yield from self._threads.values()

    def lineage(self, path: Path) -> Lineage:
        """Return what a thread consists of up to its file at `path`."""
        files = [source.path for source in self._threads.get(_thread(path), ())]
        files = files[: files.index(path) + 1] if path in files else [path]
        ends: dict[Path, float] = {path: math.inf}
        inherited: list[Page] = []
        following = path
        while base := _base(following):
            rollout_id, end = base
            source = self._found.get(rollout_id)
            if source is None or source.path in ends:
                break
            ends[source.path] = end
            following = source.path
            if following not in files:
                inherited.insert(0, Page(following, end))
        withdrawn = 0 if len(ends) > 1 else math.inf  # where nothing says what goes before, all of it does
        return Lineage([Page(file, ends.get(file, withdrawn)) for file in files], inherited)

    def _add(self, source: Source) -> None:
        key = _rollout(source.path)
        before = self._found.get(key)
        if before is None or _rank(source) > _rank(before):
            self._found[key] = source


def thread_id(path: Path) -> str:
    """Return the id of the thread that a file is named after, nothing where it has none."""
    found = _IDS.search(path.name)
    return found[1] if found else ""


def _thread(path: Path) -> str:
    return thread_id(path).lower() or _rollout(path)


def _rollout(path: Path) -> str:
    """Return the id of a file among those of its thread, which for the first is the thread's."""
    found = _IDS.search(path.name)
    return (found[2] or found[1]).lower() if found else str(path).removesuffix(_PACKED)


def _rank(source: Source) -> tuple[bool, int]:
    """Tell which of two copies is in use: one that is plain, or was written to later."""
    return not source.path.name.endswith(_PACKED), source.mtime_ns


def _base(path: Path) -> tuple[str, float] | None:
    """Return the id of the file that one goes on from, and the byte up to which that counts."""
    header: Record = {}
    with suppress(OSError, TranscriptError), opened(path) as file:
        header = next(iter(JsonLines(file)), header)
    base = as_dict(as_dict(header.get("payload")).get("history_base"))
    if not (rollout_id := as_text(base.get("thread_id")).lower()):
        return None
    end = base.get("end_byte_offset")
    return rollout_id, end if isinstance(end, int) and end >= 0 else math.inf


def _rollouts(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    for entry in entries(folder):
        name = entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from _rollouts(entry.path)
        elif name.endswith((".jsonl", f".jsonl{_PACKED}")) or (name.endswith(".json") and name.startswith("rollout-")):
            yield entry
