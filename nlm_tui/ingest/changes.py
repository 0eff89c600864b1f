"""Which sources have changed since they were read, which are gone, and which are not to be read."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nlm_tui.core import storable
from nlm_tui.ingest.policy import Policy
from nlm_tui.ingest.ports import PartsReader, Reader, Source, SourceState, TranscriptError
from nlm_tui.ingest.report import IndexReport, Recovered, Skipped
from nlm_tui.ingest.unreadable import noting

EXTRACTION_VERSION = 2  # raised when sessions are read or extracted differently: all sources are then read again

_SAMPLE = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which sources a run looks at: all, or those of some runtimes, at or below some paths, changed since a time.

    `since_ns` is in nanoseconds since 1970. Where it `trusts_times`, a file of the same size and time is taken to be
    the same without a look into it.
    """

    runtimes: frozenset[str] | None = None
    paths: tuple[Path, ...] = ()
    since_ns: int = 0
    trusts_times: bool = False

    @property
    def is_partial(self) -> bool:
        """Whether sources of a runtime it looks at may be left out."""
        return bool(self.paths or self.since_ns)

    def includes(self, runtime: str) -> bool:
        """Return whether to look at the sources of a runtime."""
        return self.runtimes is None or runtime in self.runtimes

    def takes(self, source: Source) -> bool:
        """Return whether to look at `source`."""
        if source.mtime_ns < self.since_ns:
            return False
        return not self.paths or any(source.path == path or source.path.is_relative_to(path) for path in self.paths)


@dataclass(frozen=True, slots=True)
class Work:
    """A source to be read. One that `holds_parts` is only noted, once all of its parts are; `failure` says why not."""

    reader: Reader
    source: Source
    known: SourceState | None
    holds_parts: bool = False
    failure: str | None = None


class Changes:
    """What of the sources of one reader is to be read, and what else is known of them."""

    def __init__(self, reader: Reader, states: Mapping[str, SourceState], selection: Selection, policy: Policy) -> None:
        self._reader = reader
        self._states = states
        self._selection = selection
        self._policy = policy
        self._seen: set[str] = set()
        self._listed: set[str] = set()  # files whose parts are all known
        self._files: set[tuple[int, int]] = set()
        self._unreadable: dict[str, str] = {}
        self._parts: dict[str, list[str]] = defaultdict(list)
        for key in states if isinstance(reader, PartsReader) else ():
            self._parts[key.rpartition("#")[0]].append(key)

    def work(self, report: IndexReport) -> Iterator[Work]:
        """Yield what must be read, and count what need not."""
        with noting() as self._unreadable:
            found = sorted(self._reader.discover(), key=lambda source: source.path)
        report.skipped += [Skipped(storable(folder), reason) for folder, reason in self._unreadable.items()]
        for source in found:
            if self._is_known_by_another_path(source):
                continue
            if self._policy.excludes_path(str(source.path)):
                self._see_with_parts(source)
                report.excluded += 1
            elif not self._selection.takes(source):
                self._see_with_parts(source)
            elif self._is_unchanged(source):
                for state in self._see_with_parts(source):
                    _report_unchanged(report, source.key, state)
            else:
                yield from self._changed(source, report)

    def gone(self) -> list[str]:
        """Return the keys of sources that do not exist any more, once all work was taken."""
        if self._selection.is_partial:
            return []
        return [key for key, state in self._states.items() if self._is_gone(key, state)]

    def _changed(self, source: Source, report: IndexReport) -> Iterator[Work]:
        known = self._states.get(source.key)
        if not isinstance(self._reader, PartsReader):
            self._seen.add(source.key)
            yield Work(self._reader, source, known)
            return
        try:
            parts = list(self._reader.parts(source))
        except (TranscriptError, OSError) as error:
            self._see_with_parts(source)
            yield Work(self._reader, source, known, failure=reason_of(error))
            return
        is_listed = parts != [source] and not self._selection.is_partial
        for part in parts:
            self._seen.add(part.key)
            if part != source and not self._selection.takes(part):
                continue
            if part == source or not self._is_unchanged(part):
                yield Work(self._reader, part, self._states.get(part.key))
            else:
                _report_unchanged(report, part.key, self._states[part.key])
        if is_listed:
            self._seen.add(source.key)
            self._listed.add(source.key)
            yield Work(self._reader, source, known, holds_parts=True)

    def _is_unchanged(self, source: Source) -> bool:
        state = self._states.get(source.key)
        if state is None or state.gone or (source.size, source.mtime_ns) != (state.size, state.mtime_ns):
            return False
        try:
            if self._selection.trusts_times and not source.salt:
                return True
            return fingerprint(source, self._policy) == state.fingerprint
        except OSError:
            return state.reason is not None

    def _is_known_by_another_path(self, source: Source) -> bool:
        """Return whether the file was met before: by a link, or below two roots."""
        if source.file is None:
            return False
        if source.file in self._files:
            self._seen.add(source.key)
            return True
        self._files.add(source.file)
        return False

    def _see_with_parts(self, source: Source) -> list[SourceState]:
        """Note that a source is there, with all its parts, and return what is known of these."""
        keys = [source.key] if source.key in self._states else []
        keys += self._parts.get(source.key, ())
        self._seen.update(keys)
        return [self._states[key] for key in keys if not self._states[key].gone]

    def _is_gone(self, key: str, state: SourceState) -> bool:
        if key in self._seen or state.gone or os.path.lexists(key):
            return False
        if any(key.startswith(storable(f"{folder}{os.sep}")) for folder in self._unreadable):
            return False
        file, _, part = key.rpartition("#")
        return file in self._listed or not (part and file and os.path.lexists(file))


def fingerprint(source: Source, policy: Policy) -> str:
    """Return a hash over the head, the tail and the salt of a source, and over how it would be read.

    Raises:
        OSError: the file cannot be read.
    """
    how = f"{EXTRACTION_VERSION}\0{source.salt}\0{source.part}\0{policy.key}"
    digest = hashlib.blake2b(how.encode("utf-8", "replace"), digest_size=16)
    if source.part or not source.path.is_file():
        return digest.hexdigest()
    with source.path.open("rb", buffering=0) as file:
        digest.update(file.read(_SAMPLE))
        if source.size > 2 * _SAMPLE:
            file.seek(-_SAMPLE, os.SEEK_END)
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()


def reason_of(error: Exception) -> str:
    """Return why a source cannot be read, in words for the user and without a word of the transcript."""
    if isinstance(error, TranscriptError):
        return str(error)
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or type(error).__name__}"
    return f"cannot be read: internal error ({type(error).__name__})"


def _report_unchanged(report: IndexReport, path: str, state: SourceState) -> None:
    report.unchanged += state.session_id is not None
    if state.reason is not None:
        report.skipped.append(Skipped(path, state.reason))
    if state.bad_lines:
        report.recovered.append(Recovered(path, state.bad_lines, state.bad_line))
