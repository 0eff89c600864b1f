"""How Markdown is shown: every character stays where it is, its signs step back and what they mean is styled."""

import re
from enum import StrEnum
from typing import NamedTuple

_LONGEST = 2_000  # characters of a line that is looked at: longer ones are data, not prose
_FENCE = re.compile(r"[ ]*(`{3,}|~{3,})[ ]*([^`]*)$")
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ ]+\S.*")
_ITEM = re.compile(r"[ ]*([-*+]|\d{1,9}[.)])[ ]+(?=\S)")
_QUOTE = re.compile(r"[ ]*((?:>[ ]?)+)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*\\])([*_])(?![\s*_])([^*_]+)(?<!\s)\1(?![\w*])")


class Look(StrEnum):
    """How a part of a line looks."""

    SIGN = "sign"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"
    HEADING = "subheading"
    KEYWORD = "keyword"
    STRING = "string"
    COMMENT = "comment"


class Piece(NamedTuple):
    """Characters `start` to `end` of a line, and how they look."""

    start: int
    end: int
    look: Look


class Fence(NamedTuple):
    """What begins a block of code: its sign, and the language that it names."""

    sign: str
    language: str


def fence(text: str) -> Fence | None:
    """Return the fence that `text` is; None where it is none."""
    found = _FENCE.match(text) if "```" in text or "~~~" in text else None
    if found is None:
        return None
    words = found[2].strip(" {}.").split(maxsplit=1)
    return Fence(found[1], words[0].lower() if words else "")


def closes(text: str, opened: Fence) -> bool:
    """Return whether `text` ends the block that `opened` began."""
    found = fence(text)
    return found is not None and found.sign.startswith(opened.sign) and not text.strip().strip(opened.sign[0])


def prose_pieces(text: str) -> list[Piece]:
    """Return the parts of a line of prose that look unlike the rest: in order, of two that overlap the later counts."""
    if len(text) > _LONGEST:
        return []
    pieces: list[Piece] = []
    if heading := _HEADING.match(text):
        pieces += (Piece(0, len(text), Look.HEADING), Piece(*heading.span(1), Look.SIGN))
    elif item := _ITEM.match(text):
        pieces.append(Piece(*item.span(1), Look.STRONG))
    elif quote := _QUOTE.match(text):
        pieces.append(Piece(*quote.span(1), Look.SIGN))
    return pieces + inline_pieces(text)


def inline_pieces(text: str) -> list[Piece]:
    """Return the parts of a line that signs around them make code, strong or emphasised; in the order of above."""
    pieces: list[Piece] = []
    if len(text) > _LONGEST or not ("`" in text or "*" in text or "_" in text):
        return pieces
    bare = text
    for pattern, look in ((_CODE, Look.CODE), (_STRONG, Look.STRONG), (_EMPHASIS, Look.EMPHASIS)):
        for found in pattern.finditer(bare):
            (start, end), (first, last) = found.span(), found.span(2)
            pieces += (Piece(start, first, Look.SIGN), Piece(first, last, look), Piece(last, end, Look.SIGN))
            if look is Look.CODE:  # in code no sign means anything
                bare = bare[:start] + "x" * (end - start) + bare[end:]
            elif look is Look.STRONG:
                bare = bare[:start] + "xx" + bare[first:last] + "xx" + bare[end:]
    # Code inside of what is strong looks as code.
    return sorted(pieces, key=lambda piece: (piece.look in {Look.CODE, Look.SIGN}, piece.start))
