"""The requests to Ollama, and what each of their failures means. To import this takes half a second."""

import json
import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from ssl import SSLContext
from typing import Final, NamedTuple

import httpx
import ollama

from nlm_tui.core import one_line
from nlm_tui.ollama.host import Server, plain_name
from nlm_tui.ollama.outage import LateError, OllamaError, OutageError, TooLongError

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
        OllamaError: there are no vectors.
    """
    # Let Ollama cut what is too long: it keeps more than halving does. Versions that refuse it instead are asked again.
    with _client(access, model) as client:
        return client.embed(model=model, input=list(texts), truncate=True, keep_alive=keep_alive).embeddings


class Description(NamedTuple):
    """What the server says of a model: what it can do, and how many tokens it takes; None where that is not said."""

    capabilities: Sequence[str] | None
    context_tokens: int | None


class Question(NamedTuple):
    """What a model is asked: messages, the JSON schema of the answer, options as Ollama names them.

    `think` says whether a model that can think before it answers does so; None leaves that to models that cannot.
    """

    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, object]
    options: Mapping[str, object]
    think: bool | None
    keep_alive: str


class Answer(NamedTuple):
    """What a model said; `finished` unless it was stopped because it went on for too long.

    `prompt_tokens` is how long the question was for the model, 0 where the server does not say.
    """

    text: str
    finished: bool
    prompt_tokens: int


def chat(access: Access, model: str, question: Question) -> Answer:
    """Return what `model` says.

    Raises:
        TooLongError: the question does not fit into the model.
        OllamaError: there is no answer.
    """
    with _client(access, model) as client:
        said = client.chat(  # pyright: ignore[reportUnknownMemberType] - tools, of which there are none
            model=model,
            messages=question.messages,
            format=dict(question.schema),
            options=question.options,
            think=question.think,
            keep_alive=question.keep_alive,
        )
        return Answer(said.message.content or "", said.done_reason != "length", said.prompt_eval_count or 0)


def described(access: Callable[[], Access], model: str) -> Description:
    """Return what the server says of `model`, in two requests.

    Raises:
        OutageError: it has no such model, or does not answer.
    """
    now = access()
    with _client(now, model) as client:
        listed = {plain_name(found.model).casefold() for found in client.list().models if found.model}
    if plain_name(model).casefold() not in listed:
        raise missing(plain_name(model))
    now = access()
    with _client(now, model) as client:
        told = client.show(model)
        sizes = [size for name, size in (told.modelinfo or {}).items() if name.endswith(".context_length")]
        size = sizes[0] if sizes and isinstance(sizes[0], int) and sizes[0] > 0 else None
        return Description(told.capabilities, size)


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
        raise LateError(f"{where} did not answer in time") from error
    except (httpx.LocalProtocolError, UnicodeEncodeError, httpx.InvalidURL) as error:  # their words may hold the key
        raise OutageError(f"{where} cannot be asked: OLLAMA_HOST or OLLAMA_API_KEY is malformed") from error
    except (httpx.TransportError, OSError) as error:
        raise OutageError(f"{where} did not answer: {_detail(error)}") from error
    except json.JSONDecodeError as error:
        raise OllamaError(f"what answers at {access.server.address} is no Ollama: it sends no JSON") from error
    except Exception as error:  # the client checks little itself: JSON of another shape fails anywhere
        problem = f"what answers at {access.server.address} sends something else than Ollama does"
        raise OllamaError(f"{problem} ({type(error).__name__})") from error


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
    return OllamaError(f"Ollama refused: {words or f'status {status}'}")


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
