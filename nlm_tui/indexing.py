"""`nlm-tui index`: reading, then embedding, each with progress and report."""

from dataclasses import dataclass
from typing import Any

from nlm_tui import output, wiring
from nlm_tui.display.records import as_json as json_text
from nlm_tui.ingest.background import Event, encode_event
from nlm_tui.ingest.report import EmbeddingReport
from nlm_tui.settings import Settings
from nlm_tui.storage import SqliteSessionStore


@dataclass(frozen=True, slots=True)
class Parts:
    """What to do: read transcripts, embed what the memory holds."""

    read: bool = True
    embed: bool = True


def run(settings: Settings, store: SqliteSessionStore, parts: Parts, *, as_json: bool) -> bool:
    """Do it with progress bars, and print the reports. Return whether it came to its end.

    Raises:
        StoreError: the store cannot be written.
    """
    reported: dict[str, Any] = {}
    interrupted = False
    if parts.read:
        with output.progress_bar("indexing", shown=not as_json) as draw:
            report = wiring.indexer(settings, store).run(lambda progress: draw(progress.done, progress.total))
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


def _embed(settings: Settings, store: SqliteSessionStore, *, as_json: bool) -> EmbeddingReport:
    with output.progress_bar("by meaning", shown=not as_json) as draw:
        report = wiring.build_vectors(settings, store, lambda progress: draw(progress.done, progress.total))
    if not as_json:
        output.print_lines(output.embedding_lines(report))
    return report


def run_with_events(settings: Settings, store: SqliteSessionStore, parts: Parts) -> None:
    """Do it, and print progress and reports as they come, as `ingest.background` reads them.

    Raises:
        StoreError: the store cannot be written.
    """

    def tell(event: Event) -> None:
        output.print_lines([encode_event(event)], nl=False)

    if parts.read:
        tell(wiring.indexer(settings, store).run(tell))
    if parts.embed:
        tell(wiring.build_vectors(settings, store, tell))
