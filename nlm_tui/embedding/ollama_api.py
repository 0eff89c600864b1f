"""The requests to Ollama, and what each of their failures means. To import this takes half a second."""

import json
import re
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from ssl import SSLContext
from typing import Final, NamedTuple

import httpx
import ollama

from nlm_tui.core import EmbedderUnavailable, one_line
from nlm_tui.embedding.host import Server
from nlm_tui.embedding.outage import OutageError, TooLongError

_LARGEST_BYTES: Final = 64 << 20  # many times what sixteen vectors take
_SHOWN: Final = 160  # characters of a server's own words
_TOO_LONG: Final = re.compile(r"context (length|size|window)|too long|too large to process", re.IGNORECASE)


class Access(NamedTuple):
    """A server, and for how long it is waited for: until it takes a connection, and until it has answered."""

    server: Server
    connect_seconds: float
    seconds: float


def embed(access: Access, model: str, texts: Sequence[str], keep_alive: str | None) -> Sequence[Sequence[float]]:
    """Return the vectors of `texts` as they come.

    Raises:
        TooLongError: one of the texts does not fit into the model.
        EmbedderUnavailable: there are no vectors.
    """
    # Let Ollama cut what is too long: it keeps more than halving does. Versions that refuse it instead are asked again.
    with _client(access, model) as client:
        return client.embed(model=model, input=list(texts), truncate=True, keep_alive=keep_alive).embeddings


def models(access: Access, model: str) -> list[str]:
    """Return the names of the models that the server has, tags included."""
    with _client(access, model) as client:
        return [found.model for found in client.list().models if found.model]


def capabilities(access: Access, model: str) -> Sequence[str] | None:
    """Return what `model` can do, None where the server does not say."""
    with _client(access, model) as client:
        return client.show(model).capabilities


def missing(model: str) -> OutageError:
    """Return the error that says that `model` is not there."""
    return OutageError(f"Ollama has no model {model}: get it with `ollama pull {model}`")


@contextmanager
def _client(access: Access, model: str) -> Generator[ollama.Client]:
    """Yield a client, and turn whatever fails into an error of ours that names the server or the model."""
    where = f"Ollama at {access.server.address}"
    try:
        # No proxy from the environment and no redirect: texts go to the server that was named, and to nobody else.
        client = ollama.Client(
            host=access.server.url,
            timeout=httpx.Timeout(access.seconds, connect=access.connect_seconds),
            transport=_Transport(access),
            trust_env=False,
            follow_redirects=False,
        )
        with closing(client):
            yield client
    except ollama.ResponseError as error:
        raise _refusal(error, where, model) from error
    except httpx.TimeoutException as error:
        raise OutageError(f"{where} did not answer in time") from error
    except (httpx.LocalProtocolError, UnicodeEncodeError, httpx.InvalidURL) as error:  # their words may hold the key
        raise OutageError(f"{where} cannot be asked: OLLAMA_HOST or OLLAMA_API_KEY is malformed") from error
    except (httpx.TransportError, OSError) as error:
        raise OutageError(f"{where} did not answer: {_detail(error)}") from error
    except json.JSONDecodeError as error:
        raise EmbedderUnavailable(f"what answers at {access.server.address} is no Ollama: it sends no JSON") from error
    except Exception as error:  # the client checks little itself: JSON of another shape fails anywhere
        problem = f"what answers at {access.server.address} sends something else than Ollama does"
        raise EmbedderUnavailable(f"{problem} ({type(error).__name__})") from error


def _refusal(error: ollama.ResponseError, where: str, model: str) -> Exception:
    status, words = error.status_code, _shortened(str(error.error))
    if _TOO_LONG.search(words):
        return TooLongError(words)
    if status == 404:
        if "model" in words.casefold():
            return missing(model)
        return OutageError(f"{where} does not know the request: update Ollama, or check OLLAMA_HOST")
    if 300 <= status < 400:
        return OutageError(f"{where} sends elsewhere (status {status}): set OLLAMA_HOST to where it is")
    if status in {401, 403}:
        return OutageError(f"{where} refuses access (status {status}): check OLLAMA_API_KEY")
    return EmbedderUnavailable(f"Ollama refused: {words or f'status {status}'}")


def _detail(error: Exception) -> str:
    """Return what happened; the client hides the cause of a failed connection behind an advice."""
    return _shortened(str(error.__context__ or error)) or type(error).__name__


def _shortened(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "..."


class _Transport(httpx.HTTPTransport):
    """A transport whose answers end in time: the timeout of the client counts anew with every byte."""

    def __init__(self, access: Access) -> None:
        super().__init__(verify=_certificates() if access.server.url.startswith("https:") else False)
        self._deadline = time.monotonic() + access.seconds

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if isinstance(response.stream, httpx.SyncByteStream):
            response.stream = _Bounded(response.stream, self._deadline)
        return response


class _Bounded(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._stream:
            size += len(part)
            if time.monotonic() > self._deadline:
                raise httpx.ReadTimeout("the answer takes too long")
            if size > _LARGEST_BYTES:
                raise httpx.ReadError("the answer has no end")
            yield part

    def close(self) -> None:
        self._stream.close()


@lru_cache(maxsize=1)
def _certificates() -> SSLContext:
    """Return whom to trust; to read that takes a while, and plain HTTP needs none of it."""
    return httpx.create_ssl_context()
