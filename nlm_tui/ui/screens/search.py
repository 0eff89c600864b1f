"""The one screen: search box, list, session; every key a search, no key a wait."""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input

from nlm_tui.core import display_safe, pieces
from nlm_tui.core.browsing import Grouping
from nlm_tui.core.secrets import mask
from nlm_tui.ui.background import Background
from nlm_tui.ui.commands import COMMANDS
from nlm_tui.ui.context import Context
from nlm_tui.ui.continuing import go_on, last_screen
from nlm_tui.ui.editing import taken_off
from nlm_tui.ui.hints import hints
from nlm_tui.ui.remembering import Remembering
from nlm_tui.ui.running import Running
from nlm_tui.ui.searching import Searching
from nlm_tui.ui.target import Target
from nlm_tui.ui.views.arranging import LayoutChoice, Panes
from nlm_tui.ui.views.names import ViewName, as_view
from nlm_tui.ui.views.showing import Showing
from nlm_tui.ui.views.views import Views
from nlm_tui.ui.watching import Watching
from nlm_tui.ui.widgets.bars import CountBar, TextBar
from nlm_tui.ui.widgets.chips import ChipBar
from nlm_tui.ui.widgets.completions import CompletionList
from nlm_tui.ui.widgets.key_bar import KeyBar
from nlm_tui.ui.widgets.results import ResultsList
from nlm_tui.ui.widgets.search_box import SearchBox
from nlm_tui.ui.widgets.session_pane import SessionPane
from nlm_tui.ui.widgets.slots import SlotView
from nlm_tui.ui.widgets.view_tabs import ViewTabs
from nlm_tui.ui.widgets.why import WhyBar


class SearchScreen(Screen[None]):
    """Searches while the user types, and shows the session of the selected row."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding for command in COMMANDS]

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.prompt = TextBar(id="prompt")
        self.box = SearchBox(blinks=not context.reduced_motion, id="query")
        self.found = CountBar(context.mode, id="found")
        self.tabs = ViewTabs(context.keys, id="tabs")
        self.chips = ChipBar(context.keys, id="chips")
        self.completions = CompletionList(self.box, context, id="completions")
        self.header = TextBar(id="header")
        self.session = SessionPane(context, id="session")
        self.why = WhyBar(context, id="why")
        self.status = TextBar(id="status")
        self.key_bar = KeyBar(lambda: hints(self), id="keys")
        self.showing = Showing(self)
        self.views = Views(self, context)
        self.panes = Panes(self)
        self.remembering = Remembering(self, context)
        self.background = Background(self, context)
        self.watching = Watching(self, context)
        self.running = Running(self)
        self._app_context = context

    @property
    def is_current(self) -> bool:
        """Whether it is painted: not while a dialog lies on it, which would be painted anew with each change."""
        return self.is_active

    @property
    def results(self) -> ResultsList:
        """The list of sessions."""
        return self.views.results

    @property
    def searching(self) -> Searching:
        """What recalls sessions."""
        return self.views.sessions.searching

    @property
    def app_context(self) -> Context:
        """What the app was given."""
        return self._app_context

    def key_of(self, command: str) -> str:
        """Return the key of a command as short texts name it."""
        return self._app_context.keys.brief(command)

    @property
    def answered(self) -> str | None:
        """The text whose answer is on the screen."""
        return self.views.current.answered

    @property
    def target(self) -> Target:
        """What commands act on: the session that is shown, else the selected row of the view.

        While a command waits for an answer, it is what it was when the command was given.
        """
        return self.running.target or self.showing.target

    def compose(self) -> ComposeResult:
        with Horizontal(id="top"):
            yield self.prompt
            yield self.box
            yield self.found
        yield self.tabs
        yield self.chips
        with Horizontal(id="panes"):
            with Vertical(id="hits"):
                yield self.header
                yield self.results
                yield self.views.rows
            yield self.session
        yield self.why
        yield self.status
        yield self.key_bar
        yield self.completions

    def on_mount(self) -> None:
        self.panes.arrange()
        self.showing.show_view()
        self.box.focus()
        if (start := self._app_context.start) is not None:
            go_on(self, start)
        if query := self._app_context.query:
            self.box.put(query, len(query))
        if self._app_context.notice:
            self.notify(display_safe(self._app_context.notice), severity="warning", markup=False)
        self.watching.start()
        # The first paint comes before the store is asked and before anything is indexed.
        self.call_after_refresh(self._start)

    def on_resize(self) -> None:
        self.completions.close()
        self.panes.arrange()
        self.showing.show_view()
        if not self.is_active:
            self.call_after_refresh(self.app.screen.refresh)  # pyright: ignore[reportUnknownMemberType] - the dialog shows what lies below it

    def _start(self) -> None:
        self.views.current.start()

    # Views

    @property
    def view_name(self) -> ViewName:
        """The view that is shown."""
        return self.views.current.name

    @property
    def grouping(self) -> Grouping | None:
        """What sessions are grouped by."""
        return self.results.grouping

    @property
    def layout_choice(self) -> LayoutChoice:
        """How list and session share the screen, as the user wants it."""
        return self.panes.choice

    @layout_choice.setter
    def layout_choice(self, choice: LayoutChoice) -> None:
        self.panes.choose(choice)

    @on(ViewTabs.Chosen)
    def _view_chosen(self, event: ViewTabs.Chosen) -> None:
        self.views.turn_to(as_view(event.name))

    @property
    def text(self) -> str:
        """The text in the box."""
        return self.box.value

    # The selected row

    @on(SlotView.SelectionMoved)
    def _selection_moved(self, event: SlotView.SelectionMoved) -> None:
        self.showing.go_along()
        self.showing.show_selected()
        if event.nears_end:
            self.views.current.grow()

    @on(SlotView.Resized)
    def _list_resized(self) -> None:
        self.showing.show_header()
        self.views.current.fill()

    @on(SlotView.Opened)
    def action_open(self) -> None:
        target = self.showing.target
        if self.completions.is_open:
            self.completions.accept()
        elif target.topic is not None:
            self.action_do("view.filter_topic")
        elif (chosen := target.session_id) is not None:
            self.remembering.used()
            if self._app_context.picks:
                self._app_context.picked = chosen
                self.call_after_refresh(self.app.exit)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - once the query begins to be kept
                return
            self.panes.open()
            if target.marker is not None:
                self.session.open_marker(chosen, target.marker.text)
        elif not self.box.value.strip():
            self.background.open_demo()

    @on(Input.Changed, "#query")
    def _query_changed(self, event: Input.Changed) -> None:
        self.showing.go_along()
        self.remembering.typed(event.value, read=self._is_read)
        self.chips.show(pieces(event.value))
        self.views.text_changed(event.value)

    @on(Input.Blurred, "#query")
    @on(events.ScreenSuspend)
    @on(events.ScreenResume)
    def _box_left(self) -> None:
        self.completions.close()
        self.key_bar.look_again()

    @on(SessionPane.Failed)
    @on(CompletionList.Failed)
    def _failed(self, event: SessionPane.Failed | CompletionList.Failed) -> None:
        self.status.text = event.reason

    def memory_changed(self, *, topic: str | None = None) -> None:
        """Look again at what the memory holds; `topic` is the name by now of a topic that was changed."""
        if topic is not None:
            self.views.browsed["topics"].call(topic)
        self.completions.forget()
        self.views.current.look_again()

    # Actions

    def action_do(self, command_id: str) -> None:
        """Run a command, or say why it cannot be run now."""
        self.running.run(command_id)

    def complain(self, reason: str) -> None:
        """Say why something cannot be done, or was not."""
        self.notify(mask(display_safe(reason)), severity="warning", markup=False)
        self.showing.show_status()

    def move(self, step: int) -> None:
        """Move the selection by some rows."""
        if self.completions.is_open:
            self.completions.move(step)
        else:
            self.views.current.list.move(step)

    def action_complete(self, step: int) -> None:
        if self.completions.is_open:
            self.completions.move(step)
        elif step < 0:
            self.focus_previous()
        elif not self.completions.start():
            self.focus_next()

    def go_back(self) -> None:
        """Go one step back."""
        if self.completions.is_open:
            self.completions.close()
        elif self.running.stop():
            return
        elif self.panes.close():
            self.showing.come_back()
        elif self.showing.come_back():
            return
        elif not self.box.has_focus:
            self.box.focus()
        elif not self.views.current.list.follows_top:
            self.views.current.list.follow_top()
        elif not self.views.step_back():
            if self._app_context.picks and not self.box.value:
                self.app.exit()  # pyright: ignore[reportUnknownMemberType] - an App of something
            self.box.clear_or_restore()

    @property
    def _is_read(self) -> bool:
        """Whether hits are on the screen."""
        return self.views.current.chosen is not None

    def leave(self) -> str:
        """Keep where the screen was left; return why that is not possible, '' where it is."""
        return self.remembering.left(last_screen(self), read=self._is_read)

    @on(ChipBar.TakenOff)
    def _chip_taken_off(self, event: ChipBar.TakenOff) -> None:
        self.box.put(*taken_off(self.box.value, self.box.cursor_position, event.piece))
