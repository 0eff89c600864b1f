"""Vectors from Ollama, against a stand-in that speaks its protocol over real HTTP."""

import json
import math
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from nlm_tui.core import EmbedderUnavailable
from nlm_tui.embedding import OllamaEmbedder, UnavailableEmbedder
from nlm_tui.embedding.ollama import parse_host

Answer = tuple[int, bytes]
HANGS_UP = 0


@dataclass
class StandIn:
    """What the server answers, and what it was asked."""

    answer: Callable[[dict[str, Any]], Answer] = field(default=lambda _: (200, b""))
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    host: str = ""

    def answers(self, vectors: object) -> None:
        self.answer = lambda _: (200, json.dumps({"model": "m", "embeddings": vectors}).encode())


@pytest.fixture
def ollama() -> Iterator[StandIn]:
    stand_in = StandIn()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stand_in.asked.append((self.path, question))
            status, body = stand_in.answer(question)
            if status == HANGS_UP:
                return
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        stand_in.host = f"127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield stand_in
        server.shutdown()
        thread.join()


@pytest.fixture
def nobody() -> str:
    """A port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


def test_vectors_have_length_one(ollama: StandIn) -> None:
    ollama.answers([[3.0, 4.0], [0.0, -2.0]])
    first, second = OllamaEmbedder(ollama.host).embed(["a", "b"])
    assert first == pytest.approx([0.6, 0.8])
    assert second == pytest.approx([0.0, -1.0])
    assert math.hypot(*first) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("model", "query", "sent"),
    [
        ("nomic-embed-text", True, "search_query: redis"),
        ("nomic-embed-text", False, "search_document: redis"),
        ("nomic-embed-text:latest", True, "search_query: redis"),
        ("mxbai-embed-large", True, "Represent this sentence for searching relevant passages: redis"),
        ("mxbai-embed-large", False, "redis"),
        ("something-else:7b", True, "redis"),
    ],
)
def test_models_get_the_prefixes_that_they_ask_for(ollama: StandIn, model: str, *, query: bool, sent: str) -> None:
    ollama.answers([[1.0]])
    OllamaEmbedder(ollama.host, model).embed(["redis"], query=query)
    ((path, question),) = ollama.asked
    assert path == "/api/embed"
    assert question["model"] == model
    assert question["input"] == [sent]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((404, b'{"error": "model not found"}'), "no model nomic-embed-text: get it with `ollama pull"),
        ((500, b'{"error": "out of memory"}'), "Ollama refused: out of memory"),
        ((500, b"<html>"), "Ollama refused"),
        ((400, b'{"error": "input length exceeds the context length"}'), "Ollama refused: input length"),
        ((200, b"not JSON"), "no list of vectors"),
        ((200, b""), "no list of vectors"),
        ((200, b"[1, 2]"), "no list of vectors"),
        ((200, b"null"), "no list of vectors"),
        ((200, b"{}"), "no list of vectors"),
        ((200, b'{"embeddings": [["a"]]}'), "no list of vectors"),
        ((200, b'{"embeddings": []}'), "0 vectors for 1 texts"),
        ((200, b'{"embeddings": [[1], [2]]}'), "2 vectors for 1 texts"),
        ((200, b'{"embeddings": [[0, 0]]}'), "without a direction"),
        ((200, b'{"embeddings": [[]]}'), "without a direction"),
        ((200, b'{"embeddings": [[1e308, 1e308]]}'), "without a direction"),
    ],
)
def test_whatever_is_wrong_means_unavailable(ollama: StandIn, answer: Answer, reason: str) -> None:
    ollama.answer = lambda _: answer
    with pytest.raises(EmbedderUnavailable, match=reason):
        OllamaEmbedder(ollama.host).embed(["redis"], query=True)


def test_a_server_that_hangs_up_is_unavailable(ollama: StandIn) -> None:
    ollama.answer = lambda _: (HANGS_UP, b"")
    with pytest.raises(EmbedderUnavailable, match="did not answer"):
        OllamaEmbedder(ollama.host).embed(["redis"])


def test_no_proxy_gets_the_texts(ollama: StandIn, nobody: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://{nobody}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    ollama.answers([[1.0]])
    assert OllamaEmbedder(ollama.host).embed(["redis"]) == [[1.0]]


def test_nobody_listens(nobody: str) -> None:
    with pytest.raises(EmbedderUnavailable, match=f"not running at {nobody}: start it with `ollama serve`"):
        OllamaEmbedder(nobody).embed(["redis"])


def test_an_absent_server_is_asked_again_only_after_a_while(nobody: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[object] = []

    def refuse(address: object, *_: object) -> None:
        tries.append(address)
        raise ConnectionRefusedError

    now = 100.0
    monkeypatch.setattr("socket.create_connection", refuse)
    embedder = OllamaEmbedder(nobody, clock=lambda: now)
    for now, count in ((100.0, 1), (101.0, 1), (114.9, 1), (115.0, 2), (116.0, 2)):  # noqa: B007 - read by the clock
        with pytest.raises(EmbedderUnavailable):
            embedder.embed(["redis"])
        assert len(tries) == count


@pytest.mark.parametrize(
    ("host", "parsed"),
    [
        (None, ("127.0.0.1", 11434, "http://127.0.0.1:11434")),
        ("", ("127.0.0.1", 11434, "http://127.0.0.1:11434")),
        ("  gpu  ", ("gpu", 11434, "http://gpu:11434")),
        ("gpu:99", ("gpu", 99, "http://gpu:99")),
        (":99", ("127.0.0.1", 99, "http://127.0.0.1:99")),
        ("http://gpu", ("gpu", 80, "http://gpu:80")),
        ("https://gpu", ("gpu", 443, "https://gpu:443")),
        ("https://gpu:99/ollama", ("gpu", 99, "https://gpu:99/ollama")),
        ("0.0.0.0", ("127.0.0.1", 11434, "http://127.0.0.1:11434")),  # noqa: S104 - is what it is about
        ("http://0.0.0.0:99", ("127.0.0.1", 99, "http://127.0.0.1:99")),
        ("[::]:99", ("127.0.0.1", 99, "http://127.0.0.1:99")),
        ("[::1]:99", ("::1", 99, "http://[::1]:99")),
        ("::1", ("::1", 11434, "http://[::1]:11434")),
        ("gpu:99999", ("gpu", 11434, "http://gpu:11434")),
        ("gpu:port", ("gpu", 11434, "http://gpu:11434")),
        ("http://[", ("127.0.0.1", 11434, "http://127.0.0.1:11434")),
    ],
)
def test_the_forms_of_ollama_host(host: str | None, parsed: tuple[str, int, str]) -> None:
    assert parse_host(host) == parsed


def test_the_embedder_of_a_memory_without_vectors_says_so() -> None:
    with pytest.raises(EmbedderUnavailable, match="holds no vectors"):
        UnavailableEmbedder("this memory holds no vectors yet").embed(["redis"], query=True)
