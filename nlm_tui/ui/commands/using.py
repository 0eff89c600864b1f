"""Using a session: go on with it, copy from it, open it elsewhere, take it along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nlm_tui.ui.commands.command import Command
from nlm_tui.ui.commands.selecting import no_session, say

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


async def _resume(screen: SearchScreen) -> None:
    from nlm_tui.ui.commands.opening import resume  # noqa: PLC0415 - what is used once in a while loads when it is

    await resume(screen)


async def _copy(screen: SearchScreen) -> None:
    from nlm_tui.ui.commands.copying import copy_menu  # noqa: PLC0415 - the same

    await copy_menu(screen)


async def _open(screen: SearchScreen) -> None:
    from nlm_tui.ui.commands.opening import open_menu  # noqa: PLC0415 - the same

    await open_menu(screen)


async def _export(screen: SearchScreen) -> None:
    from nlm_tui.ui.commands.saving import export_menu  # noqa: PLC0415 - the same

    await export_menu(screen)


def _reveal(screen: SearchScreen) -> None:
    if (session_id := screen.target.session_id) is None:
        return
    shown = "secrets of this session are shown until another one is selected; copies and exports stay masked"
    say(screen, shown if screen.session.toggle_secrets(session_id) else "secrets are masked again")


def _nothing(screen: SearchScreen) -> str:
    return "" if screen.views.current.list.listed.keys else no_session(screen)


COMMANDS: Final = (
    Command(
        id="session.resume",
        keys="alt+r",
        title="Resume",
        help="Go on with the session in its own agent",
        run=_resume,
        why_not=no_session,
        shown=True,
        uses=True,
    ),
    Command(
        id="session.copy",
        keys="ctrl+y,y",
        title="Copy",
        help="Copy id, path, command, decision, message, code or all of it",
        run=_copy,
        why_not=no_session,
        shown=True,
        uses=True,
    ),
    Command(
        id="session.open",
        keys="alt+o,o",
        title="Open in ...",
        help="Open transcript or project in your editor, the session in your pager",
        run=_open,
        why_not=no_session,
        uses=True,
    ),
    Command(
        id="session.export",
        keys="alt+w",
        title="Export",
        help="Write the session or the list as Markdown, HTML or JSON",
        run=_export,
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
