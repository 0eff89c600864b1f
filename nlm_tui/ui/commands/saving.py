"""Files for elsewhere: a session or the list, under a name that was free."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nlm_tui.core import one_line
from nlm_tui.display.export import Format, Place, exported_list, exported_session, file_name, write_new
from nlm_tui.display.words import counted, home_path
from nlm_tui.ui.commands.selecting import labels_of_others, read_selected, say, warn
from nlm_tui.ui.every_row import EveryRow, Listing
from nlm_tui.ui.questions import Choice, ask_text, choose

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen

Subject = Literal["session", "list"]

_FORMATS: tuple[tuple[Format, str], ...] = (("markdown", "Markdown"), ("html", "HTML"), ("json", "JSON"))


async def export_menu(screen: SearchScreen) -> None:
    """Ask what to export and how, and write the file."""
    listing = _listing(screen)
    no_session = "" if screen.target.session_id else "no session is selected"
    no_rows = "" if screen.views.current.list.listed.keys else "the list is empty"
    rows = "all of its rows" if listing.total is None else counted(listing.total, "row")
    choices: list[Choice[tuple[Subject, Format]]] = []
    for form, name in _FORMATS:
        choices.append(Choice(("session", form), f"The session as {name}", name[0].lower(), "", no_session))
    for form, name in _FORMATS:
        choices.append(Choice(("list", form), f"The list as {name}", name[0], rows, no_rows))
    chosen = await choose(screen, "Export", choices)
    if chosen is None:
        return
    subject, form = chosen
    if subject == "session":
        await _export_session(screen, form)
    else:
        await _export_list(screen, listing, form)


def _listing(screen: SearchScreen) -> Listing:
    """Return what the list shows now."""
    view, browsing = screen.views.current, screen.views.browsing
    answer = screen.searching.answer
    return Listing(
        view.name,
        view.answered or "",
        answer.mode if answer is not None else screen.searching.mode,
        (lambda hit: hit.id) if browsing is None else browsing.page.painter.key,
        view.total,
        turned=browsing is not None and browsing.page.turned,
    )


async def _export_session(screen: SearchScreen, form: Format) -> None:
    session = await read_selected(screen)
    if session is None:
        return
    context = screen.app_context
    place = Place(context.home, context.zone)
    labels = await asyncio.to_thread(labels_of_others, context, session)
    text = await asyncio.to_thread(exported_session, session, form, place, labels)
    await save(screen, text, file_name(session.label, form))


async def _export_list(screen: SearchScreen, listing: Listing, form: Format) -> None:
    title = ": ".join(filter(None, (listing.view, one_line(listing.text))))
    if name := await _asked_name(screen, file_name(title, form)):
        screen.running.begin(_write_list(screen, listing, title, form, name))


async def _write_list(screen: SearchScreen, listing: Listing, title: str, form: Format, name: str) -> None:
    context, loop = screen.app_context, asyncio.get_running_loop()

    def show(count: int, total: int) -> None:
        screen.status.text = f"writing {count:,} of {counted(total, 'row')} ...   {screen.key_of('search.back')} stops"

    rows = EveryRow(context, listing, partial(loop.call_soon_threadsafe, show))
    parts = exported_list(title, rows, form, Place(context.home, context.zone))
    try:
        written = await _written(screen, name, parts)
    except asyncio.CancelledError:
        rows.stop()
        if screen.is_attached:
            warn(screen, f"{one_line(name)} was not written: it was stopped")
        raise
    finally:
        screen.showing.show_status()
    if written:
        missing = f"; {rows.total - rows.count:,} more came meanwhile" if rows.count < rows.total else ""
        say(screen, f"wrote {counted(rows.count, 'row')} to {written}{missing}")


async def save(screen: SearchScreen, text: str, name: str) -> None:
    """Ask for a file's name, write it, and say where it is. No file is overwritten."""
    if (asked := await _asked_name(screen, name)) and (written := await _written(screen, asked, (text,))):
        say(screen, f"wrote {written}")


async def _asked_name(screen: SearchScreen, name: str) -> str:
    folder, home = screen.app_context.machine.folder, screen.app_context.home
    asked = await ask_text(screen, f"Write which file, in {home_path(str(folder), home)}?", name)
    return (asked or "").strip()


async def _written(screen: SearchScreen, name: str, parts: Iterable[str]) -> str:
    """Return where a file was written and its size, '' where it cannot be, which is said."""
    try:
        path, size = await asyncio.to_thread(_write, screen.app_context.machine.folder, name, parts)
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        warn(screen, f"{one_line(name)} was not written: {reason or type(error).__name__}")
        return ""
    return f"{one_line(str(path))} ({counted(size, 'byte')})"


def _write(folder: Path, name: str, parts: Iterable[str]) -> tuple[Path, int]:
    path = write_new(folder / Path(name).expanduser(), parts)
    return path, path.stat().st_size
