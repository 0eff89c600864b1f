"""Reading the selected session without leaving the search box."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from nlm_tui.ui.commands.command import Command

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def _no_session(screen: SearchScreen) -> str:
    return "" if screen.session.detail.session_id else "no session is shown"


def _why_not_said(screen: SearchScreen) -> str:
    if reason := _no_session(screen):
        return reason
    detail, target = screen.session.detail, screen.target
    if target.session_id != detail.session_id:
        return ""  # it is still being read
    if target.marker is not None and not detail.says_where(target.marker.text):
        return "where this was said is not known"
    return "" if detail.says_where() else "where the decisions and questions of this session were said is not known"


def _to_said(screen: SearchScreen) -> None:
    target = screen.target
    screen.session.step_said(target.session_id or "", target.marker.text if target.marker else "")


def _to_prompt(step: int) -> Callable[[SearchScreen], None]:
    return lambda screen: screen.session.detail.action_prompt(step)


COMMANDS: Final = (
    Command(
        id="session.next_prompt",
        keys="alt+pagedown",
        title="Next prompt",
        help="To your next prompt in the session",
        run=_to_prompt(1),
        why_not=_no_session,
    ),
    Command(
        id="session.previous_prompt",
        keys="alt+pageup",
        title="Prompt before",
        help="To your prompt before that in the session",
        run=_to_prompt(-1),
        why_not=_no_session,
    ),
    Command(
        id="session.said",
        keys="alt+c",
        title="Where it was said",
        help="To where the selected decision or question was said; then the session's next one",
        run=_to_said,
        why_not=_why_not_said,
    ),
    Command(
        id="session.find",
        keys="alt+t",
        title="Find in the session",
        help="Find a text in the session",
        run=lambda screen: screen.session.detail.action_find(),
        why_not=_no_session,
    ),
    Command(
        id="session.fold",
        keys="alt+z",
        title="Fold tool calls",
        help="Fold all tool calls in the session, or unfold them",
        run=lambda screen: screen.session.detail.action_fold(),
        why_not=_no_session,
    ),
    Command(
        id="session.render",
        keys="alt+m",
        title="Rendered or raw",
        help="Show Markdown and code by what they mean, or as they stand",
        run=lambda screen: screen.session.detail.action_render(),
        why_not=_no_session,
    ),
)
