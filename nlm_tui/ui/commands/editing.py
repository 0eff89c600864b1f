"""Changing the memory: each change is said, shown at once, and taken back by one key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from nlm_tui.core.secrets import mask
from nlm_tui.display.words import counted
from nlm_tui.ui.commands import markers
from nlm_tui.ui.commands.changing import ask, change, choose_session, no_session, unchangeable
from nlm_tui.ui.commands.command import Command
from nlm_tui.ui.commands.selecting import read_selected
from nlm_tui.ui.questions import Choice, ask_text, choose, confirm

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


async def _retitle(screen: SearchScreen) -> None:
    session = await read_selected(screen)
    if session and (label := await ask(screen, "Title", session.label)) is not None:
        await change(screen, lambda service: service.retitle(session.id, label))


async def _note(screen: SearchScreen) -> None:
    session = await read_selected(screen)
    if session and (text := await ask(screen, "Note; empty takes it off", session.note)) is not None:
        await change(screen, lambda service: service.note(session.id, text))


async def _supersede(screen: SearchScreen) -> None:
    older = screen.target.session_id or ""
    if newer := await choose_session(screen, "Which session came to other conclusions?", older):
        await change(screen, lambda service: service.supersede(older, newer))


async def _continue(screen: SearchScreen) -> None:
    newer = screen.target.session_id or ""
    if older := await choose_session(screen, "Which session does this one continue?", newer):
        await change(screen, lambda service: service.continue_(newer, older))


async def _hide(screen: SearchScreen) -> None:
    if session := await read_selected(screen):
        await change(screen, lambda service: (service.unhide if session.hidden else service.hide)(session.id))


async def _pin(screen: SearchScreen) -> None:
    if session := await read_selected(screen):
        await change(screen, lambda service: (service.unpin if session.pinned else service.pin)(session.id))


async def _rename(screen: SearchScreen) -> None:
    topic = screen.target.topic or ""
    before = topic if mask(topic) == topic else ""  # a topic has no session whose secrets could be shown
    if name := await ask(screen, f"New name of the topic {topic}", before):
        await change(screen, lambda service: service.rename_topic(topic, name))


async def _merge(screen: SearchScreen) -> None:
    topic = screen.target.topic or ""
    values = await asyncio.to_thread(screen.app_context.memory.values, "entity")
    names = [value.value for value in values if value.value != topic]
    into = await ask_text(screen, f"Merge {topic} into which topic?", names=names)
    if into:
        await change(screen, lambda service: service.merge_topics(topic, into))


async def _retire(screen: SearchScreen) -> None:
    topic = screen.target.topic or ""
    await change(screen, lambda service: service.retire_topic(topic))


async def _forget(screen: SearchScreen) -> None:
    session = await read_selected(screen)
    if session is None or (forget := screen.app_context.memory.forget) is None:
        return
    question = "Forget this session, with what subagents did in it, for good?"
    if not await confirm(screen, question, yes="Forget it: this cannot be undone", about=session.label):
        return
    screen.running.finish(_forgotten(screen, forget, session.id))


async def _forgotten(screen: SearchScreen, forget: Callable[[Sequence[str]], int], session_id: str) -> None:
    """Forget a session, and say so."""
    screen.status.text = "forgetting: the file of the memory is written anew ..."
    total = await asyncio.to_thread(forget, [session_id])
    screen.remembering.deselect(session_id)
    screen.notify(f"forgot {counted(total, 'session')}; not to be read again", markup=False)
    for copy in await asyncio.to_thread(screen.app_context.memory.copies):
        screen.complain(f"{copy} still holds what was forgotten: delete it if you can do without")
    screen.showing.come_back()
    screen.memory_changed()


def _no_topic(screen: SearchScreen) -> str:
    return unchangeable(screen) or (
        "" if screen.target.topic else "no topic is selected: the view of topics lists them"
    )


def _nothing(screen: SearchScreen) -> str:
    target = screen.target
    return unchangeable(screen) or ("" if target.session_id or target.topic is not None else "nothing is selected")


async def _undo(screen: SearchScreen) -> None:
    await change(screen, lambda service: service.undo())


async def _menu(screen: SearchScreen) -> None:
    on_topics = screen.target.topic is not None
    choices = [
        Choice(command, command.title, letter, command.help, command.why_not(screen))
        for letter, command in _MENU.items()
        if command.id.startswith("topic.") == on_topics
    ]
    about = screen.target.marker.text if screen.target.marker else screen.target.topic or screen.target.label
    chosen = await choose(screen, "Change the memory", choices, about=about)
    if chosen is not None and (waits := chosen.run(screen)) is not None:
        await waits


_MENU: Final = {
    "t": Command(
        id="session.retitle",
        keys="",
        title="Retitle",
        help="Give the session another title",
        run=_retitle,
        why_not=no_session,
    ),
    "n": Command(
        id="session.note",
        keys="",
        title="Note",
        help="Your own words about the session",
        run=_note,
        why_not=no_session,
    ),
    "p": Command(
        id="session.pin",
        keys="",
        title="Pin or unpin",
        help="Pinned sessions stand first",
        run=_pin,
        why_not=no_session,
    ),
    "h": Command(
        id="session.hide",
        keys="",
        title="Hide or show again",
        help="Hidden ones are found by is:hidden only",
        run=_hide,
        why_not=no_session,
    ),
    "s": Command(
        id="session.supersede",
        keys="",
        title="Superseded by ...",
        help="A newer session came to other conclusions",
        run=_supersede,
        why_not=no_session,
    ),
    "c": Command(
        id="session.continue",
        keys="",
        title="Continues ...",
        help="Link it to the session that it goes on with",
        run=_continue,
        why_not=no_session,
    ),
    "F": Command(
        id="session.forget",
        keys="",
        title="Forget for good",
        help="Text, vectors and index; it is not read again",
        run=_forget,
        why_not=no_session,
        destructive=True,
    ),
    **markers.MENU,
    "m": Command(
        id="topic.rename", keys="", title="Rename the topic", help="In every session", run=_rename, why_not=_no_topic
    ),
    "g": Command(
        id="topic.merge",
        keys="",
        title="Merge the topic",
        help="Its sessions belong to another one",
        run=_merge,
        why_not=_no_topic,
    ),
    "z": Command(
        id="topic.retire", keys="", title="Retire the topic", help="It is none any more", run=_retire, why_not=_no_topic
    ),
}

COMMANDS: Final = (
    Command(
        id="edit.menu",
        keys="alt+e,e",
        title="Edit",
        help="Change what the memory says of this",
        run=_menu,
        why_not=_nothing,
        shown=True,
    ),
    Command(
        id="edit.undo",
        keys="alt+u,u",
        title="Undo",
        help="Take back the last change of the memory",
        run=_undo,
        why_not=unchangeable,
    ),
    *_MENU.values(),
)
