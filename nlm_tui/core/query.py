"""What is asked of the memory, and the language in which it is typed.

A text holds words, `"phrases"`, `-negations` and `name:value` filters. Whatever is unfinished or unknown is words, and
so is what would be a condition behind a backslash: each time one is read, it loses one backslash.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypedDict, Unpack, get_args

Mode = Literal["keyword", "semantic", "hybrid"]
MarkerKind = Literal["decision", "open"]
Ranking = Literal["best", "reference"]
Fusion = Literal["best", "reference"]
PieceKind = Literal["filter", "phrase", "excluded"]
FilterName = Literal[
    "agent", "project", "entity", "has", "in", "status", "is", "since", "before", "branch", "model", "like"
]

MODES: Final[tuple[Mode, ...]] = get_args(Mode)
MARKER_KINDS: Final[tuple[MarkerKind, ...]] = get_args(MarkerKind)
RANKINGS: Final[tuple[Ranking, ...]] = get_args(Ranking)
FUSIONS: Final[tuple[Fusion, ...]] = get_args(Fusion)
FILTER_NAMES: Final[tuple[FilterName, ...]] = get_args(FilterName)
DEFAULT_LIMIT: Final = 20
MAX_LIMIT: Final = 100

# Any of these quotes opens, any closes: keyboards and input methods mix them.
QUOTES: Final = '"\u201c\u201d\u201e\u201f\uff02'
COMMAS: Final = ",\uff0c\u3001"
_NAME = f"(?ai:{'|'.join(FILTER_NAMES)})"
_COLON = "[:\uff1a]"
FILTER_HEAD: Final = f"(?P<name>{_NAME}){_COLON}"
FILTER_VALUES: Final = rf"(?:[^\s{QUOTES}]++|[{QUOTES}][^{QUOTES}]*+[{QUOTES}])*"
QUOTED_TEXT: Final = rf"(?:[^{QUOTES}]++|(?P<quote>[{QUOTES}])(?P=quote))*"

_NAMES: Final[dict[str, FilterName]] = {name: name for name in FILTER_NAMES}
_SIGNS = r"!-/:-@\[-`{-~"  # of these alone no word is made, so that an arrow or a rule is no negation
_QUOTE = re.compile(f"[{QUOTES}]")
_DOUBLED = re.compile(rf"([{QUOTES}])\1")
_COMMA = re.compile(f"[{COMMAS}]")
_BLANK = re.compile(r"\s")
_BARE = re.compile(rf"[^\s{COMMAS}{QUOTES}]+")
_PART = re.compile(
    rf"(?:[{QUOTES}](?P<quoted>{QUOTED_TEXT})[{QUOTES}]|(?P<bare>[^\s{COMMAS}{QUOTES}]*+))(?:(?P<comma>[{COMMAS}])|\Z)"
)
_ITEM = re.compile(
    rf"(?<!\S)(?P<escape>\\*+)(?P<dash>-?)"
    rf"(?:[{QUOTES}](?P<phrase>[^{QUOTES}]*+)[{QUOTES}]"
    rf"|{FILTER_HEAD}(?P<values>{FILTER_VALUES})"
    rf"|(?<=-)(?P<word>(?![-\d{QUOTES}])(?!{_NAME}{_COLON})(?=[{_SIGNS}]*+[^\s{_SIGNS}])\S++))(?!\S)"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on sessions, as typed: any of `values` must hold or, negated, none of them may.

    Where it is `unfinished` the values count as beginnings too; the query language has no sign for that.

    Raises:
        ValueError: the name is unknown, or there is no value, or an empty one where the name is not `entity`.
    """

    name: FilterName
    values: tuple[str, ...]
    negated: bool = False
    unfinished: bool = False

    def __post_init__(self) -> None:
        if self.name not in FILTER_NAMES:
            raise ValueError(f"unknown filter {self.name!r}: use one of {', '.join(FILTER_NAMES)}")
        if not self.values or not (all(self.values) or self.name == "entity"):
            raise ValueError(f"{self.name}: a filter needs a value")


@dataclass(frozen=True, slots=True)
class TextFilter:
    """A condition on the words of a session: it must hold `text` (a phrase; with `any_word` any of its words).

    `fields` names the only fields that count: label, summary, decision, open. Negated, the text must not occur there,
    with `any_word` none of its words.
    """

    text: str
    fields: tuple[str, ...] = ()
    any_word: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Which sessions may be found: those that name `entity`, hold a marker of `kind`, and pass all that follows.

    `top_level` leaves out subagents, whose work belongs to the session that started them. Values of `filters` are
    understood: names in full, times as ISO 8601 in UTC.
    """

    entity: str | None = None
    kind: MarkerKind | None = None
    top_level: bool = False
    filters: tuple[Filter, ...] = ()
    texts: tuple[TextFilter, ...] = ()

    def __bool__(self) -> bool:
        """Whether it can reject a session at all."""
        return self != SessionFilter()


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A search of the memory. `limit` is clamped to 1..100 when it runs; `offset` skips the best hits.

    `query` holds words, any of which may match; each of `phrases` must occur, none of `excluded` may. `entity` and
    `kind` are filters as well, and stand for the first positive `entity:` and `has:` with a single value.

    What can be said in two ways is held in one: such a filter moves to its field unless that is taken; in phrases and
    excluded text a quote is a blank, many blanks are one, and what is then empty is dropped.

    With `typing` the last word of `query` may be unfinished: until a blank follows, it matches as a beginning too.
    `ranking` and `fusion` are the best that is known, or as they were specified once, for comparison.

    Raises:
        ValueError: `mode`, `kind`, `ranking` or `fusion` is none of the known ones.
    """

    query: str = ""
    mode: Mode = "keyword"
    limit: int = DEFAULT_LIMIT
    entity: str | None = None
    kind: MarkerKind | None = None
    typing: bool = False
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    ranking: Ranking = "best"
    offset: int = 0
    fusion: Fusion = "best"

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"unknown mode {self.mode!r}: use one of {', '.join(MODES)}")
        if self.kind is not None and self.kind not in MARKER_KINDS:
            raise ValueError(f"unknown kind {self.kind!r}: use one of {', '.join(MARKER_KINDS)}")
        if self.ranking not in RANKINGS:
            raise ValueError(f"unknown ranking {self.ranking!r}: use one of {', '.join(RANKINGS)}")
        if self.fusion not in FUSIONS:
            raise ValueError(f"unknown fusion {self.fusion!r}: use one of {', '.join(FUSIONS)}")
        object.__setattr__(self, "phrases", _plain(self.phrases))
        object.__setattr__(self, "excluded", _plain(self.excluded))
        self._move_filters()

    def _move_filters(self) -> None:
        """Move the first filter that `entity` and `kind` each stand for to its field."""
        kept: list[Filter] = []
        for condition in self.filters:
            value = condition.values[0] if len(condition.values) == 1 and not condition.negated else None
            if value is not None and condition.name == "entity" and self.entity is None:
                object.__setattr__(self, "entity", value)
            elif value in MARKER_KINDS and condition.name == "has" and self.kind is None:
                object.__setattr__(self, "kind", value)
            else:
                kept.append(condition)
        object.__setattr__(self, "filters", tuple(kept))

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but its words says what is meant."""
        return bool(self.phrases or self.excluded or self.filters) or (self.entity, self.kind) != (None, None)

    @property
    def seeks_similar(self) -> bool:
        """Whether it names sessions that others are to be near to."""
        return any(condition.name == "like" and not condition.negated for condition in self.filters)

    @property
    def conditions(self) -> tuple[Filter, ...]:
        """All filters, `entity` and `kind` among them."""
        return tuple(self._conditions())

    def _conditions(self) -> Iterator[Filter]:
        if self.entity is not None:
            yield Filter("entity", (self.entity,))
        if self.kind is not None:
            yield Filter("has", (self.kind,))
        yield from self.filters


class QueryOptions(TypedDict, total=False):
    """What a query holds besides its text; `entity` and `kind` take precedence over the ones in the text."""

    mode: Mode
    limit: int
    entity: str | None
    kind: MarkerKind | None
    typing: bool
    ranking: Ranking
    offset: int
    fusion: Fusion


@dataclass(frozen=True, slots=True)
class Piece:
    """A condition in a text: `text[start:end]`, and what it says."""

    start: int
    end: int
    text: str
    kind: PieceKind
    value: Filter | str


class Scanned(NamedTuple):
    """Where a condition stands in a text. Escaped, it is words; `values_at` is where the values of a filter begin."""

    start: int
    end: int
    kind: PieceKind
    value: Filter | str
    escaped: bool
    values_at: int


class Part(NamedTuple):
    """A value in the list of a filter, without its quotes; None where quotes are left open or stand within a word."""

    start: int
    end: int
    value: str | None


def parse(text: str, **given: Unpack[QueryOptions]) -> RecallQuery:
    """Read `text`; whatever it holds, this is a query. Its words keep their white space.

    A condition is taken out together with one white space after it.

    Raises:
        ValueError: `mode`, `kind`, `ranking` or `fusion` is none of the known ones.
    """
    found = tuple(scan(text))
    return _query(_words(text, found), found, given)


def format(query: RecallQuery) -> str:  # noqa: A001 - the other half of `parse`
    """Return the text that `parse` reads as `query`: its conditions, then its words. Only these are text."""
    conditions = [
        *map(_written_filter, query.conditions),
        *(f'"{phrase}"' for phrase in query.phrases),
        *map(_written_excluded, query.excluded),
    ]
    words: list[str] = []
    at = 0
    for found in scan(query.query):
        words += query.query[at : found.start], "\\"
        at = found.start
    words.append(query.query[at:])
    return " ".join((*conditions, "".join(words)) if query.query else conditions)


def pieces(text: str) -> tuple[Piece, ...]:
    """Return the conditions of `text` in order."""
    return tuple(_piece(text, found) for found in scan(text) if not found.escaped)


def without(text: str, piece: Piece) -> str:
    """Return `text` less `piece` and the white space after it; `text` itself when the piece is none of its own.

    Where the rest would come together to another condition, it is written anew.
    """
    found = tuple(scan(text))
    kept = tuple(one for one in found if one.escaped or _piece(text, one) != piece)
    if len(kept) == len(found):
        return text
    cut = text[: piece.start] + text[piece.end + 1 :]
    wanted = _query(_words(text, found), kept, {})
    return cut if parse(cut) == wanted else format(wanted)


def scan(text: str) -> Iterator[Scanned]:
    """Yield what reads as a condition, escaped or not, from left to right, in time that is linear in the text."""
    at = 0
    while (found := _ITEM.search(text, at)) is not None:
        at = found.end()
        kind, value = _read(found)
        if value:
            yield Scanned(found.start(), at, kind, value, found["escape"] != "", found.start("values"))
        elif kind == "filter" and (blank := _BLANK.search(text, found.start(), at)) is not None:
            at = blank.start()  # no filter after all: what stood between its quotes is read by itself


def parts(text: str, start: int, end: int) -> Iterator[Part]:
    """Yield the values of a filter that stand in `text[start:end]`, empty ones too."""
    while (found := _PART.match(text, start, end)) is not None:
        quoted = found["quoted"]
        stop = found.end() if found["comma"] is None else found.start("comma")
        yield Part(start, stop, found["bare"] if quoted is None else unquoted(quoted))
        if found["comma"] is None:
            return
        start = found.end()
    yield Part(start, end, None)


def filter_name(typed: str) -> FilterName:
    """Return the name that is `typed` in any case."""
    return _NAMES[typed.lower()]


def written_value(value: str) -> str:
    """Return a value as it stands in a filter: in quotes if it must, a quote within them doubled."""
    if _BARE.fullmatch(value):
        return value
    doubled = _QUOTE.sub(r"\g<0>\g<0>", value)
    return f'"{doubled}"'


def unquoted(text: str) -> str:
    """Return what `text`, from within the quotes of a value, stands for."""
    return _DOUBLED.sub(r"\1", text)


def _plain(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(plain for text in texts if (plain := " ".join(_QUOTE.sub(" ", text).split())))


def _read(found: re.Match[str]) -> tuple[PieceKind, Filter | str | None]:
    """Return what an item says; nothing, where it holds only blanks or is no filter."""
    if found.lastgroup == "word":
        return "excluded", found["word"]
    if found.lastgroup == "phrase":
        return ("excluded" if found["dash"] else "phrase"), found["phrase"].strip()
    return "filter", _read_filter(found)


def _read_filter(found: re.Match[str]) -> Filter | None:
    name = filter_name(found["name"])
    listed = found["values"]
    if _QUOTE.search(listed) is None:
        values = tuple(filter(None, _COMMA.split(listed)))
    else:
        values = _quoted_values(name, listed)
    return Filter(name, values, negated=found["dash"] != "") if values else None


def _quoted_values(name: FilterName, listed: str) -> tuple[str, ...]:
    values: list[str] = []
    for part in parts(listed, 0, len(listed)):
        if part.value is None:
            return ()
        if part.value or (name == "entity" and part.end > part.start):
            values.append(part.value)
    return tuple(values)


def _words(text: str, found: Iterable[Scanned]) -> str:
    """Return `text` without its conditions; what is escaped loses one backslash."""
    words: list[str] = []
    at = 0
    for one in found:
        words.append(text[at : one.start])
        at = one.start + 1 if one.escaped else one.end + 1
    words.append(text[at:])
    return "".join(words)


def _query(words: str, found: Iterable[Scanned], given: QueryOptions) -> RecallQuery:
    filters: list[Filter] = []
    texts: dict[PieceKind, list[str]] = {"phrase": [], "excluded": []}
    for one in found:
        if one.escaped:
            continue
        if isinstance(one.value, Filter):
            filters.append(one.value)
        else:
            texts[one.kind].append(one.value)
    return RecallQuery(
        words, phrases=tuple(texts["phrase"]), excluded=tuple(texts["excluded"]), filters=tuple(filters), **given
    )


def _piece(text: str, found: Scanned) -> Piece:
    return Piece(found.start, found.end, text[found.start : found.end], found.kind, found.value)


def _written_filter(condition: Filter) -> str:
    values = ",".join(map(written_value, condition.values))
    return f"{'-' if condition.negated else ''}{condition.name}:{values}"


def _written_excluded(text: str) -> str:
    found = _ITEM.fullmatch(f"-{text}")
    return f"-{text}" if found is not None and found["word"] == text else f'-"{text}"'
