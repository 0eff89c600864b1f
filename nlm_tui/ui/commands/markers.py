"""Changing decisions and open questions: those that are selected, or one of the selected session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from nlm_tui.ui.commands.changing import ask, change, no_session
from nlm_tui.ui.commands.command import Command
from nlm_tui.ui.questions import Choice, choose

if TYPE_CHECKING:
    from nlm_tui.core import MarkerKind
    from nlm_tui.core.browsing import MarkerRow
    from nlm_tui.core.corrections import MarkerState
    from nlm_tui.ui.screens.search import SearchScreen

_WORDS: Final[dict[str, str]] = {"decision": "decision", "open": "open question"}


def _adds(kind: MarkerKind) -> Callable[[SearchScreen], Awaitable[None]]:
    async def add(screen: SearchScreen) -> None:
        session_id = screen.target.session_id or ""
        if text := await ask(screen, f"New {_WORDS[kind]} of this session"):
            await change(screen, lambda service: service.add_marker(session_id, kind, text))

    return add


class _Marked(NamedTuple):
    """A marker as it can be chosen."""

    id: str
    kind: MarkerKind
    text: str
    state: MarkerState


async def _marker(screen: SearchScreen, title: str, wanted: Callable[[_Marked], bool]) -> _Marked | None:
    """Return the selected marker, or the one of the selected session that the user chooses."""
    target, service = screen.target, screen.app_context.memory.editing
    if (row := target.marker) is not None:
        return _Marked(row.id, row.kind, row.text, row.state)
    if service is None or target.session_id is None:
        return None
    found = await asyncio.to_thread(service.markers, target.session_id)
    marked = [_Marked(marker_id, marker.kind, marker.text, marker.state) for marker_id, marker in found]
    choices = [
        Choice(one, one.text, letter, _WORDS[one.kind])
        for one, letter in zip_longest(filter(wanted, marked), "123456789", fillvalue="")
        if isinstance(one, _Marked)
    ]
    if not choices:
        screen.notify("this session holds none", severity="warning", markup=False)
        return None
    return await choose(screen, title, choices)


async def _correct(screen: SearchScreen) -> None:
    marker = await _marker(screen, "Which one to correct?", lambda row: row.state == "standing")
    if marker and (text := await ask(screen, f"Correct this {_WORDS[marker.kind]}", marker.text)) is not None:
        await change(screen, lambda service: service.revise(marker.id, text))


async def _dismiss(screen: SearchScreen) -> None:
    marker = await _marker(screen, "Which one was never said?", lambda row: row.state == "standing")
    if marker:
        await change(screen, lambda service: service.dismiss(marker.id))


async def _resolve(screen: SearchScreen) -> None:
    marker = await _marker(screen, "Which question is resolved?", _is_open)
    if marker:
        await change(screen, lambda service: service.resolve(marker.id))


async def _promote(screen: SearchScreen) -> None:
    marker = await _marker(screen, "Which question was decided?", _is_open)
    if marker and (text := await ask(screen, f"What was decided on: {marker.text}")):
        await change(screen, lambda service: service.promote(marker.id, text))


async def _reopen(screen: SearchScreen) -> None:
    marker = await _marker(screen, "Which question is open again?", lambda row: row.state != "standing")
    if marker:
        await change(screen, lambda service: service.reopen(marker.id))


def _is_open(row: MarkerRow | _Marked) -> bool:
    return row.kind == "open" and row.state == "standing"


def _closed_question(screen: SearchScreen) -> str:
    marker = screen.target.marker
    return _no_question(screen) or ("" if marker is None or _is_open(marker) else "this question is closed already")


def _not_closed(screen: SearchScreen) -> str:
    marker = screen.target.marker
    return _no_question(screen) or ("this question is open" if marker is not None and _is_open(marker) else "")


def _no_question(screen: SearchScreen) -> str:
    marker = screen.target.marker
    return no_session(screen) or ("" if marker is None or marker.kind == "open" else "no open question is selected")


MENU: Final = {
    "d": Command(
        id="marker.add_decision",
        keys="",
        title="Add a decision",
        help="That the session came to",
        run=_adds("decision"),
        why_not=no_session,
    ),
    "o": Command(
        id="marker.add_open",
        keys="",
        title="Add an open question",
        help="That the session left",
        run=_adds("open"),
        why_not=no_session,
    ),
    "e": Command(
        id="marker.correct",
        keys="",
        title="Correct",
        help="The text of a decision or an open question",
        run=_correct,
        why_not=no_session,
    ),
    "x": Command(
        id="marker.dismiss",
        keys="",
        title="Dismiss",
        help="A decision or question that was never one",
        run=_dismiss,
        why_not=no_session,
    ),
    "r": Command(
        id="question.resolve",
        keys="alt+d",
        title="Resolve",
        help="The question is closed for good",
        run=_resolve,
        why_not=_closed_question,
        views=("open",),
    ),
    "a": Command(
        id="question.promote",
        keys="alt+a",
        title="Answer",
        help="What was decided: the question becomes a decision",
        run=_promote,
        why_not=_closed_question,
        views=("open",),
    ),
    "w": Command(
        id="question.reopen",
        keys="",
        title="Reopen",
        help="The question is open again",
        run=_reopen,
        why_not=_not_closed,
    ),
}
"""The commands by their letters in the menu."""

COMMANDS: Final = tuple(MENU.values())
