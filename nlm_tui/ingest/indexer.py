"""Indexing: find what changed on disk, read it, and write it to the memory in batches."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo

from nlm_tui.core import Session, storable
from nlm_tui.ingest.changes import NOT_READ, Changes, Selection, Work, fingerprint
from nlm_tui.ingest.keeping import reason_to_keep
from nlm_tui.ingest.policy import Policy, unwanted
from nlm_tui.ingest.ports import (
    MemoryWriter,
    ProjectsReader,
    Reader,
    Source,
    SourceBusyError,
    SourceState,
    Transcript,
    reason_of,
)
from nlm_tui.ingest.readings import Readings
from nlm_tui.ingest.report import IndexProgress, IndexReport, Recovered, Skipped, Unwanted

_BATCH_SOURCES = 64
_BATCH_CHARACTERS = 8_000_000
_BATCH_SECONDS = 1.0
_NO_CONVERSATION = "holds no conversation"
_EXCLUDED = "its project is excluded by the settings"
_EVERYTHING = Selection()


@dataclass(frozen=True, slots=True)
class _Outcome:
    runtime: str
    source: Source
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

        Readers that look into projects come last: others tell of these.

        Raises:
            StoreError: the memory cannot be written.
        """
        started = self._clock()
        run = _Run(on_progress)
        report = run.report
        chosen = [reader for reader in self._readers if selection.includes(reader.runtime)]
        for last in (False, True):
            readers = [reader for reader in chosen if isinstance(reader, ProjectsReader) is last]
            if readers and not report.interrupted:
                self._bring_up_to_date(readers, selection, run)
        report.unchanged = len(run.unchanged - run.read)
        report.skipped = sorted(dict.fromkeys(report.skipped), key=lambda skipped: skipped.path)
        report.recovered.sort(key=lambda recovered: recovered.path)
        report.bad_lines = sum(recovered.bad_lines for recovered in report.recovered)
        report.unwanted = self._unwanted(run)
        report.seconds = self._clock() - started
        return report

    def _unwanted(self, run: "_Run") -> list[Unwanted]:
        if not self._policy.excludes:
            return []
        return unwanted(self._policy, run.sources, self._writer.sessions_by_project())

    def _bring_up_to_date(self, readers: Sequence[Reader], selection: Selection, run: "_Run") -> None:
        """Read what of the sources of some readers changed."""
        found = [
            Changes(reader, self._writer.source_states(reader.runtime), selection, self._policy) for reader in readers
        ]
        work = [item for changes in found for item in changes.work(run.report)]
        gone = [(changes, key) for changes in found for key in changes.gone()]
        lost = {changes.sessions[key] for changes, key in gone if key in changes.sessions}
        work += [item for changes in found for item in changes.again(lost, run.report)]
        for changes in found:
            run.held.update(changes.sessions.values())
            run.sources.update(changes.sessions)
            run.unchanged |= changes.unchanged
            run.paths |= changes.paths
        self._mark_gone([(changes.runtime, key) for changes, key in gone])
        work.sort(key=lambda item: (item.holds_parts, -item.source.mtime_ns, item.source.key))
        self._read_all(work, run)
        kept = {session_id for changes in found for session_id in changes.kept()}
        run.report.gone += len(lost - kept - run.read)  # the others were moved

    def _mark_gone(self, gone: Sequence[tuple[str, str]]) -> None:
        if gone:
            with self._writer.batch():
                for runtime, key in gone:
                    self._writer.mark_source_gone(runtime, key)

    def _read_all(self, work: Sequence[Work], run: "_Run") -> None:
        report, tell = run.report, run.on_progress
        batch: list[_Outcome] = []
        size, opened = 0, self._clock()
        try:
            for done, item in enumerate(work):
                changed = report.new + report.updated
                tell(IndexProgress(done=done, total=len(work), changed=changed, path=item.source.key))
                outcome = self._read(item)
                batch.append(outcome)
                size += len(outcome.session.body) if outcome.session else 0
                late = self._clock() - opened > _BATCH_SECONDS
                if late or len(batch) >= _BATCH_SOURCES or size >= _BATCH_CHARACTERS:
                    self._write(batch, run)
                    batch, size, opened = [], 0, self._clock()
        except KeyboardInterrupt:
            report.interrupted = True
        self._write(batch, run)
        if work and not report.interrupted:
            changed = report.new + report.updated
            tell(IndexProgress(done=len(work), total=len(work), changed=changed, path=""))

    def _read(self, item: Work) -> _Outcome:
        source, reason, mark, session = item.source, None, "", None
        bad_lines, bad_line = 0, None
        try:
            mark = fingerprint(source, self._policy)
            if not item.holds_parts:
                transcript = self._transcript(item)
                if transcript is None:
                    reason = _NO_CONVERSATION
                elif self._policy.excludes_project(transcript.project):
                    reason = _EXCLUDED
                else:
                    bad_lines, bad_line = transcript.bad_lines - transcript.truncated_tail, transcript.bad_line
                    session = self._session(transcript, source)
        except Exception as error:  # noqa: BLE001 - a fault of ours with one file must not stop the rest
            reason = storable(reason_of(error))
            mark = NOT_READ if isinstance(error, SourceBusyError) else mark
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
        return _Outcome(item.reader.runtime, source, item.known, state, session)

    def _transcript(self, item: Work) -> Transcript | None:
        if item.failure is not None:
            raise item.failure
        return self._readings.read(item.reader, item.source, again=item.known is not None)

    def _session(self, transcript: Transcript, source: Source) -> Session:
        from nlm_tui.ingest.building import build_session  # noqa: PLC0415 - most runs find nothing new

        return build_session(transcript, source, self._zone, outputs=self._policy.keeps_tool_output)

    def _write(self, batch: Sequence[_Outcome], run: "_Run") -> None:
        if not batch:
            return
        with self._writer.batch():
            forgotten = self._writer.forgotten()
            unwelcome = _forgotten_with(forgotten, batch)
            self._writer.forget_also(unwelcome - set(forgotten))
            batch = self._without_less([_without_session(outcome, unwelcome) for outcome in batch], run)
            self._writer.insert_sessions(*(outcome.session for outcome in batch if outcome.session is not None))
            for outcome in batch:
                if outcome.session is not None:
                    self._mark_replaced(outcome, outcome.session)
                self._writer.record_source(outcome.runtime, outcome.source.key, outcome.state)
        for outcome in batch:
            _report(run.report, outcome)
            if outcome.session is not None:
                session_id = outcome.session.id
                is_known = session_id in run.held or session_id in run.read
                run.report.updated += is_known
                run.report.new += not is_known
                run.read.add(session_id)

    def _without_less(self, batch: Sequence[_Outcome], run: "_Run") -> list[_Outcome]:
        """Return a batch without the sessions that say less than those of the same id before them, or the same."""
        latest: dict[str, Session] = {}

        def taken(outcome: _Outcome) -> _Outcome:
            session = outcome.session
            if session is None:
                return outcome
            held = latest.get(session.id)
            if held is None and (session.id in run.held or session.id in run.read):
                held = self._writer.get_by_id(session.id)
            if held and (reason := reason_to_keep(held, session, outcome.source, outcome.known, run.paths)):
                return replace(outcome, session=None, state=replace(outcome.state, reason=reason))
            latest[session.id] = session
            run.paths.add(session.transcript_path or "")
            return outcome

        return list(map(taken, batch))

    def _mark_replaced(self, outcome: _Outcome, session: Session) -> None:
        before = outcome.known.session_id if outcome.known else None
        if before is not None and before != session.id and session.transcript_path is not None:
            self._writer.mark_replaced(before, session.transcript_path)


@dataclass(slots=True)
class _Run:
    """What is known while a run goes on.

    The memory `held` sessions before, by their ids; those that were `read` since are new or updated. `sources` has
    the sessions of all known sources by their keys, `paths` are those of files that are there as they were read.
    """

    on_progress: Callable[[IndexProgress], None]
    report: IndexReport = field(default_factory=IndexReport)
    held: set[str] = field(default_factory=set[str])
    read: set[str] = field(default_factory=set[str])
    unchanged: set[str] = field(default_factory=set[str])
    sources: dict[str, str] = field(default_factory=dict[str, str])
    paths: set[str] = field(default_factory=set[str])


def _report(report: IndexReport, outcome: _Outcome) -> None:
    state = outcome.state
    if state.reason is not None:
        report.skipped.append(Skipped(outcome.source.key, state.reason))
    if state.bad_lines:
        report.recovered.append(Recovered(outcome.source.key, state.bad_lines, state.bad_line))


def _forgotten_with(forgotten: Collection[str], batch: Sequence[_Outcome]) -> set[str]:
    """Return the ids of what was read that a user wants forgotten, of its subagents, and of those of these."""
    parents = {outcome.session.id: outcome.session.parent_id for outcome in batch if outcome.session}
    unwanted = set(forgotten)
    while more := {session_id for session_id, parent in parents.items() if parent in unwanted} - unwanted:
        unwanted |= more
    return unwanted & parents.keys()


def _without_session(outcome: _Outcome, unwelcome: Collection[str]) -> _Outcome:
    if outcome.session is None or outcome.session.id not in unwelcome:
        return outcome
    return replace(outcome, session=None, state=replace(outcome.state, session_id=None))
