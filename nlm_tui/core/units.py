"""The words of a query as units, each with the ways in which a text may hold it."""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from nlm_tui.core.parts import RUN, bigrams, identifier_parts, is_cjk, plain_spelling, signs, split_scripts

Phrase = tuple[str, ...]  # words in sequence; a last word that ends with `*` is a beginning
Way = tuple[Phrase, ...]  # phrases that must all occur

MOST_UNITS = 64  # nobody types that many; a file may be pasted
_LONGEST = 1024
_ITEM = re.compile(r'"([^"]*)"(?!\S)|\S+')
_SIGNS_OF_THEIR_OWN = re.compile(
    r"(?<![^\W_])(?:[^\W_]+\+\+|[A-Za-z]#)(?![\w#])|(?<![\w.])\.(?:net|NET)(?!\w)"
    r"|[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
)
_SPELLINGS = frozenset({"ending", "version"})  # kinds of signs that are only another way to write words
_COMMIT = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{7,39}")


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that a query names: `typed` is how it stands there.

    A text holds it in any of `ways`. `pieces` are what to look for instead when nothing holds it whole. A `quoted` unit
    is meant as it is: its words follow each other as in `sequence`. An `unfinished` one may go on.
    """

    typed: str
    ways: tuple[Way, ...]
    pieces: tuple[str, ...] = ()
    quoted: bool = False
    unfinished: bool = False
    sequence: Phrase = ()

    @property
    def word(self) -> str:
        """The unit as the single word that it is; '' for anything longer."""
        (phrase, *others) = self.ways[0] if self.ways else ((),)
        return phrase[0] if len(phrase) == 1 and not others else ""

    @property
    def beginnings(self) -> tuple[Way, ...]:
        """The ways in which a text holds what begins like this unit."""
        return tuple(dict.fromkeys((*way[:-1], (*way[-1][:-1], way[-1][-1].rstrip("*") + "*")) for way in self.ways))


@lru_cache(maxsize=256)
def units(text: str, *, typing: bool = False) -> tuple[Unit, ...]:
    """Return the units of `text`: words as blanks part them, and phrases in double quotes. Total: no input raises.

    With `typing` the last word may be unfinished, until a blank follows it.
    """
    found: dict[str, Unit] = {}
    made: list[Unit] = []
    for match in _ITEM.finditer(unicodedata.normalize("NFC", text)):
        quoted = match[1]
        made = _chunk_units(match[0]) if quoted is None else _phrase_unit(quoted)
        for unit in made:
            found.setdefault(unit.typed.lower(), unit)
        if len(found) >= MOST_UNITS:
            break
    if typing and made and not text[-1].isspace() and not made[-1].quoted:
        last = made[-1].typed.lower()
        found[last] = replace(found.pop(last), unfinished=True)
    return tuple(found.values())[:MOST_UNITS]


def _phrase_unit(text: str) -> list[Unit]:
    text = text[:_LONGEST]
    meant = tuple((word,) for chunk in text.split() for word, kind, _ in signs(chunk) if kind not in _SPELLINGS)
    ways = tuple((*way, *meant) for way in _ways(text)) or ((meant,) if meant else ())
    sequence = tuple(piece.lower() for run in _runs(text) for piece in split_scripts(run))
    if meant and len(sequence) == 1:
        sequence = ()  # the signs tell it from the bare word
    return [Unit(f'"{text}"', ways, quoted=True, sequence=sequence)] if ways else []


def _chunk_units(chunk: str) -> list[Unit]:
    """Return the units of what stands between two blanks: signs such as `C#` apart, the rest in one piece."""
    chunk = chunk[:_LONGEST]
    made: list[Unit] = []
    place = 0
    for match in _SIGNS_OF_THEIR_OWN.finditer(chunk):
        made += _word_unit(chunk[place : match.start()])
        word = signs(match.group())
        if word:
            made.append(Unit(match.group(), (((word[0][0],),),)))
        place = match.end()
    return made + _word_unit(chunk[place:])


def _word_unit(text: str) -> list[Unit]:
    ways = _ways(text)
    if not ways:
        return []
    runs = list(RUN.finditer(text))
    first, last = runs[0].start(), runs[-1].end()
    for word, kind, (start, end) in signs(text):
        if kind not in _SPELLINGS and start <= first and last <= end:
            return [Unit(text, (((word,),),), (text[first:last],))]
    return [Unit(text, ways, _pieces(text))]


def _ways(text: str) -> tuple[Way, ...]:
    runs = _runs(text)
    if not runs:
        return ()
    ways: list[Way] = []
    pieces = [piece for run in runs for piece in split_scripts(run)]
    if any(map(is_cjk, pieces)):
        if len(runs) == 1 and len(pieces) > 1:
            ways.append(((runs[0].lower(),),))
        ways.append(tuple(_cjk_phrase(piece) if is_cjk(piece) else (plain_spelling(piece),) for piece in pieces))
        return tuple(ways)
    ways.append((tuple(run.lower() for run in runs),))
    ways.append((tuple(part for run in runs for part in identifier_parts(run)),))
    ways.append((tuple(map(plain_spelling, runs)),))
    if len(runs) == 1 and _COMMIT.fullmatch(runs[0].lower()):
        ways.append(((runs[0].lower() + "*",),))
    first, last = text.find(runs[0]), text.rfind(runs[-1]) + len(runs[-1])
    for word, kind, (start, end) in signs(text):
        if start <= first and last <= end and kind == "version":
            ways.append((tuple(word.split()),))
    return tuple(dict.fromkeys(ways))


def _runs(text: str) -> list[str]:
    """Return the runs of letters and digits, in their plain forms. A sign that stands for letters is none."""
    return [plain for run in RUN.findall(text) for plain in RUN.findall(unicodedata.normalize("NFKC", run))]


def _cjk_phrase(piece: str) -> Phrase:
    if len(piece) == 1:
        return (piece + "*",)
    return tuple(bigrams(piece)[:-1])


def _pieces(text: str) -> tuple[str, ...]:
    """Return the smaller words that `text` is made of; none for a single word."""
    pieces: list[str] = []
    for run in _runs(text):
        for piece in split_scripts(run):
            if is_cjk(piece):
                pieces += bigrams(piece)[:-1] if len(piece) > 2 else [piece]
            else:
                named = [part for part in identifier_parts(piece) if part.isalpha()]
                pieces += named if len(named) > 1 else [piece.lower()]
    distinct = tuple(dict.fromkeys(pieces))
    return distinct if len(distinct) > 1 else ()
