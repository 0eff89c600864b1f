"""Where the words of a query stand in a text: spans to highlight, and the passage that matches best.

Words match as the index matches them: by their stems, without regard to case or accents, inside identifiers and runs of
scripts without blanks, with anything between the parts of a compound such as `rate-limiter`.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nlm_tui.core.parts import PLAIN_LETTERS, is_cjk
from nlm_tui.core.result import Term
from nlm_tui.core.stemming import completions, stem
from nlm_tui.core.units import Phrase, Unit, units

Span = tuple[int, int]

_SNIPPET_LENGTH = 160
_OCCURRENCES = 6  # of each word that a snippet is chosen from
_LOOKS = 100  # at places in a text that may hold a word, in search of those
_GAP = 64  # characters between the parts of a compound, at most
_CONTRACTIONS = frozenset(
    "arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt mustnt shouldnt wasnt werent wont wouldnt "  # noqa: SIM905
    "im ive id youre youve theyre theyve weve thats whats heres theres lets".split()
)
_VOICED = "\u3099\u309a"  # marks that make another letter of a Japanese one
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_LONGEST_PART = 128  # characters of an identifier in which a word may end
_RUN = re.compile(r"[^\W_]*")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word to be found: `root` begins all words that match, `key` is the stem that they share.

    Of a `literal` the root itself is found wherever it stands; of a `beginning`, wherever a word begins.
    """

    root: str
    key: str
    beginning: bool = False
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Matcher:
    """Finds in texts what a recall looked for: of each thing in `wanted` the ways to find it, words in sequence."""

    wanted: tuple[tuple[tuple[_Word, ...], ...], ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to find."""
        return bool(self.wanted)

    def spans(self, text: str) -> list[Span]:
        """Return the spans of matches in `text`: sorted, not overlapping."""
        if not self.wanted or not text:
            return []
        folded = _Folded(text)
        found = sorted({span for ways in self.wanted for way in ways for span in _found(folded, way)})
        spans: list[Span] = []
        for start, end in found:
            if spans and start < spans[-1][1]:
                spans[-1] = (spans[-1][0], max(spans[-1][1], end))
            else:
                spans.append((start, end))
        origin = folded.origin
        # An end may be inside of what became of one character, or before accents that became nothing.
        return [(origin[start], max(origin[end], origin[end - 1] + 1)) for start, end in spans]

    def occurs(self, text: str) -> bool:
        """Return whether anything matches in `text`."""
        folded = _Folded(text)
        return any(next(_found(folded, way), None) for ways in self.wanted for way in ways)

    def best_passage(self, text: str, length: int = _SNIPPET_LENGTH) -> tuple[int, str] | None:
        """Return how many different words the best passage of `text` holds, and the passage; None without a match."""
        if not self.wanted or not text:
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
        lowered = _Folded(text, quick=True)
        return self._few(lowered) or (self._few(_Folded(text)) if lowered.is_quick else [])

    def _few(self, folded: "_Folded") -> list[tuple[int, int]]:
        places: list[tuple[int, int]] = []
        for index, ways in enumerate(self.wanted):
            for way in ways:
                found = _found(folded, way, looks=_LOOKS)
                places += [
                    (folded.origin[start], index) for (start, _), _ in zip(found, range(_OCCURRENCES), strict=False)
                ]
        return sorted(places)


class _Folded:
    """A text without case and accents, and where each of its characters stood."""

    def __init__(self, text: str, *, quick: bool = False) -> None:
        self.text = text
        lowered = text.lower()
        self.is_quick = quick and not text.isascii() and len(lowered) == len(text)
        self.folded, self.origin = (
            (lowered, range(len(text) + 1)) if self.is_quick or text.isascii() else _fold_with_origin(text)
        )

    def begins_part(self, place: int) -> bool:
        """Return whether a word, or a part of one, begins at `place`."""
        if place == 0:
            return True
        character = self.text[self.origin[place]]
        if character.islower() and character.isascii() and self.folded[place - 1] in _LETTERS:
            return False  # most places are inside a word of lower case
        return self.is_boundary(place)

    def is_one_part(self, start: int, end: int) -> bool:
        """Return whether the letters from `start` to `end` are surely no identifier of several parts."""
        word = self.text[self.origin[start] : self.origin[end]]
        return word[1:].islower() and word.isalpha() and word.isascii()

    def is_boundary(self, place: int) -> bool:
        """Return whether words, or parts of an identifier, meet at `place`."""
        if place >= len(self.folded):
            return True
        before, after = self.folded[place - 1], self.folded[place]
        if not (before.isalnum() and after.isalnum()):
            return True
        if before.isdigit() != after.isdigit() or (
            (not before.isascii() or not after.isascii()) and (is_cjk(before) or is_cjk(after))
        ):
            return True
        return self._turns_upper(place)

    def _turns_upper(self, place: int) -> bool:
        at = self.origin[place]
        before, after = self.text[self.origin[place - 1]], self.text[at]
        if not after.isupper():
            return False
        following = self.text[at + 1 : at + 2]
        return not before.isupper() or following.islower()


def matcher(terms: tuple[Term, ...]) -> Matcher:
    """Return the matcher of what a recall looked for."""
    return _matcher(tuple((term.text, term.how) for term in terms))


def query_matcher(text: str, *, typing: bool = False) -> Matcher:
    """Return the matcher of a query's text, where nobody knows what was looked for; `typing` is as in `RecallQuery`."""
    found = units(text, typing=typing)
    return Matcher(tuple(filter(None, (_unit_words(unit, beginning=unit.unfinished) for unit in found))))


@lru_cache(maxsize=64)
def _matcher(terms: tuple[tuple[str, str], ...]) -> Matcher:
    wanted = (_unit_words(unit, beginning=how == "beginning") for text, how in terms for unit in units(text))
    return Matcher(tuple(filter(None, wanted)))


def _unit_words(unit: Unit, *, beginning: bool) -> tuple[tuple[_Word, ...], ...]:
    """Return the ways to find a unit in a text."""
    ways = dict.fromkeys(tuple(map(_word, phrase)) for phrase in _phrases(unit, beginning=beginning))
    typed = fold(unit.typed.strip('"'))
    signs = any(not (character.isalnum() or character.isspace()) for character in typed)
    for spelling in (typed if signs else "", *_with_signs(typed)):
        if spelling:
            ways[_Word(spelling, "", literal=True),] = None
    return tuple(ways)


def _phrases(unit: Unit, *, beginning: bool) -> Iterator[Phrase]:
    """Yield the words in sequence of which any tells that a text may hold `unit`."""
    if unit.quoted:
        yield from [unit.sequence] if unit.sequence else []
        return
    for way in (*unit.ways, *(unit.beginnings if beginning else ())):
        yield from map(_unigrams, way)
    if beginning and unit.word:
        yield from ((word,) for word in completions(unit.word))


def _unigrams(phrase: Phrase) -> Phrase:
    """Return the words of a phrase; pairs of neighbouring characters as the run that they make."""
    if phrase and is_cjk(phrase[0]) and all(len(word) == 2 for word in phrase):
        return ("".join(word[0] for word in phrase) + phrase[-1][1],)
    return phrase


def _word(text: str) -> _Word:
    folded = fold(text.rstrip("*"))
    if is_cjk(folded):
        return _Word(folded, "", literal=True)
    if text.endswith("*"):
        return _Word(folded, folded, beginning=True)
    key = stem(folded)
    # Words of one stem share its letters but for the last two: retry and retries, probable and probability.
    root = key[: max(3, len(key) - 2)]
    return _Word(root if folded.startswith(root) else folded, key)


def _with_signs(typed: str) -> tuple[str, ...]:
    """Return the spellings with signs of a word that is indexed for them: `c#` of `csharp`, `don't` of `dont`."""
    if typed == "dotnet":
        return (".net",)
    for ending, sign in (("sharp", "#"), ("plusplus", "++")):
        if typed.endswith(ending) and typed != ending:
            return (typed.removesuffix(ending) + sign,)
    if typed in _CONTRACTIONS:
        cut = len(typed) - (1 if typed[-1] in "tsmd" else 2)
        return tuple(f"{typed[:cut]}{apostrophe}{typed[cut:]}" for apostrophe in "'\u2019")
    return ()


def _found(folded: _Folded, words: tuple[_Word, ...], looks: int | None = None) -> Iterator[Span]:
    """Yield the places in a folded text where `words` follow each other, after at most so many looks."""
    text, first = folded.folded, words[0]
    place, looked = 0, 0
    while (looks is None or looked < looks) and (place := text.find(first.root, place)) >= 0:
        looked += 1
        end = _match_end(folded, words, place) if first.literal or folded.begins_part(place) else 0
        if end:
            yield place, end
        place = max(end, place + 1)


def _match_end(folded: _Folded, words: tuple[_Word, ...], place: int) -> int:
    """Return where a match of `words` that begins at `place` ends; 0 when there is none."""
    text = folded.folded
    for number, word in enumerate(words):
        if number:
            start = place
            while place < len(text) and place - start < _GAP and not text[place].isalnum():
                place += 1
            if place == start and not folded.is_boundary(place):
                return 0
        place = _word_end(folded, word, place)
        if not place:
            return 0
    return place


def _word_end(folded: _Folded, word: _Word, place: int) -> int:
    text = folded.folded
    if not text.startswith(word.root, place):
        return 0
    end = place + len(word.root)
    if word.beginning:
        return end
    if word.literal:
        edges = (not word.root[0].isalnum() or is_cjk(word.root[0]) or folded.begins_part(place)) and (
            not word.root[-1].isalnum() or is_cjk(word.root[-1]) or folded.is_boundary(end)
        )
        edges = edges and text[end : end + 1] not in tuple(_VOICED)
        return end if edges else 0
    end = _run_end(text, place)
    if stem(text[place:end]) == word.key:
        return end
    if folded.is_one_part(place, end):
        return 0
    parts = (
        part for part in range(place + len(word.root), min(end, place + _LONGEST_PART)) if folded.is_boundary(part)
    )
    return next((part for part in parts if stem(text[place:part]) == word.key), 0)


def _run_end(text: str, place: int) -> int:
    found = _RUN.match(text, place)
    return found.end() if found else place


def fold(text: str) -> str:
    """Return `text` without case and accents, letters as a plain keyboard writes them: `ss` for `ß`, `fi` for `ﬁ`."""
    folded = text.replace("\u0130", "i").lower()  # the one letter that becomes two in lower case
    if not folded.isascii():
        # Few different characters change, and `replace` is ten times as fast as `translate`.
        for character in set(folded):
            if (base := _fold_character(character)) != character:
                folded = folded.replace(character, base)
    return folded


@lru_cache(maxsize=8192)
def _fold_character(character: str) -> str:
    if unicodedata.combining(character) and character not in _VOICED:
        return ""
    if not character.isalpha() or "\uac00" <= character <= "\ud7a3":  # syllables of Hangul stay whole
        return character
    decomposed = unicodedata.normalize("NFKD", character).casefold()
    letters = (part for part in decomposed if part in _VOICED or not unicodedata.combining(part))
    return "".join(PLAIN_LETTERS.get(letter, letter) for letter in letters)


def _fold_with_origin(text: str) -> tuple[str, Sequence[int]]:
    """Return the folded text, and the place in `text` of each of its characters and of its end."""
    odd = sorted(character for character in set(text) if not character.isascii() and len(fold(character)) != 1)
    if not odd:
        return fold(text), range(len(text) + 1)
    parts: list[str] = []
    origin: list[int] = []
    place = 0
    for match in re.finditer(f"[{re.escape(''.join(odd))}]", text):
        start, folded = match.start(), fold(match.group())
        parts += (fold(text[place:start]), folded)
        origin.extend(range(place, start))
        origin.extend([start] * len(folded))
        place = match.end()
    origin.extend(range(place, len(text) + 1))
    return "".join((*parts, fold(text[place:]))), origin


def _is_solid(character: str) -> bool:
    return "!" <= character <= "~"


def _cut_passage(text: str, start: int, end: int, length: int) -> str:
    """Return about `length` characters around `start`..`end`, cut at blanks, ellipses where something is left out.

    A run of ASCII signs is not cut before the match: what is left of a secret would not look like one.
    """
    left = max(0, start - max(0, (length - (end - start)) // 3))
    right = min(len(text), left + length)
    if left > 0:
        blank = text.find(" ", left, start)
        left = blank + 1 if blank >= 0 else left
        while left < start and _is_solid(text[left - 1]) and _is_solid(text[left]):
            left += 1
    if right < len(text):
        blank = text.rfind(" ", end, right)
        right = blank if blank > end else right
        edge = right
        while edge > end and _is_solid(text[edge - 1]) and _is_solid(text[edge]):
            edge -= 1
        right = edge if edge > end else right
    passage = " ".join(text[left:right].split())
    return f"{'…' if left > 0 else ''}{passage}{'…' if right < len(text) else ''}"
