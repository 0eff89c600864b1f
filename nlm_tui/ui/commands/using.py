"""Using a session: go on with it, copy from it, open it elsewhere, take it along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nlm_tui.ui.commands.command import Command
from nlm_tui.ui.commands.copying import copy_menu
from nlm_tui.ui.commands.opening import open_menu, resume
from nlm_tui.ui.commands.saving import export_menu, listed_rows
from nlm_tui.ui.commands.selecting import no_session, say

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def _reveal(screen: SearchScreen) -> None:
    pane = screen.session
    pane.reveal = not pane.reveal
    pane.read_again()
    shown = "secrets are shown in this pane; copies and exports stay masked"
    say(screen, shown if pane.reveal else "secrets are masked again")


def _nothing(screen: SearchScreen) -> str:
    return no_session(screen) if not listed_rows(screen) else ""


COMMANDS: Final = (
    Command(
        id="session.resume",
        keys="alt+r",
        title="Resume",
        help="Go on with the session in its own agent",
        run=resume,
        why_not=no_session,
        shown=True,
        uses=True,
    ),
    Command(
        id="session.copy",
        keys="ctrl+y,y",
        title="Copy",
        help="Copy id, path, command, decision, message, code or all of it",
        run=copy_menu,
        why_not=no_session,
        shown=True,
        uses=True,
    ),
    Command(
        id="session.open",
        keys="alt+o,o",
        title="Open in ...",
        help="Open transcript or project in your editor, the session in your pager",
        run=open_menu,
        why_not=no_session,
        uses=True,
    ),
    Command(
        id="session.export",
        keys="alt+w",
        title="Export",
        help="Write the session or the list as Markdown, HTML or JSON",
        run=export_menu,
        why_not=_nothing,
        uses=True,
    ),
    Command(
        id="session.reveal",
        keys="alt+k",
        title="Reveal secrets",
        help="Show what is masked in the session, or mask it again",
        run=_reveal,
        why_not=no_session,
    ),
)
