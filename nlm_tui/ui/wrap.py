"""Wrapping of lines to a width in cells, as spans, so that places in the text stay known."""

import re

from rich.cells import cell_len, chop_cells

from nlm_tui.core import Span

_ITEM = re.compile(r"\S+(?: \S+)*")
_WORD = re.compile(r"\s*\S+")


def wrap(text: str, width: int) -> list[Span]:
    """Return the rows that `text`, one line, takes at `width` cells. Blanks at a break belong to no row."""
    if width < 1 or len(text) <= width // 2:
        return [(0, len(text))]
    if text.isascii():
        return _wrap_ascii(text, width)
    if cell_len(text) <= width:
        return [(0, len(text))]
    return _wrap_cells(text, width)


def wrap_items(text: str, width: int) -> list[Span]:
    """Return the rows of a line of items with two blanks between them: an item is cut only where it fills a row."""
    rows: list[Span] = []
    start = 0
    for match in _ITEM.finditer(text):
        if match.start() > start and cell_len(text[start : match.end()]) > width:
            rows += [(start + first, start + last) for first, last in wrap(text[start : match.start()].rstrip(), width)]
            start = match.start()
    return rows + [(start + first, start + last) for first, last in wrap(text[start:], width)]


def _wrap_ascii(text: str, width: int) -> list[Span]:
    rows: list[Span] = []
    start, length = 0, len(text)
    first_word = length - len(text.lstrip())
    while length - start > width:
        blank = text.rfind(" ", start, start + width + 1)
        if blank > max(start, first_word):
            rows.append((start, blank))
            start = blank + 1
            while start < length and text[start] == " ":
                start += 1
        else:
            rows.append((start, start + width))
            start += width
    rows.append((start, length))
    return rows


def _wrap_cells(text: str, width: int) -> list[Span]:
    rows: list[Span] = []
    start, used = 0, 0
    for match in _WORD.finditer(text):
        size = cell_len(match.group())
        if used + size <= width:
            used += size
            continue
        word = match.start() + len(match.group()) - len(match.group().lstrip())
        if used:
            rows.append((start, match.start()))
            start, size = word, cell_len(text[word : match.end()])
        pieces = chop_cells(text[start : match.end()], width) if size > width else []
        for piece in pieces[:-1]:
            rows.append((start, start + len(piece)))
            start += len(piece)
        used = cell_len(text[start : match.end()])
    rows.append((start, len(text)))
    return rows
