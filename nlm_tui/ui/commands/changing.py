"""What every change of the memory needs: who is asked, what is said, and why it cannot be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from nlm_tui.core import display_safe
from nlm_tui.core.editing import EditRefusedError
from nlm_tui.core.secrets import mask
from nlm_tui.ui import questions

if TYPE_CHECKING:
    from nlm_tui.core.actions import Action
    from nlm_tui.core.editing import Edit, EditService
    from nlm_tui.ui.screens.search import SearchScreen

Change = Callable[["EditService"], "Edit"]


async def change(screen: SearchScreen, change: Change) -> None:
    """Have a change made off the event loop, say what it was, and show the memory as it is now."""
    screen.running.finish(_change(screen, change))


async def _change(screen: SearchScreen, change: Change) -> None:
    service = screen.app_context.memory.editing
    if service is None:
        return
    screen.status.text = "changing the memory ..."
    try:
        edit = await asyncio.to_thread(change, service)
    except EditRefusedError as error:
        screen.complain(str(error))
        return
    back = f"   {screen.app_context.keys.label('edit.undo')} takes it back" if edit.action.kind != "undo" else ""
    screen.notify(mask(display_safe(edit.said)) + back, markup=False)
    screen.memory_changed(topic=_topic(edit.action))


def _topic(action: Action) -> str | None:
    """Return what a topic is called now that an action changed; None where it changed none, or took it out."""
    if action.kind == "undo":
        kind, _, name = action.payload.get("undone_subject", "").partition(":")
        return name if kind == "entity" else None
    return (action.payload.get("to") or action.payload.get("into")) if action.subject_type == "entity" else None


async def ask(screen: SearchScreen, title: str, text: str = "") -> str | None:
    """Ask for a line of text, with `text` to begin with; None where the user thinks better of it.

    The text must be the real one, not what stands for a secret in it: that would be saved in its place.
    """
    if mask(text) != text and not screen.session.reveals(screen.target.session_id):
        screen.complain(f"it holds a secret, which would be shown: {screen.key_of('session.reveal')} allows that")
        return None
    return await questions.ask_text(screen, title, text)


async def choose_session(screen: SearchScreen, title: str, besides: str) -> str | None:
    """Let the user search for a session other than `besides`; None where the user thinks better of it."""
    found = await questions.choose_session(screen, title, besides)
    return None if found is None else found.id


def unchangeable(screen: SearchScreen) -> str:
    """Return why the memory cannot be changed; '' where it can."""
    service = screen.app_context.memory.editing
    return "this memory cannot be changed" if service is None else service.why_not()


def no_session(screen: SearchScreen) -> str:
    """Return why no session can be changed now; '' where one can."""
    return unchangeable(screen) or ("" if screen.target.session_id else "no session is selected")
