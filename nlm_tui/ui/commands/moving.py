"""Moving: in the list, in the session, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from nlm_tui.ui.commands.command import Command

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def _moves(step: int) -> Callable[[SearchScreen], None]:
    return lambda screen: screen.move(step)


def _pages(step: int, share: int = 1) -> Callable[[SearchScreen], None]:
    def move(screen: SearchScreen) -> None:
        rows = screen.views.current.list
        rows.move(step * max(rows.page // share, 1))

    return move


def _edge(step: int) -> Callable[[SearchScreen], None]:
    return lambda screen: screen.views.current.list.move_to_edge(step)


def _steps(step: int) -> Callable[[SearchScreen], None]:
    return lambda screen: screen.session.step(step)


def _scrolls(direction: int) -> Callable[[SearchScreen], None]:
    return lambda screen: screen.session.scroll_half(direction)


def _to_box(screen: SearchScreen) -> None:
    screen.box.focus()


def _trail_back(screen: SearchScreen) -> None:
    if (place := screen.views.trail.back()) is not None:
        screen.views.go_to(place)


COMMANDS: Final = (
    Command(id="results.up", keys="up,ctrl+p,k", title="Up", help="One row up", run=_moves(-1)),
    Command(id="results.down", keys="down,ctrl+n,j", title="Down", help="One row down", run=_moves(1)),
    Command(id="results.page_up", keys="pageup", title="Page up", help="One page of rows up", run=_pages(-1)),
    Command(id="results.page_down", keys="pagedown", title="Page down", help="One page down", run=_pages(1)),
    Command(
        id="results.half_up", keys="ctrl+u", title="Half a page up", help="Half a page of rows up", run=_pages(-1, 2)
    ),
    Command(id="results.half_down", keys="ctrl+d", title="Half a page down", help="Half a page down", run=_pages(1, 2)),
    Command(id="results.first", keys="home,g", title="First row", help="To the first row", run=_edge(-1)),
    Command(id="results.last", keys="end,G", title="Last row", help="To the last row that is loaded", run=_edge(1)),
    Command(
        id="results.enter",
        keys="enter",
        title="Open the selected row",
        help="Move into its session, to where a decision was said; of a topic, into its sessions",
        run=lambda screen: screen.action_open(),
    ),
    Command(id="search.focus", keys="slash", title="To the search box", help="Type on in the search box", run=_to_box),
    Command(id="match.next", keys="alt+n", title="Next match", help="To the next match in the session", run=_steps(1)),
    Command(id="match.previous", keys="alt+p", title="Match before", help="To the match before", run=_steps(-1)),
    Command(id="detail.scroll_up", keys="ctrl+up", title="Scroll up", help="Scroll the session up", run=_scrolls(-1)),
    Command(
        id="detail.scroll_down", keys="ctrl+down", title="Scroll down", help="Scroll the session down", run=_scrolls(1)
    ),
    Command(
        id="trail.back",
        keys="ctrl+b",
        title="Where you came from",
        help="To the view, text and row before the last jump",
        run=_trail_back,
        why_not=lambda screen: "" if screen.views.trail else "this is where you began",
    ),
    Command(
        id="search.back",
        keys="escape",
        title="Back",
        help="One step back; clears the box, or restores it",
        run=lambda screen: screen.go_back(),
        shown=True,
    ),
)
