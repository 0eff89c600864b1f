"""Actions in words."""

from collections.abc import Callable, Mapping
from typing import Final

from nlm_tui.core.actions import Action
from nlm_tui.core.safe import one_line

_LONGEST = 60  # characters of a text that is quoted


def described(action: Action, label_of: Callable[[str], str]) -> str:
    """Return what an action did, safe to show; `label_of` gives the title of a session by its id."""
    if action.kind in _LINKED:
        return f"{_LINKED[action.kind]} {named(label_of(action.payload.get('by', '')))}"
    return _SAID[action.kind](action)


def named(text: str) -> str:
    """Return the beginning of a text in quotes, safe to show."""
    line = one_line(text)
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
    return f"\N{LEFT DOUBLE QUOTATION MARK}{line}\N{RIGHT DOUBLE QUOTATION MARK}"


def _with(words: str, name: str) -> Callable[[Action], str]:
    return lambda action: f"{words} {named(action.payload.get(name, ''))}"


def _topic(words: str, name: str) -> Callable[[Action], str]:
    return lambda action: f"topic {named(action.subject_id)} {words} {named(action.payload.get(name, ''))}"


def _plain(words: str) -> Callable[[Action], str]:
    return lambda _: words


_LINKED: Final[Mapping[str, str]] = {"supersede": "superseded by", "continue": "continued by"}
_SAID: Final[Mapping[str, Callable[[Action], str]]] = {
    "retitle": _with("retitled to", "to"),
    "hide": _plain("hidden"),
    "unhide": _plain("shown again"),
    "pin": _plain("pinned"),
    "unpin": _plain("unpinned"),
    "note": lambda action: "note written" if action.payload.get("text") else "note taken off",
    "add_decision": _with("added the decision", "text"),
    "add_open": _with("added the question", "text"),
    "revise_decision": _with("decision revised to", "to"),
    "revise_open": _with("question revised to", "to"),
    "dismiss_decision": _plain("decision dismissed"),
    "dismiss_open": _plain("question dismissed"),
    "resolve_open": _plain("question resolved"),
    "reopen_open": _plain("question reopened"),
    "promote_open": _with("question answered by the decision", "resolution"),
    "rename_entity": _topic("renamed to", "to"),
    "merge_entity": _topic("merged into", "into"),
    "retire_entity": lambda action: f"topic {named(action.subject_id)} retired",
    "undo": _plain("undone"),
}
