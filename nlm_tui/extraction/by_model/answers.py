"""What a model answered, as notes: only what has the shape that was asked for, and what the messages say."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from nlm_tui.core import one_line, storable
from nlm_tui.extraction.by_model.evidence import Evidence
from nlm_tui.extraction.by_model.notes import Fact, Gone, Note, Notes
from nlm_tui.extraction.prose import cut

_LONGEST_ANSWER: Final = 64_000  # characters that are looked at
_MOST_BRACES: Final = 64
_LONGEST_LABEL, _LONGEST_SUMMARY, _LONGEST_NOTE, _LONGEST_NAME, _LONGEST_VALUE = 80, 600, 300, 60, 160
_MOST_NAMES: Final = 8
_LISTS: Final = ("entities", "decisions", "open")
_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?</\1>|^.*</(?:think|thinking|reasoning)>", re.DOTALL)
_BULLET = re.compile(r"^(?:[-*\u2022]|\d{1,2}[.)])\s+")
_NUMBER = re.compile(r"\s*\[?(\d{1,6})\b")
_Item = TypeVar("_Item", Note, Fact)


class AnswerError(Exception):
    """An answer that cannot be used; the text says why, such that the model can mend it."""


def read_answer(text: str, evidence: Evidence, ids: Mapping[str, tuple[str, int]]) -> Notes:
    """Return the notes that an answer holds; those that the messages do not say are left out.

    `ids` are the earlier notes that it may name as gone.

    Raises:
        AnswerError: it holds no object of the shape that was asked for.
    """
    answer = _object_of(text)
    notes = Notes(
        label=_grounded(_label(answer.get("label")), evidence),
        summary=_grounded(cut(_text(answer.get("summary")), _LONGEST_SUMMARY), evidence),
        entities=tuple(dict.fromkeys(_names(answer["entities"], evidence)))[:_MOST_NAMES],
        decisions=tuple(_found(answer["decisions"], evidence, _note)),
        open=tuple(_found(answer["open"], evidence, _note)),
        facts=tuple(_found(_list(answer.get("facts")), evidence, _fact)),
        gone=tuple(_gone(answer.get("gone"), evidence, ids)),
    )
    told = " ".join((notes.label, notes.summary, *(note.text for note in (*notes.decisions, *notes.open))))
    if evidence.is_in_another_language(told):
        raise AnswerError("it is not in the language of the conversation")
    return notes


def _object_of(text: str) -> dict[str, Any]:
    """Return the last object in a text that has our fields; models put thoughts and Markdown around it."""
    said = _THOUGHTS.sub("", text[:_LONGEST_ANSWER])
    if not said.strip():
        raise AnswerError("it was empty")
    objects = list(_objects(said))
    if not objects:
        raise AnswerError("it was no complete JSON object")
    ours = [found for found in objects if found.keys() >= {"label", *_LISTS}]
    if not ours:
        raise AnswerError(f"it needs the fields label, summary, {', '.join(_LISTS)}, facts")
    for name in _LISTS:
        if not isinstance(ours[-1][name], list):
            raise AnswerError(f"{name} must be a list")
    for name in ("decisions", "open"):
        items = _list(ours[-1][name])
        if items and not any(isinstance(item, dict) for item in items):
            raise AnswerError(f"each of {name} must be an object with text, msg and quote")
    return ours[-1]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    place = text.find("{")
    for _ in range(_MOST_BRACES):
        if place < 0:
            return
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield found
        place = text.find("{", end)


def _found(
    items: Sequence[object], evidence: Evidence, made: Callable[[Mapping[str, object], int, str], _Item | None]
) -> Iterator[_Item]:
    """Yield the items whose quote stands in a message, and that are not said by tools and quotations only."""
    for item in items:
        if not isinstance(item, dict):
            continue
        fields = cast("dict[str, object]", item)
        place = evidence.find(_number(fields.get("msg")), _text(fields.get("quote")))
        one = made(fields, *place) if place else None
        if one is not None and not evidence.is_aside(one.told):
            yield one


def _note(fields: Mapping[str, object], message: int, quote: str) -> Note | None:
    text = cut(_BULLET.sub("", _text(fields.get("text"))), _LONGEST_NOTE)
    return Note(text, message, quote) if any(map(str.isalnum, text)) else None


def _fact(fields: Mapping[str, object], message: int, quote: str) -> Fact | None:
    subject, predicate, value = (
        cut(_text(fields.get(name)), most)
        for name, most in (("subject", _LONGEST_NAME), ("predicate", _LONGEST_NAME), ("value", _LONGEST_VALUE))
    )
    if not (subject and predicate and value):
        return None
    return Fact(subject, predicate.replace("_", " ").casefold(), value, message, quote)


def _gone(value: object, evidence: Evidence, ids: Mapping[str, tuple[str, int]]) -> Iterator[Gone]:
    for item in _list(value):
        if not isinstance(item, dict):
            continue
        fields = cast("dict[str, object]", item)
        named = ids.get(_text(fields.get("id")).upper())
        place = evidence.find(_number(fields.get("msg")), _text(fields.get("quote")))
        if named and place:
            yield Gone(*named, place[0])


def _names(items: Sequence[object], evidence: Evidence) -> Iterator[str]:
    for item in items:
        name = _text(item)
        if 1 < len(name) <= _LONGEST_NAME and evidence.names(name):
            yield name


def _label(value: object) -> str:
    return cut(_text(value).strip("\"'`\u201c\u201d#* ").rstrip("."), _LONGEST_LABEL)


def _grounded(text: str, evidence: Evidence) -> str:
    return "" if evidence.is_aside(text) else text


def _text(value: object) -> str:
    return one_line(storable(value)) if isinstance(value, str) else ""


def _list(value: object) -> Sequence[object]:
    return cast("list[object]", value) if isinstance(value, list) else ()


def _number(value: object) -> int | None:
    """Return the number of a message; models write it as text, with the speaker, or not at all."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _NUMBER.match(value) if isinstance(value, str) else None
    return int(match[1]) if match else None
