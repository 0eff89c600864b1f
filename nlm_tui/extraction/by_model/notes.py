"""What was noted on a conversation, and how the notes on its windows become one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

MOST_NOTES: Final = 24
"""Decisions, and open questions, that are kept of a conversation: of more the last ones."""

_ALIKE = 0.75  # of the words of the shorter one
_WORD = re.compile(r"[^\W_]+")


class Note(NamedTuple):
    """A decision or an open question: the number of the message that it comes from, and words of that message."""

    text: str
    message: int
    quote: str

    @property
    def told(self) -> str:
        """All that it says."""
        return self.text


class Fact(NamedTuple):
    """Something that was established, and where."""

    subject: str
    predicate: str
    value: str
    message: int
    quote: str

    @property
    def told(self) -> str:
        """All that it says."""
        return f"{self.subject} {self.predicate} {self.value}"


class Gone(NamedTuple):
    """A note on an earlier window that no longer holds: its kind, its place, the message that ended it."""

    kind: str
    place: int
    message: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What was noted on a conversation, or on a window of it; `gone` are earlier notes."""

    label: str = ""
    summary: str = ""
    entities: tuple[str, ...] = ()
    decisions: tuple[Note, ...] = ()
    open: tuple[Note, ...] = ()
    facts: tuple[Fact, ...] = ()
    gone: tuple[Gone, ...] = ()


def merged(before: Notes, later: Notes) -> Notes:
    """Return the notes on a conversation up to a window, given those up to it and those on it.

    What the window ended is gone; of notes that say the same the later one stays; of facts that have one subject and
    predicate the last.
    """
    return Notes(
        label=later.label or before.label,
        summary=later.summary or before.summary,
        entities=_distinct_names((*before.entities, *later.entities)),
        decisions=_distinct([*_standing(before.decisions, "decision", later.gone), *later.decisions]),
        open=_distinct([*_standing(before.open, "open", later.gone), *later.open]),
        facts=_last_values((*before.facts, *later.facts)),
    )


def _standing(notes: Sequence[Note], kind: str, gone: Sequence[Gone]) -> list[Note]:
    ended = {one.place: one.message for one in gone if one.kind == kind}
    return [note for place, note in enumerate(notes) if ended.get(place, -1) < note.message]


def _distinct(notes: Sequence[Note]) -> tuple[Note, ...]:
    """Return notes in the order of the conversation; of those that say the same, the one that is said last."""
    kept: list[Note] = []
    for note in sorted(notes, key=lambda one: one.message):
        words = frozenset(_words(note.text))
        kept = [one for one in kept if not _are_alike(frozenset(_words(one.text)), words)]
        kept.append(note)
    return tuple(kept[-MOST_NOTES:])


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if not one or not other:
        return one == other
    shared = len(one & other)
    return shared / len(one | other) >= _ALIKE or (shared == min(len(one), len(other)) and shared > 2)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold(), name)
    return tuple(found.values())


def _last_values(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    found: dict[tuple[str, str], Fact] = {}
    for fact in sorted(facts, key=lambda one: one.message):
        found[fact.subject.casefold(), fact.predicate.casefold()] = fact
    return tuple(found.values())
