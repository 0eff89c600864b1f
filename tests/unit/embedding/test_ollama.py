"""Vectors from Ollama, against a stand-in that speaks its protocol over real HTTP."""

import math
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from fake_ollama import FakeOllama, Fault, Model

from nlm_tui.core import EmbedderUnavailable, EmbeddingModel
from nlm_tui.embedding import OllamaEmbedder, UnavailableEmbedder
from nlm_tui.settings import RecallSettings

_SEARCHING = "Represent this sentence for searching relevant passages: "


def test_vectors_have_length_one(server: FakeOllama) -> None:
    server.embed = lambda _: [[3.0, 4.0], [0.0, -2.0]]
    first, second = OllamaEmbedder(server.host).embed(["a", "b"])
    assert first == pytest.approx([0.6, 0.8])
    assert second == pytest.approx([0.0, -1.0])
    assert math.hypot(*first) == pytest.approx(1.0)


def test_the_model_is_the_one_of_the_settings() -> None:
    assert OllamaEmbedder().model == EmbeddingModel("ollama", RecallSettings().ollama_model, "nomic-1")


@pytest.mark.parametrize(
    ("model", "query", "document", "scheme", "characters"),
    [
        ("nomic-embed-text", "search_query: redis", "search_document: redis", "nomic-1", 3_000),
        ("nomic-embed-text:latest", "search_query: redis", "search_document: redis", "nomic-1", 3_000),
        ("nomic-embed-text-v2-moe", "search_query: redis", "search_document: redis", "nomic-1", 1_000),
        ("hf.co/x/nomic-embed-text-v1.5-GGUF:Q8", "search_query: redis", "search_document: redis", "nomic-1", 3_000),
        ("mxbai-embed-large", f"{_SEARCHING}redis", "redis", "searching-1", 1_000),
        ("embeddinggemma:300m", "task: search result | query: redis", "title: none | text: redis", "gemma-1", 3_000),
        ("snowflake-arctic-embed:22m", f"{_SEARCHING}redis", "redis", "searching-1", 1_000),
        ("snowflake-arctic-embed2", "query: redis", "redis", "query-1", 3_000),
        ("me/Snowflake-Arctic-Embed-L-v2.0", "query: redis", "redis", "query-1", 3_000),
        ("all-minilm", "redis", "redis", "plain-1", 500),
        ("bge-m3", "redis", "redis", "plain-1", 3_000),
        ("granite-embedding:30m", "redis", "redis", "plain-1", 1_000),
        ("something-else:7b", "redis", "redis", "plain-1", 1_000),
    ],
)  # fmt: skip
def test_models_get_the_prefixes_that_they_ask_for(
    server: FakeOllama, model: str, query: str, document: str, scheme: str, characters: int
) -> None:
    server.models = [Model(model if ":" in model else f"{model}:latest")]
    embedder = OllamaEmbedder(server.host, model)
    embedder.check()
    embedder.embed(["redis"], query=True)
    embedder.embed(["redis"])
    assert server.inputs == [[query], [document]]
    assert {request.body["model"] for request in server.requests if request.path == "/api/embed"} == {model}
    assert embedder.model == EmbeddingModel("ollama", model.removesuffix(":latest"), scheme)
    assert embedder.model.chunk_characters == characters


def test_a_model_that_follows_instructions_gets_one(server: FakeOllama) -> None:
    server.models = [Model("qwen3-embedding:0.6b")]
    embedder = OllamaEmbedder(server.host, "qwen3-embedding:0.6b")
    embedder.embed(["redis"], query=True)
    embedder.embed(["redis"])
    (query,), (document,) = server.inputs
    assert query.startswith("Instruct: Given a ")
    assert query.endswith("\nQuery: redis")
    assert document == "redis"
    assert embedder.model.scheme == "qwen3-1"


def test_only_documents_keep_the_model_loaded_for_long(server: FakeOllama) -> None:
    embedder = OllamaEmbedder(server.host)
    embedder.embed(["redis"])
    embedder.embed(["redis"], query=True)
    assert [request.body.get("keep_alive") for request in server.requests] == ["30m", None]


def test_many_texts_are_sent_in_batches_and_stay_in_order(server: FakeOllama) -> None:
    texts = [f"text {number}" for number in range(35)]
    vectors = OllamaEmbedder(server.host, "nomic-embed-text").embed(texts)
    assert [len(batch) for batch in server.inputs] == [16, 16, 3]
    alone = [OllamaEmbedder(server.host).embed([text])[0] for text in texts[::7]]
    assert vectors[::7] == alone


def test_no_texts_ask_nothing(nobody: str) -> None:
    assert OllamaEmbedder(nobody).embed([]) == []


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\0", "\x00\x1b\x9f", "\ud800", "a\0b", "\udcff\x07"])
@pytest.mark.parametrize("query", [False, True])
def test_text_that_is_none_has_a_vector_like_any_other(server: FakeOllama, text: str, *, query: bool) -> None:
    server.models = [Model("all-minilm:latest")]
    (vector,) = OllamaEmbedder(server.host, "all-minilm").embed([text], query=query)
    assert math.hypot(*vector) == pytest.approx(1.0)
    ((sent,),) = server.inputs
    assert sent.strip()
    assert sent.isprintable()


class TestTextThatIsTooLong:
    """A model takes so much; what is longer counts by its beginning."""

    @pytest.fixture(autouse=True)
    def limit(self, server: FakeOllama) -> None:
        server.models = [Model("bge-m3:latest")]
        server.context_characters = 100
        server.ignores_truncate = True

    def test_only_the_text_that_is_too_long_is_halved(self, server: FakeOllama) -> None:
        long = "".join(f"{number:04} " for number in range(80))
        vectors = OllamaEmbedder(server.host, "bge-m3").embed(["short", long, "brief"])
        assert server.inputs == [
            ["short", long, "brief"],
            ["short"],
            [long],
            [long[:200]],
            [long[:100]],
            ["brief"],
        ]
        assert vectors[1] == OllamaEmbedder(server.host, "bge-m3").embed([long[:100]])[0]

    def test_the_prefix_stays(self, server: FakeOllama) -> None:
        server.models = [Model("nomic-embed-text:latest")]
        OllamaEmbedder(server.host).embed(["x" * 150], query=True)
        assert server.inputs[-1] == ["search_query: " + "x" * 75]

    def test_a_model_that_refuses_a_few_words_is_not_asked_for_ever(self, server: FakeOllama) -> None:
        server.context_characters = 10
        with pytest.raises(EmbedderUnavailable, match="64 characters too long: the input length exceeds"):
            OllamaEmbedder(server.host, "bge-m3").embed(["x" * 1_000])
        assert [len(text) for (text,) in server.inputs] == [1_000, 500, 250, 125, 64]

    def test_a_server_that_cuts_is_let_cut(self, server: FakeOllama) -> None:
        server.ignores_truncate = False
        OllamaEmbedder(server.host, "bge-m3").embed(["x" * 1_000])
        assert len(server.requests) == 1


def test_vectors_of_another_size_than_before_are_refused(server: FakeOllama) -> None:
    embedder = OllamaEmbedder(server.host)
    embedder.embed(["redis"])
    server.fault = Fault.WRONG_DIMENSION
    with pytest.raises(EmbedderUnavailable, match="different sizes for nomic-embed-text: 16, 17"):
        embedder.embed(["redis"])
    server.fault = Fault.NONE
    assert embedder.embed(["redis"])


def test_several_threads_share_one(server: FakeOllama) -> None:
    embedder = OllamaEmbedder(server.host)
    together = Barrier(4)

    def embed(number: int) -> Sequence[float]:
        together.wait()
        return embedder.embed([f"text {number}"])[0]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embed, range(4)))
    assert found == [embedder.embed([f"text {number}"])[0] for number in range(4)]


def test_the_key_is_sent_as_the_client_does(server: FakeOllama, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "secret")
    OllamaEmbedder(server.host).embed(["redis"])
    assert server.requests[0].headers["authorization"] == "Bearer secret"


@pytest.mark.parametrize("key", ["sécret", "secret\n", "secret\0"])
def test_a_malformed_key_is_said_but_not_shown(server: FakeOllama, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getenv", {"OLLAMA_API_KEY": key}.get)
    with pytest.raises(EmbedderUnavailable, match="OLLAMA_API_KEY is malformed") as caught:
        OllamaEmbedder(server.host).embed(["redis"])
    assert "cret" not in str(caught.value)


def test_no_proxy_gets_the_texts(server: FakeOllama, nobody: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://{nobody}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert OllamaEmbedder(server.host).embed(["redis"])


def test_a_server_below_a_path(server: FakeOllama) -> None:
    with pytest.raises(EmbedderUnavailable, match="does not know the request"):
        OllamaEmbedder(f"http://{server.host}/ollama").embed(["redis"])
    assert server.requests[0].path == "/ollama/api/embed"


def test_the_client_is_loaded_only_when_a_server_answers(nobody: str) -> None:
    program = (
        "import sys\n"
        "from nlm_tui.embedding import OllamaEmbedder\n"
        "try: OllamaEmbedder(sys.argv[1]).check()\n"
        "except Exception as error: print(error)\n"
        "print({'ollama', 'httpx', 'pydantic'} & set(sys.modules) or 'light')\n"
    )
    done = subprocess.run([sys.executable, "-c", program, nobody], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "light"
    assert "not running" in done.stdout


class TestCheck:
    """What is asked before vectors are built with a model."""

    def test_a_server_with_the_model_passes(self, server: FakeOllama) -> None:
        OllamaEmbedder(server.host).check()
        assert [request.path for request in server.requests] == ["/api/tags", "/api/show"]

    @pytest.mark.parametrize(
        ("model", "pulled"),
        [
            ("nomic-embed-text:v1.5", "nomic-embed-text:v1.5"),
            ("Nomic-Embed-Text", "nomic-embed-text:latest"),
            ("nomic-embed-text:latest", "nomic-embed-text:latest"),
            ("hf.co/me/x-GGUF:Q4", "hf.co/me/x-GGUF:Q4"),
        ],
    )
    def test_names_are_the_same_with_their_tag(self, server: FakeOllama, model: str, pulled: str) -> None:
        server.models = [Model("other:latest"), Model(pulled)]
        OllamaEmbedder(server.host, model).check()

    @pytest.mark.parametrize("pulled", [[], ["other:latest"], ["nomic-embed-text:v1.5"], ["nomic-embed-text2:latest"]])
    def test_a_model_that_was_not_pulled(self, server: FakeOllama, pulled: list[str]) -> None:
        server.models = [Model(name) for name in pulled]
        with pytest.raises(EmbedderUnavailable, match="no model nomic-embed-text: get it with `ollama pull nomic-"):
            OllamaEmbedder(server.host).check()

    def test_a_model_that_only_chats(self, server: FakeOllama) -> None:
        server.models = [Model("llama3:latest", ("completion", "tools"))]
        with pytest.raises(EmbedderUnavailable, match="llama3 does not embed: choose an embedding model"):
            OllamaEmbedder(server.host, "llama3").check()

    def test_an_old_server_does_not_tell_what_its_models_can_do(self, server: FakeOllama) -> None:
        server.models = [Model("nomic-embed-text:latest", None)]
        OllamaEmbedder(server.host).check()


def test_the_embedder_of_a_memory_without_vectors_says_so() -> None:
    with pytest.raises(EmbedderUnavailable, match="holds no vectors"):
        UnavailableEmbedder("this memory holds no vectors yet").embed(["redis"], query=True)
