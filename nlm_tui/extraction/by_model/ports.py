"""What extraction needs of a language model, and how that can fail."""

from collections.abc import Mapping
from typing import Final, Protocol

ANSWER_TOKENS: Final = 1536
"""How long an answer may get; that much of the model's context is left to it."""


class ModelUnavailableError(Exception):
    """The model answers nobody now; the text says why and what to do, in one line."""


class ModelFailedError(Exception):
    """The model gave no answer that can be used to one conversation; the text says why, in one line."""


class EndlessAnswerError(ModelFailedError):
    """The model was stopped, since its answer went on for more than `ANSWER_TOKENS`."""


class QuestionTooLongError(Exception):
    """The question does not fit into the model."""


class ChatModel(Protocol):
    """A language model that answers in JSON, who provides it, and its name there."""

    provider: str
    name: str

    def check(self) -> None:
        """Pass where the model can be asked.

        Raises:
            ModelUnavailableError: it cannot.
        """
        ...

    @property
    def context_tokens(self) -> int:
        """How many tokens a question and its answer may have together.

        Raises:
            ModelUnavailableError: the model cannot be asked.
        """
        ...

    def ask(self, system: str, user: str, schema: Mapping[str, object]) -> str:
        """Return what the model answers; it is asked, not forced, to keep to a JSON `schema`.

        Raises:
            ModelUnavailableError: the model cannot be asked.
            ModelFailedError: it cannot answer this.
            QuestionTooLongError: this is too long for it.
        """
        ...
