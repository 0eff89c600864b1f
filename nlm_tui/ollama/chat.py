"""A language model that a local Ollama serves, as extraction asks it."""

import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from nlm_tui.extraction.by_model.ports import (
    ANSWER_TOKENS,
    EndlessAnswerError,
    ModelFailedError,
    ModelUnavailableError,
    QuestionTooLongError,
)
from nlm_tui.ollama.host import parse_host, plain_name, require_server
from nlm_tui.ollama.outage import LateError, OllamaError, OutageError, TooLongError

if TYPE_CHECKING:
    from nlm_tui.ollama.api import Access, Description

PROVIDER: Final = "ollama"

_CONNECT_SECONDS = 2.0  # nobody waits
_CHECK_SECONDS = 10.0
_ANSWER_SECONDS = 900.0  # a long window without a graphics card
_KEEP_ALIVE = "5m"
_MOST_TOKENS = 16_384  # more takes gigabytes, and small models lose the thread
_LEAST_TOKENS = 4_096
_UNTOLD_TOKENS = 8_192  # what a server that does not say is taken to serve
_CLOUD = re.compile(r"[:-]cloud$")  # Ollama passes on what such a model is asked
_TEMPERATURE, _SEED = 0.1, 7


class OllamaChat:
    """Asks a model that Ollama serves. The client library is loaded only once a server answers."""

    def __init__(
        self,
        host: str | None,
        model: str,
        *,
        connect_seconds: float = _CONNECT_SECONDS,
        check_seconds: float = _CHECK_SECONDS,
        answer_seconds: float = _ANSWER_SECONDS,
    ) -> None:
        self.provider = PROVIDER
        self.name = plain_name(model)
        self._asked = model.strip()
        self._server = parse_host(host)
        self._connect_seconds = connect_seconds
        self._check_seconds = check_seconds
        self._answer_seconds = answer_seconds
        self._told: Description | None = None

    def check(self) -> None:
        """Ask the server whether it has the model, and whether that can be talked to.

        Raises:
            ModelUnavailableError: nobody answers, or there is no such model; the text says what to do.
        """
        self._told = None
        if _CLOUD.search(self.name):
            raise ModelUnavailableError(
                f"{self.name} runs elsewhere, where conversations must not go: use a local model"
            )
        try:
            require_server(self._server, self._connect_seconds)
            self._told = self._described()
        except OllamaError as error:
            raise ModelUnavailableError(str(error)) from error

    @property
    def context_tokens(self) -> int:
        """How many tokens a question and its answer may have together.

        Raises:
            ModelUnavailableError: the model cannot be asked.
        """
        return min(self._description().context_tokens or _UNTOLD_TOKENS, _MOST_TOKENS)

    def ask(self, system: str, user: str, schema: Mapping[str, object]) -> str:
        """Return what the model answers.

        Raises:
            ModelUnavailableError: the model cannot be asked.
            ModelFailedError: the server is there, but gives no answer to this.
            QuestionTooLongError: this is too long for the model.
        """
        told, context = self._description(), self.context_tokens
        try:
            return self._answer(told, context, ({"role": "system", "content": system}, _said(user)), schema)
        except TooLongError as error:
            raise QuestionTooLongError(str(error)) from error
        except OutageError as error:
            self.check()  # it may be this question alone that is not answered, or that the server breaks on
            raise ModelFailedError(str(error)) from error
        except OllamaError as error:
            raise ModelFailedError(str(error)) from error

    def _answer(
        self, told: "Description", context: int, messages: tuple[dict[str, str], ...], schema: Mapping[str, object]
    ) -> str:
        from nlm_tui.ollama import api  # noqa: PLC0415 - slow to load

        require_server(self._server, self._connect_seconds)
        options = {"num_ctx": context, "num_predict": ANSWER_TOKENS, "temperature": _TEMPERATURE, "seed": _SEED}
        think = False if "thinking" in (told.capabilities or ()) else None
        question = api.Question(messages, schema, options, think, _KEEP_ALIVE)
        answer = api.chat(self._access(self._answer_seconds), self._asked, question)
        if answer.prompt_tokens >= context:
            raise TooLongError(f"the question has more than {context:,} tokens")  # it was cut
        if not answer.finished:
            raise EndlessAnswerError(f"the answer of {self.name} has no end")
        return answer.text

    def _description(self) -> "Description":
        if self._told is None:
            self.check()
        if self._told is None:
            raise ModelUnavailableError(f"Ollama says nothing of {self.name}")
        return self._told

    def _described(self) -> "Description":
        from nlm_tui.ollama import api  # noqa: PLC0415 - slow to load

        deadline = time.monotonic() + self._check_seconds
        told = api.described(lambda: self._access(deadline - time.monotonic()), self._asked)
        if told.capabilities is not None and "completion" not in told.capabilities:
            raise OutageError(f"{self.name} cannot be talked to: choose an instruct model, as in extractor_model")
        if told.context_tokens is not None and told.context_tokens < _LEAST_TOKENS:
            least = f"{_LEAST_TOKENS:,} are needed: choose another extractor_model"
            raise OutageError(f"{self.name} takes {told.context_tokens:,} tokens, {least}")
        return told

    def _access(self, seconds: float) -> "Access":
        from nlm_tui.ollama.api import Access  # noqa: PLC0415 - slow to load

        if seconds <= 0:
            raise LateError(f"Ollama at {self._server.address} did not answer in time")
        return Access(self._server, self._connect_seconds, seconds)


def _said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text.encode("utf-8", "replace").decode()}
