"""Which sources have changed since they were read, which are gone, and which are not to be read."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nlm_tui.core import storable
from nlm_tui.ingest.policy import Policy
from nlm_tui.ingest.ports import PartsReader, Reader, Source, SourceState, TranscriptError
from nlm_tui.ingest.report import IndexReport, Recovered, Skipped
from nlm_tui.ingest.unreadable import noting

EXTRACTION_VERSION = 3  # raised when sessions are read or extracted differently: all sources are then read again

NOT_READ = "busy"
"""The fingerprint of a source that could not be read for now: it is read again, changed or not."""

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
        """Return whether to look at the sources of a runtime; those of none are always looked at."""
        return self.runtimes is None or not runtime or runtime in self.runtimes

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
    failure: TranscriptError | OSError | None = None


class Changes:
    """What of the sources of one reader is to be read, and what else is known of them."""

    def __init__(self, reader: Reader, states: Mapping[str, SourceState], selection: Selection, policy: Policy) -> None:
        self.runtime = reader.runtime
        self._reader = reader
        self._states = states
        self._selection = selection
        self._policy = policy
        self.sessions = {key: state.session_id for key, state in states.items() if state.session_id}
        """The ids of the sessions that were read before, by the key of their source."""
        self.paths: set[str] = set()
        """The paths of files that are there as they were read, once all work was taken."""
        self.unchanged: set[str] = set()
        """The ids of the sessions that need not be read again."""
        self._seen: set[str] = set()
        self._listed: set[str] = set()  # files whose parts are all known
        self._gone: set[str] = set()
        self._left: list[Source] = []  # files that need not be read again
        self._unreadable: dict[str, str] = {}
        self._parts: dict[str, list[str]] = defaultdict(list)
        for key in states if isinstance(reader, PartsReader) else ():
            self._parts[key.rpartition("#")[0]].append(key)

    def work(self, report: IndexReport) -> Iterator[Work]:
        """Yield what must be read, and count what need not."""
        with noting() as self._unreadable:
            found = list(self._reader.discover())
        report.skipped += [Skipped(storable(path), reason) for path, reason in self._unreadable.items()]
        self._seen.update(source.key for source in found)
        for source in distinct(found):
            if self._policy.excludes_path(str(source.path)):
                self._see_with_parts(source)
                report.excluded += 1
            elif not self._selection.takes(source):
                self._see_with_parts(source)
            elif self._is_unchanged(source):
                self._left.append(source)
                for key in self._see_with_parts(source):
                    self._report_unchanged(report, key)
            else:
                yield from self._changed(source, report)

    def again(self, session_ids: Collection[str], report: IndexReport) -> Iterator[Work]:
        """Yield what was not taken for these sessions, since there was another source of them, which is gone."""
        for source in self._left if session_ids else ():
            wanted = [key for key in self._keys(source) if self._may_serve(key, session_ids)]
            report.skipped = [skipped for skipped in report.skipped if skipped.path not in wanted]
            if wanted == [source.key]:
                yield Work(self._reader, source, self._states[source.key])
            elif wanted and isinstance(self._reader, PartsReader):
                with suppress(TranscriptError, OSError):  # it is as unreadable when it changes
                    parts = {part.key: part for part in self._reader.parts(source)}
                    yield from (Work(self._reader, parts[key], self._states[key]) for key in wanted if key in parts)

    def gone(self) -> list[str]:
        """Return the keys of sources that do not exist any more, once all work was taken."""
        if not self._selection.is_partial:
            self._gone = {key for key, state in self._states.items() if self._is_gone(key, state)}
        return sorted(self._gone)

    def kept(self) -> Iterator[str]:
        """Yield the ids of the sessions some source of which is still there, once it is known which are gone."""
        for key, session_id in self.sessions.items():
            if key not in self._gone and not self._states[key].gone:
                yield session_id

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
            yield Work(self._reader, source, known, failure=error)
            return
        is_listed = parts != [source] and not self._selection.is_partial
        for part in parts:
            self._seen.add(part.key)
            if part != source and not self._selection.takes(part):
                continue
            if part == source or not self._is_unchanged(part):
                yield Work(self._reader, part, self._states.get(part.key))
            else:
                self._report_unchanged(report, part.key)
        if is_listed:
            self._seen.add(source.key)
            self._listed.add(source.key)
            yield Work(self._reader, source, known, holds_parts=True)

    def _is_unchanged(self, source: Source) -> bool:
        state = self._states.get(source.key)
        if state is None or state.gone or (source.size, source.mtime_ns) != (state.size, state.mtime_ns):
            return False
        if state.fingerprint == NOT_READ:
            return False
        try:
            if self._selection.trusts_times and not source.salt:
                return True
            return fingerprint(source, self._policy) == state.fingerprint
        except OSError:
            return state.reason is not None

    def _keys(self, source: Source) -> list[str]:
        """Return the keys by which a source and its parts are known, those that are not gone."""
        keys = (source.key, *self._parts.get(source.key, ()))
        return [key for key in keys if key in self._states and not self._states[key].gone]

    def _may_serve(self, key: str, session_ids: Collection[str]) -> bool:
        return self.sessions.get(key) in session_ids and self._states[key].reason is not None

    def _see_with_parts(self, source: Source) -> list[str]:
        """Note that a source is there, with all its parts, and return the keys by which these are known."""
        self._seen.update((source.key, *self._parts.get(source.key, ())))
        state = self._states.get(source.key)
        if state is not None and state.reason is None:
            self.paths.add(storable(str(source.path)))
        return self._keys(source)

    def _report_unchanged(self, report: IndexReport, key: str) -> None:
        state = self._states[key]
        if state.session_id is not None:
            self.unchanged.add(state.session_id)
        if state.reason is not None:
            report.skipped.append(Skipped(key, state.reason))
        if state.bad_lines:
            report.recovered.append(Recovered(key, state.bad_lines, state.bad_line))

    def _is_gone(self, key: str, state: SourceState) -> bool:
        if key in self._seen or state.gone or os.path.lexists(key):
            return False
        if any(key.startswith(storable(f"{folder}{os.sep}")) for folder in self._unreadable):
            return False
        file, _, part = key.rpartition("#")
        return file in self._listed or not (part and file and os.path.lexists(file))


def distinct(sources: Iterable[Source]) -> list[Source]:
    """Return each file once, in order of paths: by its own path rather than by that of a link to it."""
    found: dict[object, Source] = {}
    for source in sources:
        other = found.setdefault(source.file or source.key, source)
        if other is not source:
            found[source.file or source.key] = min(other, source, key=_is_link_and_path)
    return sorted(found.values(), key=lambda source: source.path)


def _is_link_and_path(source: Source) -> tuple[bool, Path]:
    return os.path.realpath(source.path) != str(source.path), source.path


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
