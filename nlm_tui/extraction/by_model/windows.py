"""Conversations in windows that fit into a model.

What a person says is never shortened, and all of it is in some window. Where a conversation does not fit as a whole,
what tools put out is shortened first, then long code.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from nlm_tui.extraction.by_model.speakers import Part
from nlm_tui.extraction.prose import cut

Window = tuple[Part, ...]

LEAST_TOKENS: Final = 256
"""A window that is asked for is at least as long, however small the model."""

_HEAD_TOKENS = 8  # the number and the speaker of a message
_TOOL_CHARACTERS = 160
_TOOLS_IN_A_ROW = 6
_SUMMARY_CHARACTERS = 1200
_CODE_LINES = 12
_CODE_SHOWN = 4
_CONTEXT_CHARACTERS = 600  # of an answer, before what is said to it in the next window
_FULL = 0.6  # from there on a window ends where an exchange does
_FENCED = re.compile(r"^(```|~~~)[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)


def tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many: three characters each, one outside ASCII."""
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return (plain + 2) // 3 + len(text) - plain


def windows(parts: Sequence[Part], budget: int) -> list[Window]:
    """Return the conversation in as few windows of `budget` tokens as it takes; each begins where an exchange does."""
    budget = max(budget, LEAST_TOKENS)
    if _cost(parts) <= budget:
        return [tuple(parts)] if parts else []
    short = list(_shortened(parts))
    return list(_packed(short, budget))


def halved(window: Window) -> tuple[Window, Window] | None:
    """Return a window as two, None where it is too short for that."""
    cost = _cost(window)
    if cost <= LEAST_TOKENS:
        return None
    first: list[Part] = []
    second: list[Part] = []
    seen = 0
    for part in _split(window, max(cost // 2, LEAST_TOKENS // 2)):
        seen += _cost([part])
        (second if first and seen > cost / 2 else first).append(part)
    return (tuple(first), tuple(second)) if second else None


def _cost(parts: Sequence[Part]) -> int:
    return sum(tokens(part.text) + _HEAD_TOKENS for part in parts)


def _shortened(parts: Sequence[Part]) -> Iterator[Part]:
    for is_tool, row in groupby(parts, key=lambda part: part.speaker == "TOOL"):
        if is_tool:
            yield from _fewer(list(row))
            continue
        for part in row:
            if part.speaker == "SUMMARY":
                yield part._replace(text=cut(part.text, _SUMMARY_CHARACTERS))
            elif part.speaker == "AGENT":
                yield part._replace(text=_FENCED.sub(_without_middle, part.text))
            else:
                yield part


def _fewer(tools: Sequence[Part]) -> Iterator[Part]:
    """Yield calls and outputs that follow each other in a line each, and not all of many."""
    for part in tools[:_TOOLS_IN_A_ROW]:
        yield part._replace(text=cut(" ".join(part.text.split()), _TOOL_CHARACTERS))
    if len(tools) > _TOOLS_IN_A_ROW:
        yield tools[-1]._replace(text=f"({len(tools) - _TOOLS_IN_A_ROW} more)")


def _without_middle(code: re.Match[str]) -> str:
    lines = code.group().split("\n")
    if len(lines) <= _CODE_LINES:
        return code.group()
    return "\n".join((*lines[:_CODE_SHOWN], f"({len(lines) - _CODE_SHOWN - 1} more lines)", lines[-1]))


def _packed(parts: Sequence[Part], budget: int) -> Iterator[Window]:
    window: list[Part] = []
    used = 0
    for exchange in _exchanges(_split(parts, budget // 2)):
        whole = _cost(exchange)
        if window and used > budget * _FULL and used + whole > budget:
            yield tuple(window)
            window = _context(window, exchange, budget)
            used = _cost(window)
        for part in exchange:
            cost = _cost([part])
            if window and used + cost > budget:
                yield tuple(window)
                window, used = [], 0
            window.append(part)
            used += cost
    if window:
        yield tuple(window)


def _context(window: Sequence[Part], exchange: Sequence[Part], budget: int) -> list[Part]:
    """Return what the next window begins with: the end of what a person answers in it."""
    answered = next((part for part in reversed(window) if part.speaker == "AGENT"), None)
    if answered is None or exchange[0].speaker != "USER" or budget < 2 * _CONTEXT_CHARACTERS:
        return []
    return [answered._replace(text=answered.text[-_CONTEXT_CHARACTERS:])]


def _exchanges(parts: Iterator[Part]) -> Iterator[list[Part]]:
    """Yield what a person says with all that follows, up to what a person says next."""
    exchange: list[Part] = []
    for part in parts:
        if exchange and part.speaker == "USER":
            yield exchange
            exchange = []
        exchange.append(part)
    if exchange:
        yield exchange


def _split(parts: Sequence[Part], most: int) -> Iterator[Part]:
    """Yield the parts, those of more than `most` tokens in several: at ends of lines, else of words, else anywhere."""
    for part in parts:
        text = part.text
        while tokens(text) > most:
            end = _end(text, most)
            yield part._replace(text=text[:end].rstrip())
            text = text[end:].lstrip()
        if text:
            yield part._replace(text=text)


def _end(text: str, most: int) -> int:
    """Return where the first `most` tokens of a text end."""
    end = most if not text[: most * 3].isascii() else most * 3
    head = text[:end]
    for mark in ("\n\n", "\n", " "):
        place = head.rfind(mark)
        if place > end // 2:
            return place + len(mark)
    return end
