"""What is found in a conversation before it is known what of it lasts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nlm_tui.core import Evidence
from nlm_tui.extraction.words import content, overlap

_SAME = 0.5


@dataclass(slots=True)
class Found:
    """A decision or an open question: its text, the message and words that it comes from, and how sure it is.

    `about` are the words that carry its meaning; `turns` says that it takes back what was said before.
    """

    text: str
    message: int
    quote: str
    confidence: float
    about: frozenset[str] = field(default_factory=frozenset[str])
    turns: bool = False

    def __post_init__(self) -> None:
        """Take the words from the text, where none are given."""
        if not self.about:
            self.about = content(self.text)

    @property
    def evidence(self) -> Evidence:
        """Where it was said."""
        return Evidence(self.message, self.quote)

    def likeness(self, other: "Found") -> float:
        """Return how much of their meaning two share, from 0 to 1."""
        return overlap(self.about, other.about) if len(self.about & other.about) > 1 else 0.0


def texts(found: Sequence[Found]) -> tuple[str, ...]:
    """Return the texts, each once."""
    return tuple(dict.fromkeys(one.text for one in found))


def besides(found: Sequence[Found], known: Sequence[Found]) -> list[Found]:
    """Return both, in the order of their messages, without those `found` that say what is `known`."""
    new = [one for one in found if not any(one.likeness(other) >= _SAME for other in known)]
    return sorted((*known, *new), key=lambda one: one.message)
