"""What is remembered of this run: queries that were used or named, the theme, where the screen was left."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from textual.screen import Screen

from nlm_tui.core import one_line
from nlm_tui.settings import LastScreen, SavedQuery, State
from nlm_tui.settings.state_file import StateError
from nlm_tui.ui.context import Context

Change = Callable[[State], State]

REST = 5.0
"""Seconds that a text rests in the box, with hits below it, until it counts as used: they were read."""


class Remembering:
    """Keeps what is to be remembered, off the event loop."""

    def __init__(self, node: Screen[Any], context: Context) -> None:
        self._node = node
        self._context = context
        self._text = ""
        self._since = 0.0
        self._rested = ""  # the last text that is kept because it rested: it may have been half typed
        self._failed = False
        self._in_order = asyncio.Lock()

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries that were used, the newest first."""
        return self._context.state.state.history

    @property
    def saved(self) -> tuple[SavedQuery, ...]:
        """The queries that have a name."""
        return self._context.state.state.saved

    def typed(self, text: str, *, read: bool) -> None:
        """Take note that the box holds another text; `read` says that hits of the one before were on the screen."""
        if read and self._has_rested:
            self._change(self._with(self._text))
            self._rested = self._text
        self._text, self._since = text, self._context.clock()

    def used(self) -> None:
        """Take note that a hit of the text in the box was used."""
        if self._text.strip():
            self._change(self._with(self._text))
            self._rested = ""

    def forget(self, query: str) -> None:
        """Keep a query no longer."""
        self._change(lambda state: state.forgotten(query))

    def put_back(self, query: str) -> None:
        """Keep a query again that was to be forgotten."""
        self._change(lambda state: state.used(query))

    def deselect(self, session_id: str) -> None:
        """Keep no longer that a session was selected last: it was forgotten."""
        self._change(lambda state: state.deselected(session_id))

    def save(self, name: str, query: str) -> None:
        """Keep a query under a name."""
        self._change(lambda state: state.named(name, query))

    def unsave(self, name: str) -> None:
        """Keep the query of this name no longer."""
        self._change(lambda state: state.unnamed(name))

    def theme(self, name: str) -> None:
        """Take note of the theme that was chosen."""
        self._change(lambda state: replace(state, theme=name))

    def left(self, last: LastScreen, *, read: bool) -> str:
        """Keep where the screen is left; return why that cannot be kept, '' where it is."""
        kept = self._with(self._text) if read and self._has_rested else _as_it_is
        try:
            self._context.state.change(lambda state: replace(kept(state), last=last))
        except StateError as error:
            return str(error)
        return ""

    @property
    def _has_rested(self) -> bool:
        return bool(self._text.strip()) and self._context.clock() - self._since >= REST

    def _with(self, query: str) -> Change:
        """Return what keeps a query, if any are kept."""
        if not self._context.keeps_history:
            return _as_it_is
        text, rested = query.strip(), self._rested.strip()
        half = rested if text.startswith(rested) else ""
        return lambda state: state.used(text, instead_of=half)

    def _change(self, change: Change) -> None:
        self._node.run_worker(partial(self._changed, change), group="state")

    async def _changed(self, change: Change) -> None:
        try:
            async with self._in_order:
                await asyncio.to_thread(self._context.state.change, change)
        except StateError as error:
            if not self._failed:
                self._failed = True
                self._node.notify(one_line(str(error)), severity="warning", markup=False)


def _as_it_is(state: State) -> State:
    return state
