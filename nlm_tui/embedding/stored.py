"""Embedding questions for what a memory holds vectors of."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock

from nlm_tui.core import Embedder, EmbedderUnavailable, StoreError, model_of

_REMEMBERED = 128


class StoredEmbedder:
    """Embeds questions, unless `missing` gives a reason why the memory has no use for the vectors.

    Where it `is_optional`, another will do as well, and nobody need know why this one does not.

    The vectors of the last questions are remembered: who types on and goes back, or pages, waits once.
    """

    def __init__(self, embedder: Embedder, missing: Callable[[], str | None], *, is_optional: bool = False) -> None:
        self.model = model_of(embedder)
        self._embedder = embedder
        self._missing = missing
        self._is_optional = is_optional
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, bool], Sequence[float]] = OrderedDict()

    def embed(self, texts: Sequence[str], query: bool = False) -> list[Sequence[float]]:  # noqa: FBT001, FBT002 - the port
        """Return one unit vector for each text.

        Raises:
            EmbedderUnavailable: the memory has no vectors to compare with, or nothing can embed now.
        """
        reason = self._missing()
        if reason is not None:
            raise EmbedderUnavailable(reason)
        return [self._vector(text, query) for text in texts]

    def prepare(self) -> None:
        """Have a model that takes long to load loaded before the first question, if the memory has a use for it.

        To be called from a thread: it may take as long as the server likes. What fails, fails again when asked.
        """
        load = getattr(self._embedder, "load", None)
        if load is not None:
            with suppress(EmbedderUnavailable, StoreError):
                if self._missing() is None:
                    load()

    def _vector(self, text: str, query: bool) -> Sequence[float]:  # noqa: FBT001 - as in the port
        with self._lock:
            if (text, query) in self._known:
                self._known.move_to_end((text, query))
                return self._known[text, query]
        try:
            (vector,) = self._embedder.embed([text], query)
        except EmbedderUnavailable:
            if self._is_optional:
                raise EmbedderUnavailable from None
            raise
        with self._lock:
            self._known[text, query] = vector
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return vector
