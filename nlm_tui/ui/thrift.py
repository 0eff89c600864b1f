"""Fewer bytes for the same style: each piece of text comes with all of its style, and with an end of it.

Most of that the terminal knows already: what it is sent instead is what differs from the piece before.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

_CODES = re.compile(r"\x1b\[([0-9;]*)m")
_MOVES = re.compile(r"(?:\x1b\[[0-9;]*H|\n)*")
_OFF: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29", "21": "24"}
_COLOUR = re.compile(r"(?P<plain>3[0-79]|9[0-7]|4[0-79]|10[0-7])|(?P<more>[34]8);(?:5;\d+|2;\d+;\d+;\d+)")
_UNSEEN_ON_BLANKS: Final = {"1", "3"}


class TextStyle(NamedTuple):
    """What a terminal writes with."""

    attributes: frozenset[str] = frozenset()
    foreground: str = ""
    background: str = ""
    unread: str = ""  # all codes, where they say more than is known here

    @property
    def codes(self) -> str:
        """What makes a plain style this one."""
        known = *sorted(self.attributes, key=int), self.foreground, self.background
        return self.unread or ";".join(filter(None, known))

    @property
    def on_blanks(self) -> "TextStyle":
        """What is seen of it where nothing but blanks are written."""
        if self.unread or not self.attributes <= _UNSEEN_ON_BLANKS:
            return self
        return TextStyle(background=self.background)


PLAIN: Final = TextStyle()
_ANY: Final = TextStyle(unread="any")  # what follows it is said in full


def pieces(text: str, style: TextStyle) -> list[tuple[TextStyle, str]]:
    """Return the pieces of a text that begins in `style`, each with its own style, which is made of a plain one.

    At least one; the last one may be empty: its style is that of what is written next.
    """
    first, *rest = _CODES.split(text)
    return [(style, first), *((_read(codes), piece) for codes, piece in zip(rest[::2], rest[1::2], strict=True))]


def thrifty(text: str) -> str:
    """Return what shows the same as `text`, in which each style is made of a plain one, in fewer bytes."""
    parts: list[str] = []
    now = style = _ANY
    for style, piece in pieces(text, _ANY):
        moves = _MOVES.match(piece)
        start = moves.end() if moves else 0
        parts.append(piece[:start])
        if start < len(piece):
            parts += (change(now, style), piece[start:])
            now = style
    return "".join((*parts, change(now, style)))


@lru_cache(maxsize=1024)
def _read(codes: str) -> TextStyle:
    """Return the style that `codes` make of a plain one."""
    attributes: set[str] = set()
    colours = {"3": "", "4": ""}
    at = 0
    while at < len(codes):
        if found := _COLOUR.match(codes, at):
            code = found[0]
            layer = "4" if code.startswith(("4", "10")) else "3"
            colours[layer] = "" if code in {"39", "49"} else code
            at = found.end()
        else:
            code = codes[at:].partition(";")[0]
            at += len(code)
            if code in {"", "0"}:
                attributes.clear()
                colours = {"3": "", "4": ""}
            elif code in _OFF:
                attributes.add(code)
            else:
                return TextStyle(unread=codes)
        if at < len(codes) and codes[at] != ";":
            return TextStyle(unread=codes)
        at += 1
    return TextStyle(frozenset(attributes), colours["3"], colours["4"])


@lru_cache(maxsize=4096)
def change(now: TextStyle, wanted: TextStyle) -> str:
    """Return what turns one style into another."""
    if now == wanted:
        return ""
    if wanted == PLAIN:
        return "\x1b[0m"
    in_full = f"0;{wanted.codes}"
    if now.unread or wanted.unread:
        return f"\x1b[{in_full}m"
    off = {_OFF[attribute] for attribute in now.attributes - wanted.attributes}
    # What ends one attribute may end another one with it.
    on = {one for one in wanted.attributes if one not in now.attributes or _OFF[one] in off}
    colours = [
        (after or default) if before != after else ""
        for before, after, default in (
            (now.foreground, wanted.foreground, "39"),
            (now.background, wanted.background, "49"),
        )
    ]
    changes = ";".join(filter(None, (*sorted(off, key=int), *sorted(on, key=int), *colours)))
    return f"\x1b[{min(changes, in_full, key=len)}m"
