"""The bundled model in a process of its own, which ends when nobody asks and can yield to all else."""

import struct
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Final

import orjson

from nlm_tui.core import EmbedderUnavailable, storable
from nlm_tui.embedding.bundled import MODEL, require_installed

IDLE_SECONDS: Final = 120.0
"""After so long without a text the process ends; the next text starts another."""

_FLOAT = 4  # bytes


class ProcessEmbedder:
    """Embeds with the bundled model in a child process, which is started with the first text. Texts take turns.

    With `low_priority` it yields to all that the machine does besides.
    """

    model = MODEL

    def __init__(self, *, low_priority: bool = False, idle_seconds: float = IDLE_SECONDS) -> None:
        options = ["--low-priority"] if low_priority else []
        # No folder of the user's on the path: only what is installed is run.
        self._command = [sys.executable, "-P", "-m", "nlm_tui.embedding.worker", str(idle_seconds), *options]
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: FBT001, FBT002 - the port
        """Return one unit vector of 384 numbers for each text; what is longer than 256 tokens is cut.

        Raises:
            EmbedderUnavailable: the model is not installed, knows no word of a question, or its process ended.
        """
        require_installed()
        if not texts:
            return []
        question = orjson.dumps(
            {"texts": [storable(text) for text in texts], "query": query}, option=orjson.OPT_APPEND_NEWLINE
        )
        with self._lock:
            answer = self._ask(question) or self._ask(question)  # the first may have ended for want of work
        if self._closed:
            raise EmbedderUnavailable("the bundled model is closed")
        if answer is None:
            raise EmbedderUnavailable("the process of the bundled model ended without an answer")
        if isinstance(answer, str):
            raise EmbedderUnavailable(answer)
        return answer

    def close(self) -> None:
        """End the process for good. A text that is being embedded meanwhile is not."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _ask(self, question: bytes) -> list[list[float]] | str | None:
        """Return the vectors, or why there are none; None where the process ended."""
        if self._closed:
            return None
        process = self._process = self._process or self._start()
        if self._closed:  # meanwhile
            self._end()
        if process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.write(question)
            process.stdin.flush()
            head = orjson.loads(process.stdout.readline())
            if "error" in head:
                return head["error"]
            count, size = head["count"], head["size"]
            content = process.stdout.read(count * size * _FLOAT)
            numbers = struct.unpack(f"<{count * size}f", content)
        except (OSError, ValueError, LookupError, TypeError, struct.error):  # the pipe ended, or holds something else
            self._end()
            return None
        return [list(numbers[start : start + size]) for start in range(0, count * size, size)]

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            reason = f"the process of the bundled model cannot be started ({error.strerror})"
            raise EmbedderUnavailable(reason) from error
        Thread(target=process.wait, daemon=True).start()  # one that ended by itself is not left as a zombie
        return process
