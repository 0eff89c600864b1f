"""Reading the selected session without leaving the search box."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from nlm_tui.ui.commands.command import Command

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def _no_session(screen: SearchScreen) -> str:
    return "" if screen.session.detail.session_id else "no session is shown"


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
