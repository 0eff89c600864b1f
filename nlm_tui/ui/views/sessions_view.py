"""The view of sessions: hits by words and by meaning, and when they were."""

import asyncio
from datetime import date
from functools import partial

from textual.screen import Screen

from nlm_tui.core import RecallHit, SearchInterruptedError, StoreError
from nlm_tui.ui.answers import Answer, marks_of
from nlm_tui.ui.context import Context
from nlm_tui.ui.messages import empty_text, found_texts, status_text
from nlm_tui.ui.searching import Searching
from nlm_tui.ui.target import Target
from nlm_tui.ui.views.asking import days_of
from nlm_tui.ui.views.histogram import histogram
from nlm_tui.ui.views.names import ViewName
from nlm_tui.ui.views.view import Chosen, Host
from nlm_tui.ui.widgets.results import ResultsList

_GROUP = "days"


class SessionsView:
    """Lists the hits of a recall. `counted` is the text whose hits over time are shown."""

    name: ViewName = "sessions"

    def __init__(self, node: Screen[None], host: Host, context: Context, results: ResultsList) -> None:
        self.list = results
        self.searching = Searching(node, self, context)
        self._node = node
        self._host = host
        self._context = context
        self._days: tuple[tuple[date, int], ...] = ()
        self._counting: str | None = None  # the text whose days are shown, or will be
        self.counted: str | None = None

    @property
    def answered(self) -> str | None:
        """The text whose answer it holds."""
        return self.searching.answer.text if self.searching.answer else None

    @property
    def total(self) -> int | None:
        """How many sessions pass in all."""
        return self.searching.result.total if self.searching.result else None

    @property
    def doubtful(self) -> frozenset[str]:
        """The conditions that were not understood, or can match nothing."""
        return self.searching.answer.doubtful if self.searching.answer else frozenset()

    @property
    def chosen(self) -> Chosen | None:
        """The session of the selected row."""
        hit, answer = self.list.selected, self.searching.answer
        return Chosen(hit.id, marks_of(hit, answer.words)) if hit is not None and answer is not None else None

    @property
    def target(self) -> Target:
        """What commands act on."""
        hit = self.list.selected
        return Target() if hit is None else Target(session_id=hit.id, label=hit.label)

    @property
    def found(self) -> tuple[str, ...]:
        """How much was found, in ever fewer cells."""
        searching = self.searching
        return found_texts(searching.mode, searching.answer, pending=searching.is_pending)

    @property
    def status(self) -> str:
        """What to know about the answer."""
        searching = self.searching
        missing = None if self._host.waits_for_meaning else searching.unavailable
        return status_text(searching.mode, searching.answer, self._context.keys, missing)

    @property
    def has_sessions(self) -> bool:
        """Whether there may be a session to show beside the list; there is none in an empty memory."""
        return self.searching.answer is None or not self.searching.answer.memory_is_empty

    @property
    def has_header(self) -> bool:
        """Whether hits over time are shown above them."""
        return self._context.memory.browsing is not None and self.has_sessions

    def header(self, width: int) -> str:
        """Return the hits over time."""
        return histogram(self._days, width)

    def enter(self) -> None:
        """Ask for what the box says; what is known stays meanwhile."""
        if self.answered == self._host.text:
            self._host.show_rows()
            self.look_again()
        else:
            self._host.show_state()
            self.start()

    def start(self) -> None:
        """Ask for what the box says now."""
        self.searching.start(self._page)

    def look_again(self) -> None:
        """Ask again, since the memory has changed."""
        self._counting = None
        self.searching.look_again()

    def grow(self) -> None:
        """Ask for more hits, where there are more."""
        if self.searching.can_grow:
            self.searching.grow(self._page)

    def fill(self) -> None:
        """Ask for more hits where the list has room for more than it holds."""
        if len(self.list.hits) < self._page:
            self.grow()

    def stop(self) -> None:
        """Ask no more until the next start."""
        self.searching.stop()
        self._node.workers.cancel_group(self._node, _GROUP)  # pyright: ignore[reportUnknownMemberType]

    @property
    def _page(self) -> int:
        """How many hits to ask for at first, and again whenever the selection nears the end: a screen and a half."""
        return self.list.page * 3 // 2 + 1

    # What searching needs to know and to say

    @property
    def text(self) -> str:
        """The text in the box."""
        return self._host.text

    @property
    def text_width(self) -> int:
        """How many cells the selected session has for a row."""
        return self._host.text_width

    @property
    def selection(self) -> tuple[RecallHit, int] | None:
        """The selected hit and its place."""
        chosen = self.list.selected
        return (chosen, self.list.selected_place) if chosen is not None else None

    def wanted_session(self, *, keep: bool) -> str | None:
        """Return the session that stays selected."""
        return self.list.wanted_session(keep=keep)

    def show_answer(self, answer: Answer, *, keep: bool) -> None:
        """Show an answer."""
        hits, words = answer.result.results, answer.words
        if answer.pinned is not None:
            self.list.exchange(hits, words, complete=answer.complete)
        else:
            waiting = self._host.waits_for_index
            message = empty_text(answer, self._context, waiting=waiting, pending=self.searching.is_pending)
            self.list.show_hits(hits, words, message=message, keep=keep, complete=answer.complete)
        self._host.show_rows(answer.document, merged=answer.pinned is not None, selected=not answer.continues)
        self._count_days(answer.text)

    def show_state(self) -> None:
        """Show whether more is to come."""
        self._host.show_state()

    def show_failure(self, reason: str) -> None:
        """Show why there is no answer."""
        self._host.show_failure(reason)

    # Hits over time

    def _count_days(self, text: str) -> None:
        if self._context.memory.browsing is not None and text != self._counting:
            self._counting = text
            self._node.run_worker(partial(self._load_days, text), group=_GROUP, exclusive=True)

    async def _load_days(self, text: str) -> None:
        """Count when all hits were, once typing rests. Where that fails, the last count stays: it is an ornament."""
        context, browsing = self._context, self._context.memory.browsing
        if browsing is None:
            return
        await asyncio.sleep(context.meaning_debounce.delay)
        try:
            self._days = await asyncio.to_thread(days_of, browsing, text)
        except asyncio.CancelledError:
            context.memory.interrupt_browsing()
            raise
        except (SearchInterruptedError, StoreError):
            self._counting = None
            return
        self.counted = text
        self._host.show_header()
