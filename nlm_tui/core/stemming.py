"""Stems of words, as the `porter` tokenizer of SQLite's FTS5 makes them, and words that lead to the stems of others.

Highlights, fields and half-typed words must agree with the index to the byte. So this is Porter's algorithm with what
SQLite adds: it counts bytes, takes all that are no ASCII vowels for consonants, and never removes a whole word.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

_SHORTEST, _LONGEST = 3, 64  # bytes; SQLite leaves other tokens as they are
_SHORTEST_BEGINNING = 4
_SHORTEST_BASE = 3
_MOST_COMPLETIONS = 4

# A `y` is a consonant at the start of a word and after a vowel, a vowel after a consonant. The measure of a word counts
# the vowels that a consonant follows.
_MEASURE_1 = r"(?:[^aeiou][^aeiouy]*[aeiouy]|[aeiou])[aeiou]*[^aeiou]"
_measure_above_0 = re.compile(_MEASURE_1).match
_measure_above_1 = re.compile(rf"{_MEASURE_1}[^aeiouy]*[aeiouy][aeiou]*[^aeiou]").match
_has_vowel = re.compile(r"[aeiou]|(?!\A)y").search
# Of measure 1, and it ends in consonant, vowel, consonant: `hop`, which had an `e` before `ing`.
_is_short = re.compile(r"[^aeiou][^aeiouy]*[aeiouy][^aeiouwxy]").fullmatch

Rules = Mapping[str, tuple[tuple[str, str], ...]]


def _rules(text: str) -> Rules:
    """Return rules `suffix:replacement` by the last letter but one of the suffix, in their order: the first decides."""
    rules: dict[str, tuple[tuple[str, str], ...]] = {}
    for rule in text.split():
        suffix, _, replacement = rule.partition(":")
        rules[suffix[-2]] = (*rules.get(suffix[-2], ()), (suffix, replacement))
    return rules


_STEP_2: Final = _rules("""
    ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent eli:e ousli:ous
    ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble
""")
_STEP_3: Final = _rules("ical:ic ness: icate:ic iciti:ic ful: ative: alize:al")
_STEP_4: Final = _rules("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize")

# English endings that the steps above take away or shorten. `ions` stands beside `ion`, since it may be typed in full.
_SUFFIXES: Final = """
    s e es ed eed eeds ing ings er ers or ors y ies ied ier iers iest ying ly ily
    ion ions ional ionally ioned ioning ioner ation ations ational ationally ator ators ative atively ativeness
    ate ates ated ating al als ally ality alities alism alize alizes alized alizing alization
    ance ances ancy ancies ant ants antly ence ences ency encies ent ents ently ential
    able ably ability abilities ible ibly ibility ibilities ic ics ical ically icate icates icated icating ication
    icity ism isms ist ists ity ities ive ives ively iveness ivity ivities
    ize izes ized izing izer izers ization izations ise ises ised ising iser isation
    ment ments ness nesses less ful fully fulness ous ously ousness ement ements logy
"""


def _by_beginning(suffixes: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    beginnings: dict[str, tuple[str, ...]] = {}
    for suffix in suffixes:
        for end in range(1, len(suffix) + 1):
            beginnings[suffix[:end]] = (*beginnings.get(suffix[:end], ()), suffix)
    return beginnings


_SUFFIXES_BY_BEGINNING: Final = _by_beginning(tuple(_SUFFIXES.split()))
_LONGEST_SUFFIX: Final = max(map(len, _SUFFIXES_BY_BEGINNING))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return what FTS5's `porter` makes of a token that `unicode61` folded.

    SQLite may cut a character of several bytes in two; what is left of it comes back as lone surrogates, one for each
    byte (`surrogateescape`). Total: no input raises.
    """
    if word.isascii():
        return _stem(word) if _SHORTEST <= len(word) <= _LONGEST else word
    if not word[-1].isascii() or len(word) > _LONGEST:
        return word  # all suffixes are ASCII
    encoded = word.encode("utf-8", "surrogatepass")
    if not _SHORTEST <= len(encoded) <= _LONGEST:
        return word
    token = encoded.decode("latin-1")  # a character for each byte
    stemmed = _stem(token)
    return word if stemmed == token else stemmed.encode("latin-1").decode("utf-8", "surrogateescape")


@lru_cache(maxsize=1024)
def completions(beginning: str) -> tuple[str, ...]:
    """Return words that begin with `beginning` though their stems do not, one for each such stem, the longest first.

    A prefix query finds no word of these stems: `connecti` is no beginning of `connect`, which the index keeps for
    `connection`. The words may not exist; it is their stems that words in the index may have.
    """
    usable = _SHORTEST_BEGINNING <= len(beginning) <= _LONGEST and beginning.isascii() and beginning.isalnum()
    if not usable:
        return ()
    words: dict[str, str] = {}
    for cut in range(len(beginning) - 1, max(_SHORTEST_BASE, len(beginning) - _LONGEST_SUFFIX) - 1, -1):
        base, rest = beginning[:cut], beginning[cut:]
        suffixes = _SUFFIXES_BY_BEGINNING.get(rest, ())
        if rest[0] == base[-1]:
            suffixes += tuple(base[-1] + suffix for suffix in ("ing", "ed") if suffix.startswith(rest[1:]))
        for suffix in suffixes:
            stemmed = stem.__wrapped__(base + suffix)
            if not stemmed.startswith(beginning):
                words.setdefault(stemmed, base + suffix)
    longest_first = sorted(words, key=len, reverse=True)
    return tuple(words[stemmed] for stemmed in longest_first[:_MOST_COMPLETIONS])


def _stem(word: str) -> str:
    word = _without_inflection(word)
    if word[-1] == "y" and _has_vowel(word, 0, len(word) - 1):
        word = word[:-1] + "i"
    word = _without_derivation(_replaced(_replaced(word, _STEP_2), _STEP_3))
    if word[-1] == "e" and _drops_e(word[:-1]):
        word = word[:-1]
    if word[-2:] == "ll" and _measure_above_1(word, 0, len(word) - 1):
        word = word[:-1]
    return word


def _without_inflection(word: str) -> str:
    """Return `word` without the endings of plurals and of verbs (steps 1a and 1b)."""
    if word[-1] == "s" and word[-2] != "s":
        two = word.endswith("es") and ((len(word) > 4 and word[-4:-2] == "ss") or (len(word) > 3 and word[-3] == "i"))
        word = word[: -2 if two else -1]
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure_above_0(word, 0, len(word) - 3) else word
    if word.endswith("ed") and len(word) > 2:
        base = word[:-2]
    elif word.endswith("ing") and len(word) > 3:
        base = word[:-3]
    else:
        return word
    return _whole(base) if _has_vowel(base) else word


def _whole(base: str) -> str:
    """Return the verb that `ed` or `ing` was taken from: `hope` of `hop`, `hop` of `hopp`."""
    if len(base) > 2 and base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-1] == base[-2:-1] and base[-1] not in "aeioulsz":
        return base[:-1]
    return base + "e" if _is_short(base) else base


def _replaced(word: str, rules: Rules) -> str:
    for suffix, replacement in rules.get(word[-2:-1], ()):
        if word.endswith(suffix) and len(word) > len(suffix):
            length = len(word) - len(suffix)
            return word[:length] + replacement if _measure_above_0(word, 0, length) else word
    return word


def _without_derivation(word: str) -> str:
    for suffix, _ in _STEP_4.get(word[-2:-1], ()):
        if word.endswith(suffix) and len(word) > len(suffix):
            length = len(word) - len(suffix)
            removable = suffix != "ion" or word[length - 1] in "st"
            return word[:length] if removable and _measure_above_1(word, 0, length) else word
    return word


def _drops_e(base: str) -> bool:
    return _measure_above_1(base) is not None or (_measure_above_0(base) is not None and not _is_short(base))
