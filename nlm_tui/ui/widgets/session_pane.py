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

_HALF_PAGE = 2
_LONG = 4_000  # rows


class SessionPane(Vertical):
    """The detail with its position below."""

    class Failed(Message):
        """The session cannot be read, and why."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(self, context: Context, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.detail = DetailView(id="detail")
        self.position = TextBar(id="position")
        self._app_context = context
        self._wanted: tuple[str, Marks] | None = None  # what is shown, or will be when it was read

    def compose(self) -> ComposeResult:
        yield self.detail
        yield self.position

    def show(self, document: Document | None) -> None:
        """Show a document, or nothing; what is still being read is not wanted any more."""
        self.workers.cancel_group(self, "session")  # pyright: ignore[reportUnknownMemberType]
        self._wanted = None if document is None else (document.session_id, document.marks)
        self.detail.show(document)
        self.position.text = self.detail.position

    def show_session(self, session_id: str, marks: Marks, document: Document | None, *, merged: bool = False) -> None:
        """Show a session: by `document` where that is the right one, else it is read.

        After a merge a long session is not read again for what is near in meaning alone.
        """
        if document is not None and (document.session_id, document.marks) == (session_id, marks):
            self.show(document)
        elif not (merged and self._shows(session_id, marks)):
            if self.detail.session_id != session_id:
                self.show(None)
            self.read(session_id, marks)

    def _shows(self, session_id: str, marks: Marks) -> bool:
        """Return whether a session is shown with its marks, or is to be; a long one lacks only the passage."""
        if self._wanted is None or self._wanted[0] != session_id:
            return False
        before = self._wanted[1]
        return before == marks or (before.words == marks.words and self.detail.row_count > _LONG)

    def read(self, session_id: str, marks: Marks) -> None:
        """Read a session and show it."""
        self._wanted = (session_id, marks)
        self._read(session_id, marks)

    @work(exclusive=True, group="session")
    async def _read(self, session_id: str, marks: Marks) -> None:
        try:
            document = await asyncio.to_thread(
                session_document, self._app_context, session_id, marks, self.detail.text_width
            )
        except StoreError as error:
            self.post_message(self.Failed(str(error)))
            return
        if self.is_attached:
            self.detail.show(document)

    def step(self, step: int) -> None:
        """Go to the next match, or to the one before."""
        self.detail.action_step(step)

    def scroll_half(self, direction: int) -> None:
        """Scroll by half a page."""
        half = max(self.detail.size.height // _HALF_PAGE, 1)
        self.detail.scroll_relative(y=direction * half, animate=False)

    @on(DetailView.Moved)
    def _detail_moved(self) -> None:
        self.position.text = self.detail.position
