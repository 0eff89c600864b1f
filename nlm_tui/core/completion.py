"""What a text of the query language can be completed to."""

import re
from dataclasses import dataclass
from string import ascii_letters
from typing import Literal

from nlm_tui.core.filters import CLOSED_VALUES
from nlm_tui.core.query import (
    COMMAS,
    FILTER_HEAD,
    FILTER_NAMES,
    FILTER_VALUES,
    QUOTED_TEXT,
    QUOTES,
    Filter,
    FilterName,
    Scanned,
    filter_name,
    parts,
    scan,
    unquoted,
    written_value,
)

_DAYS = ("today", "yesterday", "7d", "30d")
_OPEN_FILTER = re.compile(rf"(?<!\S)-?{FILTER_HEAD}(?P<values>{FILTER_VALUES}(?:[{QUOTES}][^{QUOTES}]*+)?)\Z")
_OPEN_VALUE = re.compile(rf"[{QUOTES}]({QUOTED_TEXT})\Z")
_QUOTED_VALUE = re.compile(rf"[{QUOTES}]{QUOTED_TEXT}[{QUOTES}](?![^\s{COMMAS}])")
_REST_OF_VALUE = re.compile(rf"[^\s{COMMAS}{QUOTES}]*")
_REST_OF_NAME = re.compile(r"[A-Za-z]*+(?!\S)")
_BLANK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Completion:
    """What stands in `text[start:end]`, up to the cursor `beginning`, can become the name or a value of a filter.

    `name` is the filter's when a value is completed.
    """

    kind: Literal["name", "value"]
    beginning: str
    start: int
    end: int
    name: FilterName | None = None


def completion_at(text: str, cursor: int) -> Completion | None:
    """Return what can be completed at `cursor`; None within words, phrases and what is escaped."""
    cursor = min(max(cursor, 0), len(text))
    after = 0
    for found in scan(text):
        if found.start >= cursor:
            break
        if cursor <= found.end:
            return _within(text, cursor, found)
        after = found.end
    return _half_typed(text, cursor, after) or _name(text, cursor)


def name_candidates(beginning: str) -> tuple[str, ...]:
    """Return the filter names that begin so, each with its colon."""
    return tuple(f"{name}:" for name in FILTER_NAMES if name.startswith(beginning.lower()))


def closed_values(name: str) -> tuple[str, ...] | None:
    """Return the values to offer for a filter; None where they stand in the store."""
    if name in {"since", "before"}:
        return _DAYS
    return next((values for closed, values in CLOSED_VALUES.items() if closed == name), None)


def completed(text: str, completion: Completion, chosen: str) -> tuple[str, int]:
    """Return `text` with `chosen` put in, and where the cursor is then: after the colon, or the blank after a value."""
    before, after = text[: completion.start], text[completion.end :]
    if completion.kind == "name":
        before += f"{chosen.removesuffix(':')}:"
        return before + after, len(before)
    before += written_value(chosen)
    if after[:1] and after[0] in COMMAS:
        return before + after, len(before)
    if not after[:1].isspace():
        after = f" {after}"
    return before + after, len(before) + 1


def _within(text: str, cursor: int, found: Scanned) -> Completion | None:
    if found.escaped or found.kind == "phrase":
        return None
    if isinstance(found.value, Filter):
        return _value(text, cursor, found.value.name, found.values_at) if cursor >= found.values_at else None
    return _name(text, cursor) if text[found.start + 1] not in QUOTES else None


def _half_typed(text: str, cursor: int, after: int) -> Completion | None:
    """Return the value that is being typed in what is no filter yet."""
    while (found := _OPEN_FILTER.search(text, after, cursor)) is not None:
        completion = _value(text, cursor, filter_name(found["name"]), found.start("values"))
        blank = _BLANK.search(text, found.start(), cursor)
        if completion is not None or blank is None:
            return completion
        after = blank.start()
    return None


def _value(text: str, cursor: int, name: FilterName, values_at: int) -> Completion | None:
    *_, last = parts(text, values_at, cursor)
    beginning = last.value
    if beginning is None:
        typed = _OPEN_VALUE.match(text, last.start, cursor)
        if typed is None:
            return None
        beginning = unquoted(typed[1])
    whole = _QUOTED_VALUE.match(text, last.start) or _REST_OF_VALUE.match(text, cursor)
    return Completion("value", beginning, last.start, whole.end() if whole is not None else cursor, name)


def _name(text: str, cursor: int) -> Completion | None:
    before = text[:cursor]
    start = len(before.rstrip(ascii_letters))
    item = start - 1 if before[:start].endswith("-") else start
    rest = _REST_OF_NAME.match(text, cursor)
    if start == cursor or rest is None or (item > 0 and not text[item - 1].isspace()):
        return None
    return (
        Completion("name", text[start:cursor], start, rest.end()) if name_candidates(text[start : rest.end()]) else None
    )
