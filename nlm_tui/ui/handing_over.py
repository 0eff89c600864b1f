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
        writer = getattr(self, "_writer_thread", None)  # of Textual's drivers for Unix; it ends with the hand-over
        return isinstance(writer, Thread) and not writer.is_alive()

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
        if not self.is_away:
            super().disable_input()

    def stop_application_mode(self) -> None:
        if not self.is_away:
            super().stop_application_mode()


def handing_over(base: type[Driver]) -> type[Driver]:
    """Return a driver that does so."""

    class HandingOverDriver(HandingOver, base):
        pass

    return HandingOverDriver
