"""What other windows and programs change in the memory shows here too."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nlm_tui.core import StoreError

if TYPE_CHECKING:
    from nlm_tui.ui.context import Context
    from nlm_tui.ui.screens.search import SearchScreen


class Watching:
    """Looks now and then whether the memory is another than it was, which costs next to nothing where it is not.

    While sessions are taken in, what is new is shown by that; what else changed meanwhile is shown afterwards.
    """

    def __init__(self, screen: SearchScreen, context: Context) -> None:
        self._screen = screen
        self._context = context
        self._seen: object = None

    def start(self) -> None:
        """Begin to look, if that is wanted."""
        if self._context.watch_seconds is not None:
            self._screen.set_interval(self._context.watch_seconds, self.look)

    async def look(self) -> None:
        """Look once, and show what changed since the last time."""
        memory, background = self._context.memory, self._screen.background
        if self._seen is not None and (background.waits or background.news.embeds):
            return
        try:
            state = await asyncio.to_thread(memory.state)
        except StoreError:
            return  # who searches is told, and tries again
        before, self._seen = self._seen, (memory, state)
        if before is not None and before != self._seen:
            self._screen.memory_changed()
