"""All views of a screen, and which one it shows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nlm_tui.ui.context import Context
from nlm_tui.ui.views.facts import FactRows
from nlm_tui.ui.views.look import Painter
from nlm_tui.ui.views.markers import DecisionRows, QuestionRows, oldest_text
from nlm_tui.ui.views.names import ViewName
from nlm_tui.ui.views.rows_view import RowsView
from nlm_tui.ui.views.sessions_view import SessionsView
from nlm_tui.ui.views.timeline import TimelineRows
from nlm_tui.ui.views.topics import TopicRows, columns_title
from nlm_tui.ui.views.trail import Place, Trail
from nlm_tui.ui.views.view import ListView
from nlm_tui.ui.widgets.results import ResultsList
from nlm_tui.ui.widgets.row_list import RowList

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


class Views:
    """The views by name. `results` shows sessions, `rows` whatever else is the current one."""

    def __init__(self, screen: "SearchScreen", context: Context) -> None:
        self.results = ResultsList(context.now, context.zone, id="results")
        self.sessions = SessionsView(screen, screen.showing, context, self.results)
        painters: Mapping[ViewName, Painter[Any]] = {
            "decisions": DecisionRows(context.zone),
            "open": QuestionRows(context.now, context.zone),
            "topics": TopicRows(context.zone),
            "facts": FactRows(context.zone),
            "timeline": TimelineRows(context.zone),
        }
        self.browsed = {
            name: RowsView(screen, screen.showing, context, name, painter) for name, painter in painters.items()
        }
        self.rows = RowList(self.browsed["decisions"].page, id="rows")
        for view in self.browsed.values():
            view.shown_in(self.rows)
        self.current: ListView = self.sessions
        self.trail = Trail()
        self._returns_to: Place | None = None
        self._screen = screen
        self._context = context
        self._title()

    @property
    def place(self) -> Place:
        """Where the user is."""
        return Place(self.current.name, self._screen.text, self.current.list.selected_key)

    def turn_to(self, name: ViewName) -> None:
        """Show another view of what the box says, and its list."""
        self._screen.panes.show_list()
        if name == self.current.name:
            self._screen.showing.come_back()
            return
        screen, had_focus = self._screen, self.current.list.has_focus
        self.current.stop()
        screen.showing.go_along()
        self.current = self.sessions if name == "sessions" else self.browsed[name]
        screen.showing.show_view()
        self.current.enter()
        if had_focus:
            self.current.list.focus()
        elif not screen.panes.shows_focus:
            screen.box.focus()

    def go_to(self, place: Place) -> None:
        """Show a view, with a text in the box and a row selected."""
        box = self._screen.box
        if place.text != box.value:
            self._returns_to = place
            box.put(place.text, len(place.text))
        self._screen.showing.go_along()
        self.turn_to(place.view)
        self.current.list.prefer(place.selected)
        self.current.look_again()

    def jump(self, place: Place) -> None:
        """Go somewhere from where one comes back."""
        if place.text != self._screen.text:
            self.trail.leave(self.place, place.text.strip())
        self.go_to(place)

    def step_back(self) -> bool:
        """Go back where what a jump put into the box still stands there; return whether it does."""
        place = self.trail.step_back(self._screen.text)
        if place is not None:
            self.go_to(place)
        return place is not None

    def text_changed(self, text: str) -> None:
        """Ask for what the box says now."""
        place, self._returns_to = self._returns_to, None
        self.current.list.prefer(place.selected if place is not None and place.text == text else None)
        self.current.start()

    @property
    def browsing(self) -> RowsView | None:
        """The current view, unless it is that of sessions."""
        return self.browsed.get(self.current.name)

    def counts(self, text: str) -> dict[ViewName, int]:
        """Return how many rows each view has for `text`, as far as that is known."""
        views: list[ListView] = [self.sessions, *self.browsed.values()]
        return {view.name: view.total for view in views if view.answered == text and view.total is not None}

    def _title(self) -> None:
        timeline, keys = self.browsed["timeline"], self._context.keys

        def order(_: int) -> str:
            first = "oldest" if timeline.page.turned else "newest"
            return f"{first} sessions first   {keys.brief('view.turn')} turns them around"

        def oldest(_: int) -> str:
            rows = self.browsed["open"].rows
            row = rows.browsed.oldest if rows else None
            if row is None:
                return ""
            return f"{oldest_text(row, self._context.now())}   {keys.brief('view.oldest')} goes there"

        self.browsed["open"].title = oldest
        self.browsed["topics"].title = columns_title
        timeline.title = order
