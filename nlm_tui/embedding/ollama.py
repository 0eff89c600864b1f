"""Vectors from a local Ollama."""

import math
import re
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final

from nlm_tui.core import EmbedderUnavailable, EmbeddingModel
from nlm_tui.embedding.families import family_of
from nlm_tui.ollama.host import parse_host, plain_name, require_server
from nlm_tui.ollama.outage import LateError, OllamaError, Outage, OutageError, TooLongError

if TYPE_CHECKING:
    from nlm_tui.ollama.api import Access

DEFAULT_MODEL: Final = "nomic-embed-text"
PROVIDER: Final = "ollama"

_CONNECT_SECONDS = 0.5
_QUERY_SECONDS = 3.0  # somebody waits
_DOCUMENT_SECONDS = 30.0  # for a batch; the first one also loads the model
_CHECK_SECONDS = 2.0
_BATCH = 16  # Ollama is no faster with more, and some versions mixed vectors up
_KEEP_ALIVE = "30m"  # documents come in many batches, with pauses
_SHORTEST = 64  # characters; a model that refuses as few does not mean the length
_NO_TEXT = "-"  # stands for nothing at all, which has no vector
_LEAST_NORM = 1e-12
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]+")


class OllamaEmbedder:
    """Embeds with a model that Ollama serves, from several threads if need be.

    The client library is loaded only once a server answers. What is known to fail is not asked for again for a while.
    """

    def __init__(  # noqa: PLR0913 - the rest by name
        self,
        host: str | None = None,
        model: str = DEFAULT_MODEL,
        *,
        clock: Callable[[], float] = time.monotonic,
        connect_seconds: float = _CONNECT_SECONDS,
        query_seconds: float = _QUERY_SECONDS,
        document_seconds: float = _DOCUMENT_SECONDS,
        check_seconds: float = _CHECK_SECONDS,
    ) -> None:
        family = family_of(model)
        self.model = EmbeddingModel(PROVIDER, plain_name(model), family.scheme, family.characters)
        self._asked = model.strip()
        self._prefixes = (family.document, family.query)
        self._server = parse_host(host)
        self._connect_seconds = connect_seconds
        self._query_seconds = query_seconds
        self._document_seconds = document_seconds
        self._check_seconds = check_seconds
        self._clock = clock
        self._outage = Outage(clock)
        self._dimensions: int | None = None
        self._lock = Lock()

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: FBT001, FBT002 - the port
        """Return one unit vector for each text; of a text that is too long for the model, that of its beginning.

        Raises:
            EmbedderUnavailable: Ollama is not there, has no such model, or answered nonsense.
        """
        if not texts:
            return []
        deadline = self._clock() + self._query_seconds if query else None

        def ask(some: Sequence[str]) -> list[list[float]]:
            return self._vectors([self._prefixes[query] + text for text in some], deadline)

        cleaned = [_clean(text) for text in texts]
        batches = [cleaned[start : start + _BATCH] for start in range(0, len(cleaned), _BATCH)]
        self._require_no_outage()
        with self._asking():
            return [vector for batch in batches for vector in _fitting(batch, ask)]

    def check(self) -> None:
        """Ask the server, within two seconds and a half, whether it has the model.

        Raises:
            EmbedderUnavailable: it is not there, has no such model, or the model does not embed.
        """
        self._require_no_outage()
        with self._asking():
            self._require_model(self._clock() + self._check_seconds)

    def load(self) -> None:
        """Have the server load the model, which may take as long as a batch of documents.

        A query does not wait for that, and a server that nobody waits for stops loading: the next one finds it no
        further. To be called from a thread, before the first query; an outage is over when it succeeds.

        Raises:
            EmbedderUnavailable: as in `embed`.
        """
        with self._asking():
            self._vectors([self._prefixes[False] + _NO_TEXT], None)
        self._outage.forget()

    @contextmanager
    def _asking(self) -> Generator[None]:
        """Ask a server that is there, and remember an outage; whatever is Ollama's fault is an error of the port."""
        try:
            with self._outage.remembered():
                require_server(self._server, self._connect_seconds)
                yield
        except OllamaError as error:
            raise EmbedderUnavailable(str(error)) from error

    def _require_no_outage(self) -> None:
        try:
            self._outage.require_none()
        except OllamaError as error:
            raise EmbedderUnavailable(str(error)) from error

    def _require_model(self, deadline: float) -> None:
        from nlm_tui.ollama import api  # noqa: PLC0415 - slow to load

        told = api.described(lambda: self._access(deadline), self._asked)
        if told.capabilities is not None and "embedding" not in told.capabilities:
            raise OutageError(f"{self.model.name} does not embed: choose an embedding model such as {DEFAULT_MODEL}")

    def _access(self, deadline: float | None) -> "Access":
        from nlm_tui.ollama.api import Access  # noqa: PLC0415 - slow to load

        seconds = self._document_seconds if deadline is None else deadline - self._clock()
        if seconds <= 0:
            raise LateError(f"Ollama at {self._server.address} did not answer in time")
        return Access(self._server, self._connect_seconds, seconds)

    def _vectors(self, texts: Sequence[str], deadline: float | None) -> list[list[float]]:
        from nlm_tui.ollama import api  # noqa: PLC0415 - slow to load

        keep_alive = _KEEP_ALIVE if deadline is None else None
        found = api.embed(self._access(deadline), self._asked, texts, keep_alive)
        if len(found) != len(texts):
            raise EmbedderUnavailable(f"Ollama gave {len(found)} vectors for {len(texts)} texts")
        vectors = [_unit(vector) for vector in found]
        self._require_dimensions({len(vector) for vector in vectors})
        return vectors

    def _require_dimensions(self, dimensions: set[int]) -> None:
        """Refuse vectors that cannot be compared with each other, or with those that came before."""
        with self._lock:
            if self._dimensions is None and len(dimensions) == 1:
                (self._dimensions,) = dimensions
            if dimensions != {self._dimensions}:
                sizes = ", ".join(str(size) for size in sorted({*dimensions, self._dimensions or 0} - {0}))
                raise EmbedderUnavailable(f"Ollama gave vectors of different sizes for {self.model.name}: {sizes}")


def _fitting(texts: list[str], ask: Callable[[Sequence[str]], list[list[float]]]) -> list[list[float]]:
    """Return the vectors of `texts`; where one is too long, each is asked for alone, and what is too long by halves."""
    try:
        return ask(texts)
    except TooLongError as error:
        if len(texts) > 1:
            return [vector for text in texts for vector in _fitting([text], ask)]
        (text,) = texts
        if len(text) <= _SHORTEST:
            raise EmbedderUnavailable(f"Ollama finds {len(text)} characters too long: {error}") from error
    return _fitting([text[: max(_SHORTEST, len(text) // 2)]], ask)


def _clean(text: str) -> str:
    """Return what can be sent of a text: no control characters, no halves of characters, not nothing."""
    cleaned = _CONTROL.sub(" ", text.encode("utf-8", "replace").decode("utf-8"))
    return cleaned if cleaned.strip() else _NO_TEXT


def _unit(vector: Sequence[float]) -> list[float]:
    norm = math.sqrt(sum(value * value for value in vector))
    if not _LEAST_NORM <= norm < math.inf:  # nor is a NaN
        raise EmbedderUnavailable("Ollama gave a vector without a direction")
    return [value / norm for value in vector]
