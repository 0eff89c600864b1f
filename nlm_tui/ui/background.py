"""Taking in what is new, beside the screen; and the demo memory in place of an empty one."""

import asyncio
from typing import TYPE_CHECKING

from nlm_tui.core import StoreError
from nlm_tui.ui.context import Context
from nlm_tui.ui.indexing import IndexNews

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen

_GROUP = "index"


class Background:
    """What goes on in the memory while it is searched."""

    def __init__(self, screen: "SearchScreen", context: Context) -> None:
        self._screen = screen
        self._context = context
        self.news = IndexNews()
        self._started = False

    @property
    def waits(self) -> bool:
        """Whether sessions are being read that may be listed soon."""
        return self._context.indexing is not None and not self.news.finished

    def start_once(self) -> None:
        """Index for the first time."""
        if not self._started:
            self._started = True
            self.index()

    def index(self) -> None:
        """Take in what is new, and what is written from now on."""
        self.news = IndexNews()
        self._screen.run_worker(self._index, group=_GROUP, exclusive=True)

    def open_demo(self) -> None:
        """Change to the demo memory, where there is one."""
        if self._context.open_demo is not None:
            self._screen.run_worker(self._open_demo, group="demo", exclusive=True)

    async def _index(self) -> None:
        context, screen = self._context, self._screen
        if context.indexing is None:
            return
        async for due in self.news.follow(context.indexing(), context.clock):
            screen.showing.show_status()
            if due:
                screen.memory_changed()
        if not screen.views.current.list.listed.keys:
            screen.memory_changed()

    async def _open_demo(self) -> None:
        context, screen = self._context, self._screen
        if context.open_demo is None:
            return
        open_demo, context.open_demo = context.open_demo, None
        try:
            demo = await asyncio.to_thread(open_demo)
        except (OSError, StoreError) as error:
            context.open_demo = open_demo
            screen.complain(f"there is no demo memory: {error}")
            return
        context.indexing = None
        screen.workers.cancel_group(screen, _GROUP)  # pyright: ignore[reportUnknownMemberType]
        screen.views.current.stop()
        memory, context.memory = context.memory, demo
        await asyncio.to_thread(memory.close)
        screen.completions.forget()
        screen.views.current.start()
        context.indexing = context.memory.embedding
        self.index()
        self.news = IndexNews("demo memory: invented sessions, gone when you leave")
