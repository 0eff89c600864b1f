"""The one screen: search box, hits, detail; every key a search, no key a wait."""

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Footer, HelpPanel, Input, Static

from nlm_tui.core import (
    MAX_LIMIT,
    MODES,
    Matcher,
    Mode,
    RecallResult,
    SearchInterruptedError,
    StoreError,
    matcher,
)
from nlm_tui.ingest.background import IndexingFailedError
from nlm_tui.ui.answers import Answer, Question, answer_question, session_document
from nlm_tui.ui.context import Context
from nlm_tui.ui.indexing import IndexNews
from nlm_tui.ui.messages import HELP, empty_text, found_text, status_text
from nlm_tui.ui.widgets.bars import TextBar
from nlm_tui.ui.widgets.detail import DetailView
from nlm_tui.ui.widgets.results import ResultsList
from nlm_tui.ui.widgets.search_box import SearchBox

_REFRESH_SECONDS = 1.0  # between two looks at what indexing has added
_HALF_PAGE = 2


class SearchScreen(Screen[None]):
    """Searches while the user types, and shows the selected session."""

    HELP = HELP

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "cycle_mode", "Mode", id="search.mode", tooltip="Keyword, semantic or hybrid recall"),
        Binding("ctrl+n", "step(1)", "Next match", id="match.next", tooltip="To the next match in the session"),
        Binding("ctrl+b", "step(-1)", "Match before", id="match.previous", tooltip="To the match before"),
        Binding("f5", "index", "Index", id="index.run", tooltip="Look for new sessions again", show=False),
        Binding("escape", "back", "Back", id="search.back", tooltip="One step back; clears the box, or restores it"),
        Binding("up", "move(-1)", "Up", id="results.up", tooltip="One hit up", show=False),
        Binding("down", "move(1)", "Down", id="results.down", tooltip="One hit down", show=False),
        Binding("pageup", "move_page(-1)", "Page up", id="results.page_up", tooltip="One page of hits up", show=False),
        Binding("pagedown", "move_page(1)", "Page down", id="results.page_down", tooltip="One page down", show=False),
        Binding(
            "ctrl+up",
            "scroll_detail(-1)",
            "Scroll up",
            id="detail.scroll_up",
            tooltip="Scroll the session up",
            show=False,
        ),
        Binding(
            "ctrl+down",
            "scroll_detail(1)",
            "Scroll down",
            id="detail.scroll_down",
            tooltip="Scroll the session down",
            show=False,
        ),
    ]

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.box = SearchBox(blinks=not context.reduced_motion, id="query")
        self.found = TextBar(context.mode, id="found")
        self.results = ResultsList(context.now, id="results")
        self.detail = DetailView(id="detail")
        self.position = TextBar(id="position")
        self.status = TextBar(id="status")
        self._app_context = context
        self._mode: Mode = context.mode
        self._words: Matcher = matcher(())
        self._result: RecallResult | None = None
        self._news = IndexNews()
        self._answered: str | None = None
        self._wanted = 1

    @property
    def answered(self) -> str | None:
        """The text whose answer is on the screen."""
        return self._answered

    def compose(self) -> ComposeResult:
        with Horizontal(id="top"):
            yield Static("nlm  >", id="prompt", markup=False)
            yield self.box
            yield self.found
        with Horizontal(id="panes"):
            with Vertical(id="hits"):
                yield self.results
            with Vertical(id="session"):
                yield self.detail
                yield self.position
        yield self.status
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.box.focus()
        # The first paint comes before the store is asked and before anything is indexed.
        self.call_after_refresh(self._start)

    def on_resize(self) -> None:
        if self._can_grow and len(self.results.hits) < self._page:
            self._wanted = self._page
            self._search(keep_selection=True)

    def _start(self) -> None:
        self._wanted = self._page
        self._search()

    # Searching

    @on(Input.Changed, "#query")
    def _query_changed(self) -> None:
        self._wanted = self._page
        self._search()

    @work(exclusive=True, group="search")
    async def _search(self, *, keep_selection: bool = False) -> None:
        text = self.box.value
        context = self._app_context
        if text.strip():
            await asyncio.sleep(context.debounce.delay)
        started = context.clock()
        try:
            # What the thread needs of the widgets is read here: they may be gone before it ends.
            selected = self.results.wanted_session(keep=keep_selection)
            question = Question(text, self._mode, self._wanted, selected, self.detail.text_width)
            found = await asyncio.to_thread(answer_question, context, question)
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
        self._show(text, found, seconds, keep_selection=keep_selection)

    def _show(self, text: str, answer: Answer, seconds: float, *, keep_selection: bool) -> None:
        self.workers.cancel_group(self, "session")  # pyright: ignore[reportUnknownMemberType]
        if self._answered is None and self._app_context.indexing is not None:
            self._index()  # not before the first answer is on the screen
        self._answered, self._result, self._words = text, answer.result, answer.words
        message = ""
        if not answer.result.results:
            waiting = self._app_context.indexing is not None and not self._news.finished
            shown = "" if answer.memory_is_empty else text
            message = empty_text(shown, self._app_context, waiting=waiting)
        self.results.show_hits(answer.result.results, answer.words, message=message, keep=keep_selection)
        self.detail.show(answer.document)
        self.position.text = self.detail.position
        chosen = self.results.selected
        if chosen is not None and (answer.document is None or answer.document.session_id != chosen.id):
            self._show_session(chosen.id, answer.words)  # too long to wait for, or the user moved on meanwhile
        self.found.text = found_text(self._mode, answer.result, seconds, brief=self.has_class("-tiny"))
        self._show_status()

    # The selected session

    @on(ResultsList.SelectionMoved)
    def _selection_moved(self, event: ResultsList.SelectionMoved) -> None:
        self._show_session(event.session_id, self._words)
        if event.nears_end and self._can_grow:
            self._wanted += self._page
            self._search(keep_selection=True)

    @property
    def _page(self) -> int:
        """How many hits to ask for at first, and again whenever the selection nears the end: a screen and a half."""
        return self.results.page * 3 // 2 + 1

    @property
    def _can_grow(self) -> bool:
        """Whether there are more hits than the list was filled with."""
        shown = len(self.results.hits)
        most = MAX_LIMIT if self._answered else None
        return self._result is not None and self._wanted <= shown < self._result.total and shown != most

    @work(exclusive=True, group="session")
    async def _show_session(self, session_id: str, words: Matcher) -> None:
        try:
            document = await asyncio.to_thread(
                session_document, self._app_context, session_id, words, self.detail.text_width
            )
        except StoreError as error:
            self.status.text = str(error)
            return
        if self.is_attached:
            self.detail.show(document)

    @on(DetailView.Moved)
    def _detail_moved(self) -> None:
        self.position.text = self.detail.position

    # Indexing in the background

    @work(exclusive=True, group="index")
    async def _index(self) -> None:
        if self._app_context.indexing is None:
            return
        seen = looked = 0.0
        try:
            async for news in self._app_context.indexing():
                self._news.take(news)
                self._show_status()
                now = self._app_context.clock()
                if self._news.changed > seen and now - looked >= _REFRESH_SECONDS:
                    seen, looked = self._news.changed, now
                    self._look_again()
        except IndexingFailedError as error:
            self._news.fail(str(error))
        self._show_status()
        if self._news.changed > seen or not self.results.hits:
            self._look_again()

    def _look_again(self) -> None:
        """Search again for what the screen shows; a search that still runs for a newer text is started anew."""
        self._search(keep_selection=self._answered == self.box.value)

    def _show_status(self) -> None:
        self.status.text = status_text(self._mode, self._result, self._news.text)

    # Actions

    def action_move(self, step: int) -> None:
        self.results.move(step)

    def action_move_page(self, step: int) -> None:
        self.results.move(step * self.results.page)

    def action_open(self) -> None:
        if self.results.hits:
            self.detail.focus()
        elif not self.box.value.strip() and self._app_context.open_demo is not None:
            self._open_demo()

    def action_back(self) -> None:
        if help_panel := self.query(HelpPanel):
            help_panel.remove()
        elif not self.box.has_focus:
            self.box.focus()
        elif not self.results.follows_top:
            self.results.follow_top()
        else:
            self.box.clear_or_restore()

    def action_step(self, step: int) -> None:
        self.detail.action_step(step)

    def action_scroll_detail(self, direction: int) -> None:
        half = max(self.detail.size.height // _HALF_PAGE, 1)
        self.detail.scroll_relative(y=direction * half, animate=False)

    def action_index(self) -> None:
        if self._app_context.indexing is not None:
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
        self._search()
