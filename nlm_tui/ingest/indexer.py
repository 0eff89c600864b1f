"""Indexing: find what changed on disk, read it, and write it to the memory in batches."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from nlm_tui.core import Session, storable
from nlm_tui.ingest.changes import Changes, Selection, Work, fingerprint, reason_of
from nlm_tui.ingest.policy import Policy
from nlm_tui.ingest.ports import MemoryWriter, Reader, Source, SourceState, Transcript
from nlm_tui.ingest.readings import Readings
from nlm_tui.ingest.report import IndexProgress, IndexReport, Recovered, Skipped

_BATCH_SOURCES = 64
_BATCH_CHARACTERS = 8_000_000
_BATCH_SECONDS = 1.0
_NO_CONVERSATION = "holds no conversation"
_EXCLUDED = "its project is excluded by the settings"
_EVERYTHING = Selection()


@dataclass(frozen=True, slots=True)
class _Outcome:
    runtime: str
    path: str
    known: SourceState | None
    state: SourceState
    session: Session | None = None


class Indexer:
    """Brings a memory up to date with what its readers find. Sources are only ever read.

    One that `lasts` keeps the state of reading files that grow, so that only what was added is read next time. Times
    without a zone are those of `zone`, None being that of this machine.
    """

    def __init__(  # noqa: PLR0913 - what it works with is passed in
        self,
        readers: Sequence[Reader],
        writer: MemoryWriter,
        *,
        policy: Policy | None = None,
        clock: Callable[[], float] = time.monotonic,
        zone: tzinfo | None = UTC,
        lasts: bool = False,
    ) -> None:
        self._readers = readers
        self._writer = writer
        self._policy = policy or Policy()
        self._clock = clock
        self._zone = zone
        self._readings = Readings(lasts=lasts)

    def run(
        self, on_progress: Callable[[IndexProgress], None] = lambda _: None, selection: Selection = _EVERYTHING
    ) -> IndexReport:
        """Read what changed, newest first. Ctrl+C ends the run early; what was read by then is kept.

        Raises:
            StoreError: the memory cannot be written.
        """
        started = self._clock()
        report = IndexReport()
        work: list[Work] = []
        gone: list[tuple[Reader, str]] = []
        held: set[str] = set()
        deleted: set[str] = set()
        kept: set[str] = set()
        for reader in self._readers:
            if selection.includes(reader.runtime):
                states = self._writer.source_states(reader.runtime)
                changes = Changes(reader, states, selection, self._policy)
                work += changes.work(report)
                lost = set(changes.gone())
                gone += [(reader, key) for key in sorted(lost)]
                ids = {key: state.session_id for key, state in states.items() if state.session_id}
                held.update(ids.values())
                deleted.update(ids[key] for key in lost & ids.keys())
                kept.update(session_id for key, session_id in ids.items() if not (key in lost or states[key].gone))
        self._mark_gone(gone)
        work.sort(key=lambda item: (item.holds_parts, -item.source.mtime_ns, item.source.key))
        read = self._read_all(work, held, report, on_progress)
        report.gone = len(deleted - kept - read)  # the others were moved
        report.skipped.sort(key=lambda skipped: skipped.path)
        report.recovered.sort(key=lambda recovered: recovered.path)
        report.seconds = self._clock() - started
        return report

    def _mark_gone(self, gone: Sequence[tuple[Reader, str]]) -> None:
        if gone:
            with self._writer.batch():
                for reader, key in gone:
                    self._writer.mark_source_gone(reader.runtime, key)

    def _read_all(
        self,
        work: Sequence[Work],
        held: Collection[str],
        report: IndexReport,
        on_progress: Callable[[IndexProgress], None],
    ) -> set[str]:
        """Read and write; return the ids of the sessions. Those that the memory `held` before are updated."""
        batch: list[_Outcome] = []
        read: set[str] = set()
        size, opened = 0, self._clock()
        try:
            for done, item in enumerate(work):
                changed = report.new + report.updated
                on_progress(IndexProgress(done=done, total=len(work), changed=changed, path=item.source.key))
                outcome = self._read(item)
                batch.append(outcome)
                size += len(outcome.session.body) if outcome.session else 0
                late = self._clock() - opened > _BATCH_SECONDS
                if late or len(batch) >= _BATCH_SOURCES or size >= _BATCH_CHARACTERS:
                    self._write(batch, held, read, report)
                    batch, size, opened = [], 0, self._clock()
        except KeyboardInterrupt:
            report.interrupted = True
        self._write(batch, held, read, report)
        if work and not report.interrupted:
            changed = report.new + report.updated
            on_progress(IndexProgress(done=len(work), total=len(work), changed=changed, path=""))
        return read

    def _read(self, item: Work) -> _Outcome:
        source, reason, mark, session = item.source, item.failure, "", None
        bad_lines, bad_line = 0, None
        try:
            mark = fingerprint(source, self._policy)
            if reason is None and not item.holds_parts:
                transcript = self._readings.read(item.reader, source, again=item.known is not None)
                if transcript is None:
                    reason = _NO_CONVERSATION
                elif self._policy.excludes_project(transcript.project):
                    reason = _EXCLUDED
                else:
                    bad_lines, bad_line = transcript.bad_lines - transcript.truncated_tail, transcript.bad_line
                    session = self._session(transcript, source)
        except Exception as error:  # noqa: BLE001 - a fault of ours with one file must not stop the rest
            reason = storable(reason_of(error))
        # What was read from this file before stays, whatever became of the file.
        before = item.known.session_id if item.known else None
        state = SourceState(
            source.size,
            source.mtime_ns,
            mark,
            session.id if session else before,
            reason=reason,
            bad_lines=bad_lines,
            bad_line=bad_line if bad_lines else None,
        )
        return _Outcome(item.reader.runtime, source.key, item.known, state, session)

    def _session(self, transcript: Transcript, source: Source) -> Session:
        from nlm_tui.ingest.building import build_session  # noqa: PLC0415 - most runs find nothing new

        return build_session(transcript, source, self._zone, outputs=self._policy.keeps_tool_output)

    def _write(self, batch: Sequence[_Outcome], held: Collection[str], read: set[str], report: IndexReport) -> None:
        if not batch:
            return
        with self._writer.batch():
            forgotten = self._writer.forgotten()
            unwanted = _unwanted(forgotten, batch)
            self._writer.forget_also(unwanted - set(forgotten))
            batch = [_without_session(outcome, unwanted) for outcome in batch]
            self._writer.insert_sessions(*(outcome.session for outcome in batch if outcome.session is not None))
            for outcome in batch:
                if outcome.session is not None:
                    self._mark_replaced(outcome, outcome.session)
                self._writer.record_source(outcome.runtime, outcome.path, outcome.state)
        for outcome in batch:
            _report(report, outcome)
            if outcome.session is not None:
                session_id = outcome.session.id
                is_known = session_id in held or session_id in read
                report.updated += is_known
                report.new += not is_known
                read.add(session_id)

    def _mark_replaced(self, outcome: _Outcome, session: Session) -> None:
        before = outcome.known.session_id if outcome.known else None
        if before is not None and before != session.id and session.transcript_path is not None:
            self._writer.mark_replaced(before, session.transcript_path)


def _report(report: IndexReport, outcome: _Outcome) -> None:
    state = outcome.state
    if state.reason is not None:
        report.skipped.append(Skipped(outcome.path, state.reason))
    if state.bad_lines:
        report.bad_lines += state.bad_lines
        report.recovered.append(Recovered(outcome.path, state.bad_lines, state.bad_line))


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
