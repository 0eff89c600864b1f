"""What a user changed in the memory: entries of an append-only log, and the ids of what they are about."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from nlm_tui.core.query import MarkerKind

ActionKind = Literal[
    "resolve_open",
    "promote_open",
    "dismiss_decision",
    "revise_decision",
    "rename_entity",
    "merge_entity",
    "retire_entity",
    "undo",
    # What follows is ours alone.
    "dismiss_open",
    "revise_open",
    "add_decision",
    "add_open",
    "retitle",
    "supersede",
    "continue",
    "hide",
    "unhide",
    "pin",
    "unpin",
    "note",
    "reopen_open",
]
SubjectType = Literal["session", "decision", "open_question", "entity", "action"]

ACTION_KINDS: Final[tuple[ActionKind, ...]] = get_args(ActionKind)

_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Action:
    """One entry of the log. `at` is ISO 8601 in UTC; ids sort by time.

    The payload of `retitle`, `revise_*` and `rename_entity` holds `to`, of `add_*` and `note` `text`, of `promote_open`
    `resolution`, of `merge_entity` `into`, of `supersede` and `continue` `by`: the newer session. What replaces text
    also holds `original_text`. An `undo` is about an action, and takes its effect back.
    """

    id: str
    at: str
    kind: ActionKind
    subject_type: SubjectType
    subject_id: str
    payload: Mapping[str, str] = field(default_factory=dict[str, str])


def standing(actions: Iterable[Action]) -> tuple[Action, ...]:
    """Return those of `actions` that no later `undo` took back, oldest first; undos themselves are left out."""
    ordered = sorted(actions, key=lambda action: action.id)
    undone = {action.subject_id for action in ordered if action.kind == "undo"}
    return tuple(action for action in ordered if action.kind != "undo" and action.id not in undone)


def session_of(action: Action) -> str:
    """Return the id of the session that an action on one, or on a marker, is about."""
    if action.subject_type not in {"decision", "open_question"}:
        return action.subject_id
    return action.subject_id.rpartition("::dec::" if action.subject_type == "decision" else "::")[0]


def marker_id(kind: MarkerKind, session_id: str, text: str) -> str:
    """Return the id by which actions name a marker, the same in every program that shares the store.

    It holds the first twelve digits of the 64-bit FNV-1a hash over the UTF-16 units of the text as it was read.
    """
    infix = "dec::" if kind == "decision" else ""
    return f"{session_id}::{infix}{_hash(text)}"


def _hash(text: str) -> str:
    units = text.encode("utf-16-le", "surrogatepass")
    value = _OFFSET
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = ((value ^ (low | high << 8)) * _PRIME) & _MASK
    return f"{value:016x}"[:_DIGITS]
