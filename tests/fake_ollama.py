"""An Ollama server on loopback for tests: real HTTP, the answers of the real server, and every way to fail."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from hashlib import blake2b
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final, Self

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
Json = dict[str, Any]
Chat = Callable[[Json], str | Json]
"""What a model says to a request: the text, or fields of the answer in place of the usual ones."""

_WORD = re.compile(r"\w+")
_HEAD = 40  # bytes of a body that arrive before it is cut off
_DRIP_SECONDS = 0.02
_PREFIX = re.compile(
    r"search_(?:document|query): |title: none \| text: |task: search result \| query: |query: "
    r"|Represent this [^:]*: |Instruct: [^\n]*\nQuery: "
)


class Fault(Enum):
    """What is wrong with the server."""

    NONE = auto()
    REFUSED = auto()  # nobody listens
    HANGS = auto()  # nothing comes until `released` is set
    SLOW = auto()  # the answer comes byte by byte until `released` is set
    CLOSES = auto()  # the connection ends without a word
    NO_MODEL = auto()  # 404, as for a model that was not pulled
    NO_PATH = auto()  # 404, as from a server that does not know the request
    UNAUTHORIZED = auto()
    SERVER_ERROR = auto()
    NO_EMBEDDINGS = auto()  # the error for a model that only chats
    TOO_LONG = auto()  # 400, however short a text is
    REDIRECTS = auto()
    HTML = auto()  # a page, with status 200
    BAD_JSON = auto()
    EMPTY_BODY = auto()
    NOT_TEXT = auto()  # bytes that are no UTF-8
    WRONG_JSON = auto()  # a list where an object belongs
    CUT_OFF = auto()  # less of a body than was announced
    MISSING_FIELD = auto()
    WRONG_DIMENSION = auto()
    MIXED_DIMENSIONS = auto()
    TOO_FEW = auto()
    TOO_MANY = auto()
    NAN = auto()
    INFINITY = auto()
    HUGE = auto()  # finite numbers whose squares are not
    NULL = auto()
    TEXT = auto()  # words where numbers belong
    ZERO = auto()
    NO_NUMBERS = auto()


_BODIES: Final[Mapping[Fault, tuple[int, bytes]]] = {
    Fault.NO_PATH: (404, b"404 page not found"),
    Fault.UNAUTHORIZED: (401, b'{"error": "unauthorized"}'),
    Fault.SERVER_ERROR: (500, b'{"error": "llama runner process has terminated: exit status 2"}'),
    Fault.NO_EMBEDDINGS: (501, b'{"error": "this model does not support embeddings"}'),
    Fault.TOO_LONG: (400, b'{"error": "the input length exceeds the context length"}'),
    Fault.REDIRECTS: (307, b""),
    Fault.HTML: (200, b"<!doctype html><title>Welcome</title>"),
    Fault.BAD_JSON: (200, b'{"model": "nomic-embed-text", "embeddings": [[0.1, '),
    Fault.EMPTY_BODY: (200, b""),
    Fault.NOT_TEXT: (200, b'{"model": "\xff\xfe"}'),
    Fault.WRONG_JSON: (200, b"[1, 2, 3]"),
    Fault.MISSING_FIELD: (200, b"{}"),
}


def _with_first(number: object) -> Callable[[list[list[Any]]], list[Any]]:
    return lambda vectors: [[number, *vectors[0][1:]], *vectors[1:]]


_VECTORS: Final[Mapping[Fault, Callable[[list[list[Any]]], list[Any]]]] = {
    Fault.WRONG_DIMENSION: lambda vectors: [[*vector, 0.5] for vector in vectors],
    Fault.MIXED_DIMENSIONS: lambda vectors: [[*vectors[0], 0.5], *vectors[1:]],
    Fault.TOO_FEW: lambda vectors: vectors[:-1],
    Fault.TOO_MANY: lambda vectors: [*vectors, vectors[0]],
    Fault.NAN: _with_first(math.nan),
    Fault.INFINITY: _with_first(math.inf),
    Fault.HUGE: _with_first(1e300),
    Fault.NULL: _with_first(None),
    Fault.TEXT: _with_first("a"),
    Fault.ZERO: lambda vectors: [[0.0] * len(vector) for vector in vectors],
    Fault.NO_NUMBERS: lambda vectors: [[] for _ in vectors],
}


@dataclass(frozen=True)
class Request:
    """What the server was asked. Header names are in lower case."""

    method: str
    path: str
    body: Json
    headers: Mapping[str, str]


@dataclass
class Model:
    """A model that was pulled; `capabilities` None is an old server that does not tell them."""

    name: str
    capabilities: Sequence[str] | None = ("embedding",)
    context_length: int | None = 2048


def hashed(texts: Sequence[str], dimensions: int = 16) -> list[list[float]]:
    """Return vectors that are near where texts share words: each word adds to one direction."""

    def vector(text: str) -> list[float]:
        numbers = [0.01] * dimensions
        for word in _WORD.findall(text.casefold()):
            numbers[int.from_bytes(blake2b(word.encode(), digest_size=4).digest()) % dimensions] += 1.0
        return numbers

    return [vector(text) for text in texts]


def without_prefix(embed: Embed) -> Embed:
    """Return `embed` for a model that was not trained with prefixes: it never sees those of the real models."""
    return lambda texts: embed([_PREFIX.sub("", text, count=1) for text in texts])


@dataclass
class FakeOllama:
    """The server, as a context manager. `fault` may change at any time; `faulty_paths` limits it to some requests.

    `context_characters` is what the model takes: more is cut where the request says `truncate`, unless
    `ignores_truncate`, as in some releases of the real server, and refused with status 400 elsewhere.
    """

    embed: Embed = hashed
    chat: Chat = lambda _: "{}"
    models: list[Model] = field(default_factory=lambda: [Model("nomic-embed-text:latest")])
    context_characters: int | None = None
    ignores_truncate: bool = False
    faulty_paths: frozenset[str] | None = None
    redirects_to: str = "http://127.0.0.1:1/"
    requests: list[Request] = field(default_factory=list)
    released: Event = field(default_factory=Event)
    arrived: Event = field(default_factory=Event)
    host: str = ""
    _fault: Fault = Fault.NONE
    _server: "_Server | None" = None

    @property
    def fault(self) -> Fault:
        """What is wrong now."""
        return self._fault

    @fault.setter
    def fault(self, fault: Fault) -> None:
        was, self._fault = self._fault, fault
        if self._server is not None and Fault.REFUSED in {was, fault} and was is not fault:
            self._server.stop()
            self._start()

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        if self._server is not None:
            self._server.stop()

    def _start(self) -> None:
        """Take the port, and listen there if the server is to be reached."""
        port = int(self.host.rpartition(":")[2]) if self.host else 0
        self._server = _Server(self, port)
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        if self._fault is not Fault.REFUSED:
            self._server.start()

    @property
    def chats(self) -> list[Json]:
        """The requests for what a model says."""
        return [request.body for request in self.requests if request.path == "/api/chat"]

    @property
    def inputs(self) -> list[list[str]]:
        """The texts of each request for vectors."""
        asked = [request.body.get("input") for request in self.requests if request.path == "/api/embed"]
        return [[text] if isinstance(text, str) else list(text or ()) for text in asked]

    def fault_at(self, path: str) -> Fault:
        """Return what is wrong with the answer to a request for `path`."""
        return self._fault if self.faulty_paths is None or path in self.faulty_paths else Fault.NONE

    def answer(self, request: Request) -> tuple[int, bytes]:
        """Return status and body of the answer to `request`."""
        fault = self.fault_at(request.path)
        if fault in _BODIES:
            return _BODIES[fault]
        match request.path:
            case "/api/tags":
                return _json({"models": [_listed(model) for model in self.models]})
            case "/api/version":
                return _json({"version": "0.13.5"})
            case "/api/embed" | "/api/show" | "/api/chat":
                return self._answer_of_model(request, fault)
            case _:
                return _BODIES[Fault.NO_PATH]

    def _answer_of_model(self, request: Request, fault: Fault) -> tuple[int, bytes]:
        asked = str(request.body.get("model", ""))
        model = next((model for model in self.models if model.name.casefold() == _tagged(asked)), None)
        if model is None or fault is Fault.NO_MODEL:
            return _error(404, f'model "{asked}" not found, try pulling it first')
        if request.path == "/api/show":
            return _json(_details(model))
        if request.path == "/api/chat":
            return self._said(asked, request.body)
        return self._vectors(asked, request.body, fault)

    def _said(self, model: str, body: Json) -> tuple[int, bytes]:
        length = sum(len(message["content"]) for message in body["messages"])
        most = self.context_characters
        if most is not None and length > most and self.ignores_truncate:
            return _BODIES[Fault.TOO_LONG]
        said = self.chat(body)
        usual: Json = {
            "model": model,
            "created_at": "2026-05-14T10:32:00.123456789Z",
            "message": {"role": "assistant", "content": said if isinstance(said, str) else ""},
            "done": True,
            "done_reason": "stop",
            # What does not fit is cut without a word.
            "prompt_eval_count": length // 4 if most is None or length <= most else body["options"]["num_ctx"],
            "eval_count": 100,
        }
        return _json(usual if isinstance(said, str) else usual | said)

    def _vectors(self, model: str, body: Json, fault: Fault) -> tuple[int, bytes]:
        given = body.get("input", [])
        texts = [given] if isinstance(given, str) else list(given)
        most = self.context_characters
        if most is not None and any(len(text) > most for text in texts):
            if self.ignores_truncate or not body.get("truncate", True):
                return _BODIES[Fault.TOO_LONG]
            texts = [text[:most] for text in texts]
        vectors = [[float(number) for number in vector] for vector in self.embed(texts)]
        return _json(
            {
                "model": model,
                "embeddings": _VECTORS[fault](vectors) if fault in _VECTORS else vectors,
                "total_duration": 14_143_917,
                "load_duration": 1_019_500,
                "prompt_eval_count": sum(len(_WORD.findall(text)) for text in texts),
            }
        )


class _Server(ThreadingHTTPServer):
    """Holds its port from the start, and refuses connections until it is started."""

    request_queue_size = 64  # with few, clients that come at once wait for a second

    def __init__(self, fake: FakeOllama, port: int) -> None:
        self.fake = fake
        super().__init__(("127.0.0.1", port), _Handler, bind_and_activate=False)
        TCPServer.server_bind(self)  # that of HTTPServer asks for the name of the machine
        self._thread: Thread | None = None

    def start(self) -> None:
        self.server_activate()
        self._thread = Thread(target=self.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self.shutdown()
            self._thread.join()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that give up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body: Json) -> None:
        fake = self.server.fake
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, body, headers)
        fake.requests.append(request)
        fake.arrived.set()
        fault = fake.fault_at(self.path)
        if fault is Fault.HANGS:
            fake.released.wait()
        if fault in {Fault.HANGS, Fault.CLOSES}:
            return
        status, content = fake.answer(request)
        self._send_head(status, len(content), html=fault is Fault.HTML)
        for part in _parts(content, fault, fake.released):
            self.wfile.write(part)

    def _send_head(self, status: int, length: int, *, html: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if html else "application/json; charset=utf-8")
        if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
            self.send_header("Location", self.server.fake.redirects_to)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def _parts(content: bytes, fault: Fault, released: Event) -> Iterator[bytes]:
    if fault is Fault.CUT_OFF:
        yield content[: min(_HEAD, len(content) // 2)]
    elif fault is Fault.SLOW:
        for position in range(len(content)):
            released.wait(_DRIP_SECONDS)
            yield content[position : position + 1]
    else:
        yield content


def _tagged(name: str) -> str:
    name = name.casefold()
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def _listed(model: Model) -> Json:
    details = {"format": "gguf", "family": "nomic-bert", "parameter_size": "137M", "quantization_level": "F16"}
    return {
        "name": model.name,
        "model": model.name,
        "modified_at": "2026-05-14T10:32:00.123456789Z",
        "size": 274302450,
        "digest": blake2b(model.name.encode(), digest_size=32).hexdigest(),
        "details": details,
    }


def _details(model: Model) -> Json:
    told: Json = {} if model.capabilities is None else {"capabilities": list(model.capabilities)}
    info: Json = {"general.architecture": "nomic-bert", "nomic-bert.embedding_length": 768}
    if model.context_length is not None:
        info["nomic-bert.context_length"] = model.context_length
    return {"modelfile": "FROM x", "template": "{{ .Prompt }}", "model_info": info, **told}


def _json(content: Json) -> tuple[int, bytes]:
    return 200, json.dumps(content).encode()


def _error(status: int, problem: str) -> tuple[int, bytes]:
    return status, json.dumps({"error": problem}).encode()
