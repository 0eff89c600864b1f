"""What a conversation comes to, by a language model. Pure Python: the model is behind a port."""

from nlm_tui.extraction.by_model.extractor import Extracted, extract
from nlm_tui.extraction.by_model.notes import Fact
from nlm_tui.extraction.by_model.ports import (
    ANSWER_TOKENS,
    ChatModel,
    EndlessAnswerError,
    ModelFailedError,
    ModelUnavailableError,
    QuestionTooLongError,
)
from nlm_tui.extraction.by_model.prompt import PROMPT_VERSION

__all__ = [
    "ANSWER_TOKENS",
    "PROMPT_VERSION",
    "ChatModel",
    "EndlessAnswerError",
    "Extracted",
    "Fact",
    "ModelFailedError",
    "ModelUnavailableError",
    "QuestionTooLongError",
    "extract",
]
