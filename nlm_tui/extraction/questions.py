"""Questions that a conversation leaves unanswered."""

import re
from collections.abc import Iterable, Sequence

from nlm_tui.core import Message
from nlm_tui.extraction.prose import SPOKEN, Line, parse, prose_lines, sentences

_MOST_QUESTIONS = 3


def unanswered(messages: Sequence[Message]) -> list[str]:
    """Return the questions that a conversation ends with."""
    spoken = (message for message in reversed(messages) if message.role in SPOKEN and not message.withdrawn)
    last = next((message for message in spoken if message.text.strip()), None)
    if last is None or not ("?" in last.text or "\uff1f" in last.text):
        return []
    lines = (line for raw in reversed(list(prose_lines(last.text))) if (line := parse(raw)))
    if last.role == "assistant":
        return _closing_questions(lines)
    asked = (sentence for line in lines for sentence in reversed(sentences(line.text)) if _asks(sentence))
    return [sentence for sentence in (next(asked, ""),) if sentence]


def _closing_questions(lines: Iterable[Line]) -> list[str]:
    """Return the questions that end an answer and ask for more than consent. Its `lines` come last one first."""
    questions: list[str] = []
    for line in lines:
        asked = [sentence for sentence in sentences(line.text) if _asks(sentence)]
        if line.bullet and asked:
            questions.append(asked[0])
        elif asked and not questions and _asks(line.text):
            questions.append(asked[-1])
            break
        elif questions or not _SIGN_OFF.match(line.text):
            break
    return [question for question in reversed(questions) if not _CONSENT.search(question)][:_MOST_QUESTIONS]


def _asks(sentence: str) -> bool:
    return sentence.endswith(("?", "\uff1f"))


_SIGN_OFF = re.compile(
    r"(?:please )?(?:let me know|tell me|once you|happy to|just say|confirm|advise)\b", re.IGNORECASE
)
_CONSENT = re.compile(
    r"\b(?:want|like|prefer|need|rather) me to\b|\blet me know\b|\bproceed\b|\bgo ahead\b|\bshall we\b"
    r"|\b(?:should|shall|may|can|could) i\b|^\W*(?:(?:so|and|also|or|now|otherwise|finally)\b,? ?)*(?:"
    r"would you (?:like|mind)|(?:can|could) you|do you (?:want|need|wish) (?:to|any|help|some|more)"
    r"|(?:want|need) (?:to|any|help|more)|any(?:thing)?\b|is there any|sounds?\b|looks?\b|ready\b|ok(?:ay)?\b"
    r"|(?:is|are|does|do) (?:this|that|it|these|those|everything)\b.{0,40}$"
    r"|which (?:one|option|approach|way|would|do|of these)\b.{0,40}$"
    r"|what (?:do you think|would you like|else|next|about you)|what's next|how (?:would you|does (?:this|that)|can)"
    r"|where (?:would|should|do) (?:you|we)|soll(?:en)? (?:ich|wir)|möchte(?:st|n)?|willst|wollen sie|kann ich"
    r"|brauchst|voulez|souhaite|veux-tu|dois-je|puis-je|quieres|te gustaría|deseas?|puedo|debo|需要我|要我|您想|你想"
    r")|ましょうか|要我.*吗",
    re.IGNORECASE,
)
