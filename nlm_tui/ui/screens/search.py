"""The one screen: search box, hits, detail; every key a search, no key a wait."""

import asyncio
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Footer, HelpPanel, Input, Static

from nlm_tui.core import RecallHit, display_safe, pieces
from nlm_tui.ui.answers import Answer, marks_of
from nlm_tui.ui.commands import BY_ID, COMMANDS
from nlm_tui.ui.context import Context
from nlm_tui.ui.editing import taken_off
from nlm_tui.ui.indexing import IndexNews
from nlm_tui.ui.layout import Document
from nlm_tui.ui.messages import HELP, empty_text, found_text, status_text
from nlm_tui.ui.searching import Searching
from nlm_tui.ui.widgets.bars import TextBar
from nlm_tui.ui.widgets.chips import ChipBar
from nlm_tui.ui.widgets.completions import CompletionList
from nlm_tui.ui.widgets.results import ResultsList
from nlm_tui.ui.widgets.search_box import SearchBox
from nlm_tui.ui.widgets.session_pane import SessionPane
from nlm_tui.ui.widgets.why import WhyBar


class SearchScreen(Screen[None]):
    """Searches while the user types, and shows the selected session."""

    HELP = HELP
    BINDINGS: ClassVar[list[BindingType]] = [command.binding for command in COMMANDS]

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.box = SearchBox(blinks=not context.reduced_motion, id="query")
        self.found = TextBar(context.mode, id="found")
        self.chips = ChipBar(id="chips")
        self.completions = CompletionList(self.box, context, id="completions")
        self.results = ResultsList(context.now, id="results")
        self.session = SessionPane(context, id="session")
        self.why = WhyBar(context, id="why")
        self.status = TextBar(id="status")
        self._app_context = context
        self.searching = Searching(self, self, context)
        self._is_answered = False
        self._news = IndexNews()

    @property
    def answered(self) -> str | None:
        """The text whose answer is on the screen."""
        return self.searching.answer.text if self.searching.answer else None

    def compose(self) -> ComposeResult:
        with Horizontal(id="top"):
            yield Static("nlm  >", id="prompt", markup=False)
            yield self.box
            yield self.found
        yield self.chips
        with Horizontal(id="panes"):
            with Vertical(id="hits"):
                yield self.results
            yield self.session
        yield self.why
        yield self.status
        yield Footer(compact=True, show_command_palette=False)
        yield self.completions

    def on_mount(self) -> None:
        self.box.focus()
        # The first paint comes before the store is asked and before anything is indexed.
        self.call_after_refresh(self._start)

    def on_resize(self) -> None:
        self.completions.close()
        if self.searching.can_grow and len(self.results.hits) < self._page:
            self.searching.grow(self._page)

    def _start(self) -> None:
        self.searching.start(self._page)

    # Searching

    @on(Input.Changed, "#query")
    def _query_changed(self, event: Input.Changed) -> None:
        self.chips.show(pieces(event.value))
        self.results.prefer(self.box.selected_with(event.value))
        self._start()

    @property
    def text(self) -> str:
        return self.box.value

    @property
    def text_width(self) -> int:
        return self.session.detail.text_width

    @property
    def selection(self) -> tuple[RecallHit, int] | None:
        chosen = self.results.selected
        return (chosen, self.results.selected_place) if chosen is not None else None

    def wanted_session(self, *, keep: bool) -> str | None:
        return self.results.wanted_session(keep=keep)

    def show_answer(self, answer: Answer, *, keep: bool) -> None:
        if not self._is_answered:
            self._is_answered = True
            self.index()  # not before the first answer is on the screen
        self.show_state()
        if answer.pinned is not None:
            self.results.exchange(answer.result.results, answer.words)
        else:
            self._show_hits(answer, keep=keep)
        if answer.continues:
            return
        self.chips.doubt(answer.doubtful)
        self._show_selected(answer.document, merged=answer.pinned is not None)
        self._show_status()

    def show_state(self) -> None:
        searching, brief = self.searching, self.has_class("-tiny")
        self.found.text = found_text(searching.mode, searching.answer, pending=searching.is_pending, brief=brief)

    def show_failure(self, reason: str) -> None:
        self.status.text = reason

    def _show_hits(self, answer: Answer, *, keep: bool) -> None:
        waiting = self._app_context.indexing is not None and not self._news.finished
        message = empty_text(answer, self._app_context, waiting=waiting, pending=self.searching.is_pending)
        self.results.show_hits(answer.result.results, answer.words, message=message, keep=keep)

    def _show_selected(self, document: Document | None = None, *, merged: bool = False) -> None:
        """Show the selected session: by `document`, or read where that is not its own."""
        answer, chosen = self.searching.answer, self.results.selected
        if answer is None or chosen is None:
            self.session.show(None)
        else:
            self.session.show_session(chosen.id, marks_of(chosen, answer.words), document, merged=merged)
        self.why.explain(chosen, self.searching.result)

    # The selected session

    @on(ResultsList.SelectionMoved)
    def _selection_moved(self, event: ResultsList.SelectionMoved) -> None:
        self._show_selected()
        if event.nears_end and self.searching.can_grow:
            self.searching.grow(self._page)

    @property
    def _page(self) -> int:
        """How many hits to ask for at first, and again whenever the selection nears the end: a screen and a half."""
        return self.results.page * 3 // 2 + 1

    @on(Input.Blurred, "#query")
    @on(events.ScreenSuspend)
    def _box_left(self) -> None:
        self.completions.close()

    @on(SessionPane.Failed)
    @on(CompletionList.Failed)
    def _failed(self, event: SessionPane.Failed | CompletionList.Failed) -> None:
        self.status.text = event.reason

    # Indexing in the background

    @work(exclusive=True, group="index")
    async def index(self) -> None:
        """Take in what is new."""
        if self._app_context.indexing is None:
            return
        async for due in self._news.follow(self._app_context.indexing(), self._app_context.clock):
            self._show_status()
            if due:
                self._look_again()
        if not self.results.hits:
            self._look_again()

    def _look_again(self) -> None:
        self.completions.forget()
        self.searching.look_again()

    def _show_status(self) -> None:
        searching, news = self.searching, self._news
        missing = None if news.embeds else searching.unavailable  # it is on its way
        self.status.text = status_text(searching.mode, searching.answer, news.text, missing)

    # Actions

    def action_do(self, command_id: str) -> None:
        """Run a command, or say why it cannot be run now."""
        command = BY_ID[command_id]
        if reason := command.why_not(self):
            self.notify(display_safe(reason), severity="warning", markup=False)
        elif (waits := command.run(self)) is not None:
            self.run_worker(waits, group="command", exclusive=True)

    def move(self, step: int) -> None:
        """Move the selection by some rows."""
        if self.completions.is_open:
            self.completions.move(step)
        else:
            self.results.move(step)

    def move_page(self, step: int) -> None:
        """Move the selection by some pages."""
        self.results.move(step * self.results.page)

    def action_open(self) -> None:
        if self.completions.is_open:
            self.completions.accept()
        elif self.results.hits:
            self.session.detail.focus()
        elif not self.box.value.strip() and self._app_context.open_demo is not None:
            self._open_demo()

    def action_complete(self, step: int) -> None:
        if self.completions.is_open:
            self.completions.move(step)
        elif step < 0:
            self.focus_previous()
        elif not self.completions.start():
            self.focus_next()

    def go_back(self) -> None:
        """Go one step back."""
        if help_panel := self.query(HelpPanel):
            help_panel.remove()
        elif self.completions.is_open:
            self.completions.close()
        elif not self.box.has_focus:
            self.box.focus()
        elif not self.results.follows_top:
            self.results.follow_top()
        else:
            self.box.clear_or_restore()

    @on(ChipBar.TakenOff)
    def _chip_taken_off(self, event: ChipBar.TakenOff) -> None:
        self.box.put(*taken_off(self.box.value, self.box.cursor_position, event.piece))

    @work(exclusive=True, group="demo")
    async def _open_demo(self) -> None:
        context = self._app_context
        if context.open_demo is None:
            return
        open_demo, context.open_demo, context.indexing = context.open_demo, None, None
        self.workers.cancel_group(self, "index")  # pyright: ignore[reportUnknownMemberType]
        self.searching.stop()
        memory, context.memory = context.memory, await asyncio.to_thread(open_demo)
        await asyncio.to_thread(memory.close)
        self._news = IndexNews("demo memory: invented sessions, gone when you leave")
        self.completions.forget()
        self._start()
        context.indexing = context.memory.embedding
        self.index()
