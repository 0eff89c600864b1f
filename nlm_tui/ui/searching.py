"""Asking the memory what the box says: at once by words, and by meaning when typing rests."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from textual.screen import Screen

from nlm_tui.core import MODES, Mode, RecallHit, RecallResult, SearchInterruptedError, StoreError
from nlm_tui.ui.answers import Answer, Question, Stage, answer_question, stages
from nlm_tui.ui.context import Context
from nlm_tui.ui.merging import around


class View(Protocol):
    """Where the text to search for stands, and where answers are shown."""

    @property
    def text(self) -> str:
        """The text in the box."""
        ...

    @property
    def text_width(self) -> int:
        """How many cells the selected session has for a row."""
        ...

    @property
    def selection(self) -> tuple[RecallHit, int] | None:
        """The selected hit and its place."""
        ...

    def wanted_session(self, *, keep: bool) -> str | None:
        """Return the session that stays selected; None for the first hit. `keep` means also where it is that one."""
        ...

    def show_answer(self, answer: Answer, *, keep: bool) -> None:
        """Show an answer. `keep` holds the selection on its session."""
        ...

    def show_state(self) -> None:
        """Show how the text is searched, and whether more is to come."""
        ...

    def show_failure(self, reason: str) -> None:
        """Show why there is no answer."""
        ...


class Searching:
    """Searches in workers of `node` and shows the answers in `view`.

    Words are looked for first; in hybrid recall a second search follows, by words and meaning, and its hits come in
    around the selected one. Any new search stops both, and hits by meaning are only shown while the box holds their
    text. Of searches by meaning one runs at a time: a model that cannot be stopped must not take up the threads that
    words need.
    """

    def __init__(self, node: Screen[None], view: View, context: Context) -> None:
        self._node = node
        self._view = view
        self._context = context
        self._mode: Mode = context.mode
        self._answer: Answer | None = None
        self._wanted = 1
        self._started_at = 0.0
        self._pending = False
        self._look_again = False
        self._by_words_only: str | None = None  # why, as far as the last search by meaning knows
        self._running: asyncio.Future[Answer] | None = None

    @property
    def mode(self) -> Mode:
        """How the text is searched."""
        return self._mode

    @property
    def answer(self) -> Answer | None:
        """The answer on the screen."""
        return self._answer

    @property
    def result(self) -> RecallResult | None:
        """What was recalled for the answer on the screen."""
        return self._answer.result if self._answer else None

    @property
    def is_pending(self) -> bool:
        """Whether hits by meaning are still to come, and can be expected."""
        return self._pending and self._by_words_only is None

    @property
    def unavailable(self) -> str | None:
        """Why nothing is found by meaning. Until the search by meaning answers, the reason of the last one stands."""
        own = self._answer.result.mode_unavailable if self._answer else None
        return self._by_words_only if self._pending else own

    @property
    def can_grow(self) -> bool:
        """Whether what the box asks for is on the screen and has more hits, and they are not being fetched yet."""
        answer = self._answer
        return (
            answer is not None and self._is_answered(answer) and not answer.complete and self._wanted <= answer.reached
        )

    def start(self, wanted: int) -> None:
        """Search for the text in the box; show its best `wanted` hits."""
        self._wanted = wanted
        self._started_at = self._context.clock()
        self._search(keep=False)

    def stop(self) -> None:
        """Search no more until the next start."""
        self._cancel("search")
        self._cancel("meaning")
        self._pending = self._look_again = False

    def cycle_mode(self) -> None:
        """Search in the next mode."""
        self._mode = MODES[(MODES.index(self._mode) + 1) % len(MODES)]
        self._by_words_only = None
        self._search(keep=False)

    def look_again(self) -> None:
        """Search again, since the memory has changed; a search that still runs for a newer text is started anew."""
        answered = self._answer is not None and self._is_answered(self._answer)
        if answered and self._pending:
            self._look_again = True  # stopped each time, the search by meaning might never come to its end
        else:
            self._search(keep=answered)

    def grow(self, page: int) -> None:
        """Ask for a page more of the same."""
        answer = self._answer
        if answer is None:
            return
        self._wanted = answer.reached + page
        if answer.stage == "words":
            self._run(partial(self._search_words, keep=True, more_of=answer), "search")
        elif not self._pending:  # else a search for the same runs, and goes on as far as is wanted by then
            self._run(partial(self._search_meaning, more_of=answer), "meaning")

    def _search(self, *, keep: bool) -> None:
        self._cancel("meaning")
        self._look_again = False
        planned = stages(self._view.text, self._mode)
        self._pending = "meaning" in planned
        self._view.show_state()
        answer = self._answer
        if answer is not None and answer.stage == "meaning" and self._is_answered(answer):
            self._cancel("search")
            self._wanted = max(self._wanted, answer.reached)
            self._run(self._search_meaning, "meaning")  # hits by words alone would come and go
        elif "words" not in planned:
            self._cancel("search")
            self._run(partial(self._search_meaning, rests=self._mode == "semantic"), "meaning")
        else:
            self._run(partial(self._search_words, keep=keep), "search")

    async def _search_words(self, *, keep: bool, more_of: Answer | None = None) -> None:
        context = self._context
        if self._view.text.strip() and more_of is None:
            await asyncio.sleep(context.debounce.delay)
        started = context.clock()
        try:
            question = self._question("words", keep=keep, more_of=more_of)
            answer = await asyncio.to_thread(answer_question, context, question)
        except asyncio.CancelledError:
            context.memory.interrupt()
            raise
        except SearchInterruptedError:
            self._end()
            return
        except StoreError as error:
            self._end(str(error))
            return
        if not self._node.is_attached:
            return  # the program was left meanwhile
        seconds = context.clock() - started
        context.debounce.took(seconds)
        self._show(replace(answer, seconds=seconds), keep=keep)
        if self._pending and more_of is None:
            self._run(partial(self._search_meaning, rests=True), "meaning")

    async def _search_meaning(self, *, rests: bool = False, more_of: Answer | None = None) -> None:
        context = self._context
        try:
            if rests:
                since = context.clock() - self._started_at
                await asyncio.sleep(max(context.meaning_debounce.delay - since, 0.0))
            while True:
                self._look_again = False
                answer = await self._meant(more_of)
                if not self._node.is_attached or not self._is_answered(answer):
                    return
                if answer.reached < self._wanted and not answer.complete and more_of is None:
                    continue  # more hits by words were asked for meanwhile
                self._pending = False
                self._cancel("search")
                self._show(answer, keep=self._answer is not None and self._is_answered(self._answer))
                if not self._look_again:
                    return
                more_of = None
        except asyncio.CancelledError:
            context.memory.stop_meaning()
            raise
        except SearchInterruptedError:
            self._end()
        except StoreError as error:
            self._end(str(error))

    async def _meant(self, more_of: Answer | None) -> Answer:
        """Return the answer by meaning, when the search before this one has ended."""
        context = self._context
        if self._running is not None:
            await asyncio.wait([self._running])
        started = context.clock()
        answered = self._answer is not None and self._is_answered(self._answer)
        question = self._question("meaning", keep=answered, more_of=more_of)
        self._running = asyncio.ensure_future(asyncio.to_thread(answer_question, context, question))
        self._running.add_done_callback(_forget)
        answer = await asyncio.shield(self._running)
        seconds = context.clock() - started
        context.meaning_debounce.took(seconds)
        return replace(answer, seconds=seconds)

    def _question(self, stage: Stage, *, keep: bool, more_of: Answer | None) -> Question:
        """Return what the thread needs to know of the widgets: they may be gone before it ends."""
        view = self._view
        selected = view.wanted_session(keep=keep)
        return Question(view.text, self._mode, self._wanted, selected, view.text_width, stage, more_of)

    def _show(self, answer: Answer, *, keep: bool) -> None:
        before, selection = self._answer, self._view.selection
        if answer.stage == "meaning":
            if not answer.similar:  # what one session lacks says nothing about others
                self._by_words_only = answer.result.mode_unavailable
            if before is not None and self._is_answered(before):
                if answer.result.mode_unavailable is not None:
                    answer = replace(answer, seconds=before.seconds)
                if selection is not None and not (answer.continues or (answer.lost and before.stage == "meaning")):
                    answer = _pinned(answer, *selection)
        self._answer, self._wanted = answer, answer.reached
        self._view.show_answer(answer, keep=keep)

    def _end(self, failure: str = "") -> None:
        """Expect no answer any more, and say why there is none."""
        self._pending = False
        self._view.show_state()
        if failure:
            self._view.show_failure(failure)

    def _is_answered(self, answer: Answer) -> bool:
        """Return whether `answer` is one to what the box asks for."""
        return (answer.text, answer.mode) == (self._view.text, self._mode)

    def _run(self, search: Callable[[], Awaitable[None]], group: str) -> None:
        self._node.run_worker(search, group=group, exclusive=True)

    def _cancel(self, group: str) -> None:
        self._node.workers.cancel_group(self._node, group)  # pyright: ignore[reportUnknownMemberType]


def _pinned(answer: Answer, selected: RecallHit, place: int) -> Answer:
    """Return `answer` with its hits around the selected one."""
    result = answer.result
    hits = around(result.results, selected, place)
    return replace(answer, result=replace(result, results=hits, total=max(result.total, len(hits))), pinned=selected.id)


def _forget(search: asyncio.Future[Answer]) -> None:
    """Take note of how a search ended that may be wanted no more."""
    if not search.cancelled():
        search.exception()
