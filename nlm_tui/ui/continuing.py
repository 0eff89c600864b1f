"""Where the screen was left, and how it goes on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nlm_tui.settings import LastScreen
from nlm_tui.ui.views.arranging import LAYOUT_CHOICES, LayoutChoice
from nlm_tui.ui.views.grouping import GROUPINGS
from nlm_tui.ui.views.names import as_view
from nlm_tui.ui.views.trail import Place

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def last_screen(screen: SearchScreen) -> LastScreen:
    """Return what the screen shows."""
    return LastScreen(
        query=screen.text,
        mode=screen.searching.mode,
        view=screen.view_name,
        layout=screen.layout_choice,
        grouping=screen.grouping or "",
        selected=screen.views.place.selected or "",
    )


def go_on(screen: SearchScreen, last: LastScreen) -> None:
    """Let the screen show what it showed when it was left. What it does not know is as at the start."""
    screen.layout_choice = _layout(last.layout) or screen.layout_choice
    screen.results.group(next((grouping for grouping in GROUPINGS if last.grouping == grouping), None))
    screen.views.go_to(Place(as_view(last.view), last.query, last.selected or None))


def _layout(name: str) -> LayoutChoice | None:
    return next((choice for choice in LAYOUT_CHOICES if name == choice), None)
