"""Words that are spelled nearly as another: one letter more, less, another or swapped."""

import unicodedata

from nlm_tui.core.parts import plain_spelling

_SHORTEST = 5  # letters; short words are near too many others
_LONGEST = 40
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω")


def near_spellings(word: str) -> list[str]:
    """Return the words at one edit from `word`, in order; none for one that is short, or holds more than letters."""
    word = plain_spelling(unicodedata.normalize("NFC", word))
    letters = next((alphabet for alphabet in _ALPHABETS if word[:1] and word[0] in alphabet), "")
    if not (_SHORTEST <= len(word) <= _LONGEST and letters and word.isalpha()):
        return []
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    swapped = [left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1]
    dropped = [left + right[1:] for left, right in cuts if right]
    added = [left + letter + right for left, right in cuts for letter in letters]
    replaced = [left + letter + right[1:] for left, right in cuts if right for letter in letters]
    return [spelling for spelling in dict.fromkeys((*swapped, *dropped, *added, *replaced)) if spelling != word]


def unlikelihood(typed: str, meant: str) -> float:
    """Return how unlikely it is that `typed`, at one edit from `meant`, is a slip of it; 0 for a letter not doubled.

    Hands swap letters and leave some out; they seldom take one for another, and rarely err in the first one.
    """
    typed, meant = plain_spelling(typed), plain_spelling(meant)
    if typed[:1] != meant[:1]:
        return 3.0
    if len(typed) == len(meant):
        return 0.5 if sorted(typed) == sorted(meant) else 1.5
    if _undoubled(typed) == _undoubled(meant):
        return 0.0
    return 0.7 if len(typed) < len(meant) else 1.2


def _undoubled(word: str) -> str:
    return "".join(letter for place, letter in enumerate(word) if word[place - 1 : place] != letter)


def distance(first: str, second: str) -> int:
    """Return how many letters must be added, dropped, replaced or swapped to make `second` of `first`."""
    before: list[int] = []
    above = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        line = [row]
        for column, other in enumerate(second, 1):
            cost = min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, above = above, line
    return above[-1]
