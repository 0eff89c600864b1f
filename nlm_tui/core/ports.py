"""What recall needs from the outside: a store of sessions, and something that turns text into vectors."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from nlm_tui.core.model import Session
from nlm_tui.core.query import Ranking, SessionFilter
from nlm_tui.core.ranking import Recipe
from nlm_tui.core.result import Term

T = TypeVar("T")


class StoreError(Exception):
    """The store cannot do what was asked; the text names the file, what happened and what to do."""


class SearchInterruptedError(Exception):
    """A search was stopped by `interrupt`, since its answer is no longer wanted."""


class EmbedderUnavailable(Exception):  # noqa: N818 - the name is part of the public contract
    """Text cannot be turned into vectors now; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class KeywordNeighbor:
    """A session that shares words with the query; `score` is -bm25, positive, higher is better.

    `tier` is 0 where a word of the query matches, 1 where a piece of one does or words are only spelled nearly so.
    """

    session_id: str
    score: float
    tier: int = 0
    started_at: str = ""
    superseded: bool = False


class Place(NamedTuple):
    """Characters `start` to `end` of a field of a session, as `chunking.field_text` gives it."""

    field: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SemanticNeighbor:
    """A session close to the query; `distance` is the L2 distance of unit vectors, 0..2, lower is better.

    `place` is where the passage stands that is closest, where the store knows it.
    """

    session_id: str
    distance: float
    place: Place | None = None
    started_at: str = ""
    superseded: bool = False

    @property
    def score(self) -> float:
        """The cosine similarity, from the distance of unit vectors."""
        return 1.0 - self.distance * self.distance / 2.0


class FilterValue(NamedTuple):
    """A value that a filter may have, and how many sessions pass it."""

    value: str
    sessions: int


class Page(list[T]):
    """The first items of an answer, best first, and the `total` that it has in all.

    A store that returns a plain list says that the list is complete. `terms` is what was looked for, `common` what was
    left out since nearly every session holds it; `by_age` says that nothing but age tells the items apart. `holding`
    tells which of some sessions, by their ids, are in the whole answer; None where the store cannot tell. `notes` says
    what of the question does not count.
    """

    def __init__(  # noqa: PLR0913 - options, by name
        self,
        items: Iterable[T] = (),
        total: int | None = None,
        *,
        terms: tuple[Term, ...] = (),
        common: tuple[str, ...] = (),
        by_age: bool = False,
        holding: Callable[[Sequence[str]], Collection[str]] | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(items)
        self.total = len(self) if total is None else total
        self.terms = terms
        self.common = common
        self.by_age = by_age
        self.holding = holding
        self.notes = notes


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What makes vectors: only vectors of one provider, model, scheme and size can be compared with each other.

    `scheme` names what is put before texts. What follows does not tell models apart: `chunk_characters` is the length
    of text that a model takes in best, `noise` the cosine up to which two texts have nothing in common, 0 if unknown.
    """

    provider: str
    name: str
    scheme: str = ""
    chunk_characters: int = field(default=500, compare=False)
    noise: float = field(default=0.0, compare=False)


class SetState(NamedTuple):
    """How many sessions there are, and how many of them have any vectors of a model, and all that were asked for."""

    sessions: int
    begun: int
    complete: int


class Embedder(Protocol):
    """Turns text into vectors. One that also has a `model: EmbeddingModel` is only compared with vectors of that."""

    def embed(self, texts: Sequence[str], query: bool = False) -> Sequence[Sequence[float]]:  # noqa: FBT001, FBT002 - public contract
        """Return one unit vector for each text; `query` says that the texts are questions, not documents.

        Raises:
            EmbedderUnavailable: nothing can embed now.
        """
        ...


def model_of(embedder: Embedder) -> EmbeddingModel:
    """Return the model of an embedder; one that names none is its own."""
    model = getattr(embedder, "model", None)
    return model if isinstance(model, EmbeddingModel) else EmbeddingModel("custom", type(embedder).__qualname__)


class SessionStore(Protocol):
    """Keeps the sessions and finds them. Filters act before the cut at `limit`.

    Searches raise `SearchInterruptedError` when interrupted, and `StoreError` when the store fails.
    """

    def list(
        self, limit: int | None = None, session_filter: SessionFilter | None = None, offset: int = 0
    ) -> Sequence[Session]:
        """Return the newest sessions, newest first, after skipping `offset` of them."""
        ...

    def get_by_id(self, session_id: str) -> Session | None:
        """Return the session, or None."""
        ...

    def get_by_ids(self, session_ids: Sequence[str]) -> Sequence[Session]:
        """Return the sessions in the order of their ids; unknown ids are left out."""
        ...

    def keyword_search(  # noqa: PLR0913 - the last three are options, by name
        self,
        query: str,
        limit: int,
        session_filter: SessionFilter | None = None,
        *,
        typing: bool = False,
        ranking: Ranking = "best",
        recipe: Recipe | None = None,
    ) -> Sequence[KeywordNeighbor]:
        """Return the sessions that hold any word or quoted phrase of `query`, best first.

        `typing` and `ranking` are as in `RecallQuery`; another `recipe` than the best one is for measuring.
        """
        ...

    def semantic_search(
        self,
        vector: Sequence[float],
        limit: int,
        session_filter: SessionFilter | None = None,
        *,
        model: EmbeddingModel | None = None,
    ) -> Sequence[SemanticNeighbor]:
        """Return the sessions whose vectors are nearest to a unit `vector`, nearest first, each by its best one.

        Only vectors of its size, and of `model`, are looked at.
        """
        ...

    def similar_search(
        self, session_ids: Sequence[str], limit: int, session_filter: SessionFilter | None = None
    ) -> Sequence[SemanticNeighbor]:
        """Return the sessions nearest to those with `session_ids`, which are left out, by their own vectors.

        Raises:
            EmbedderUnavailable: none of them has vectors.
        """
        ...

    def update_status(self, session_id: str, status: str) -> bool:
        """Set a session's status to active, closed or superseded; return whether there is such a session."""
        ...

    def count(self, session_filter: SessionFilter | None = None) -> int:
        """Return how many sessions pass the filter."""
        ...


@runtime_checkable
class Interruptible(Protocol):
    """A store whose searches can be stopped from another thread."""

    def searching(self) -> AbstractContextManager[None]:
        """One search of this thread, of several calls: an interrupt stops it also between two of them."""
        ...
