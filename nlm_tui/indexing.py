"""`nlm-tui index`: reading, embedding, extracting, each with progress and report; once, or as long as one watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event as Signal
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from nlm_tui import output, wiring
from nlm_tui.core import StoreError
from nlm_tui.display.records import as_json as json_text
from nlm_tui.display.words import counted
from nlm_tui.ingest.changes import Selection
from nlm_tui.ingest.events import Event, encode_event
from nlm_tui.ingest.report import EmbeddingReport, ExtractionProgress, ExtractionReport, IndexReport
from nlm_tui.storage import SqliteSessionStore

if TYPE_CHECKING:
    from nlm_tui.ingest.extracting import Wanted
    from nlm_tui.ingest.indexer import Indexer
    from nlm_tui.settings import Settings

_QUIET_SECONDS = 5.0  # without a change; then sessions are embedded, which takes a while
_LONGEST_SECONDS = 30.0  # that they wait for it: an agent at work may never rest so long
_FIRST_SECONDS = 10.0  # before a model is asked: sessions are embedded first
_LOOK_SECONDS = 60.0  # between two looks at what there is for the model
_LONGEST_PAUSE = 1800.0  # the same, when it cannot be asked
_LAST_WORD_SECONDS = 5.0  # whoever reads has left, or does not read
_EVERYTHING = Selection()


@dataclass(frozen=True, slots=True)
class Parts:
    """What to do: read the transcripts that are selected, embed what the memory holds, ask a model what it comes to."""

    read: bool = True
    embed: bool = True
    extract: Wanted | None = None
    selection: Selection = _EVERYTHING


def run(settings: Settings, store: SqliteSessionStore, parts: Parts, *, as_json: bool) -> bool:
    """Do it with progress bars, and print the reports. Return whether it came to its end.

    Raises:
        StoreError: the store cannot be written.
    """
    reported: dict[str, Any] = {}
    interrupted = False
    if parts.read:
        indexer = _indexer(settings, store, parts)
        with output.progress_bar("indexing", shown=not as_json) as draw, _alone(settings, quiet=as_json):
            report = indexer.run(lambda progress: draw(progress.done, progress.total), parts.selection)
        interrupted = report.interrupted
        sessions = store.count()
        reported |= output.report_json(report, sessions)
        if not as_json:
            output.print_lines(output.report_lines(report, sessions))
    if parts.embed and not interrupted:
        embedded = _embed(settings, store, as_json=as_json)
        interrupted = embedded.interrupted
        reported["embedding"] = output.embedding_json(embedded)
    if parts.extract and not interrupted:
        extracted = _extract(settings, store, parts.extract, as_json=as_json)
        interrupted = extracted.interrupted
        reported["extraction"] = output.extraction_json(extracted)
        if extracted.extracted and parts.embed and not interrupted:  # what sessions are called has changed
            interrupted = _embed(settings, store, as_json=as_json).interrupted
    if as_json:
        output.print_lines([json_text(reported)])
    return not interrupted


def _indexer(settings: Settings, store: SqliteSessionStore, parts: Parts) -> Indexer:
    return wiring.indexer(settings, store, wiring.selected_readers(settings, store, parts.selection))


def _alone(settings: Settings, *, quiet: bool) -> wiring.Turn:
    """Return a turn at reading into the memory; where another process has it, it is said that it is waited for."""
    return wiring.Turn(settings, lambda: None if quiet else output.complain("waiting for another nlm-tui that indexes"))


def _embed(settings: Settings, store: SqliteSessionStore, *, as_json: bool) -> EmbeddingReport:
    with output.progress_bar("by meaning", shown=not as_json) as draw:
        report = wiring.build_vectors(settings, store, lambda progress: draw(progress.done, progress.total))
    if not as_json:
        output.print_lines(output.embedding_lines(report))
    return report


def extract(settings: Settings, store: SqliteSessionStore, wanted: Wanted, *, as_json: bool) -> ExtractionReport:
    """Have a model look at sessions with a progress bar, make them findable by meaning again, and print the reports.

    Raises:
        StoreError: the store cannot be written.
    """
    report = _extract(settings, store, wanted, as_json=as_json)
    if as_json:
        output.print_lines([json_text(output.extraction_json(report))])
    if report.extracted and not report.interrupted:
        _embed(settings, store, as_json=as_json)
    return report


def redo_by_rules(settings: Settings, store: SqliteSessionStore, session_id: str | None, *, as_json: bool) -> None:
    """Have rules find anew what a model found, and print in how many sessions.

    Raises:
        StoreError: the store cannot be written.
    """
    redone = wiring.redo_by_rules(store, session_id)
    if as_json:
        output.print_lines([json_text({"redone": redone})])
    else:
        output.print_lines([f"{counted(redone, 'session')} looked at by rules"])
    if redone:
        _embed(settings, store, as_json=as_json)


def _extract(settings: Settings, store: SqliteSessionStore, wanted: Wanted, *, as_json: bool) -> ExtractionReport:
    with output.progress_bar("by model", shown=True) as draw:
        report = wiring.extract(settings, store, wanted, lambda progress: draw(progress.done, progress.total))
    if not as_json:
        output.print_lines(output.extraction_lines(report, settings.extraction.extractor_model))
    return report


def run_with_events(settings: Settings, store: SqliteSessionStore, parts: Parts) -> None:
    """Do it, and print progress and reports as they come, as `ingest.events` decodes them.

    Raises:
        StoreError: the store cannot be written.
    """
    if parts.read:
        indexer = _indexer(settings, store, parts)
        with _alone(settings, quiet=True):
            report = indexer.run(_tell, parts.selection)
        _tell(report)
    if parts.embed:
        _tell(wiring.build_vectors(settings, store, _tell))
    if parts.extract:
        report = wiring.extract(settings, store, parts.extract, _tell)
        _tell(report)
        if report.extracted and parts.embed:
            _tell(wiring.build_vectors(settings, store, _tell))


def watch_with_events(settings: Settings, store: SqliteSessionStore, parts: Parts) -> None:
    """Do it again and again for what is written, until nobody listens any more: until the input ends.

    Raises:
        StoreError: the store cannot be written.
    """
    stop = Signal()
    Thread(target=_wait_for_end, args=(stop,), daemon=True).start()
    _Watching(settings, store, parts, _tell, stop).run()


def watch(settings: Settings, store: SqliteSessionStore, parts: Parts, *, as_json: bool) -> None:
    """Do it again and again for what is written, and print what was done, until Ctrl+C.

    Raises:
        StoreError: the store cannot be written.
    """
    begins = True

    def tell(event: Event) -> None:
        nonlocal begins
        if isinstance(event, IndexReport):
            if as_json:
                output.print_lines([json_text(output.report_json(event, store.count()))])
            elif begins:
                output.print_lines([*output.report_lines(event, store.count()), "watching; Ctrl+C ends it"])
            elif event.new or event.updated or event.gone:
                output.print_lines(output.change_lines(event))
            begins = False
        elif isinstance(event, EmbeddingReport) and not as_json:
            output.print_lines(output.embedding_lines(event))
        elif isinstance(event, ExtractionReport) and not as_json:
            output.print_lines(output.extraction_lines(event, settings.extraction.extractor_model))

    try:
        _Watching(settings, store, parts, tell, Signal()).run()
    except KeyboardInterrupt:
        return  # that is how one ends it


class Lull:
    """The time to embed what changed: when nothing more changes, and at last where that never is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed_at = clock()
        self._waits_since: float | None = self._changed_at

    @property
    def is_due(self) -> bool:
        """Whether there is something to embed, and now is the time."""
        now = self._clock()
        if self._waits_since is None:
            return False
        return now - self._changed_at > _QUIET_SECONDS or now - self._waits_since > _LONGEST_SECONDS

    def changed(self) -> None:
        """Note that there is something to embed."""
        self._changed_at = self._clock()
        if self._waits_since is None:
            self._waits_since = self._changed_at

    def used(self) -> None:
        """Note that all of it is being embedded."""
        self._waits_since = None


class _Beside:
    """Work that goes on beside reading: in a thread, with a connection of its own to the memory."""

    def __init__(
        self, settings: Settings, work: Callable[[SqliteSessionStore], None], fail: Callable[[str], None]
    ) -> None:
        self._settings = settings
        self._work = work
        self._fail = fail
        self._thread: Thread | None = None

    @property
    def goes_on(self) -> bool:
        """Whether it has begun and not ended."""
        return self._thread is not None and self._thread.is_alive()

    def begin(self) -> None:
        """Begin; it must not go on."""
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            with SqliteSessionStore.open(self._settings.store_path) as store:
                self._work(store)
        except StoreError as error:
            self._fail(str(error))


@dataclass
class _Watching:
    """Reads what is written while it is written; embeds it when there is a rest, then has a model look at it."""

    settings: Settings
    store: SqliteSessionStore
    parts: Parts
    tell: Callable[[Event], None]
    stop: Signal
    _lull: Lull = field(default_factory=Lull)
    _extract_at: float = 0.0
    _pause: float = _LOOK_SECONDS
    _talking: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        """Make what goes on beside reading."""
        self._extract_at = time.monotonic() + _FIRST_SECONDS
        self._embedding = _Beside(
            self.settings, self._embed, lambda problem: self._say(EmbeddingReport(problems=[problem]))
        )
        self._extraction = _Beside(
            self.settings, self._extract, lambda problem: self._say(ExtractionReport(problems=[problem]))
        )

    def run(self) -> None:
        """Go on until `stop` is set."""
        try:
            self._watch()
        finally:
            # A thread that is cut off in the middle of a line takes the output with it, and the program fails.
            self._talking.acquire(timeout=_LAST_WORD_SECONDS)

    def _watch(self) -> None:
        selection = self.parts.selection
        readers = wiring.selected_readers(self.settings, self.store, selection)
        indexer = wiring.indexer(self.settings, self.store, readers, lasts=True)
        self._read(indexer, selection)
        for runtimes in wiring.watch(readers, self.stop).changes():
            if runtimes:
                self._read(indexer, replace(selection, runtimes=runtimes, trusts_times=True))
            if self.parts.embed and self._lull.is_due and not self._embedding.goes_on:
                self._lull.used()
                self._embedding.begin()
            if self.parts.extract and time.monotonic() >= self._extract_at:
                self._begin_to_extract()

    def _read(self, indexer: Indexer, selection: Selection) -> None:
        with _alone(self.settings, quiet=True):
            report = indexer.run(self._say, selection)
        if report.interrupted:
            raise KeyboardInterrupt
        self._say(report)
        if report.new or report.updated:
            self._lull.changed()

    def _embed(self, store: SqliteSessionStore) -> None:
        report = wiring.build_vectors(self.settings, store, self._say)
        if report.elsewhere:  # until that process has done it, or was left
            self._lull.changed()
        else:
            self._say(report)

    def _begin_to_extract(self) -> None:
        if not (self._embedding.goes_on or self._extraction.goes_on):
            self._extraction.begin()

    def _extract(self, store: SqliteSessionStore) -> None:
        """Look whether there is something for the model: less and less often, as long as it cannot be asked."""
        if self.parts.extract is None:
            return
        begun = False

        def tell(progress: ExtractionProgress) -> None:
            nonlocal begun
            begun = True
            if progress.done:
                self._lull.changed()  # what a session is called is to be embedded anew
            self._say(progress)

        report = wiring.extract(self.settings, store, self.parts.extract, tell)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE) if report.problems else _LOOK_SECONDS
        self._extract_at = time.monotonic() + self._pause
        if begun or report.problems:
            self._say(report)

    def _say(self, event: Event) -> None:
        with self._talking:
            self.tell(event)


def _tell(event: Event) -> None:
    output.print_lines([encode_event(event)], nl=False)


def _wait_for_end(stop: Signal) -> None:
    sys.stdin.buffer.read()
    stop.set()
