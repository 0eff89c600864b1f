"""Running commands: on what they act, and what is said where they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from nlm_tui.core import SearchInterruptedError, StoreError
from nlm_tui.ui.commands import BY_ID

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen
    from nlm_tui.ui.target import Target

_LONG = "long"


class Running:
    """Runs the commands of a screen. Of those that ask or read, the next one stops the one before."""

    def __init__(self, screen: SearchScreen) -> None:
        self._screen = screen
        self._target: Target | None = None
        self._one_change = asyncio.Lock()

    @property
    def target(self) -> Target | None:
        """What the command acts on that waits now: what was the target when it was given, whatever moved since."""
        return self._target

    def run(self, command_id: str) -> None:
        """Run a command, or say why it cannot be run now."""
        screen, command = self._screen, BY_ID[command_id]
        self._target = None
        if reason := command.why_not(screen):
            screen.complain(reason)
            return
        if command.uses:
            screen.remembering.used()
        if (waits := command.run(screen)) is not None:
            screen.run_worker(self._wait_for(waits, screen.target), group="command", exclusive=True)

    def finish(self, change: Awaitable[None]) -> None:
        """Run a change of the memory to its end, behind those that were begun; no command stops it, and it is said."""
        self._screen.run_worker(self._in_turn(change), group="change")

    def begin(self, work: Awaitable[None]) -> None:
        """Run what may take long and can be stopped, beside all commands; it takes the place of one before it."""
        self._screen.run_worker(self._reported(work), group=_LONG, exclusive=True)

    def stop(self) -> bool:
        """Stop what takes long; return whether anything ran."""
        return bool(self._screen.workers.cancel_group(self._screen, _LONG))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]

    async def _in_turn(self, change: Awaitable[None]) -> None:
        async with self._one_change:
            await self._reported(change)

    async def _wait_for(self, command: Awaitable[None], target: Target) -> None:
        self._target = target
        try:
            await self._reported(command)
        finally:
            if self._target is target:
                self._target = None

    async def _reported(self, work: Awaitable[None]) -> None:
        """Say it where the memory fails: that ends what is being done, not the program."""
        try:
            await work
        except StoreError as error:
            self._screen.complain(str(error))
        except SearchInterruptedError:
            self._screen.complain("the memory was busy with something else: try again")
