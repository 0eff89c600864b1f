"""What the app is given: the memory, and all that would make two runs differ."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from nlm_tui.core import FilterName, FilterValue, Mode, RecallService, SessionStore
from nlm_tui.core.browsing import BrowseService
from nlm_tui.core.editing import EditService
from nlm_tui.ingest.events import Event
from nlm_tui.settings import LastScreen
from nlm_tui.settings.state_file import StateFile
from nlm_tui.ui.debounce import Debounce
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.machine import Machine

if TYPE_CHECKING:
    from nlm_tui.ingest.listing import RuntimeSources

Indexing = Callable[[], AsyncIterator[Event]]


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory as the app uses it, from threads: recall on one connection, whole sessions on another.

    `meaning` is recall on a third one, so that a slow search by meaning never holds up one by words; without it
    `recall` does both. `interrupt` stops what `recall` does now, `interrupt_meaning` what `meaning` does; `close` lets
    go of all connections. `values` gives the values that a filter may have in this memory, the most frequent first.
    `embedding` makes what the memory holds findable by meaning; None where that cannot be. `browsing` lists decisions,
    topics and the like on a connection of its own; None where only sessions are listed. `state` differs whenever the
    memory may have changed, whoever did it; `changes` whenever a user changed it, not where sessions are taken in.
    `editing` changes the memory, `forget` takes sessions out of it for good and returns how many; `copies` are older
    ones of the memory, which hold what was forgotten.
    """

    recall: RecallService
    sessions: SessionStore
    interrupt: Callable[[], None]
    close: Callable[[], None]
    state: Callable[[], object]
    changes: Callable[[], object]
    read_only: bool = False
    values: Callable[[FilterName], Sequence[FilterValue]] = lambda _: ()
    meaning: RecallService | None = None
    interrupt_meaning: Callable[[], None] = lambda: None
    embedding: Indexing | None = None
    browsing: BrowseService | None = None
    interrupt_browsing: Callable[[], None] = lambda: None
    editing: EditService | None = None
    forget: Callable[[Sequence[str]], int] | None = None
    copies: Callable[[], Sequence[Path]] = lambda: ()

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
    """The app's surroundings. `indexing` is None where nothing is to be indexed, as in the demo.

    `searched_for` are the runtimes whose transcripts are read, `sources` looks what there is of each. `keys` are the
    keys of all commands, `state` is what is remembered from run to run, `start` what the screen shows first, where it
    goes on; `notice` is to be said at the start. `query` stands in the box at first. Where the app `picks`, opening a
    session leaves with it as `picked`. Every `watch_seconds` it looks whether others changed the memory.
    """

    memory: Memory
    mode: Mode = "hybrid"
    indexing: Indexing | None = None
    open_demo: Callable[[], Memory] | None = None
    searched_for: Sequence[str] = ()
    sources: "Callable[[], Sequence[RuntimeSources]] | None" = None
    home: Path = field(default_factory=Path)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    zone: tzinfo | None = None
    clock: Callable[[], float] = perf_counter
    debounce: Debounce = field(default_factory=Debounce)
    meaning_debounce: Debounce = field(default_factory=_meaning_debounce)
    watch_seconds: float | None = None
    reduced_motion: bool = False
    keys: KeyMap = field(default_factory=KeyMap)
    state: StateFile = field(default_factory=StateFile)
    keeps_history: bool = True
    start: LastScreen | None = None
    notice: str = ""
    query: str = ""
    picks: bool = False
    picked: str | None = None
    machine: Machine = field(default_factory=Machine)
    report_crash: Callable[[BaseException], None] = lambda _: None
