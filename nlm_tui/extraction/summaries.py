"""The summary of a session: what was done and how it ended."""

import re
from collections.abc import Iterator, Sequence

from nlm_tui.core import Message
from nlm_tui.extraction.prose import cut, parse, prose_lines, sentences

LONGEST_SUMMARY = 300
_LONGEST_OPENING = 120
_HEAD_CHARACTERS = 8000  # what a summary is taken from; prompts can have megabytes
_IMAGE = re.compile(r"\[image\b[^\[\]\n]{0,80}\]", re.IGNORECASE)

_OPENER = re.compile(
    r"(?:perfect|great|excellent|done|all done|sure|certainly|absolutely|of course|you're (?:absolutely )?right|thanks?"
    r"|thank you|good (?:question|catch|point|idea)|ok|okay|got it)\b[^.!?:]{0,40}[.!?]",
    re.IGNORECASE,
)


def summary_of(spoken: Sequence[Message], label: str) -> str:
    """Return what was asked first and answered last, as far as the label does not say it."""
    prompts = (message.text for message in spoken if message.role == "user")
    answers = (message.text for message in reversed(spoken) if message.role == "assistant")
    opening = _gist(next(prompts, ""), label, _LONGEST_OPENING)
    closing = _gist(next(answers, ""), label, LONGEST_SUMMARY - len(opening) - 1)
    return f"{opening} {closing}".strip()


def _gist(text: str, label: str, limit: int) -> str:
    """Return the first sentences of `text` that say something new; courtesy only where there is nothing else."""
    gist, courtesy = "", ""
    for sentence in _statements(text, label):
        ended = sentence if not sentence[-1].isalnum() else f"{sentence}."
        if _OPENER.fullmatch(sentence):
            courtesy = courtesy or ended
        elif len(gist) + 1 + len(ended) <= limit:
            gist = f"{gist} {ended}".lstrip()
        else:
            return gist if 2 * len(gist) >= limit else cut(f"{gist} {ended}".lstrip(), limit)
    return gist or courtesy


def _statements(text: str, label: str) -> Iterator[str]:
    for raw in prose_lines(text[:_HEAD_CHARACTERS]):
        line = parse(_IMAGE.sub(" ", raw))
        if line is not None and not line.heading and line.text.casefold() != label.casefold():
            for sentence in sentences(line.text):
                if any(map(str.isalnum, sentence)) and sentence[-1] != ":":
                    yield sentence
