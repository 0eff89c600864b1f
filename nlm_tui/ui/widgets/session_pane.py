"""The selected session, read off the event loop, and where in it the view is."""

import asyncio

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from nlm_tui.core import StoreError
from nlm_tui.ui.answers import session_document
from nlm_tui.ui.context import Context
from nlm_tui.ui.layout import Document, Marks
from nlm_tui.ui.widgets.bars import TextBar
from nlm_tui.ui.widgets.detail import DetailView
from nlm_tui.ui.widgets.find_box import FindBox

_LONG = 4_000  # rows
_PATIENCE = 0.1  # seconds that the session before stays, while the next one is read
_SHOWN = "secrets shown"
_REST = 0.06  # seconds without a key before a long session is searched


class SessionPane(Vertical):
    """The detail, with what to find in it and its position below. The secrets of one session can be revealed."""

    class Failed(Message):
        """The session cannot be read, and why."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(self, context: Context, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.detail = DetailView(id="detail")
        self.find_box = FindBox(blinks=not context.reduced_motion, id="find")
        self.position = TextBar(id="position")
        self._app_context = context
        self._revealed: str | None = None  # the session whose secrets are shown
        self._wanted: tuple[str, Marks] | None = None  # what is shown, or will be when it was read
        self._marker = ""  # to be pointed at in what is being read
        self._pointed = ("", "")  # the session and its marker that were shown last
        self._opened: tuple[str, str] | None = None  # the same of what is to be gone to where it was said, once shown

    def compose(self) -> ComposeResult:
        yield self.detail
        yield self.find_box
        yield self.position

    def show(self, document: Document | None) -> None:
        """Show a document, or nothing; what is still being read is not wanted any more."""
        self.workers.cancel_group(self, "session")  # pyright: ignore[reportUnknownMemberType]
        self._wanted = None if document is None else (document.session_id, document.marks)
        if document is None:
            self._opened = None
        self.detail.show(document)
        self._show_position()

    def reveals(self, session_id: str | None) -> bool:
        """Return whether the secrets of a session are shown."""
        return session_id is not None and session_id == self._revealed

    def toggle_secrets(self, session_id: str) -> bool:
        """Show the secrets of a session or mask them again; return whether they are shown now."""
        self._revealed = None if self.reveals(session_id) else session_id
        self.read_again()
        return self._revealed is not None

    def turn_from(self, session_id: str | None) -> None:
        """Mask the secrets that are shown unless they are those of this session, which is the selected one now."""
        if not self.reveals(session_id):
            self._revealed = None

    def show_session(
        self, session_id: str, marks: Marks, document: Document | None, *, merged: bool = False, marker: str = ""
    ) -> None:
        """Show a session: by `document` where that is the right one, else it is read.

        `marker` is the text of a decision or an open question to point at. After a merge a long session is not read
        again for what is near in meaning alone.
        """
        # One who reads on elsewhere is not taken back.
        self._marker = marker if self._pointed != (session_id, marker) else ""
        self._pointed = (session_id, marker)
        if self._opened is not None and self._opened[0] != session_id:
            self._opened = None
        if self.reveals(session_id):
            document = None  # secrets are masked in it
        if document is not None and (document.session_id, document.marks) == (session_id, marks):
            self.show(document)
            self._point()
        elif merged and self._shows(session_id, marks):
            self._point()
        else:
            self.read(session_id, marks)
            if self.detail.session_id != session_id:
                self.set_timer(_PATIENCE, self._let_go)

    def _let_go(self) -> None:
        """Show nothing where the session is still being read: nearly always it comes sooner, and nothing flickers."""
        if self._wanted is not None and self.detail.session_id not in {None, self._wanted[0]}:
            self.detail.show(None)

    def open_marker(self, session_id: str, marker: str) -> None:
        """Go to where a decision or an open question was said, as soon as its session is shown; stay where none is."""
        self._opened = (session_id, marker)
        if self.detail.session_id == session_id and not self._marker:
            self._point()

    def step_said(self, session_id: str, marker: str) -> None:
        """Do that, or go on to the next one where a session is shown already."""
        if self.detail.session_id == session_id and not self._marker:
            self.detail.action_said()
        else:
            self.open_marker(session_id, marker)

    def _point(self) -> None:
        if self._marker:
            self.detail.point_at(self._marker)
            self._marker = ""
        if self._opened is not None and self._opened[0] == self.detail.session_id:
            self.detail.go_to_said(self._opened[1])
            self._opened = None

    def _shows(self, session_id: str, marks: Marks) -> bool:
        """Return whether a session is shown with its marks, or is to be; a long one lacks only the passage."""
        if self._wanted is None or self._wanted[0] != session_id:
            return False
        before = self._wanted[1]
        return before == marks or (before.words == marks.words and self._is_long)

    @property
    def _is_long(self) -> bool:
        return self.detail.row_count > _LONG or not self.detail.is_complete

    def read(self, session_id: str, marks: Marks) -> None:
        """Read a session and show it."""
        self._wanted = (session_id, marks)
        self._read(session_id, marks)

    def read_again(self) -> None:
        """Read the session that is shown again, where something about it changed."""
        if self._wanted is not None:
            self._read(*self._wanted)

    @work(exclusive=True, group="session")
    async def _read(self, session_id: str, marks: Marks) -> None:
        width, reveal = self.detail.text_width, self.reveals(session_id)
        try:
            document = await asyncio.to_thread(
                session_document, self._app_context, session_id, marks, width, reveal=reveal
            )
        except StoreError as error:
            self.post_message(self.Failed(str(error)))
            return
        if self.is_attached:
            self.detail.show(document)
            self._point()

    def step(self, step: int) -> None:
        """Go to the next match, or to the one before."""
        self.detail.action_step(step)

    def scroll_half(self, direction: int) -> None:
        """Scroll by half a page."""
        self.detail.scroll_half(direction)

    @on(DetailView.Moved)
    def _show_position(self) -> None:
        shown = _SHOWN if self.reveals(self.detail.session_id) else ""
        self.position.text = "   ".join(filter(None, (shown, self.detail.position)))

    # Finding

    @on(DetailView.FindWanted)
    def _open_find(self) -> None:
        self.find_box.open(self.detail.found_text)

    @on(FindBox.Typed)
    def _typed(self, event: FindBox.Typed) -> None:
        self._look_for(event.text)

    @work(exclusive=True, group="look_for")
    async def _look_for(self, text: str) -> None:
        await asyncio.sleep(_REST if self._is_long else 0)
        self.detail.look_for(text)

    @on(FindBox.Stepped)
    def _stepped(self, event: FindBox.Stepped) -> None:
        self.detail.action_step(event.step)

    @on(FindBox.Paged)
    def _paged(self, event: FindBox.Paged) -> None:
        self.detail.scroll_relative(y=event.direction * self.detail.visible_lines, animate=False)

    @on(FindBox.Kept)
    def _keep_find(self) -> None:
        self._close_find()

    @on(FindBox.Left)
    def _leave_find(self) -> None:
        self.workers.cancel_group(self, "look_for")  # pyright: ignore[reportUnknownMemberType]
        self.detail.end_find()
        self._close_find()

    @on(DetailView.FindLost)
    def _find_lost(self) -> None:
        if self.find_box.input.has_focus:
            self._close_find()
        else:
            self.find_box.close()

    def _close_find(self) -> None:
        self.find_box.close()
        self.detail.focus()
