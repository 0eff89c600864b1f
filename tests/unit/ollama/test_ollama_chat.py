"""A model in Ollama over real HTTP: whatever it does, the end is an answer or one error that says what is wrong."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fake_ollama import FakeOllama, Fault, Model

from nlm_tui.core import Message
from nlm_tui.extraction.by_model import (
    ANSWER_TOKENS,
    EndlessAnswerError,
    ModelFailedError,
    ModelUnavailableError,
    QuestionTooLongError,
    extract,
)
from nlm_tui.ollama.chat import OllamaChat

NAME = "qwen3:4b-instruct"
SCHEMA = {"type": "object"}
_SHORT = 0.3

# What fails also when the server is merely asked what it has, and what fails for this question alone.
_AWAY = {
    Fault.REFUSED: r"Ollama is not running at 127\.0\.0\.1:\d+: start it with `ollama serve`",
    Fault.HANGS: r"did not answer in time",
    Fault.SLOW: r"did not answer in time",
    Fault.CLOSES: r"did not answer: Server disconnected",
    Fault.NO_MODEL: r"Ollama has no model qwen3:4b-instruct: get it with `ollama pull qwen3:4b-instruct`",
    Fault.NO_PATH: r"does not know the request: update Ollama",
    Fault.UNAUTHORIZED: r"refuses access \(status 401\): check OLLAMA_API_KEY",
    Fault.SERVER_ERROR: r"Ollama refused: llama runner process has terminated",
    Fault.REDIRECTS: r"sends elsewhere \(status 307\): set OLLAMA_HOST",
    Fault.HTML: r"is no Ollama: it sends no JSON",
    Fault.BAD_JSON: r"is no Ollama: it sends no JSON",
    Fault.EMPTY_BODY: r"is no Ollama: it sends no JSON",
    Fault.NOT_TEXT: r"sends something else than Ollama does",
    Fault.WRONG_JSON: r"sends something else than Ollama does",
    Fault.CUT_OFF: r"did not answer: peer closed connection",
    Fault.MISSING_FIELD: r"sends something else than Ollama does",
}


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    """A server that has a model to talk to."""
    with FakeOllama(models=[Model(NAME, ("completion", "tools"), 262_144)], chat=lambda _: '{"a": 1}') as fake:
        yield fake


@pytest.fixture
def chat(server: FakeOllama) -> OllamaChat:
    return OllamaChat(server.host, NAME, connect_seconds=60.0, check_seconds=60.0, answer_seconds=60.0)


def asked(chat: OllamaChat) -> str:
    return chat.ask("the system", "the user", SCHEMA)


def test_what_is_asked(server: FakeOllama, chat: OllamaChat) -> None:
    assert asked(chat) == '{"a": 1}'
    (body,) = server.chats
    assert body["messages"] == [
        {"role": "system", "content": "the system"},
        {"role": "user", "content": "the user"},
    ]
    assert body["format"] == SCHEMA
    assert (body["stream"], body["model"]) == (False, NAME)
    options = body["options"]
    assert (options["num_ctx"], options["num_predict"], options["seed"]) == (16_384, ANSWER_TOKENS, 7)
    assert options["temperature"] <= 0.2
    assert "think" not in body


def test_a_model_that_can_think_does_not(server: FakeOllama, chat: OllamaChat) -> None:
    server.models[0].capabilities = ("completion", "thinking")
    asked(chat)
    assert server.chats[0]["think"] is False


@pytest.mark.parametrize(("told", "used"), [(4_096, 4_096), (8_192, 8_192), (131_072, 16_384), (None, 8_192)])
def test_the_context_is_sized_to_the_model(server: FakeOllama, chat: OllamaChat, told: int | None, used: int) -> None:
    server.models[0].context_length = told
    assert chat.context_tokens == used
    asked(chat)
    assert server.chats[0]["options"]["num_ctx"] == used


def test_what_a_model_can_do_is_asked_once(server: FakeOllama, chat: OllamaChat) -> None:
    asked(chat)
    asked(chat)
    assert [request.path for request in server.requests] == ["/api/tags", "/api/show", "/api/chat", "/api/chat"]


def test_an_old_server_tells_no_capabilities(server: FakeOllama, chat: OllamaChat) -> None:
    server.models[0].capabilities = None
    assert asked(chat) == '{"a": 1}'


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Model(NAME, ("embedding",), 40_960), "cannot be talked to: choose an instruct model"),
        (Model(NAME, ("completion",), 2_048), "takes 2,048 tokens, 4,096 are needed"),
        (Model("other:latest", ("completion",)), "get it with `ollama pull qwen3:4b-instruct`"),
    ],
)
def test_a_model_that_will_not_do(server: FakeOllama, chat: OllamaChat, model: Model, reason: str) -> None:
    server.models = [model]
    for ask in (chat.check, lambda: asked(chat), lambda: chat.context_tokens):
        with pytest.raises(ModelUnavailableError, match=reason):
            ask()
    assert server.chats == []


@pytest.mark.parametrize("name", ["gpt-oss:120b-cloud", "glm-4.6:cloud"])
def test_a_model_that_runs_elsewhere_is_told_nothing(server: FakeOllama, name: str) -> None:
    server.models = [Model(name, ("completion",), 131_072)]
    for ask in (OllamaChat(server.host, name).check, lambda: asked(OllamaChat(server.host, name))):
        with pytest.raises(ModelUnavailableError, match="runs elsewhere, where conversations must not go"):
            ask()
    assert server.requests == []


@pytest.mark.parametrize("fault", _AWAY, ids=lambda fault: fault.name.lower())
def test_a_server_that_is_away(server: FakeOllama, fault: Fault) -> None:
    seconds = _SHORT if fault in {Fault.HANGS, Fault.SLOW} else 60.0
    chat = OllamaChat(server.host, NAME, connect_seconds=60.0, check_seconds=seconds, answer_seconds=seconds)
    server.fault = fault
    for ask in (chat.check, lambda: asked(chat)):
        with pytest.raises(ModelUnavailableError, match=_AWAY[fault]) as caught:
            ask()
        assert "\n" not in str(caught.value)
    server.released.set()
    server.fault = Fault.NONE
    chat._check_seconds = chat._answer_seconds = 60.0
    assert asked(chat) == '{"a": 1}'


@pytest.mark.parametrize("fault", _AWAY, ids=lambda fault: fault.name.lower())
def test_a_server_that_goes_away_in_between(server: FakeOllama, fault: Fault) -> None:
    chat = OllamaChat(server.host, NAME, connect_seconds=60.0, check_seconds=60.0, answer_seconds=60.0)
    asked(chat)
    if fault in {Fault.HANGS, Fault.SLOW}:
        chat._check_seconds = chat._answer_seconds = _SHORT
    server.fault = fault
    with pytest.raises((ModelUnavailableError, ModelFailedError), match=_AWAY[fault]):
        asked(chat)


_ALONE = [fault for fault in _AWAY if fault not in {Fault.REFUSED, Fault.NO_MODEL}]


@pytest.mark.parametrize("fault", _ALONE, ids=lambda fault: fault.name.lower())
def test_a_question_that_alone_is_not_answered(server: FakeOllama, fault: Fault) -> None:
    """A server that breaks on one conversation must not keep all others from being asked."""
    seconds = _SHORT if fault in {Fault.HANGS, Fault.SLOW} else 60.0
    chat = OllamaChat(server.host, NAME, connect_seconds=60.0, check_seconds=60.0, answer_seconds=seconds)
    server.fault, server.faulty_paths = fault, frozenset({"/api/chat"})
    with pytest.raises(ModelFailedError, match=_AWAY[fault]) as caught:
        asked(chat)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("said", "error", "reason"),
    [
        ({"done_reason": "length", "message": {"role": "assistant", "content": "{{{"}}, EndlessAnswerError, "no end"),
        ({"message": None}, ModelFailedError, "something else"),
        ({"message": "text"}, ModelFailedError, "something else"),
        ({"message": {"role": "assistant", "content": 7}}, ModelFailedError, "something else"),
    ],
)
def test_answers_of_no_use(
    server: FakeOllama, chat: OllamaChat, said: dict[str, Any], error: type[Exception], reason: str
) -> None:
    server.chat = lambda _: said
    with pytest.raises(error, match=reason):
        asked(chat)


def test_an_answer_that_says_nothing(server: FakeOllama, chat: OllamaChat) -> None:
    server.chat = lambda _: {"message": {"role": "assistant", "content": None, "thinking": "hm"}}
    assert asked(chat) == ""


@pytest.mark.parametrize("refuses", [True, False])
def test_a_question_that_is_too_long(server: FakeOllama, chat: OllamaChat, *, refuses: bool) -> None:
    """Some servers refuse it, others cut it without a word."""
    server.context_characters, server.ignores_truncate = 1_000, refuses
    assert asked(chat)
    with pytest.raises(QuestionTooLongError):
        chat.ask("the system", "x" * 1_000, SCHEMA)


def test_an_answer_without_end_is_not_read_to_its_end(
    server: FakeOllama, chat: OllamaChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(chat)
    monkeypatch.setattr("nlm_tui.ollama.api._LARGEST_BYTES", 1_000)
    server.chat = lambda _: "x" * 100_000
    with pytest.raises(ModelFailedError, match="the answer has no end"):
        asked(chat)


def test_the_conversation_is_not_sent_on_by_a_redirect(server: FakeOllama, chat: OllamaChat) -> None:
    with FakeOllama() as other:
        asked(chat)
        server.fault, server.redirects_to = Fault.REDIRECTS, f"http://{other.host}/api/chat"
        with pytest.raises(ModelUnavailableError, match="sends elsewhere"):
            asked(chat)
        assert other.requests == []


def test_half_a_character_is_no_reason_to_fail(server: FakeOllama, chat: OllamaChat) -> None:
    chat.ask("the system", "a\ud800b", SCHEMA)
    assert server.chats[0]["messages"][1]["content"] == "a?b"


def test_a_conversation_by_the_whole_way(server: FakeOllama, chat: OllamaChat) -> None:
    note = {"text": "Three retries, not five", "msg": 0, "quote": "three retries"}
    answer = {"label": "Retries of the worker", "summary": "", "entities": [], "decisions": [note], "open": []}
    server.chat = lambda body: f"```json\n{json.dumps(answer)}\n```" if "three" in str(body) else "{}"
    talk = (Message("user", "make it three retries, not five, for the worker"), Message("assistant", "Done."))
    meaning = extract(talk, chat).meaning
    assert (meaning.label, meaning.decisions) == ("Retries of the worker", ("Three retries, not five",))
