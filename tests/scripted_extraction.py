"""A model whose answers a test writes."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nlm_tui.extraction.by_model import ModelUnavailableError

Said = str | Exception | Mapping[str, Any]


@dataclass
class ScriptedChat:
    """Gives one answer after the other, the last one again and again; keeps what it was asked."""

    answers: Said | list[Said] | Callable[[str], Said]
    context_tokens: int = 16_384
    asked: list[str] = field(default_factory=list)
    schemas: list[Mapping[str, Any]] = field(default_factory=list)
    away: str = ""
    provider: str = "scripted"
    name: str = "model"

    def check(self) -> None:
        if self.away:
            raise ModelUnavailableError(self.away)

    def ask(self, system: str, user: str, schema: Mapping[str, object]) -> str:
        assert system
        self.asked.append(user)
        self.schemas.append(schema)
        if callable(self.answers):
            said = self.answers(user)
        elif not isinstance(self.answers, list):
            said = self.answers
        else:
            said = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def an_answer(**fields: Any) -> dict[str, Any]:
    """Return an answer of the right shape, empty where nothing is given."""
    return {"label": "", "summary": "", "entities": [], "decisions": [], "open": [], "facts": []} | fields


def a_note(text: str, msg: object, quote: str) -> dict[str, Any]:
    """Return a decision or an open question as a model writes it."""
    return {"text": text, "msg": msg, "quote": quote}
