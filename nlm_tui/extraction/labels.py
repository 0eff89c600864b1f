"""The label of a session: what the work was and on what."""

import re
from collections.abc import Iterable, Iterator, Sequence

from nlm_tui.core import Message, one_line, strip_control
from nlm_tui.extraction.prose import cut

LONGEST_LABEL = 80
_HEAD_LINES, _HEAD_CHARACTERS = 200, 8000  # what a label is taken from; prompts can have megabytes

_IMAGE = re.compile(r"\[image\b[^\[\]\n]{0,80}\]", re.IGNORECASE)
_PICTURES = re.compile("[\u2400-\u2421]")  # stand where a control character was


def label_of(title: str | None, spoken: Sequence[Message], commands: Sequence[str], fallback: str) -> str:
    """Return the title, or what the first prompt says; a command, or `fallback`, where there is neither."""
    prompts = [message.text for message in spoken if message.role == "user"]
    label = (
        _tidy((title or "").lstrip()[:_HEAD_CHARACTERS])
        or _first_line(_IMAGE.sub(" ", line) for line in _head_lines(prompts))
        or _first_line(_head_lines(prompts))
        or _first_line(_head_lines(commands))
        or fallback
    )
    return cut(label, LONGEST_LABEL)


def _head_lines(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for line in text.lstrip().split("\n", _HEAD_LINES)[:_HEAD_LINES]:
            yield line.lstrip()[:_HEAD_CHARACTERS]


def _tidy(text: str) -> str:
    return one_line(_PICTURES.sub("", strip_control(text)))


def _first_line(lines: Iterable[str]) -> str:
    """Return the first line that says something, fences of code passed over."""
    cleaned = (_tidy(line) for line in lines if not line.startswith("```"))
    return next((line for line in cleaned if any(map(str.isalnum, line))), "")
