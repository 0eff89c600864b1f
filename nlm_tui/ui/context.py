"""What the app is given: the memory, and all that would make two runs differ."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from time import perf_counter

from nlm_tui.core import FilterName, FilterValue, Mode, RecallService, SessionStore
from nlm_tui.ingest.background import Event
from nlm_tui.ui.debounce import Debounce

Indexing = Callable[[], AsyncIterator[Event]]


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory as the app uses it, from threads: recall on one connection, whole sessions on another.

    `meaning` is recall on a third one, so that a slow search by meaning never holds up one by words; without it
    `recall` does both. `interrupt` stops what `recall` does now, `interrupt_meaning` what `meaning` does; `close` lets
    go of all connections. `values` gives the values that a filter may have in this memory, the most frequent first.
    `embedding` makes what the memory holds findable by meaning; None where that cannot be.
    """

    recall: RecallService
    sessions: SessionStore
    interrupt: Callable[[], None]
    close: Callable[[], None]
    read_only: bool = False
    values: Callable[[FilterName], Sequence[FilterValue]] = lambda _: ()
    meaning: RecallService | None = None
    interrupt_meaning: Callable[[], None] = lambda: None
    embedding: Indexing | None = None

    @property
    def by_meaning(self) -> RecallService:
        """What searches by meaning."""
        return self.recall if self.meaning is None else self.meaning

    def stop_meaning(self) -> None:
        """Stop the search by meaning that runs now."""
        if self.meaning is None:
            self.interrupt()
        else:
            self.interrupt_meaning()


def _meaning_debounce() -> Debounce:
    # Longer than between the keys of a word: a model is slower than an index, and half a word means little.
    return Debounce(longest=0.6, shortest=0.15)


@dataclass(slots=True, kw_only=True)
class Context:
    """The app's surroundings. `indexing` is None where nothing is to be indexed, as in the demo."""

    memory: Memory
    mode: Mode = "hybrid"
    indexing: Indexing | None = None
    open_demo: Callable[[], Memory] | None = None
    searched_folders: Sequence[Path] = ()
    home: Path = field(default_factory=Path)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    zone: tzinfo | None = None
    clock: Callable[[], float] = perf_counter
    debounce: Debounce = field(default_factory=Debounce)
    meaning_debounce: Debounce = field(default_factory=_meaning_debounce)
    reduced_motion: bool = False
    report_crash: Callable[[BaseException], None] = lambda _: None
