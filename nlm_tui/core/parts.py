"""The parts of words that an index of whole words does not hold: what a text is indexed under besides its words.

A whole word finds `mergeGuestCart`, `登录超时问题` or `C#` only as it is written. Indexed beside the text are therefore
the parts of identifiers, pairs of neighbouring characters where a script has no blanks, words that stand for signs, and
plain spellings of letters that are no accented ones.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache

# Scripts written without blanks: kana, Han, Hangul and their extensions.
CJK = (
    "\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
RUN = re.compile(r"[^\W_]+")

GAP = " \u01c3 "  # a word that nobody types: a phrase must not go on from one text or part to the next
_LONGEST_CHUNK = 4096
_MOST_KNOWN = 200_000
_LONGEST = 128  # characters of a word that is taken apart; longer ones are no words
_RANDOM_FROM = 25  # from this length on, parts that are mostly single letters are a hash or a key
_TYPICAL_PART = 2.5
_ACCENTS = re.compile("[\u0300-\u036f]+")
_LATIN_ACCENTS = re.compile("([a-z])[\u0300-\u036f]+")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_CJK_RUN = re.compile(f"[{CJK}]+")
_ASCII_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_KIND_PART = re.compile(r"U+(?=Ul)|U?[lo]+|U+|d+")
# Most of a text: words, file names and calls in lower case, which have no parts.
_PLAIN_CHUNK = re.compile(r"[\"'`(]*+[A-Za-z][a-z]*+(?:[_/-][a-z]++|\.(?!net)[a-z]++)*+[\"'`()\[\].,;:?!]*+")
_without_parts: set[str] = set()  # known, they are told apart at the cost of a look-up
PLAIN_LETTERS = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "ł": "l",
    "ħ": "h",
    "ŋ": "n",
} | {
    "\u0131": "i",  # without a dot
    "\u03c2": "\u03c3",  # sigma at the end of a word
}
_PLAIN = str.maketrans(PLAIN_LETTERS)
_SIGN = re.compile(
    r"(?P<plus>[A-Za-z]\w*)\+\+"
    r"|(?<![A-Za-z0-9])(?P<sharp>[A-Za-z])#(?![\w#])"
    r"|(?P<net>(?:(?<![\w.])\.net|\.NET)(?![\w]))"
    r"|\#(?P<hash>\d+)"
    r"|(?P<percent>\d+(?:[.,]\d+)?)\ ?%"
    r"|(?<![A-Za-z0-9_-])--(?P<flag>[A-Za-z][\w-]*)"
    r"|(?<!\d):(?P<port>\d{2,5})(?![\w:])"
    r"|(?P<short>[A-Za-z]+)['\u2019](?P<ending>[A-Za-z]{1,2})(?![A-Za-z])"
    r"|(?<![A-Za-z0-9_.])[A-Za-z]+(?P<version>\d+(?:\.[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)+)"
    r"|(?P<symbol>[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff])"
)
_HAS_SIGN = re.compile(
    r"[+#%'\u2019\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]|--|\.(?:net|NET)|:\d|[A-Za-z]\d+\."
)
# What says that the parts of a chunk of text are worth looking for; most chunks are words in lower case.
_WORTH = re.compile(
    rf"[^a-z.,;()\"A-Z0-9_-]|[a-z][A-Z]|[A-Z]{{2}}[a-z]|[A-Za-z][0-9]|[0-9][A-Za-z]|[{CJK}]|--|\+\+|\.(?:net|NET)"
)


def index_parts(text: str) -> str:
    """Return the words, beside its own, that `text` is to be found by; each part of it counts once."""
    unknown = set(text.split()) - _without_parts
    found: dict[str, None] = {}
    with_parts: set[str] = set()
    for chunk in sorted(chunk for chunk in unknown if _PLAIN_CHUNK.fullmatch(chunk) is None):
        if parts := _chunk_parts(chunk[:_LONGEST_CHUNK]):
            with_parts.add(chunk)
            found.update(dict.fromkeys(parts))
    _remember(unknown - with_parts)
    return GAP.join(found)


def _remember(without_parts: Collection[str]) -> None:
    if len(_without_parts) + len(without_parts) > _MOST_KNOWN:
        _without_parts.clear()
    if len(without_parts) <= _MOST_KNOWN:
        _without_parts.update(chunk for chunk in without_parts if len(chunk) <= _LONGEST)


def indexed_texts(texts: Iterable[str]) -> str | None:
    """Return short texts as one, with the words that they are to be found by as well; None for no text."""
    listed = list(texts)
    if not listed:
        return None
    return GAP.join((*listed, *filter(None, map(index_parts, listed))))


@lru_cache(maxsize=16_384)
def _chunk_parts(chunk: str) -> tuple[str, ...]:
    if (chunk.islower() and chunk.isalpha() and chunk.isascii()) or _WORTH.search(chunk) is None:
        return ()
    if not chunk.isascii():
        chunk = unicodedata.normalize("NFC", chunk)
    entries = [word for word, _, _ in signs(chunk)]
    runs = RUN.findall(chunk)
    if _PRIVATE.search(chunk):
        entries += (run.lower() for run in runs)  # the index takes such a glyph for a letter
    for run in runs:
        entries += _run_parts(run)
    return tuple(dict.fromkeys(entries))


def _run_parts(run: str) -> Iterator[str]:
    if not run.isascii():
        yield from _script_parts(run)
    parts = identifier_parts(run)
    if len(parts) > 1:
        yield " ".join(parts)


def _script_parts(run: str) -> Iterator[str]:
    wide = unicodedata.normalize("NFKC", run)
    pieces = split_scripts(wide)
    for piece in pieces:
        if is_cjk(piece):
            if len(piece) > 1 or len(pieces) > 1 or wide != run:
                yield " ".join(bigrams(piece))
        elif (plain := plain_spelling(piece)) != _folded_by_index(run):
            yield plain


def _folded_by_index(run: str) -> str:
    """Return a run as the index itself folds it: accents are taken off Latin letters alone."""
    decomposed = unicodedata.normalize("NFD", run.lower())
    return unicodedata.normalize("NFC", _LATIN_ACCENTS.sub(r"\1", decomposed))


def signs(chunk: str) -> list[tuple[str, str, tuple[int, int]]]:
    """Return the words for the signs in `chunk`, such as `csharp` for `C#`, with their kinds and places."""
    if _HAS_SIGN.search(chunk) is None:
        return []
    return [(_sign_word(match), match.lastgroup or "", match.span()) for match in _SIGN.finditer(chunk)]


def _sign_word(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    value = match[kind].lower()
    return f"{match['short'].lower()}{value}" if kind == "ending" else _SIGN_WORDS[kind](value)


_SIGN_WORDS: Mapping[str, Callable[[str], str]] = {
    "plus": "{}plusplus".format,
    "sharp": "{}sharp".format,
    "net": lambda _: "dotnet",
    "hash": "hash{}".format,
    "percent": lambda value: re.sub(r"[.,]", "p", value) + "percent",
    "flag": lambda value: "flag" + re.sub(r"[\W_]", "", value),
    "port": "port{}".format,
    "version": lambda value: " ".join(RUN.findall(value)),
    "symbol": lambda value: f"emoji{ord(value):x}",
}


def identifier_parts(run: str) -> tuple[str, ...]:
    """Return the parts of an identifier in lower case: `XMLHttpRequest` gives xml, http, request.

    A run that has none, or looks like a hash or a key, is one part.
    """
    whole = (run.lower(),)
    if len(run) > _LONGEST or (run.islower() and run.isalpha()):
        return whole
    if run.isascii():
        parts = _ASCII_PART.findall(run)
    else:
        parts = [run[match.start() : match.end()] for match in _KIND_PART.finditer("".join(map(_kind, run)))]
    if len(parts) < 2 or (len(run) >= _RANDOM_FROM and len(run) < _TYPICAL_PART * len(parts)):
        return whole
    if not _tells(run, parts):
        return whole
    return tuple(part.lower() for part in parts)


def _tells(run: str, parts: list[str]) -> bool:
    """Return whether letters and digits beside each other are parts, and not a number of a version or a hash."""
    if len(parts) == 2 and not parts[1].isalpha() and parts[0].isalpha():
        return len(parts[0]) > 1 or len(parts[1]) > 2
    digits = sum(part.isdigit() for part in parts)
    return (
        digits <= 1 or digits * 3 <= len(parts) or (not re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", run) and len(parts) <= 4)
    )


def _kind(character: str) -> str:
    if character.isupper():
        return "U"
    if character.islower():
        return "l"
    if character.isdigit():
        return "d"
    return " " if _CJK_RUN.match(character) else "o"


def split_scripts(run: str) -> list[str]:
    """Return a run of letters cut where a script without blanks begins or ends."""
    pieces: list[str] = []
    place = 0
    for match in _CJK_RUN.finditer(run):
        if match.start() > place:
            pieces.append(run[place : match.start()])
        pieces.append(match.group())
        place = match.end()
    if place < len(run):
        pieces.append(run[place:])
    return pieces


def is_cjk(text: str) -> bool:
    """Return whether `text` begins with a script written without blanks."""
    return _CJK_RUN.match(text) is not None


def bigrams(run: str) -> list[str]:
    """Return the pairs of neighbouring characters, then the last character alone, to be found by itself."""
    return [*(run[place : place + 2] for place in range(len(run) - 1)), run[-1]]


@lru_cache(maxsize=65_536)
def plain_spelling(word: str) -> str:
    """Return a word as a plain keyboard writes it: lower case, no accents, `ss` for `ß`, `o` for `ø`, half width."""
    if word.isascii():
        return word.lower()
    return without_accents(unicodedata.normalize("NFKC", word).casefold().translate(_PLAIN))


def without_accents(word: str) -> str:
    """Return a word in lower case without accents; marks that make another letter, as in Japanese, stay."""
    decomposed = unicodedata.normalize("NFD", word.lower())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))
