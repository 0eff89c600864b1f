"""Whatever Ollama does, the answer is vectors or one error that says what is wrong."""

from threading import Event

import pytest
from fake_ollama import FakeOllama, Fault

from nlm_tui.core import EmbedderUnavailable
from nlm_tui.embedding import OllamaEmbedder

_SHORT = 0.3  # seconds that tests wait where an answer never comes

_REASONS = {
    Fault.REFUSED: r"Ollama is not running at 127\.0\.0\.1:\d+: start it with `ollama serve`",
    Fault.HANGS: r"Ollama at 127\.0\.0\.1:\d+ did not answer in time",
    Fault.SLOW: r"Ollama at 127\.0\.0\.1:\d+ did not answer in time",
    Fault.CLOSES: r"Ollama at 127\.0\.0\.1:\d+ did not answer: Server disconnected",
    Fault.NO_MODEL: r"Ollama has no model nomic-embed-text: get it with `ollama pull nomic-embed-text`",
    Fault.NO_PATH: r"does not know the request: update Ollama",
    Fault.UNAUTHORIZED: r"refuses access \(status 401\): check OLLAMA_API_KEY",
    Fault.SERVER_ERROR: r"Ollama refused: llama runner process has terminated: exit status 2",
    Fault.NO_EMBEDDINGS: r"Ollama refused: this model does not support embeddings",
    Fault.TOO_LONG: r"Ollama finds 5 characters too long: the input length exceeds the context length",
    Fault.REDIRECTS: r"sends elsewhere \(status 307\): set OLLAMA_HOST to where it is",
    Fault.HTML: r"what answers at 127\.0\.0\.1:\d+ is no Ollama: it sends no JSON",
    Fault.BAD_JSON: r"is no Ollama: it sends no JSON",
    Fault.EMPTY_BODY: r"is no Ollama: it sends no JSON",
    Fault.NOT_TEXT: r"sends something else than Ollama does",
    Fault.WRONG_JSON: r"sends something else than Ollama does",
    Fault.CUT_OFF: r"did not answer: peer closed connection",
    Fault.MISSING_FIELD: r"sends something else than Ollama does \(ValidationError\)",
    Fault.MIXED_DIMENSIONS: r"vectors of different sizes for nomic-embed-text: 16, 17",
    Fault.TOO_FEW: r"Ollama gave 1 vectors for 2 texts",
    Fault.TOO_MANY: r"Ollama gave 3 vectors for 2 texts",
    Fault.NAN: r"without a direction",
    Fault.INFINITY: r"without a direction",
    Fault.HUGE: r"without a direction",
    Fault.NULL: r"sends something else than Ollama does",
    Fault.TEXT: r"sends something else than Ollama does",
    Fault.ZERO: r"without a direction",
    Fault.NO_NUMBERS: r"without a direction",
}
_REMEMBERED = {
    Fault.REFUSED, Fault.HANGS, Fault.SLOW, Fault.CLOSES, Fault.CUT_OFF, Fault.NO_MODEL, Fault.NO_PATH,
    Fault.UNAUTHORIZED, Fault.REDIRECTS,
}  # fmt: skip


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def impatient(server: FakeOllama, clock: Clock) -> OllamaEmbedder:
    """An embedder that waits only for a moment."""
    return OllamaEmbedder(server.host, clock=clock, connect_seconds=5.0, query_seconds=_SHORT, document_seconds=_SHORT)


def patient(server: FakeOllama) -> OllamaEmbedder:
    """Return an embedder that no slow machine makes fail."""
    return OllamaEmbedder(server.host, connect_seconds=60.0, query_seconds=60.0, document_seconds=60.0)


def test_all_faults_are_here() -> None:
    assert set(Fault) - set(_REASONS) == {Fault.NONE, Fault.WRONG_DIMENSION}


@pytest.mark.parametrize("query", [False, True])
@pytest.mark.parametrize("fault", _REASONS, ids=lambda fault: fault.name.lower())
def test_each_has_its_reason(server: FakeOllama, impatient: OllamaEmbedder, fault: Fault, *, query: bool) -> None:
    embedder = impatient if fault in {Fault.HANGS, Fault.SLOW} else patient(server)
    server.fault = fault
    with pytest.raises(EmbedderUnavailable, match=_REASONS[fault]) as caught:
        embedder.embed(["redis", "kafka"], query=query)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fault", _REASONS, ids=lambda fault: fault.name.lower())
def test_what_lasts_is_not_asked_for_again_before_a_while(server: FakeOllama, clock: Clock, fault: Fault) -> None:
    short = fault in {Fault.HANGS, Fault.SLOW}
    embedder = OllamaEmbedder(server.host, clock=clock, connect_seconds=60.0, query_seconds=_SHORT if short else 60.0)
    server.fault = fault
    with pytest.raises(EmbedderUnavailable) as first:
        embedder.embed(["redis", "kafka"], query=True)
    server.fault = Fault.NONE
    server.released.set()
    embedder._query_seconds = 60.0
    server.requests.clear()
    if fault in _REMEMBERED:
        clock.now += 14.9
        for ask in (lambda: embedder.embed(["redis"], query=True), lambda: embedder.embed(["redis"]), embedder.check):
            with pytest.raises(EmbedderUnavailable) as again:
                ask()
            assert str(again.value) == str(first.value)
        assert server.requests == []
        clock.now += 0.1
    assert len(embedder.embed(["redis"], query=True)) == 1


def test_an_outage_begins_anew_when_it_is_still_there(server: FakeOllama, clock: Clock) -> None:
    embedder = OllamaEmbedder(server.host, clock=clock)
    server.fault = Fault.NO_MODEL
    for seconds, asked in ((0.0, 1), (14.0, 1), (1.0, 2), (14.0, 2), (1.0, 3)):
        clock.now += seconds
        with pytest.raises(EmbedderUnavailable, match="ollama pull"):
            embedder.embed(["redis"], query=True)
        assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("path", "fault", "reason"),
    [
        *(("/api/tags", fault, _REASONS[fault]) for fault in (
            Fault.CLOSES, Fault.NO_PATH, Fault.UNAUTHORIZED, Fault.SERVER_ERROR, Fault.REDIRECTS, Fault.HTML,
            Fault.BAD_JSON, Fault.EMPTY_BODY, Fault.NOT_TEXT, Fault.WRONG_JSON, Fault.CUT_OFF, Fault.MISSING_FIELD,
        )),
        *(("/api/show", fault, _REASONS[fault]) for fault in (
            Fault.CLOSES, Fault.NO_MODEL, Fault.NO_PATH, Fault.SERVER_ERROR, Fault.HTML, Fault.CUT_OFF,
            Fault.WRONG_JSON, Fault.MISSING_FIELD,
        )),
    ],
)  # fmt: skip
def test_a_check_fails_for_the_same_reasons(server: FakeOllama, path: str, fault: Fault, reason: str) -> None:
    server.fault, server.faulty_paths = fault, frozenset({path})
    embedder = OllamaEmbedder(server.host, connect_seconds=60.0, check_seconds=60.0)
    with pytest.raises(EmbedderUnavailable, match=reason):
        embedder.check()


@pytest.mark.parametrize("fault", [Fault.HANGS, Fault.SLOW])
@pytest.mark.parametrize("path", ["/api/tags", "/api/show"])
def test_a_check_does_not_wait_for_long(server: FakeOllama, path: str, fault: Fault) -> None:
    server.fault, server.faulty_paths = fault, frozenset({path})
    with pytest.raises(EmbedderUnavailable, match="did not answer in time"):
        OllamaEmbedder(server.host, connect_seconds=60.0, check_seconds=_SHORT).check()


def test_a_check_remembers_too(nobody: str, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = OllamaEmbedder(nobody, clock=clock)
    with pytest.raises(EmbedderUnavailable, match="not running"):
        embedder.check()
    monkeypatch.setattr("socket.create_connection", _must_not_be_called)
    with pytest.raises(EmbedderUnavailable, match="not running"):
        embedder.embed(["redis"], query=True)


def _must_not_be_called(*_: object) -> None:
    raise AssertionError


def test_a_model_that_is_loaded_ends_an_outage(server: FakeOllama, clock: Clock) -> None:
    """A query is too short for a model that loads slowly; whoever waits for it makes the next query pass."""
    embedder = OllamaEmbedder(server.host, clock=clock, query_seconds=_SHORT, connect_seconds=60.0)
    server.fault = Fault.HANGS
    with pytest.raises(EmbedderUnavailable, match="in time"):
        embedder.embed(["redis"], query=True)
    server.fault = Fault.NONE
    embedder.load()
    assert server.requests[-1].body["keep_alive"] == "30m"
    embedder._query_seconds = 60.0
    assert embedder.embed(["redis"], query=True)


@pytest.mark.parametrize("fault", [Fault.REFUSED, Fault.NO_MODEL, Fault.CLOSES])
def test_a_model_that_cannot_be_loaded(server: FakeOllama, clock: Clock, fault: Fault) -> None:
    embedder = OllamaEmbedder(server.host, clock=clock)
    server.fault = fault
    with pytest.raises(EmbedderUnavailable, match=_REASONS[fault]):
        embedder.load()
    server.fault = Fault.NONE
    with pytest.raises(EmbedderUnavailable, match=_REASONS[fault]):
        embedder.embed(["redis"], query=True)


def test_retries_of_a_query_share_its_time(server: FakeOllama) -> None:
    """A text that is too long is asked for by halves, but not for longer than any query."""
    server.fault = Fault.TOO_LONG
    ticks = iter((0.0, 0.5, 1.5, 2.5, 3.5, 3.5))
    embedder = OllamaEmbedder(server.host, query_seconds=3.0, connect_seconds=60.0, clock=lambda: next(ticks))
    with pytest.raises(EmbedderUnavailable, match="did not answer in time"):
        embedder.embed(["x" * 100_000], query=True)
    assert len(server.requests) == 3


def test_the_text_is_not_sent_on_by_a_redirect(server: FakeOllama) -> None:
    with FakeOllama() as other:
        server.fault, server.redirects_to = Fault.REDIRECTS, f"http://{other.host}/api/embed"
        with pytest.raises(EmbedderUnavailable, match="sends elsewhere"):
            OllamaEmbedder(server.host).embed(["redis"])
        assert other.requests == []


def test_the_words_of_a_server_are_cut_and_stay_on_one_line(server: FakeOllama) -> None:
    def fail(_: object) -> tuple[int, bytes]:
        return 500, b"<html>\n\x1b[31m" + b"<p>wrong</p>\n" * 1_000

    server.answer = fail  # type: ignore[method-assign]
    with pytest.raises(EmbedderUnavailable, match="Ollama refused: <html>") as caught:
        OllamaEmbedder(server.host).embed(["redis"])
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


def test_an_answer_without_end_is_not_read_to_its_end(server: FakeOllama, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlm_tui.ollama.api._LARGEST_BYTES", 1_000)
    with pytest.raises(EmbedderUnavailable, match="the answer has no end"):
        OllamaEmbedder(server.host).embed(["redis"] * 16)


@pytest.mark.parametrize("host", ["no such name", "x" * 300, "ftp://127.0.0.1:{port}", "https://127.0.0.1:{port}"])
def test_a_host_that_cannot_be_one(server: FakeOllama, host: str) -> None:
    named = host.format(port=server.host.rpartition(":")[2])
    with pytest.raises(EmbedderUnavailable, match=r"not running at|did not answer: \S+"):
        OllamaEmbedder(named, connect_seconds=5.0).embed(["redis"])


def test_a_name_that_is_looked_up_for_ever_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Event()

    def look_up(*_: object) -> None:
        done.wait()
        raise OSError

    monkeypatch.setattr("socket.create_connection", look_up)
    try:
        with pytest.raises(EmbedderUnavailable, match="not running at gpu:11434"):
            OllamaEmbedder("gpu", connect_seconds=0.01).embed(["redis"])
    finally:
        done.set()


def test_a_server_that_comes_up_is_found(server: FakeOllama, clock: Clock) -> None:
    embedder = OllamaEmbedder(f"localhost:{server.host.rpartition(':')[2]}", clock=clock, connect_seconds=60.0)
    server.fault = Fault.REFUSED
    with pytest.raises(EmbedderUnavailable, match="not running at localhost"):
        embedder.check()
    server.fault = Fault.NONE
    clock.now += 15
    embedder.check()
