"""What the filters of a query mean to a store, and what about them is not understood."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Final, TypeVar
from unicodedata import category

from nlm_tui.core.days import moment
from nlm_tui.core.query import MARKER_KINDS, Filter, FilterName, RecallQuery, SessionFilter, TextFilter, written_value
from nlm_tui.core.safe import one_line

MAX_CONDITIONS: Final = 100  # what a store is asked at most: pasted text can hold thousands
CLOSED_VALUES: Final[dict[FilterName, tuple[str, ...]]] = {
    "has": MARKER_KINDS,
    "in": ("label", "decision", "open", "summary"),
    "status": ("active", "closed", "superseded"),
    "is": ("pinned", "hidden", "noted"),
}

T = TypeVar("T")

_DAYS = "2026-05-01, 2026-05, 7d, 2w, 3mo, today, yesterday or monday"
_SHOWN = 60  # characters of a value in a note


@dataclass(frozen=True, slots=True)
class Understood:
    """What a store is asked, the sessions to be near to, and what of the query was left out, safe to show.

    `asks` says that anything of the query is left, its words included.
    """

    session_filter: SessionFilter
    notes: tuple[str, ...] = ()
    like: tuple[str, ...] = ()
    asks: bool = True


def understood(query: RecallQuery, now: datetime, zone: tzinfo | None = None) -> Understood:
    """Return what the filters, phrases and excluded words of `query` mean.

    Of `has`, `in`, `status` and `is` a plural and any beginning that fits one value count. Days become the moment at
    which they begin in `zone` (None: the machine's), as text that sorts among stored times. `in` says where words and
    phrases must stand; without any, `in:decision` and `in:open` are `has`. What is not understood is left out and
    noted.
    """
    notes: list[str] = []
    conditions = [
        known
        for condition in _first(query.filters, "conditions", notes)
        if (known := _known(condition, now, zone, notes)) is not None
    ]
    like = [value for condition in conditions if condition.name == "like" for value in condition.values]
    conditions = [condition for condition in conditions if condition.name != "like"]
    words = query.query.strip() if is_findable(query.query) else ""
    phrases = _findable_texts(query.phrases, "", notes)
    excluded = _findable_texts(query.excluded, "-", notes)
    if words or phrases:
        places = [condition for condition in conditions if condition.name == "in"]
        filters = [condition for condition in conditions if condition.name != "in"]
    else:
        places = []
        filters = [known for condition in conditions if (known := _without_words(condition)) is not None]
    texts = _first(tuple(_texts(words, phrases, excluded, places)), "words", notes)
    entity = None if query.entity is None else query.entity.strip()
    session_filter = SessionFilter(entity, query.kind, filters=tuple(filters), texts=texts)
    return Understood(
        session_filter,
        tuple(dict.fromkeys(notes)),
        tuple(dict.fromkeys(like)),
        asks=bool(words or like or session_filter),
    )


def _known(condition: Filter, now: datetime, zone: tzinfo | None, notes: list[str]) -> Filter | None:
    """Return `condition` with the values that are understood; None where there is none."""
    name = condition.name
    known: dict[str, None] = {}
    unknown: list[str] = []
    for typed in _first(tuple(dict.fromkeys(condition.values)), f"values of {name}", notes):
        value = typed.strip()
        if name == "like" and condition.negated:
            value = ""
        elif name in CLOSED_VALUES:
            value = _closed(value, CLOSED_VALUES[name])
        elif name in {"since", "before"}:
            value = _stored(moment(value, now, zone))
        if value:
            known[value] = None
        else:
            unknown.append(typed)
    if unknown:
        notes.append(_note(condition, unknown))
    return replace(condition, values=tuple(known)) if known else None


def _closed(value: str, choices: Sequence[str]) -> str:
    """Return the one of `choices` that `value` begins, or begins the plural of; '' if not exactly one."""
    value = value.lower()
    fitting = [choice for choice in choices if choice.startswith(value) or _plural(choice).startswith(value)]
    return fitting[0] if len(fitting) == 1 else ""


def _plural(word: str) -> str:
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _stored(time: datetime | None) -> str:
    """Return a time as a store compares it; '' for None."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") if time is not None else ""


def _note(condition: Filter, unknown: Sequence[str]) -> str:
    name = condition.name
    typed = _shown(f"{'-' if condition.negated else ''}{name}:{','.join(map(written_value, unknown))}")
    if name in CLOSED_VALUES:
        *others, last = CLOSED_VALUES[name]
        return f"{typed} is not known: use {', '.join(others)} or {last}"
    if name == "like" and condition.negated:
        return f"{typed} is not known: what is unlike a session cannot be found"
    return f"{typed} is no day: use {_DAYS}" if name in {"since", "before"} else f"{typed} holds no value"


def _shown(text: str) -> str:
    shown = one_line(text[: 4 * _SHOWN])
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}\N{HORIZONTAL ELLIPSIS}"


def _first(items: tuple[T, ...], called: str, notes: list[str]) -> tuple[T, ...]:
    """Return as many of `items` as a store is asked at most."""
    if len(items) > MAX_CONDITIONS:
        notes.append(f"only the first {MAX_CONDITIONS} {called} count")
    return items[:MAX_CONDITIONS]


def is_findable(text: str) -> bool:
    """Return whether `text` holds anything that an index could: a letter, a digit, a symbol such as an emoji."""
    return any(character.isalnum() or category(character) == "So" for character in text)


def _findable_texts(texts: tuple[str, ...], sign: str, notes: list[str]) -> tuple[str, ...]:
    findable: dict[str, None] = {}
    for text in texts:
        if is_findable(text):
            findable[text] = None
        else:
            notes.append(_shown(f'{sign}"{text}"') + " holds no word")
    return _first(tuple(findable), "words", notes)


def _texts(
    words: str, phrases: Sequence[str], excluded: Sequence[str], places: Sequence[Filter]
) -> Iterator[TextFilter]:
    """Yield what must stand where: each phrase and some of the words in every place, none in a negated one."""
    inside = [place.values for place in places if not place.negated]
    outside = [place.values for place in places if place.negated]
    for phrase in phrases:
        yield from (TextFilter(phrase, fields) for fields in inside or [()])
        yield from (TextFilter(phrase, fields, negated=True) for fields in outside)
    if words:
        yield from (TextFilter(words, fields, any_word=True) for fields in inside)
        yield from (TextFilter(words, fields, any_word=True, negated=True) for fields in outside)
    yield from (TextFilter(text, negated=True) for text in excluded)


def _without_words(condition: Filter) -> Filter | None:
    """Return `condition` as it is where nothing is looked for: every session has a label and a summary."""
    if condition.name != "in":
        return condition
    markers = tuple(value for value in condition.values if value in MARKER_KINDS)
    if not markers or (len(markers) < len(condition.values) and not condition.negated):
        return None
    return Filter("has", markers, condition.negated)
