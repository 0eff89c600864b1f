"""Finding a literal text: capitals count where there are any, accents where they were typed."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from nlm_tui.core.matching import Span

_VOICED = "\u3099\u309a"  # marks that make another letter of a Japanese one


class Finder:
    """Finds one text wherever it stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._exact = any(map(str.isupper, text))
        self._accents = any(map(_is_accent, unicodedata.normalize("NFD", text)))
        self._wanted = "".join(self._fold(text))

    def spans(self, text: str) -> list[Span]:
        """Return where the text stands in `text`, from left to right, not overlapping."""
        if not self._wanted:
            return []
        if text.isascii():
            return list(_places(self._wanted, text if self._exact else text.lower()))
        parts = self._fold(text)
        folded = "".join(parts)
        if self._wanted not in folded:
            return []
        origin = [place for place, part in enumerate(parts) for _ in part]
        begins = {0, *(place + 1 for place, (one, two) in enumerate(pairwise(origin)) if one != two), len(origin)}
        origin.append(len(text))
        # Half of a letter is none: neither `f` of a ligature, nor `e` of an accented one where accents count.
        return [
            (origin[start], origin[end])
            for start, end in _places(self._wanted, folded)
            if start in begins and end in begins and not _is_accent(folded[end : end + 1])
        ]

    def _fold(self, text: str) -> list[str]:
        """Return what each character of `text` is compared as."""
        return [_fold(character, self._exact, self._accents) for character in text]


def _places(wanted: str, text: str) -> Iterator[Span]:
    place = 0
    while (place := text.find(wanted, place)) >= 0:
        yield place, place + len(wanted)
        place += len(wanted)


def _is_accent(character: str) -> bool:
    return bool(character) and bool(unicodedata.combining(character)) and character not in _VOICED


@lru_cache(maxsize=16_384)
def _fold(character: str, exact: bool, accents: bool) -> str:  # noqa: FBT001 - a cache takes no names
    folded = unicodedata.normalize("NFD", character if exact else character.casefold())
    return folded if accents else "".join(part for part in folded if not _is_accent(part))
