"""The program itself: help, queries that were asked before, how it looks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from nlm_tui.core import StoreError
from nlm_tui.ui import questions
from nlm_tui.ui.commands.command import Command

if TYPE_CHECKING:
    from nlm_tui.ui.help_text import Section
    from nlm_tui.ui.screens.search import SearchScreen


def _help(screen: SearchScreen) -> None:
    from nlm_tui.ui.help_text import sections  # noqa: PLC0415 - no first paint waits for it

    _show(screen, sections(screen.app_context.keys, screen.focused))


async def _sources(screen: SearchScreen) -> None:
    from nlm_tui.display.sources import about_sources  # noqa: PLC0415 - no first paint waits for it
    from nlm_tui.ui.help_text import Section  # noqa: PLC0415 - the same

    context = screen.app_context
    if context.sources is None:
        return
    try:
        found = await asyncio.to_thread(context.sources)
    except StoreError as error:
        screen.complain(str(error))
        return
    told = about_sources(found, context.now(), context.home, "nlm-tui sources --json")
    _show(screen, [Section(one.title, sentences=one.lines) for one in told])


def _show(screen: SearchScreen, parts: list[Section]) -> None:
    from nlm_tui.ui.screens.help import HelpScreen  # noqa: PLC0415 - no first paint waits for it

    screen.app.push_screen(HelpScreen(screen.app_context.keys, parts))  # pyright: ignore[reportUnknownMemberType] - a bare App


def _no_sources(screen: SearchScreen) -> str:
    return "" if screen.app_context.sources else "the demo is not read from transcripts"


async def _recall_query(screen: SearchScreen) -> None:
    if (query := await questions.choose_query(screen)) is not None:
        screen.box.put(query, len(query))
        screen.box.focus()


async def _save_query(screen: SearchScreen) -> None:
    query = screen.text.strip()
    name = await questions.ask_text(screen, f"A name for {query}")
    if name is not None and name.strip():
        screen.remembering.save(name.strip(), query)
        screen.notify(f"Saved as {name.strip()}", markup=False)


def _no_query(screen: SearchScreen) -> str:
    return "" if screen.text.strip() else "the box is empty"


def _theme(screen: SearchScreen) -> None:
    screen.app.action_change_theme()  # pyright: ignore[reportUnknownMemberType] - a bare App


def _repaint(screen: SearchScreen) -> None:
    from nlm_tui.ui.app import NlmApp  # noqa: PLC0415 - the app is made of this

    if isinstance(screen.app, NlmApp):  # pyright: ignore[reportUnknownMemberType] - a bare App
        screen.app.paint_again()


COMMANDS: Final = (
    Command(
        id="query.history",
        keys="ctrl+r",
        title="History",
        help="Queries that were used before, and saved ones",
        run=_recall_query,
        shown=True,
    ),
    Command(
        id="query.save",
        keys="alt+s",
        title="Save the query",
        help="Keep the query under a name",
        run=_save_query,
        why_not=_no_query,
    ),
    Command(id="app.theme", keys="", title="Theme", help="Choose how the screen looks; it is kept", run=_theme),
    Command(
        id="app.sources",
        keys="",
        title="Sources",
        help="Whose transcripts are read, from where, and what was skipped and why",
        run=_sources,
        why_not=_no_sources,
    ),
    Command(
        id="app.repaint",
        keys="",
        title="Repaint",
        help="Paint all anew, where something else wrote on the screen",
        run=_repaint,
    ),
    Command(id="app.help", keys="f1,alt+h,?", title="Help", help="What can be done here, and all keys", run=_help),
)
