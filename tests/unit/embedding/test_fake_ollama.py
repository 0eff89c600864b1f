"""The stand-in for Ollama behaves as the real server does, towards the real client."""

from collections.abc import Iterator, Sequence
from contextlib import closing

import ollama
import pytest
from fake_ollama import FakeOllama, Fault, Model, hashed, without_prefix


@pytest.fixture
def client(server: FakeOllama) -> Iterator[ollama.Client]:
    with closing(ollama.Client(host=server.host, timeout=60, trust_env=False)) as opened:
        yield opened


@pytest.mark.parametrize("given", ["redis is down", ["redis is down"]])
def test_one_text_or_a_list_of_them(client: ollama.Client, given: str | list[str]) -> None:
    answer = client.embed("nomic-embed-text", given)
    assert answer.embeddings == hashed(["redis is down"])
    assert answer.prompt_eval_count == 3
    assert answer.model == "nomic-embed-text"


def test_its_models_have_tags(server: FakeOllama, client: ollama.Client) -> None:
    server.models.append(Model("llama3:8b", ("completion",)))
    assert [model.model for model in client.list().models] == ["nomic-embed-text:latest", "llama3:8b"]
    shown = client.show("nomic-embed-text")
    assert shown.capabilities == ["embedding"]
    assert shown.modelinfo == {
        "general.architecture": "nomic-bert",
        "nomic-bert.context_length": 2048,
        "nomic-bert.embedding_length": 768,
    }
    assert client.show("llama3:8b").capabilities == ["completion"]


def test_a_model_that_it_has_not(client: ollama.Client) -> None:
    for ask in (lambda: client.embed("llama3", "x"), lambda: client.show("llama3")):
        with pytest.raises(ollama.ResponseError, match='model "llama3" not found') as caught:
            ask()
        assert caught.value.status_code == 404


def test_too_much_text_is_cut_or_refused(server: FakeOllama, client: ollama.Client) -> None:
    server.context_characters = 5
    assert client.embed("nomic-embed-text", "redis kafka").embeddings == hashed(["redis"])
    with pytest.raises(ollama.ResponseError, match="input length exceeds the context length") as caught:
        client.embed("nomic-embed-text", "redis kafka", truncate=False)
    assert caught.value.status_code == 400
    server.ignores_truncate = True
    with pytest.raises(ollama.ResponseError, match="input length exceeds the context length"):
        client.embed("nomic-embed-text", "redis kafka", truncate=True)


def test_what_it_was_asked_is_kept(server: FakeOllama, client: ollama.Client) -> None:
    client.embed("nomic-embed-text", ["a", "b"], keep_alive="30m")
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/api/embed")
    assert request.body["keep_alive"] == "30m"
    assert request.headers["content-type"] == "application/json"
    assert server.inputs == [["a", "b"]]


def test_it_goes_away_and_comes_back_at_the_same_port(server: FakeOllama, client: ollama.Client) -> None:
    host = server.host
    for _ in range(3):
        server.fault = Fault.REFUSED
        with pytest.raises(ConnectionError):
            client.list()
        server.fault = Fault.NONE
        assert client.list().models
    assert server.host == host


def test_a_fault_can_be_of_one_request_only(server: FakeOllama, client: ollama.Client) -> None:
    server.fault, server.faulty_paths = Fault.SERVER_ERROR, frozenset({"/api/show"})
    assert client.list().models
    with pytest.raises(ollama.ResponseError):
        client.show("nomic-embed-text")


@pytest.mark.parametrize(
    "text",
    [
        "redis: query",
        "search_document: redis: query",
        "search_query: redis: query",
        "title: none | text: redis: query",
        "task: search result | query: redis: query",
        "Represent this sentence for searching relevant passages: redis: query",
        "Instruct: Given a search, find it\nQuery: redis: query",
    ],
)
def test_a_model_of_another_kind_sees_no_prefix(text: str) -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> list[list[float]]:
        seen.extend(texts)
        return hashed(texts)

    without_prefix(embed)([text])
    assert seen == ["redis: query"]
