"""`nlm-tui index`: reading, then embedding, each with progress and report; once, or as long as somebody watches."""

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
from nlm_tui.ingest.changes import Selection
from nlm_tui.ingest.events import Event, encode_event
from nlm_tui.ingest.report import EmbeddingReport, IndexReport
from nlm_tui.storage import SqliteSessionStore

if TYPE_CHECKING:
    from nlm_tui.ingest.indexer import Indexer
    from nlm_tui.settings import Settings

_QUIET_SECONDS = 5.0  # without a change; then sessions are embedded, which takes a while
_LONGEST_SECONDS = 30.0  # that they wait for it: an agent at work may never rest so long
_EVERYTHING = Selection()


@dataclass(frozen=True, slots=True)
class Parts:
    """What to do: read the transcripts that are selected, embed what the memory holds."""

    read: bool = True
    embed: bool = True
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


@dataclass
class _Watching:
    """Reads what is written while it is written, and embeds it when there is a rest."""

    settings: Settings
    store: SqliteSessionStore
    parts: Parts
    tell: Callable[[Event], None]
    stop: Signal
    _embedding: Thread | None = None
    _lull: Lull = field(default_factory=Lull)
    _talking: Lock = field(default_factory=Lock)

    def run(self) -> None:
        selection = self.parts.selection
        readers = wiring.selected_readers(self.settings, self.store, selection)
        indexer = wiring.indexer(self.settings, self.store, readers, lasts=True)
        self._read(indexer, selection)
        for runtimes in wiring.watch(readers, self.stop).changes():
            if runtimes:
                self._read(indexer, replace(selection, runtimes=runtimes, trusts_times=True))
            if self.parts.embed and self._lull.is_due:
                self._embed()

    def _read(self, indexer: Indexer, selection: Selection) -> None:
        with _alone(self.settings, quiet=True):
            report = indexer.run(self._say, selection)
        if report.interrupted:
            raise KeyboardInterrupt
        self._say(report)
        if report.new or report.updated:
            self._lull.changed()

    def _embed(self) -> None:
        """Embed beside reading, with a connection of its own."""
        if self._embedding is None or not self._embedding.is_alive():
            self._lull.used()
            self._embedding = Thread(target=self._embed_all, daemon=True)
            self._embedding.start()

    def _embed_all(self) -> None:
        try:
            with SqliteSessionStore.open(self.settings.store_path) as store:
                report = wiring.build_vectors(self.settings, store, self._say)
        except StoreError as error:
            report = EmbeddingReport(problems=[str(error)])
        if report.elsewhere:  # until that process has done it, or was left
            self._lull.changed()
        else:
            self._say(report)

    def _say(self, event: Event) -> None:
        with self._talking:
            self.tell(event)


def _tell(event: Event) -> None:
    output.print_lines([encode_event(event)], nl=False)


def _wait_for_end(stop: Signal) -> None:
    sys.stdin.buffer.read()
    stop.set()
