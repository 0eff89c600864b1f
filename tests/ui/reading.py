"""The session pane alone, over sessions that tests make: what reading needs of the screen."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from nlm_tui.core import Matcher, Message, Session, join_messages, query_matcher
from nlm_tui.ui.context import Context, Memory
from nlm_tui.ui.layout import Marks
from nlm_tui.ui.widgets.session_pane import SessionPane

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
Settled = Callable[[Pilot, Callable[[], object]], Awaitable[None]]


class PaneApp(App[None]):
    """Shows one session."""

    def __init__(self, memory: Memory, theme: str = "textual-dark") -> None:
        super().__init__()
        context = Context(
            memory=memory, home=Path("/home/sam"), now=lambda: NOW, zone=UTC, clock=lambda: 0.0, reduced_motion=True
        )
        self.pane = SessionPane(context, id="session")
        self.theme = theme

    def compose(self) -> ComposeResult:
        yield self.pane


def talk(*messages: tuple[str, str], **fields: object) -> Session:
    """Return a session of messages, each a role and a text."""
    body, turns = join_messages(tuple(Message(role, text, "2026-05-30T08:00:00.000Z") for role, text in messages))
    given = {"id": "cc_1", "runtime": "claude-code", "started_at": "2026-05-30T08:00:00.000Z", "label": "A talk"}
    return Session(**(given | fields), body=body, turns=turns)


async def opened(app: PaneApp, pilot: Pilot, settled: Settled, session_id: str = "cc_1", words: str = ""):
    """Show a session, wait until all of it is there, and return the view with the focus on it."""
    app.pane.show_session(session_id, Marks(query_matcher(words) if words else Matcher()), None)
    detail = app.pane.detail
    await settled(pilot, lambda: detail.session_id == session_id and detail.is_complete)
    detail.focus()
    await pilot.pause()
    return detail


def shown(detail) -> list[str]:
    """Return the rows in view, without blanks at their ends."""
    return [detail.render_line(y).text.rstrip() for y in range(detail.visible_lines)]


def marked(detail) -> list[str]:
    """Return what is underlined in view."""
    strips = (detail.render_line(y) for y in range(detail.visible_lines))
    return [segment.text for strip in strips for segment in strip if segment.style and segment.style.underline]


def current(detail) -> list[str]:
    """Return what is underlined and reversed in view."""
    strips = (detail.render_line(y) for y in range(detail.visible_lines))
    return [
        segment.text
        for strip in strips
        for segment in strip
        if segment.style and segment.style.underline and segment.style.reverse
    ]
