"""Copying from a session: whatever one may want elsewhere, masked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from nlm_tui.core import Session, StoreError, display_safe, one_line
from nlm_tui.core.secrets import mask
from nlm_tui.display.export import Place, exported_session, file_name
from nlm_tui.ui.clipboard import CopyFailedError
from nlm_tui.ui.commands.saving import save
from nlm_tui.ui.commands.selecting import found_resume, labels_of_others, read_selected, say, warn
from nlm_tui.ui.questions import Choice, choose

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen

Copied = Literal["id", "path", "resume", "marker", "message", "code", "session", "show"]

_WHAT: dict[Copied, str] = {
    "id": "the id",
    "path": "the path",
    "resume": "the resume command",
    "message": "the message",
    "code": "the block of code",
    "session": "the session",
}
_KINDS = {"decision": "the decision", "open": "the open question"}


async def copy_menu(screen: SearchScreen) -> None:
    """Ask what of the session to copy, and copy it."""
    viewed = _viewed(screen)
    await _menu(screen, "Copy", _choices(screen, viewed), viewed, shows=False)


class _Viewed(NamedTuple):
    """What of the target is in view: the message and the block of code. Another session may be shown by the answer."""

    message: str = ""
    code: str = ""


def _viewed(screen: SearchScreen) -> _Viewed:
    detail = screen.session.detail
    if detail.session_id != screen.target.session_id:  # the session before it is still shown
        return _Viewed()
    found = detail.message_at_view()
    return _Viewed(found.text if found else "", detail.code_block_at_view())


async def _menu(
    screen: SearchScreen, title: str, choices: Sequence[Choice[Copied]], viewed: _Viewed, *, shows: bool
) -> None:
    chosen = await choose(screen, title, choices, about=screen.target.label)
    if chosen is None:
        return
    if chosen == "show":
        await _menu(screen, "Show, so that it can be selected", choices[:-1], viewed, shows=True)
        return
    found = await _text(screen, chosen, viewed)
    if found is None:
        return
    text, what = found
    if shows:
        if problem := screen.app_context.machine.show(screen.app, text):  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
            warn(screen, problem)
    else:
        await copy_text(screen, text, what)


def _choices(screen: SearchScreen, viewed: _Viewed) -> list[Choice[Copied]]:
    marker = screen.target.marker
    no_message = "" if viewed.message else "no message is in view"
    no_code = "" if viewed.code else "no block of code is in view"
    named = _KINDS[marker.kind].removeprefix("the ").capitalize() if marker else "Decisions and open questions"
    return [
        Choice("id", "Id", "i", screen.target.session_id or ""),
        Choice("path", "Path of its transcript", "p"),
        Choice("resume", "Command that resumes it", "r"),
        Choice("marker", named, "d", marker.text if marker else ""),
        Choice("message", "Message in view", "m", unavailable=no_message),
        Choice("code", "Block of code in view", "c", unavailable=no_code),
        Choice("session", "Whole session, as Markdown", "a"),
        Choice("show", "Show it instead, so that it can be selected", "s"),
    ]


async def _text(screen: SearchScreen, chosen: Copied, viewed: _Viewed) -> tuple[str, str] | None:
    """Return the text that was chosen, and what it is; say it where there is none."""
    marker = screen.target.marker
    text = ""
    if chosen == "id":
        text = one_line(screen.target.session_id or "")
    elif chosen == "message":
        text = viewed.message
    elif chosen == "code":
        text = viewed.code
    elif chosen == "marker" and marker is not None:
        return mask(display_safe(marker.text)), _KINDS[marker.kind]
    else:
        session = await read_selected(screen)
        if session is None:
            return None
        return await _of_session(screen, session, chosen)
    return _or_nothing(screen, mask(display_safe(text)), _WHAT[chosen])


async def _of_session(screen: SearchScreen, session: Session, chosen: Copied) -> tuple[str, str] | None:
    context = screen.app_context
    if chosen == "path":
        return _or_nothing(screen, one_line(session.transcript_path or ""), _WHAT[chosen])
    if chosen == "resume":
        wanted = await found_resume(screen, session)
        if wanted.refusal and not wanted.line:
            warn(screen, wanted.refusal)
            return None
        return display_safe(wanted.line), _WHAT[chosen]
    if chosen == "marker":
        marked = (
            *(f"* {one_line(text)}" for text in session.decisions),
            *(f"? {one_line(text)}" for text in session.open),
        )
        return _or_nothing(screen, mask("\n".join(marked)), "the decisions and open questions")
    place = Place(context.home, context.zone)
    try:
        labels = await asyncio.to_thread(labels_of_others, context, session)
    except StoreError:
        labels = {}
    return await asyncio.to_thread(exported_session, session, "markdown", place, labels), _WHAT["session"]


def _or_nothing(screen: SearchScreen, text: str, what: str) -> tuple[str, str] | None:
    if text:
        return text, what
    warn(screen, f"{what} is not known" if what in {"the id", "the path"} else "there is none")
    return None


async def copy_text(screen: SearchScreen, text: str, what: str) -> None:
    """Copy text, and say how; where it is too long for that, offer a file."""
    sent: list[str] = []
    try:
        said = await asyncio.to_thread(screen.app_context.machine.clipboard.copy, text, what, sent.append)
    except CopyFailedError as error:
        warn(screen, str(error))
        await save(screen, text, file_name(screen.target.label, "markdown"))
        return
    for one in sent:
        screen.app.copy_to_clipboard(one)  # pyright: ignore[reportUnknownMemberType]
    say(screen, said)
