"""Vectors from a local Ollama."""

import math
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from urllib.parse import urlsplit

from nlm_tui.core import EmbedderUnavailable

DEFAULT_MODEL = "nomic-embed-text"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 11434
_SCHEME_PORTS = {"http": 80, "https": 443}

_CONNECT_SECONDS = 0.5
_TIMEOUT_SECONDS = 10.0
_RETRY_SECONDS = 15.0  # after a failed connection, nothing is asked for so long
# What the models' cards ask to be put before documents and questions.
_PREFIXES: Mapping[str, tuple[str, str]] = {
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
}


class OllamaEmbedder:
    """Embeds with a model that Ollama serves. The client library is loaded only once a server answers."""

    def __init__(
        self, host: str | None = None, model: str = DEFAULT_MODEL, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name, self._port, self._url = parse_host(host)
        self._model = model
        self._clock = clock
        self._unreachable_since: float | None = None

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: FBT001, FBT002 - the port
        """Return one unit vector for each text.

        Raises:
            EmbedderUnavailable: Ollama is not there, has no such model, or answered nonsense.
        """
        self._require_server()
        prefix = _PREFIXES.get(self._model.partition(":")[0], ("", ""))[query]
        vectors = self._ask([prefix + text for text in texts])
        if len(vectors) != len(texts):
            raise EmbedderUnavailable(f"Ollama gave {len(vectors)} vectors for {len(texts)} texts")
        return [_unit(vector) for vector in vectors]

    def _require_server(self) -> None:
        """Ask the socket first: refusing takes no time there, and loading the client takes a quarter of a second."""
        now = self._clock()
        reason = f"Ollama is not running at {self._name}:{self._port}: start it with `ollama serve`"
        if self._unreachable_since is not None and now - self._unreachable_since < _RETRY_SECONDS:
            raise EmbedderUnavailable(reason)
        try:
            socket.create_connection((self._name, self._port), _CONNECT_SECONDS).close()
        except OSError as error:
            self._unreachable_since = now
            raise EmbedderUnavailable(reason) from error
        self._unreachable_since = None

    def _ask(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        import httpx  # noqa: PLC0415 - slow to load
        import ollama  # noqa: PLC0415 - slow to load

        try:
            # No proxy from the environment: texts go to the server that was named, and to nobody else.
            with closing(ollama.Client(host=self._url, timeout=_TIMEOUT_SECONDS, trust_env=False)) as client:
                return client.embed(model=self._model, input=list(texts)).embeddings
        except ollama.ResponseError as error:
            if error.status_code == 404:
                reason = f"Ollama has no model {self._model}: get it with `ollama pull {self._model}`"
                raise EmbedderUnavailable(reason) from error
            raise EmbedderUnavailable(f"Ollama refused: {error.error}") from error
        except (ConnectionError, httpx.HTTPError) as error:
            raise EmbedderUnavailable(f"Ollama did not answer: {error}") from error
        except (ValueError, TypeError) as error:  # no JSON, or JSON of another shape
            raise EmbedderUnavailable("Ollama answered something that is no list of vectors") from error


def parse_host(host: str | None) -> tuple[str, int, str]:
    """Return name, port and URL of a server, from the forms that OLLAMA_HOST takes."""
    text = (host or "").strip() or DEFAULT_HOST
    if _is_ipv6(text):
        text = f"[{text}]"
    try:
        parts = urlsplit(text if "://" in text else f"//{text}", scheme="http")
    except ValueError:  # brackets that do not close
        return parse_host(None)
    name = parts.hostname or DEFAULT_HOST
    if name in {"0.0.0.0", "::"}:  # noqa: S104 - a server's address, of no use to a client
        name = DEFAULT_HOST
    try:
        port = parts.port
    except ValueError:
        port = None
    if port is None:
        port = (
            {"http": 80, "https": 443}[parts.scheme]
            if "://" in text and parts.scheme in {"http", "https"}
            else DEFAULT_PORT
        )
    shown = f"[{name}]" if ":" in name else name
    return name, port, f"{parts.scheme}://{shown}:{port}{parts.path}"


def _is_ipv6(text: str) -> bool:
    try:
        socket.inet_pton(socket.AF_INET6, text)
    except (OSError, ValueError):
        return False
    return True


def _unit(vector: Sequence[float]) -> list[float]:
    norm = math.sqrt(sum(value * value for value in vector))
    if not norm or not math.isfinite(norm):
        raise EmbedderUnavailable("Ollama gave a vector without a direction")
    return [value / norm for value in vector]
