"""Viewing: which view, in what order and groups, in which layout; and the jumps between views."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from nlm_tui.core import Session, SessionStore, one_line, pieces, written_value
from nlm_tui.ui.commands.command import Command
from nlm_tui.ui.target import Target
from nlm_tui.ui.views.arranging import LAYOUT_CHOICES
from nlm_tui.ui.views.grouping import GROUPINGS
from nlm_tui.ui.views.names import TITLES, VIEW_NAMES, ViewName
from nlm_tui.ui.views.trail import Place

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def _shows(name: ViewName) -> Callable[[SearchScreen], None]:
    def show(screen: SearchScreen) -> None:
        if name != screen.view_name:
            screen.views.trail.leave(screen.views.place)
        screen.views.turn_to(name)

    return show


def _group(screen: SearchScreen) -> None:
    place = GROUPINGS.index(screen.grouping)
    screen.results.group(GROUPINGS[(place + 1) % len(GROUPINGS)])
    screen.status.text = f"grouped by {screen.grouping}" if screen.grouping else "not grouped"


def _sessions_only(screen: SearchScreen) -> str:
    return (
        ""
        if screen.view_name == "sessions"
        else f"only sessions are grouped: {screen.key_of('view.sessions')} shows them"
    )


def _lay_out(screen: SearchScreen) -> None:
    place = LAYOUT_CHOICES.index(screen.panes.choice)
    screen.layout_choice = LAYOUT_CHOICES[(place + 1) % len(LAYOUT_CHOICES)]
    names = {"auto": "as the size wants it", "wide": "side by side", "stacked": "stacked", "one": "one pane"}
    screen.status.text = f"layout: {names[screen.layout_choice]}"


def _to_oldest(screen: SearchScreen) -> None:
    view = screen.views.browsed["open"]
    if view.rows is not None and view.rows.browsed.oldest is not None:
        view.reach(view.page.painter.key(view.rows.browsed.oldest))


def _why_no_oldest(screen: SearchScreen) -> str:
    if screen.view_name != "open":
        return f"{screen.key_of('view.open')} shows open questions, and there the one that is open longest"
    rows = screen.views.browsed["open"].rows
    return "" if rows is not None and rows.browsed.oldest is not None else "no question is open"


def _no_timeline(screen: SearchScreen) -> str:
    return "" if screen.view_name == "timeline" else f"{screen.key_of('view.timeline')} shows the timeline"


def _turn(screen: SearchScreen) -> None:
    screen.views.browsed["timeline"].turn()


def _filter_topic(screen: SearchScreen) -> None:
    if (topic := screen.target.topic) is None:
        return
    conditions = [piece.text for piece in pieces(screen.box.value)]
    text = " ".join((*conditions, f"entity:{written_value(topic)} "))
    if one_line(text) != text.strip():
        screen.status.text = "the name of this topic cannot be searched for"
        return
    screen.box.focus()
    screen.views.jump(Place("sessions", text, None))


def _needs_topic(screen: SearchScreen) -> str:
    return "" if screen.target.topic is not None else f"no topic is selected: {screen.key_of('view.topics')} lists them"


async def _to_successor(screen: SearchScreen) -> None:
    if (session_id := screen.target.session_id) is None:
        return
    successor = await asyncio.to_thread(_successor, screen.app_context.memory.sessions, session_id)
    if successor is None:
        screen.status.text = "no session is known that superseded this one"
    else:
        _show_successor(screen, successor)


def _successor(sessions: SessionStore, session_id: str) -> Session | None:
    session = sessions.get_by_id(session_id)
    return sessions.get_by_id(session.superseded_by[0]) if session and session.superseded_by else None


def _show_successor(screen: SearchScreen, successor: Session) -> None:
    """Select the first row of a session; where the list has none, show the session beside it."""
    screen.views.trail.leave(screen.views.place)
    view = screen.views.browsing
    keys = screen.results.listed.keys
    if view is not None:
        keys = tuple("" if row is None else row.origin.session_id for row in view.page.rows)
    if successor.id in keys:
        screen.showing.come_back()
        screen.views.current.list.select(keys.index(successor.id))
    else:
        screen.status.text = "the successor is not in this list: its session is shown"
        screen.showing.show_elsewhere(Target(session_id=successor.id, label=successor.label))


def _needs_session(screen: SearchScreen) -> str:
    return "" if screen.target.session_id is not None else "no session is selected"


COMMANDS: Final = (
    *(
        Command(
            id=f"view.{name}",
            keys=f"alt+{number},{number}",
            title=f"View: {TITLES[name].title}",
            help=TITLES[name].about,
            run=_shows(name),
        )
        for number, name in enumerate(VIEW_NAMES, 1)
    ),
    Command(
        id="view.filter_topic",
        keys="",
        title="Sessions of the topic",
        help="Filter by the selected topic",
        run=_filter_topic,
        why_not=_needs_topic,
    ),
    Command(
        id="view.oldest",
        keys="alt+q",
        title="Oldest open question",
        help="To the question that is open longest",
        run=_to_oldest,
        why_not=_why_no_oldest,
    ),
    Command(
        id="view.successor",
        keys="alt+j",
        title="Successor",
        help="To the session that superseded the selected one",
        run=_to_successor,
        why_not=_needs_session,
    ),
    Command(
        id="view.turn",
        keys="alt+v",
        title="Turn the timeline around",
        help="Oldest sessions first, or newest",
        run=_turn,
        why_not=_no_timeline,
    ),
    Command(
        id="view.group",
        keys="alt+g",
        title="Group sessions",
        help="By day, project, agent, or not at all",
        run=_group,
        why_not=_sessions_only,
    ),
    Command(
        id="view.layout",
        keys="alt+l",
        title="Layout",
        help="Side by side, stacked, one pane, or as the size wants it",
        run=_lay_out,
    ),
)
