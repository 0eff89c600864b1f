"""Where the words of a query stand in a text: spans to highlight, and the passage that matches best.

Words match as the index matches them: whole, without regard to case or accents, with anything between the parts of a
compound such as `rate-limiter`.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from nlm_tui.core.tokens import tokenize, unfinished_token

Span = tuple[int, int]

_WORD_PART = re.compile(r"[^\W_]+")
_MOST_WORDS = 256  # of a query, and characters of a word: a file pasted into the search box must not take seconds
_SNIPPET_LENGTH = 160
_OCCURRENCES = 12  # of each word that a snippet is chosen from


@dataclass(frozen=True, slots=True)
class Matcher:
    """Finds the tokens of one query in texts."""

    words: tuple[str, ...]
    pattern: re.Pattern[str] | None
    unfinished: str = ""  # the one of `words` that may go on

    def spans(self, text: str) -> list[Span]:
        """Return the spans of matches in `text`: sorted, not overlapping."""
        if self.pattern is None:
            return []
        folded, origin = _fold_with_origin(text)
        return [(origin[match.start()], origin[match.end()]) for match in self.pattern.finditer(folded)]

    def best_passage(self, text: str, length: int = _SNIPPET_LENGTH) -> tuple[int, str] | None:
        """Return how many different words the best passage of `text` holds, and the passage; None without a match."""
        if self.pattern is None or not text:
            return None
        places = self._places(text)
        if not places:
            return None
        window: list[tuple[int, int]] = []
        best: tuple[int, int, int] = (0, 0, 0)  # different words, -start, last place
        for place, word in places:
            window.append((place, word))
            while place - window[0][0] > max(length - 40, 0):
                window.pop(0)
            different = len({index for _, index in window})
            best = max(best, (different, -window[0][0], place))
        different, start, end = best[0], -best[1], best[2]
        return different, _cut_passage(text, start, end, length)

    def _places(self, text: str) -> list[tuple[int, int]]:
        """Return places of the words, at most a few for each of them, in the order of the text."""
        # Folding costs ten times what lower case does, and a long text nearly always holds a word without accents.
        lowered = text.lower()
        if len(lowered) == len(text) and (places := self._found(lowered, range(len(text) + 1))):
            return places
        return self._found(*_fold_with_origin(text))

    def _found(self, folded: str, origin: Sequence[int]) -> list[tuple[int, int]]:
        places: list[tuple[int, int]] = []
        for index, word in enumerate(self.words):
            start, seen = 0, 0
            while seen < _OCCURRENCES and (start := folded.find(word, start)) >= 0:
                end = start + len(word)
                goes_on = folded[end : end + 1].isalnum() and word != self.unfinished
                if not (goes_on or folded[start - 1 : start].isalnum()):
                    places.append((origin[start], index))
                    seen += 1
                start = end
        return sorted(places)


def query_matcher(text: str, *, typing: bool = False) -> Matcher:
    """Return the matcher of a query's text; `typing` is as in `RecallQuery`."""
    return matcher(tuple(dict.fromkeys(tokenize(text))), unfinished_token(text) if typing else "")


@lru_cache(maxsize=64)
def matcher(tokens: tuple[str, ...], unfinished: str = "") -> Matcher:
    """Return the matcher of a query's tokens; `unfinished` is the one of them that matches as a beginning too."""
    few = [fold(token[:_MOST_WORDS]) for token in tokens[:_MOST_WORDS]]
    parts = [found for token in few if (found := _WORD_PART.findall(token))]
    words = tuple(dict.fromkeys(part for found in parts for part in found))[:_MOST_WORDS]
    # Longer ones first: of `rate` and `rate-limiter` the latter takes all it can.
    compounds = {_compound(found) for found in parts}
    alternatives = sorted(compounds, key=lambda text: (-len(text), text))
    if not alternatives:
        return Matcher((), None)
    begun = _WORD_PART.findall(fold(unfinished[:_MOST_WORDS]))
    going_on = rf"|(?<![^\W_]){_compound(begun)}" if begun else ""
    pattern = re.compile(rf"(?<![^\W_])(?:{'|'.join(alternatives)})(?![^\W_]){going_on}")
    return Matcher(words, pattern, begun[-1] if begun else "")


def _compound(parts: Sequence[str]) -> str:
    return r"[\W_]+".join(map(re.escape, parts))


def fold(text: str) -> str:
    """Return `text` without case and accents. Each character gives one, or none where it is an accent of its own."""
    folded = text.lower()
    if not folded.isascii():
        # Few different characters change, and `replace` is ten times as fast as `translate`.
        for character in set(folded):
            if (base := _fold_character(character)) != character:
                folded = folded.replace(character, base)
    return folded


@lru_cache(maxsize=8192)
def _fold_character(character: str) -> str:
    simple = character.casefold()
    decomposed = unicodedata.normalize("NFD", simple if len(simple) == 1 else character)
    base = "".join(part for part in decomposed if not unicodedata.combining(part))
    return base if len(base) < 2 else character


def _fold_with_origin(text: str) -> tuple[str, Sequence[int]]:
    """Return the folded text, and the place in `text` of each of its characters and of its end."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded, range(len(text) + 1)
    origin = [place for place, character in enumerate(text) if character < "\u0300" or _fold_character(character)]
    return folded, [*origin, len(text)]


def _cut_passage(text: str, start: int, end: int, length: int) -> str:
    """Return about `length` characters around `start`..`end`, cut at blanks, ellipses where something is left out."""
    left = max(0, start - max(0, (length - (end - start)) // 3))
    right = min(len(text), left + length)
    if left > 0:
        blank = text.find(" ", left, start)
        left = blank + 1 if blank >= 0 else left
    if right < len(text):
        blank = text.rfind(" ", end, right)
        right = blank if blank > end else right
    passage = " ".join(text[left:right].split())
    return f"{'…' if left > 0 else ''}{passage}{'…' if right < len(text) else ''}"
