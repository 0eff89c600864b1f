"""Moving: in the list, in the session, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from nlm_tui.ui.commands.command import Command

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def _moves(step: int) -> Callable[[SearchScreen], None]:
    return lambda screen: screen.move(step)


def _pages(step: int) -> Callable[[SearchScreen], None]:
    return lambda screen: screen.move_page(step)


def _steps(step: int) -> Callable[[SearchScreen], None]:
    return lambda screen: screen.session.step(step)


def _scrolls(direction: int) -> Callable[[SearchScreen], None]:
    return lambda screen: screen.session.scroll_half(direction)


COMMANDS: Final = (
    Command(id="results.up", keys="up,ctrl+p,k", title="Up", help="One row up", run=_moves(-1)),
    Command(id="results.down", keys="down,ctrl+n,j", title="Down", help="One row down", run=_moves(1)),
    Command(id="results.page_up", keys="pageup", title="Page up", help="One page of rows up", run=_pages(-1)),
    Command(id="results.page_down", keys="pagedown", title="Page down", help="One page down", run=_pages(1)),
    Command(id="match.next", keys="alt+n", title="Next match", help="To the next match in the session", run=_steps(1)),
    Command(id="match.previous", keys="alt+p", title="Match before", help="To the match before", run=_steps(-1)),
    Command(id="detail.scroll_up", keys="ctrl+up", title="Scroll up", help="Scroll the session up", run=_scrolls(-1)),
    Command(
        id="detail.scroll_down", keys="ctrl+down", title="Scroll down", help="Scroll the session down", run=_scrolls(1)
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
