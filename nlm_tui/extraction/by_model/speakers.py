"""Who says what in a conversation: only what a person or the agent says can be evidence."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from nlm_tui.core import Message, strip_control

Speaker = Literal["USER", "AGENT", "TOOL", "SUMMARY"]
VOICES: Final[frozenset[Speaker]] = frozenset({"USER", "AGENT"})
"""Whose words count."""

_SPEAKERS: Final[dict[str, Speaker]] = {
    "user": "USER",
    "command": "USER",
    "transcript": "USER",
    "assistant": "AGENT",
    "tool": "TOOL",
    "summary": "SUMMARY",
}
# Calls that show the user a plan or questions, and what the user answers to the next of them.
_SHOWN = re.compile(
    r"(?:exit_?plan_?mode|update_plan|present_plan|ask_?user(?:_?questions?)?|ask_followup_question|request_user_input"
    r"|question|todo_?write|write_todos)\n",
    re.IGNORECASE,
)
_ANSWERED = re.compile(
    r"\s*(?:(?:the )?user (?:has )?(?:answered|approved|rejected|declined|chose|selected|said|responded)\b"
    r"|your questions have been answered|the user doesn't want to)",
    re.IGNORECASE,
)


class Part(NamedTuple):
    """A message of the conversation by its number, or a part of one, as the model is shown it."""

    number: int
    speaker: Speaker
    text: str


def spoken_parts(messages: Sequence[Message]) -> list[Part]:
    """Return what a model is to read: not what was taken back, nor what a copy has from another session.

    Where that leaves nothing, it is all of it.
    """
    told = [Part(number, speaker, text) for number, speaker, text in _told(messages) if not text.isspace() and text]
    standing = [part for part in told if not messages[part.number].withdrawn] or told
    return [part for part in standing if not messages[part.number].inherited] or standing


def _told(messages: Sequence[Message]) -> Iterator[tuple[int, Speaker, str]]:
    was_shown = False
    for number, message in enumerate(messages):
        speaker = _SPEAKERS.get(message.role)
        if speaker is None:
            continue
        is_shown = False
        if speaker == "TOOL" and was_shown and _ANSWERED.match(message.text):
            speaker = "USER"
        elif speaker == "TOOL" and _SHOWN.match(message.text):
            speaker, is_shown = "AGENT", True
        was_shown = is_shown
        yield number, speaker, strip_control(message.text).strip()
