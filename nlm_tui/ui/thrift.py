"""Fewer bytes for the same picture: over a slow connection a key is as quick as what it sends is short.

Each piece of text comes with all of its style, and with an end of it. Most of that the terminal knows already: what it
is sent instead is what differs from the piece before.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from textual.driver import Driver

_TOKEN = re.compile(r"\x1b\[([0-9;]*)m|\x1b\[[0-9;]*H|\n")
_OFF: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29", "21": "24"}
_COLOUR = re.compile(r"(?P<plain>3[0-79]|9[0-7]|4[0-79]|10[0-7])|(?P<more>[34]8);(?:5;\d+|2;\d+;\d+;\d+)")


class _State(NamedTuple):
    """What a terminal writes with."""

    attributes: frozenset[str] = frozenset()
    foreground: str = ""
    background: str = ""

    @property
    def codes(self) -> str:
        return ";".join(filter(None, (*sorted(self.attributes, key=int), self.foreground, self.background)))


_PLAIN: Final = _State()


def thrifty(text: str) -> str:
    """Return what shows the same as `text`, which begins and ends in a plain style, in fewer bytes."""
    parts: list[str] = []
    now = wanted = _PLAIN
    at = 0
    for token in _TOKEN.finditer(text):
        if token.start() > at:
            parts += (_change(now, wanted), text[at : token.start()])
            now = wanted
        at = token.end()
        if token[1] is None:
            parts.append(token[0])
        elif (state := _read(token[1])) is None:
            parts += (_change(now, _PLAIN), token[0])  # whatever that is, its end is a plain style
            now = wanted = _PLAIN
        else:
            wanted = state
    if at < len(text):
        parts += (_change(now, wanted), text[at:])
        now = wanted
    parts.append(_change(now, wanted))
    return "".join(parts)


@lru_cache(maxsize=1024)
def _read(codes: str) -> _State | None:
    """Return the style that `codes` make of a plain one; None where they say more than is known here."""
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
                return None
        if at < len(codes) and codes[at] != ";":
            return None
        at += 1
    return _State(frozenset(attributes), colours["3"], colours["4"])


@lru_cache(maxsize=4096)
def _change(now: _State, wanted: _State) -> str:
    """Return what turns one style into another."""
    if now == wanted:
        return ""
    if wanted == _PLAIN:
        return "\x1b[0m"
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
    return f"\x1b[{min(changes, f'0;{wanted.codes}', key=len)}m"


def thrifty_driver(base: type[Driver]) -> type[Driver]:
    """Return a driver that sends the terminal no more than it needs."""

    class ThriftyDriver(base):
        def write(self, data: str) -> None:
            super().write(thrifty(data) if "\x1b" in data else data)

    return ThriftyDriver
