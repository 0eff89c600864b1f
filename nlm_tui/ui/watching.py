"""What other windows and programs change in the memory shows here too."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from nlm_tui.core import StoreError

if TYPE_CHECKING:
    from nlm_tui.ui.context import Context, Memory
    from nlm_tui.ui.screens.search import SearchScreen


class _Seen(NamedTuple):
    """What was seen of a memory: signs of what users changed, and of all else."""

    memory: Memory
    changes: object
    state: object


class Watching:
    """Looks now and then whether the memory is another than it was, which costs next to nothing where it is not.

    While sessions are taken in, what is new is shown by that: only what users changed is looked for, all else
    afterwards.
    """

    def __init__(self, screen: SearchScreen, context: Context) -> None:
        self._screen = screen
        self._context = context
        self._seen: _Seen | None = None

    def start(self) -> None:
        """Begin to look, if that is wanted."""
        if self._context.watch_seconds is not None:
            self._screen.set_interval(self._context.watch_seconds, self.look)

    async def look(self) -> None:
        """Look once, and show what changed since the last time."""
        background = self._screen.background
        before = self._seen
        old = before if background.waits or background.news.embeds else None
        try:
            self._seen = await asyncio.to_thread(_look, self._context.memory, old)
        except StoreError:
            return  # who searches is told, and tries again
        if before is not None and before != self._seen:
            self._screen.memory_changed()


def _look(memory: Memory, before: _Seen | None) -> _Seen:
    """Return what there is to see; the state that was seen `before`, where that is not looked at again."""
    return _Seen(memory, memory.changes(), memory.state() if before is None else before.state)
