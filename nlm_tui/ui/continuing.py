"""Where the screen was left, and how it goes on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

from nlm_tui.settings import LastScreen

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def last_screen(screen: SearchScreen) -> LastScreen:
    """Return what the screen shows."""
    selected = screen.results.selected
    return LastScreen(
        query=screen.text,
        mode=screen.searching.mode,
        selected=selected.id if selected is not None else "",
    )


def go_on(screen: SearchScreen, last: LastScreen) -> None:
    """Let the screen show what it showed when it was left; before its first search."""
    with screen.box.prevent(Input.Changed):
        screen.box.put(last.query, len(last.query))
    screen.results.prefer(last.selected or None)
