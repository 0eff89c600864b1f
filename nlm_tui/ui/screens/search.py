"""The one screen: search box, hits, detail; every key a search, no key a wait."""

import asyncio
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Footer, HelpPanel, Input, Static

from nlm_tui.core import MODES, Mode, SearchInterruptedError, StoreError, pieces
from nlm_tui.ui.answers import Answer, Question, answer_question
from nlm_tui.ui.context import Context
from nlm_tui.ui.editing import corrected, taken_off
from nlm_tui.ui.indexing import IndexNews
from nlm_tui.ui.messages import HELP, empty_text, found_text, status_text
from nlm_tui.ui.screens.keys import SEARCH_KEYS
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
    BINDINGS: ClassVar[list[BindingType]] = SEARCH_KEYS

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
        self._mode: Mode = context.mode
        self._answer: Answer | None = None
        self._news = IndexNews()
        self._wanted = 1

    @property
    def answered(self) -> str | None:
        """The text whose answer is on the screen."""
        return self._answer.text if self._answer else None

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
        if self._can_grow and len(self.results.hits) < self._page:
            self._grow()

    def _start(self) -> None:
        self._wanted = self._page
        self._search()

    # Searching

    @on(Input.Changed, "#query")
    def _query_changed(self, event: Input.Changed) -> None:
        self.chips.show(pieces(event.value))
        self._start()

    @work(exclusive=True, group="search")
    async def _search(self, *, keep_selection: bool = False, more_of: Answer | None = None) -> None:
        text = self.box.value
        context = self._app_context
        if text.strip() and more_of is None:
            await asyncio.sleep(context.debounce.delay)
        started = context.clock()
        try:
            # What the thread needs of the widgets is read here: they may be gone before it ends.
            selected = self.results.wanted_session(keep=keep_selection)
            width = self.session.detail.text_width
            question = Question(text, self._mode, self._wanted, selected, width, more_of)
            answer = await asyncio.to_thread(answer_question, context, question)
        except asyncio.CancelledError:
            context.memory.interrupt()
            raise
        except SearchInterruptedError:
            return
        except StoreError as error:
            self.status.text = str(error)
            return
        if not self.is_attached:
            return  # the program was left meanwhile
        seconds = context.clock() - started
        context.debounce.took(seconds)
        self._show(answer, seconds, keep_selection=keep_selection)

    def _show(self, answer: Answer, seconds: float, *, keep_selection: bool) -> None:
        if self._answer is None:
            self._index()  # not before the first answer is on the screen
        self._answer, self._wanted = answer, answer.reached
        result = answer.result
        waiting = self._app_context.indexing is not None and not self._news.finished
        message = "" if result.results else empty_text(answer, self._app_context, waiting=waiting)
        self.results.show_hits(result.results, answer.words, message=message, keep=keep_selection)
        self.found.text = found_text(self._mode, result, seconds, brief=self.has_class("-tiny"))
        if answer.continues:
            return
        self.chips.doubt(answer.doubtful)
        self.session.show(answer.document)
        chosen = self.results.selected
        if chosen is not None and (answer.document is None or answer.document.session_id != chosen.id):
            self.session.read(chosen.id, answer.words)  # too long to wait for, or the user moved on meanwhile
        self.why.explain(chosen, result)
        self._show_status()

    # The selected session

    @on(ResultsList.SelectionMoved)
    def _selection_moved(self, event: ResultsList.SelectionMoved) -> None:
        if self._answer is None:
            return
        self.session.read(event.session_id, self._answer.words)
        self.why.explain(self.results.selected, self._answer.result)
        if event.nears_end and self._can_grow:
            self._grow()

    @property
    def _page(self) -> int:
        """How many hits to ask for at first, and again whenever the selection nears the end: a screen and a half."""
        return self.results.page * 3 // 2 + 1

    @property
    def _can_grow(self) -> bool:
        """Whether what the box asks for is on the screen and has more hits, and they are not being fetched yet."""
        answer = self._answer
        if answer is None or answer.complete or self._wanted > answer.reached:
            return False
        return (answer.text, answer.result.mode) == (self.box.value, self._mode)

    def _grow(self) -> None:
        """Ask for a page more of the same."""
        if self._answer is not None:
            self._wanted = self._answer.reached + self._page
            self._search(keep_selection=True, more_of=self._answer)

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
    async def _index(self) -> None:
        if self._app_context.indexing is None:
            return
        async for due in self._news.follow(self._app_context.indexing(), self._app_context.clock):
            self._show_status()
            if due:
                self._look_again()
        if not self.results.hits:
            self._look_again()

    def _look_again(self) -> None:
        """Search again for what the screen shows; a search that still runs for a newer text is started anew."""
        self.completions.forget()
        self._search(keep_selection=self.answered == self.box.value)

    def _show_status(self) -> None:
        self.status.text = status_text(self._mode, self._answer.result if self._answer else None, self._news.text)

    # Actions

    def action_move(self, step: int) -> None:
        if self.completions.is_open:
            self.completions.move(step)
        else:
            self.results.move(step)

    def action_move_page(self, step: int) -> None:
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

    def action_back(self) -> None:
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

    def action_step(self, step: int) -> None:
        self.session.step(step)

    def action_scroll_detail(self, direction: int) -> None:
        self.session.scroll_half(direction)

    def action_take_off(self) -> None:
        self.chips.take_off_last()

    @on(ChipBar.TakenOff)
    def _chip_taken_off(self, event: ChipBar.TakenOff) -> None:
        self.box.put(*taken_off(self.box.value, self.box.cursor_position, event.piece))

    def action_correct(self) -> None:
        if self._answer is not None and (changed := corrected(self.box.value, self._answer.result)):
            self.box.put(*changed)

    def action_why(self) -> None:
        self.why.toggle(self.results.selected, self._answer.result if self._answer else None)

    def action_index(self) -> None:
        self._index()

    def action_cycle_mode(self) -> None:
        self._mode = MODES[(MODES.index(self._mode) + 1) % len(MODES)]
        self.found.text = self._mode
        self._search()

    @work(exclusive=True, group="demo")
    async def _open_demo(self) -> None:
        context = self._app_context
        if context.open_demo is None:
            return
        open_demo, context.open_demo, context.indexing = context.open_demo, None, None
        self.workers.cancel_group(self, "index")  # pyright: ignore[reportUnknownMemberType]
        memory, context.memory = context.memory, await asyncio.to_thread(open_demo)
        memory.close()
        self._news = IndexNews("demo memory: invented sessions, gone when you leave")
        self.completions.forget()
        self._search()
