"""A language model looks at the sessions of a memory; it can be stopped at any moment and gone on with later."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from nlm_tui.core import Extraction, Session, StoreError
from nlm_tui.extraction import Meaning
from nlm_tui.extraction.by_model import (
    PROMPT_VERSION,
    ChatModel,
    Fact,
    ModelFailedError,
    ModelUnavailableError,
    extract,
)
from nlm_tui.ingest.report import ExtractionProgress, ExtractionReport

_MOST_IN_A_ROW = 3  # failures; then it is the model
_MOST_PROBLEMS = 5
_REST = timedelta(minutes=10)
_NEVER = "9999"  # after every time

OnProgress = Callable[[ExtractionProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which sessions to look at: all that have no result of this model and prompt, or only one; the first `limit`.

    With `redo` those that have one too. Where only `rested` ones are wanted, those are left out in which something was
    said in the last ten minutes.
    """

    session_id: str | None = None
    limit: int | None = None
    redo: bool = False
    rested: bool = False


class DueSession(Protocol):
    """A session that is to be looked at, and how long it is, in bytes."""

    @property
    def id(self) -> str: ...
    @property
    def size(self) -> int: ...


class ExtractionKeeper(Protocol):
    """What models made of the sessions of a store."""

    def due(self, wanted: Extraction, rested_since: str | None = None) -> Sequence[DueSession]:
        """Return the sessions that have no result as `wanted` yet, in the order in which to look at them."""
        ...

    def outdate(self, session_ids: Sequence[str] | None = None) -> None:
        """Have all sessions, or some, looked at again."""
        ...

    def save(self, read: Session, made: Meaning, facts: Sequence[Fact], by: Extraction) -> bool:
        """Keep what was made of a session, as it was `read`; return whether it is still that."""
        ...

    def made(self) -> Sequence[str]:
        """Return the ids of the sessions that say what a model made of them."""
        ...

    def discard(self, session_id: str, remade: Callable[[Session], Session]) -> None:
        """Delete what a model made of a session, and write it as it is `remade` of what was read."""
        ...

    def fail(self, read: Session, problem: str, tried: Extraction) -> None:
        """Note that nothing could be made of a session: it is due again after a pause."""
        ...


class ExtractableStore(Protocol):
    """A store whose sessions can be looked at."""

    @property
    def extractions(self) -> ExtractionKeeper:
        """What models made of them."""
        ...

    def get_by_id(self, session_id: str) -> Session | None:
        """Return the session, or None."""
        ...


def extract_due(  # noqa: PLR0913 - the rest by name
    store: ExtractableStore,
    model: ChatModel,
    wanted: Wanted,
    on_progress: OnProgress = lambda _: None,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    clock: Callable[[], float] = time.monotonic,
) -> ExtractionReport:
    """Have `model` look at sessions, newest first, and keep what it makes of each at once. Ctrl+C ends the run early.

    A session with which it fails keeps what it had, and is due again after a pause. The run ends where the model cannot
    be asked, or fails again and again.

    Raises:
        StoreError: the store cannot be written.
    """
    started = clock()
    run = _Run(store, model, on_progress, now, clock)
    try:
        run.take(wanted)
    except ModelUnavailableError as error:
        run.report.problems.append(str(error))
    except KeyboardInterrupt:
        run.report.interrupted = True
    run.report.waiting = run.waiting()
    run.report.seconds = clock() - started
    return run.report


def redo_by_rules(store: ExtractableStore, session_id: str | None = None) -> int:
    """Have rules find anew what a model found, in all sessions or one; return in how many it did.

    Raises:
        StoreError: the store cannot be written.
    """
    from nlm_tui.ingest.building import found_by_rules  # noqa: PLC0415 - a model needs no rules

    made = [one for one in store.extractions.made() if session_id in {None, one}]
    for one in made:
        store.extractions.discard(one, found_by_rules)
    return len(made)


class _Run:
    def __init__(
        self,
        store: ExtractableStore,
        model: ChatModel,
        on_progress: OnProgress,
        now: Callable[[], datetime],
        clock: Callable[[], float],
    ) -> None:
        self.report = ExtractionReport()
        self._store = store
        self._model = model
        self._tell = on_progress
        self._now = now
        self._clock = clock
        self._in_a_row = 0

    def take(self, wanted: Wanted) -> None:
        """Look at all that is wanted.

        Raises:
            ModelUnavailableError: the model cannot be asked.
        """
        if wanted.redo:
            self._store.extractions.outdate(None if wanted.session_id is None else [wanted.session_id])
        due = self._due(wanted)
        if not due:
            return
        self._model.check()
        sizes = [one.size for one in due]
        started = self._clock()
        for done, one in enumerate(due):
            behind, ahead = sum(sizes[:done]), sum(sizes[done:])
            left = (self._clock() - started) / behind * ahead if behind else None
            self._tell(ExtractionProgress(model=self._model.name, done=done, total=len(due), seconds_left=left))
            self._look_at(one.id)
            if self._in_a_row >= _MOST_IN_A_ROW:
                self.report.problems.append(f"{self._model.name} failed {_MOST_IN_A_ROW} times in a row: left for now")
                return
        self._tell(ExtractionProgress(model=self._model.name, done=len(due), total=len(due), seconds_left=0.0))

    def waiting(self) -> int:
        """Return how many sessions it failed with wait for their pause to be over."""
        return len(self._store.extractions.due(self._by(_NEVER))) - len(self._store.extractions.due(self._by()))

    def _due(self, wanted: Wanted) -> Sequence[DueSession]:
        since = _iso(self._now() - _REST) if wanted.rested else None
        if wanted.session_id is None:
            return self._store.extractions.due(self._by(), since)[: wanted.limit]
        named = self._store.extractions.due(self._by(_NEVER), since)  # somebody wants it now, pause or not
        return [one for one in named if one.id == wanted.session_id]

    def _look_at(self, session_id: str) -> None:
        session = self._store.get_by_id(session_id)
        if session is None:
            return  # forgotten meanwhile
        try:
            found = extract(session.messages, self._model)
        except ModelFailedError as error:
            self._fail(session, str(error))
        except (ModelUnavailableError, StoreError):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours with one session must not stop the rest
            self._fail(session, f"internal error ({type(error).__name__})")
        else:
            self._in_a_row = 0
            self.report.extracted += self._store.extractions.save(session, *found, self._by())

    def _fail(self, session: Session, problem: str) -> None:
        self._store.extractions.fail(session, problem, self._by())
        self._in_a_row += 1
        self.report.failed += 1
        if len(self.report.problems) < _MOST_PROBLEMS:
            self.report.problems.append(f"{session.id}: {problem}")

    def _by(self, at: str | None = None) -> Extraction:
        return Extraction(self._model.provider, self._model.name, PROMPT_VERSION, at or _iso(self._now()))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
