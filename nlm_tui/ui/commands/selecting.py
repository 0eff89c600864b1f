"""What commands that use a session share: reading it, and saying what happened."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nlm_tui.core import Session, StoreError, display_safe
from nlm_tui.core.resume import Resume
from nlm_tui.core.secrets import mask

if TYPE_CHECKING:
    from nlm_tui.ui.context import Context
    from nlm_tui.ui.screens.search import SearchScreen


def no_session(screen: SearchScreen) -> str:
    """Return why no session can be used now; '' where one can."""
    return "" if screen.target.session_id else "no session is selected"


def say(screen: SearchScreen, text: str) -> None:
    """Say what was done."""
    screen.notify(mask(display_safe(text)), markup=False)


def warn(screen: SearchScreen, text: str) -> None:
    """Say what could not be done."""
    screen.notify(mask(display_safe(text)), severity="warning", markup=False)


async def read_selected(screen: SearchScreen) -> Session | None:
    """Return the selected session as it is now, read off the event loop; say it where it is gone."""
    session = await asyncio.to_thread(_read, screen.app_context, screen.target.session_id or "")
    if session is None:
        warn(screen, "this session is gone")
    return session


async def found_resume(screen: SearchScreen, session: Session) -> Resume:
    """Return how a session is resumed, looked up off the event loop."""
    return await asyncio.to_thread(_resume, screen.app_context, session)


def labels_of_others(context: Context, session: Session) -> dict[str, str]:
    """Return the labels of the sessions that one is linked to, by their ids.

    Raises:
        StoreError: the store failed.
    """
    parent = (session.parent_id,) if session.parent_id else ()
    linked = context.memory.sessions.get_by_ids([*parent, *session.continues, *session.superseded_by])
    return {other.id: other.label for other in linked}


def _read(context: Context, session_id: str) -> Session | None:
    return context.memory.sessions.get_by_id(session_id)


def _resume(context: Context, session: Session) -> Resume:
    try:
        parent = _read(context, session.parent_id) if session.parent_id else None
    except StoreError:
        parent = None  # it is named by its id then
    return context.machine.resume(session, parent)
