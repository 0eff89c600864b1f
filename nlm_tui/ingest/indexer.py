"""Indexing: find what changed on disk, read it, and write it to the memory in batches."""

import hashlib
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nlm_tui.core import Session, storable
from nlm_tui.ingest.extract import build_session
from nlm_tui.ingest.ports import MemoryWriter, Reader, Source, SourceState, TranscriptError
from nlm_tui.ingest.report import IndexProgress, IndexReport, Skipped

EXTRACTION_VERSION = 1  # raised when sessions are read or extracted differently: all sources are then read again

_BATCH_SOURCES = 64
_BATCH_CHARACTERS = 8_000_000
_BATCH_SECONDS = 1.0
_SAMPLE = 4096
_NO_CONVERSATION = "holds no conversation"


@dataclass(frozen=True, slots=True)
class _Work:
    reader: Reader
    source: Source
    path: str  # as the memory knows the source: file names need not be text
    known: SourceState | None


@dataclass(frozen=True, slots=True)
class _Outcome:
    runtime: str
    path: str
    state: SourceState
    session: Session | None


class Indexer:
    """Brings a memory up to date with what its readers find. Sources are only ever read."""

    def __init__(
        self, readers: Sequence[Reader], writer: MemoryWriter, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._readers = readers
        self._writer = writer
        self._clock = clock

    def run(self, on_progress: Callable[[IndexProgress], None] = lambda _: None) -> IndexReport:
        """Read what changed, newest first. Ctrl+C ends the run early; what was read by then is kept.

        Raises:
            StoreError: the memory cannot be written.
        """
        started = self._clock()
        report = IndexReport()
        known_sessions: set[str] = set()
        work: list[_Work] = []
        for reader in self._readers:
            states = self._writer.source_states(reader.runtime)
            known_sessions.update(state.session_id for state in states.values() if state.session_id)
            work += self._changed(reader, states, report)
        work.sort(key=lambda item: (-item.source.mtime_ns, item.path))
        self._read_all(work, known_sessions, report, on_progress)
        report.skipped.sort(key=lambda skipped: skipped.path)
        report.seconds = self._clock() - started
        return report

    def _changed(self, reader: Reader, states: Mapping[str, SourceState], report: IndexReport) -> Iterator[_Work]:
        """Yield what must be read; count what need not; mark what is gone."""
        seen: set[str] = set()
        for source in reader.discover():
            path = storable(str(source.path))
            seen.add(path)
            state = states.get(path)
            if state is None or not _is_unchanged(source, state):
                yield _Work(reader, source, path, state)
                continue
            report.unchanged += state.session_id is not None
            if state.reason is not None:
                report.skipped.append(Skipped(path, state.reason))
        gone = [
            path for path, state in states.items() if path not in seen and not state.gone and not os.path.lexists(path)
        ]
        if gone:
            with self._writer.batch():
                for path in gone:
                    self._writer.mark_source_gone(reader.runtime, path)
        report.gone += len(gone)

    def _read_all(
        self,
        work: Sequence[_Work],
        known_sessions: set[str],
        report: IndexReport,
        on_progress: Callable[[IndexProgress], None],
    ) -> None:
        batch: list[_Outcome] = []
        size, opened = 0, self._clock()
        try:
            for done, item in enumerate(work):
                changed = report.new + report.updated
                on_progress(IndexProgress(done=done, total=len(work), changed=changed, path=item.path))
                outcome = self._read(item, report)
                batch.append(outcome)
                size += len(outcome.session.body) if outcome.session else 0
                late = self._clock() - opened > _BATCH_SECONDS
                if late or len(batch) >= _BATCH_SOURCES or size >= _BATCH_CHARACTERS:
                    self._write(batch, known_sessions, report)
                    batch, size, opened = [], 0, self._clock()
        except KeyboardInterrupt:
            report.interrupted = True
        self._write(batch, known_sessions, report)
        if work and not report.interrupted:
            changed = report.new + report.updated
            on_progress(IndexProgress(done=len(work), total=len(work), changed=changed, path=""))

    def _read(self, item: _Work, report: IndexReport) -> _Outcome:
        source, reason, session = item.source, None, None
        mark = ""
        try:
            mark = fingerprint(source)
            transcript = item.reader.read(source)
            if transcript is None:
                reason = _NO_CONVERSATION
            else:
                report.bad_lines += transcript.bad_lines - transcript.truncated_tail
                session = build_session(transcript, source)
        except TranscriptError as error:
            reason = storable(str(error))
        except OSError as error:
            reason = f"cannot be read: {error.strerror or type(error).__name__}"
        except Exception as error:  # noqa: BLE001 - a fault of ours with one file must not stop the rest
            reason = f"cannot be read: internal error ({type(error).__name__})"
        # What was read from this file before stays, whatever became of the file.
        before = item.known.session_id if item.known else None
        state = SourceState(
            source.size, source.mtime_ns, mark, session.id if session else before, gone=False, reason=reason
        )
        return _Outcome(item.reader.runtime, item.path, state, session)

    def _write(self, batch: Sequence[_Outcome], known_sessions: set[str], report: IndexReport) -> None:
        if not batch:
            return
        with self._writer.batch():
            forgotten = self._writer.forgotten()
            unwanted = _unwanted(forgotten, batch)
            self._writer.forget_also(unwanted - set(forgotten))
            batch = [_without_session(outcome, unwanted) for outcome in batch]
            for outcome in batch:
                if outcome.session is not None:
                    self._writer.insert_session(outcome.session)
                self._writer.record_source(outcome.runtime, outcome.path, outcome.state)
        for outcome in batch:
            if outcome.state.reason is not None:
                report.skipped.append(Skipped(outcome.path, outcome.state.reason))
            if outcome.session is None:
                continue
            if outcome.session.id in known_sessions:
                report.updated += 1
            else:
                report.new += 1
                known_sessions.add(outcome.session.id)


def _unwanted(forgotten: Collection[str], batch: Sequence[_Outcome]) -> set[str]:
    """Return the ids of what was read that a user wants forgotten, of its subagents, and of those of these."""
    parents = {outcome.session.id: outcome.session.parent_id for outcome in batch if outcome.session}
    unwanted = set(forgotten)
    while more := {session_id for session_id, parent in parents.items() if parent in unwanted} - unwanted:
        unwanted |= more
    return unwanted & parents.keys()


def _without_session(outcome: _Outcome, unwanted: Collection[str]) -> _Outcome:
    if outcome.session is None or outcome.session.id not in unwanted:
        return outcome
    return replace(outcome, session=None, state=replace(outcome.state, session_id=None))


def fingerprint(source: Source) -> str:
    """Return a hash over the head, the tail and the salt of a source, and over how it would be read."""
    digest = hashlib.blake2b(f"{EXTRACTION_VERSION}\0{source.salt}\0".encode("utf-8", "replace"), digest_size=16)
    with Path(source.path).open("rb", buffering=0) as file:
        digest.update(file.read(_SAMPLE))
        if source.size > 2 * _SAMPLE:
            file.seek(source.size - _SAMPLE)
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()


def _is_unchanged(source: Source, state: SourceState) -> bool:
    if state.gone or (source.size, source.mtime_ns) != (state.size, state.mtime_ns):
        return False
    try:
        return fingerprint(source) == state.fingerprint
    except OSError:
        return state.reason is not None
