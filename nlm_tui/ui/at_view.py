"""What of a session is in view: the message, the block of code, where in its transcript they stand."""

from typing import NamedTuple

from nlm_tui.display.document import Kind
from nlm_tui.ui.layout import Document


class Whereabouts(NamedTuple):
    """Where in a session something stands: the message's number from 0, its role and time, and its text as shown.

    A transcript holds the time of a message as it is here, so the line to open it at can be found by it.
    """

    message: int
    role: str
    at: str | None
    text: str


def message_at(document: Document, first: int, last: int) -> Whereabouts | None:
    """Return the message that line `first` is in, else the first one up to line `last`."""
    lines = document.lines
    line = next((number for number in range(first, min(last + 1, len(lines))) if lines[number].message >= 0), None)
    if line is None:
        return None
    number = lines[line].message
    begin, end = line, line
    while begin and lines[begin - 1].message == number:
        begin -= 1
    while end < len(lines) and lines[end].message == number:
        end += 1
    said = [one for one in lines[begin:end] if one.kind not in {Kind.SPEAKER, Kind.PROMPT}]
    # A margin is the screen's, not the text's.
    text = "\n".join(one.text[2:] if one.indent else one.text for one in said)
    turn = document.turns[number] if number < len(document.turns) else None
    return Whereabouts(number, turn.role if turn else "transcript", turn.at if turn else None, text)


def code_at(document: Document, first: int, last: int) -> str:
    """Return the block of code that line `first` is in, else the first one up to line `last`; '' without any."""
    lines = document.lines
    for number in range(first, min(last + 1, len(lines))):
        if (block := document.block(number)) is not None:
            return "\n".join(line.text[2:] if line.indent else line.text for line in lines[block.first : block.end])
    return ""
