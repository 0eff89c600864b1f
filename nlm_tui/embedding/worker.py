"""The process that holds the bundled model: it reads texts from its input and writes their vectors."""

import os
import queue
import signal
import struct
import sys
from contextlib import suppress
from threading import Thread
from typing import BinaryIO

import orjson

from nlm_tui.core import EmbedderUnavailable
from nlm_tui.embedding.bundled import BundledEmbedder

_NICE = 10


def serve(questions: BinaryIO, answers: BinaryIO, embedder: BundledEmbedder, idle_seconds: float) -> None:
    """Answer until the questions end, or none comes for `idle_seconds`.

    A question is a line of JSON: the texts, and whether they are a query. Its answer is a line too, with the number of
    vectors and their size, and the vectors behind it as float32; or a line with the error.
    """
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        for line in questions:
            lines.put(line)
        lines.put(b"")

    Thread(target=read, daemon=True).start()
    with suppress(queue.Empty):
        while line := lines.get(timeout=idle_seconds):
            answers.write(answer(embedder, **orjson.loads(line)))
            answers.flush()


def answer(embedder: BundledEmbedder, texts: list[str], *, query: bool) -> bytes:
    """Return the answer to one question."""
    try:
        vectors = embedder.embed(texts, query)
    except EmbedderUnavailable as error:
        return orjson.dumps({"error": str(error)}, option=orjson.OPT_APPEND_NEWLINE)
    size = len(vectors[0]) if vectors else 0
    numbers = [number for vector in vectors for number in vector]
    head = orjson.dumps({"count": len(vectors), "size": size}, option=orjson.OPT_APPEND_NEWLINE)
    return head + struct.pack(f"<{len(numbers)}f", *numbers)


def main() -> None:
    """Serve the program that started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the other's affair
    if "--low-priority" in sys.argv and hasattr(os, "nice"):
        os.nice(_NICE)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with suppress(BrokenPipeError):
        serve(sys.stdin.buffer, sys.stdout.buffer, BundledEmbedder(), float(sys.argv[1]))
    os._exit(0)  # at an ordinary end Python would wait for the thread that reads


if __name__ == "__main__":
    main()
