"""A program on a pseudo-terminal, timed from outside. Linux only: what a process costs is read from /proc."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from types import TracebackType
from typing import Self

import pyte
from measuring import process_cost, process_tree

_CHUNK = 1 << 16
_STEP_SECONDS = 0.02
_LEAVE_SECONDS = 3.0
_HAS_SYNC = b"\x1b[?2026$p", b"\x1b[?2026;2$y"  # the question for synchronized output, and a modern answer


class Terminal:
    """Runs a command, keeps the picture of its screen, and remembers when its text last changed.

    Times are those of `perf_counter`.
    """

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], columns: int, rows: int) -> None:
        self.text = ""
        self.received = 0
        self._screen = _Screen(columns, rows, self.send)
        self._stream = pyte.ByteStream(self._screen)
        self._fd, inner = pty.openpty()
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.started = self.changed = perf_counter()
        self._process = subprocess.Popen(
            command, env=environ, stdin=inner, stdout=inner, stderr=inner, start_new_session=True
        )
        os.close(inner)
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._fd)

    @property
    def first_line(self) -> str:
        """The topmost line."""
        return self.text.partition("\n")[0]

    def send(self, text: str) -> float:
        """Type `text` and return when."""
        now = perf_counter()
        os.write(self._fd, text.encode())
        return now

    def wait_until(self, done: Callable[[], bool], seconds: float = 60.0) -> float:
        """Follow the program until `done`, and return when the text last changed.

        Raises:
            SystemExit: that never was, or the program ended.
        """
        deadline = perf_counter() + seconds
        while not done():
            if self._ended or perf_counter() > deadline:
                raise SystemExit(f"the screen did not reach the expected state:\n{self.text}")
            self._follow()
        return self.changed

    def still(self, since: float, quiet: float) -> float:
        """Wait until the text has not changed for `quiet` seconds; return how long after `since` it last did."""
        self.wait_until(lambda: perf_counter() - max(self.changed, since) > quiet)
        return max(self.changed - since, 0.0)

    def rest(self, seconds: float) -> None:
        """Follow the program for that long."""
        until = perf_counter() + seconds
        self.wait_until(lambda: perf_counter() >= until)

    def leave(self, key: str) -> None:
        """Press the key that quits and wait for the end."""
        self.send(key)
        deadline = perf_counter() + _LEAVE_SECONDS
        while not self._ended and perf_counter() < deadline:
            self._follow()

    def cost(self) -> tuple[float, float]:
        """Return seconds of CPU and peak resident megabytes of the process and its children so far."""
        costs = [process_cost(pid) for pid in process_tree(self._process.pid)]
        return sum(cpu for cpu, _ in costs), sum(rss for _, rss in costs)

    def _follow(self) -> None:
        """Take what the program has written, then look whether the text is another."""
        data, at = b"", 0.0
        wait = _STEP_SECONDS
        while select.select([self._fd], [], [], wait)[0]:
            try:
                chunk = os.read(self._fd, _CHUNK)
            except OSError:  # how Linux says that the other side is closed
                chunk = b""
            if not chunk:
                self._ended = True
                break
            data, at, wait = data + chunk, perf_counter(), 0.0
        if not data:
            return
        self.received += len(data)
        question, answer = _HAS_SYNC
        if question in data:
            os.write(self._fd, answer)
        self._stream.feed(data)
        text = "\n".join(self._screen.display)
        if text != self.text:
            self.text, self.changed = text, at


class _Screen(pyte.Screen):
    """A screen that answers what the program asks of its terminal."""

    def __init__(self, columns: int, lines: int, answer: Callable[[str], object]) -> None:
        self._answer = answer
        super().__init__(columns, lines)

    def write_process_input(self, data: str) -> None:
        self._answer(data)
