"""Changes to the text in the box; each gives the new text, and where the cursor is then."""

import re
from collections.abc import Iterator

from nlm_tui.core import Piece, RecallResult, completion_at, one_line, pieces, without, written_value

_LAST_ITEM = re.compile(r"(?<!\S)\S+\Z")


def taken_off(text: str, cursor: int, piece: Piece) -> tuple[str, int]:
    """Take the condition `piece` out of `text`."""
    rest = without(text, piece)
    if cursor > piece.start:
        cursor = max(piece.start, cursor - (len(text) - len(rest)))
    return rest, min(cursor, len(rest))


def likeness(session_id: str) -> str | None:
    """Return the condition that finds what is similar to a session; None where its id is nothing to be typed."""
    condition = f"like:{written_value(session_id)}"
    return condition if one_line(condition) == condition else None


def without_unfinished(text: str) -> str:
    """Return `text` less a filter at its end that has no value yet: as words it would find something else."""
    completion = completion_at(text, len(text))
    if completion is None or completion.kind == "name" or any(piece.end == len(text) for piece in pieces(text)):
        return text
    item = _LAST_ITEM.search(text, 0, completion.start)
    return text[: item.start()] if item is not None else text


def corrections(result: RecallResult) -> dict[str, list[str]]:
    """Return the words that nothing matches, each with those that are spelled nearly so and were looked for instead."""
    found: dict[str, list[str]] = {}
    for term in result.terms:
        if term.how == "approximate" and term.text not in found.setdefault(term.typed, []):
            found[term.typed].append(term.text)
    return found


def corrected(text: str, result: RecallResult) -> tuple[str, int] | None:
    """Put the word that was looked for in the place of the first one that nothing matches; None where all match."""
    for typed, instead in corrections(result).items():
        word = re.compile(rf"(?<!\w){re.escape(typed)}(?!\w)")
        for start, end in _outside_conditions(text):
            if found := word.search(text, start, end):
                changed = text[: found.start()] + instead[0] + text[found.end() :]
                return changed, len(changed)
    return None


def _outside_conditions(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for piece in pieces(text):
        yield start, piece.start
        start = piece.end
    yield start, len(text)
