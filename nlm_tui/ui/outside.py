"""Handing the terminal to another program, and taking it back, whatever happened to it."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Final, TextIO

from textual.app import App, SuspendNotSupported

from nlm_tui.core import one_line

try:
    import termios
except ImportError:  # Windows has none, nor modes that a program could leave behind
    termios = None

# What a program may have left on: other screen, mouse, paste marks, key reports, no line wrap, hidden cursor, colours.
# Not by 1049, which takes the cursor back to where the program began: what is written next would stand on what it said.
_RESET: Final = (
    "\x1b[?1047l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[?1l\x1b>"
    "\x1b[?7h\x1b[?25h\x1b[m"
)
_CLEAR_BELOW: Final = "\x1b[J"
_GO_BACK: Final = "Press Enter to go back to nlm-tui."


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its exit `status`, or the `problem` that kept it from running."""

    program: str
    status: int | None = None
    problem: str = ""

    @property
    def text(self) -> str:
        """The same in words; '' where all went well."""
        if self.problem:
            return f"{self.program}: {self.problem}"
        if self.status is not None and self.status < 0:
            return f"{self.program} was ended by {_signal_name(-self.status)}"
        return f"{self.program} ended with exit status {self.status}" if self.status else ""


def run_outside(app: App[None], command: Sequence[str], cwd: str | None = None, *, data: bytes | None = None) -> Ended:
    """Run a program on the terminal until it ends; the app is back afterwards. `data` is what it reads, if not keys.

    Where it failed, what it said stays until Enter is pressed.
    """
    program = one_line(command[0])
    try:
        with app.suspend():
            ended = _run(program, command, cwd, data)  # nothing may be raised here: the app would stay away
            if ended.text:
                _wait(ended.text)
    except SuspendNotSupported:
        return Ended(program, problem="it cannot be run from here: this terminal cannot be handed over")
    return ended


def show_outside(app: App[None], text: str) -> str:
    """Print text, which is clean, where the terminal can select it, until Enter is pressed. Return what is wrong."""
    try:
        with app.suspend():
            _print(text)
            with _unharmed():
                _wait("")
    except SuspendNotSupported:
        return "this terminal cannot be handed over"
    return ""


def _run(program: str, command: Sequence[str], cwd: str | None, data: bytes | None) -> Ended:
    with _unharmed():
        try:
            done = subprocess.run(  # noqa: S603 - a list of words, no shell
                command, cwd=cwd, input=data, stdout=_terminal(), check=False
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            return Ended(program, problem=one_line(reason or type(error).__name__))
        return Ended(program, done.returncode)


def _terminal() -> TextIO | None:
    """Return where a program is to write, None where that is as usual: what is picked is read by another program."""
    try:
        usual = sys.__stdout__ is not None and sys.__stdout__.isatty()
        terminal = sys.__stderr__ is not None and sys.__stderr__.isatty()
    except ValueError:  # one of them is closed
        return None
    return sys.__stderr__ if terminal and not usual else None


@contextmanager
def _unharmed() -> Generator[None]:
    """Let Ctrl+C and Ctrl+Backslash reach the other program alone, and restore the terminal as it was before it."""
    # A handler, since a program that is started inherits what is ignored, but no handler.
    numbers = [number for name in ("SIGINT", "SIGQUIT") if (number := getattr(signal, name, None)) is not None]
    handlers = {number: signal.signal(number, _pass_over) for number in numbers}
    stdin = sys.__stdin__
    modes = None
    if termios is not None and stdin is not None:
        with suppress(termios.error, OSError, ValueError):
            modes = termios.tcgetattr(stdin.fileno())
    try:
        yield
    finally:
        if termios is not None and stdin is not None and modes is not None:
            with suppress(termios.error, OSError), _in_front(stdin.fileno()):
                termios.tcsetattr(stdin.fileno(), termios.TCSANOW, modes)
        _print(_RESET + _fresh_line() + _CLEAR_BELOW, end="")
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def _in_front(terminal: int) -> Generator[None]:
    """Take the terminal back from a program with jobs of its own that was killed: from behind one may not touch it."""
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        os.tcsetpgrp(terminal, os.getpgrp())
        yield
    finally:
        signal.signal(signal.SIGTTOU, before)


def _fresh_line() -> str:
    """Return what brings the cursor to the beginning of a line on which nothing stands, wherever it is."""
    columns = 0
    if sys.__stderr__ is not None:
        with suppress(OSError, ValueError):
            columns = os.get_terminal_size(sys.__stderr__.fileno()).columns
    # As many spaces as fill a line lead to the next one only where the cursor was within a line.
    return " " * columns + "\r" if columns else "\r\n"


def _pass_over(number: int, frame: FrameType | None) -> None:
    del number, frame


def _wait(said: str) -> None:
    _print(f"\n{said}\n{_GO_BACK}" if said else f"\n{_GO_BACK}")
    if sys.__stdin__ is not None:
        with suppress(OSError, ValueError):
            sys.__stdin__.readline()


def _print(text: str, end: str = "\n") -> None:
    if sys.__stderr__ is not None:  # where the screen is drawn: the other stream may be read by a program
        with suppress(OSError, ValueError):
            sys.__stderr__.write(text + end)
            sys.__stderr__.flush()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
