"""What the screen shows around the list: how much was found, what to know about it, the session of the row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nlm_tui.core import Matcher
from nlm_tui.ui.layout import Marks
from nlm_tui.ui.target import Target
from nlm_tui.ui.views.view import Chosen

if TYPE_CHECKING:
    from nlm_tui.ui.layout import Document
    from nlm_tui.ui.screens.search import SearchScreen


class Showing:
    """Shows what depends on the view and its answer."""

    def __init__(self, screen: SearchScreen) -> None:
        self._screen = screen
        self._elsewhere: Target | None = None  # a session that is shown though its row is not selected

    @property
    def target(self) -> Target:
        """The session that is shown where that is another one, else the selected row."""
        return self._elsewhere or self._screen.views.current.target

    @property
    def text(self) -> str:
        """The text in the box."""
        return self._screen.text

    @property
    def text_width(self) -> int:
        """How many cells the selected session has for a row; 0 where it is not shown."""
        return self._screen.session.detail.text_width if self._screen.panes.shows_session else 0

    @property
    def waits_for_index(self) -> bool:
        """Whether sessions are being read that may be listed soon."""
        return self._screen.background.waits

    @property
    def waits_for_meaning(self) -> bool:
        """Whether sessions are being made findable by meaning."""
        return self._screen.background.news.embeds

    def show_view(self) -> None:
        """Show which view this is, and its list."""
        screen, name = self._screen, self._screen.view_name
        browses = screen.views.browsing is not None
        is_tiny = screen.has_class("-tiny")
        screen.prompt.text = f"{name[:4] if is_tiny else name} >"
        screen.results.display, screen.views.rows.display = not browses, browses
        self._make_room()
        self._show_counts()
        self.show_header()

    def show_rows(self, document: Document | None = None, *, merged: bool = False, selected: bool = True) -> None:
        """Show all that depends on an answer; without `selected` the session of the selected row stays as it is."""
        screen = self._screen
        self.show_state()
        self._show_counts()
        if not selected:
            return
        self._make_room()
        self.show_header()
        screen.chips.doubt(screen.views.current.doubtful)
        self.show_selected(document, merged=merged)
        self.show_status()
        screen.background.start_once()  # not before the first answer is on the screen

    def show_state(self) -> None:
        """Show how much was found and whether more is to come."""
        self._screen.found.say(self._screen.views.current.found)

    def show_header(self) -> None:
        """Show the line above the rows."""
        header = self._screen.header
        header.text = self._screen.views.current.header(header.size.width)

    def show_status(self) -> None:
        """Show what to know about the answer, and what goes on in the background."""
        about, news = self._screen.views.current.status, self._screen.background.news.text
        self._screen.status.text = "   ".join(filter(None, (about, news)))

    def show_failure(self, reason: str) -> None:
        """Show why there is no answer."""
        self._screen.status.text = reason

    def show_selected(self, document: Document | None = None, *, merged: bool = False) -> None:
        """Show the session of the selected row: by `document`, or read where that is not its own."""
        screen = self._screen
        elsewhere = self._elsewhere
        if elsewhere is not None and elsewhere.session_id is not None:
            chosen = Chosen(elsewhere.session_id, Marks(Matcher()))
        else:
            chosen = screen.views.current.chosen
        screen.session.turn_from(chosen.session_id if chosen else None)
        if chosen is None or not screen.panes.shows_session:
            screen.session.show(None)
        else:
            screen.session.show_session(chosen.session_id, chosen.marks, document, merged=merged, marker=chosen.marker)
        screen.why.explain(screen.results.selected if screen.view_name == "sessions" else None, screen.searching.result)
        screen.key_bar.look_again()

    def show_elsewhere(self, target: Target) -> None:
        """Show a session that has no row in the list; until the user moves on in the list it stays, as the target."""
        self._elsewhere = target
        self._screen.panes.open()
        self.show_selected()

    def go_along(self) -> None:
        """Let what is shown be the selected row from now on."""
        self._elsewhere = None

    def come_back(self) -> bool:
        """Show the session of the selected row again; return whether that is another one."""
        if self._elsewhere is None:
            return False
        self._elsewhere = None
        self.show_selected()
        return True

    def _make_room(self) -> None:
        """Leave the room of what there is nothing to show in to the list."""
        screen, view = self._screen, self._screen.views.current
        screen.set_class(not view.has_sessions, "-whole")
        screen.header.display = view.has_header and screen.panes.has_header

    def _show_counts(self) -> None:
        screen = self._screen
        screen.tabs.show(screen.view_name, screen.views.counts(self.text))
