"""Whether the messages that a model was shown really say what it notes."""

import re
import unicodedata
from collections import Counter, defaultdict
from functools import lru_cache
from typing import Final

from nlm_tui.extraction.by_model.speakers import VOICES
from nlm_tui.extraction.by_model.windows import Window

_LONGEST: Final = 400  # characters of a quote
_SHORT: Final = 12  # letters: such a quote may stand anywhere, and counts in the message that is named only
_GROUNDED: Final = 0.5
_ENOUGH_WORDS: Final = 12
_COMMON: Final = 0.25
_STEM: Final = 5
_LEFT_OUT: Final = frozenset("*_`#\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb\u200b\u200d")
_DASHES: Final = frozenset("\u2010\u2011\u2012\u2013\u2014\u2212")
_HOLE: Final = "\x00"  # stands for a line that nobody says himself
_GAP = re.compile(r"\s*(?:\[\s*(?:\.{3}|\u2026)\s*\]|\.{3,}|\u2026)\s*")
_ENDS: Final = " .,;:!?()[]-"
_WORD = re.compile(r"[^\W_]{3,}")


class Evidence:
    """What is said in a window, and by whom."""

    def __init__(self, window: Window) -> None:
        said: dict[int, list[str]] = defaultdict(list)
        aside: list[str] = []
        for part in window:
            if part.speaker in VOICES:
                own, quoted = _own_words(part.text)
                said[part.number].append(own)
                aside.append(quoted)
            else:
                aside.append(part.text)
        self._said = dict(said)
        self._voice = _folded("\n".join(text for texts in said.values() for text in texts))[0]
        self._aside = _folded("\n".join(aside))[0]
        self._all = f"{self._voice} {self._aside}"
        self._scripts = Counter(script for script in map(_script, self._all) if script)

    def find(self, number: int | None, quote: str) -> tuple[int, str] | None:
        """Return the message that holds a quote, and the quote as it stands there; None where none does.

        That is the one of this number, else the nearest: models count badly. White space, case, emphasis and quotation
        marks need not be the same, and what is left out may be marked by dots.
        """
        pieces = [piece for text in _GAP.split(quote) if (piece := _folded(text)[0].strip(_ENDS))]
        letters = sum(map(str.isalnum, "".join(pieces)))
        if letters < 2:
            return None
        numbers = [number] if letters < _SHORT else sorted(self._said, key=lambda one: (abs(one - (number or 0)), one))
        for one in numbers:
            for text in self._said.get(one or 0, ()) if one is not None else ():
                if found := _span(text, pieces):
                    return one or 0, found
        return None

    def names(self, name: str) -> bool:
        """Return whether somebody says a name."""
        folded = _folded(name)[0].strip()
        return bool(folded) and folded in self._voice

    def is_aside(self, text: str) -> bool:
        """Return whether a text says what only output of tools, quotations or code say."""
        stems = _stems(text)
        voiced = _share(stems, self._voice)
        return bool(stems) and voiced < _GROUNDED and _share(stems, self._aside) > voiced

    def is_in_another_language(self, text: str) -> bool:
        """Return whether a text has hardly a word, or hardly a letter, that is used in the conversation."""
        own = [script for script in map(_script, text) if script]
        strange = sum(self._scripts[script] * 20 < self._scripts.total() for script in own)
        if 2 * strange > len(own):
            return self._scripts.total() > 0
        stems = _stems(text) if "CJK" not in own else []
        return len(stems) >= _ENOUGH_WORDS and _share(stems, self._all) < _COMMON


def _stems(text: str) -> list[str]:
    """Return the words of a text, of long ones only the beginning, which their other forms share."""
    return [word[:_STEM] for word in _WORD.findall(_folded(text)[0])]


def _share(stems: list[str], text: str) -> float:
    return sum(stem in text for stem in stems) / len(stems) if stems else 0.0


def _span(text: str, pieces: list[str]) -> str:
    """Return the characters of `text` that hold all pieces in their order; of the first, where that is far too long."""
    folded, places = _folded(text)
    start = end = first = -1
    for piece in pieces:
        found = folded.find(piece, max(end, 0))
        if found < 0:
            return ""
        end = found + len(piece)
        if start < 0:
            start, first = found, end
    last = end if places[end - 1] - places[start] < _LONGEST else first
    span = text[places[start] : places[last - 1] + 1]
    return span[:_LONGEST] if _HOLE not in span else text[places[start] : places[first - 1] + 1][:_LONGEST]


@lru_cache(maxsize=256)
def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text in which what quotes may change is always the same, and where each character of it stands."""
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character in _LEFT_OUT:
            continue
        if character.isspace():
            shown = "" if folded and folded[-1] == " " else " "
        elif character in _DASHES:
            shown = "-"
        else:
            shown = character.casefold() if character.isascii() else _plain(character)
        folded.extend(shown)
        places.extend([place] * len(shown))
    return "".join(folded), tuple(places)


def _plain(character: str) -> str:
    return unicodedata.normalize("NFKC", character).casefold()


def _own_words(text: str) -> tuple[str, str]:
    """Return what is said in a message, with holes where it quotes or shows something, and what that is."""
    own: list[str] = []
    quoted: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = line.lstrip()[:3]
        if mark in {"```", "~~~"} and (not fence or mark == fence):
            fence = "" if fence else mark
            own.append(_HOLE)
        elif fence or line.lstrip().startswith(">"):
            own.append(_HOLE)
            quoted.append(line)
        else:
            own.append(line)
    return "\n".join(own), "\n".join(quoted)


@lru_cache(maxsize=4096)
def _script(character: str) -> str:
    """Return the script of a letter: the first word of its name, the scripts of one language as one."""
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, "").partition(" ")[0]
    return "CJK" if name in {"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "FULLWIDTH"} else name
