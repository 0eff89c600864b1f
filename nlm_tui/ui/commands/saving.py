"""Files for elsewhere: a session or the list, under a name that was free."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nlm_tui.core import one_line
from nlm_tui.display.export import Format, Place, Row, exported_list, exported_session, file_name, write_new
from nlm_tui.display.words import counted, home_path
from nlm_tui.ui.commands.selecting import labels_of_others, listed_rows, read_selected, say, warn
from nlm_tui.ui.questions import Choice, ask_text, choose

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen

Subject = Literal["session", "list"]

_FORMATS: tuple[tuple[Format, str], ...] = (("markdown", "Markdown"), ("html", "HTML"), ("json", "JSON"))


async def export_menu(screen: SearchScreen) -> None:
    """Ask what to export and how, and write the file."""
    rows = listed_rows(screen)
    no_session = "" if screen.target.session_id else "no session is selected"
    no_rows = "" if rows else "the list is empty"
    choices: list[Choice[tuple[Subject, Format]]] = []
    for form, name in _FORMATS:
        choices.append(Choice(("session", form), f"The session as {name}", name[0].lower(), "", no_session))
    for form, name in _FORMATS:
        choices.append(Choice(("list", form), f"The list as {name}", name[0], counted(len(rows), "row"), no_rows))
    chosen = await choose(screen, "Export", choices)
    if chosen is None:
        return
    subject, form = chosen
    if subject == "session":
        await _export_session(screen, form)
    else:
        await _export_list(screen, rows, form)


async def _export_session(screen: SearchScreen, form: Format) -> None:
    session = await read_selected(screen)
    if session is None:
        return
    context = screen.app_context
    place = Place(context.home, context.zone)
    labels = await asyncio.to_thread(labels_of_others, context, session)
    text = await asyncio.to_thread(exported_session, session, form, place, labels)
    await save(screen, text, file_name(session.label, form))


async def _export_list(screen: SearchScreen, rows: Sequence[Row], form: Format) -> None:
    context = screen.app_context
    title = ": ".join(filter(None, (screen.view_name, one_line(screen.text))))
    text = await asyncio.to_thread(exported_list, title, rows, form, Place(context.home, context.zone))
    await save(screen, text, file_name(title, form))


async def save(screen: SearchScreen, text: str, name: str) -> None:
    """Ask for a file's name, write it, and say where it is. No file is overwritten."""
    folder, home = screen.app_context.machine.folder, screen.app_context.home
    asked = await ask_text(screen, f"Write which file, in {home_path(str(folder), home)}?", name)
    if asked is None or not asked.strip():
        return
    try:
        written = await asyncio.to_thread(_write, folder, asked.strip(), text)
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        warn(screen, f"{one_line(asked)} was not written: {reason or type(error).__name__}")
        return
    say(screen, f"wrote {one_line(str(written))} ({counted(len(text.encode()), 'byte')})")


def _write(folder: Path, name: str, text: str) -> Path:
    return write_new(folder / Path(name).expanduser(), text)
