"""A driver that knows whether it has the terminal, and leaves it alone while the shell or another program has it."""

import os
import sys
from threading import Thread

from textual.driver import Driver


class HandingOver(Driver):
    """What it writes, stops or flushes only where it has the terminal: else that would be done to another program."""

    @property
    def is_away(self) -> bool:
        """Whether the terminal was handed over, and is not back."""
        return self._has_ended("_writer_thread")

    @property
    def _is_done(self) -> bool:
        """Whether there is nothing to stop. Where the terminal is gone, only what writes has ended, not what reads."""
        reader = getattr(self, "_key_thread", None)
        return self.is_away and not (isinstance(reader, Thread) and reader.is_alive())

    @property
    def is_in_front(self) -> bool:
        """Whether the shell lets this program have the terminal; so also where nobody says otherwise."""
        if sys.__stdin__ is None or not hasattr(os, "tcgetpgrp"):
            return True
        try:
            return os.tcgetpgrp(sys.__stdin__.fileno()) == os.getpgrp()
        except (OSError, ValueError):
            return True

    def write(self, data: str) -> None:
        if not self.is_away:
            super().write(data)

    def disable_input(self) -> None:
        if not self._is_done:
            super().disable_input()

    def stop_application_mode(self) -> None:
        if not self._is_done:
            super().stop_application_mode()

    def close(self) -> None:
        if not self.is_away:  # what has ended takes no word to end
            super().close()

    def _has_ended(self, thread: str) -> bool:
        """Return whether a thread of Textual's drivers for Unix ran and has ended, as with the hand-over."""
        found = getattr(self, thread, None)
        return isinstance(found, Thread) and not found.is_alive()


def handing_over(base: type[Driver]) -> type[Driver]:
    """Return a driver that does so."""

    class HandingOverDriver(HandingOver, base):
        pass

    return HandingOverDriver
