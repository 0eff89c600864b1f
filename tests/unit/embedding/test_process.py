"""The bundled model in a process of its own: it ends when idle, when it is closed, and is started anew."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from nlm_tui.core import EmbedderUnavailable
from nlm_tui.embedding import ProcessEmbedder, bundled_embedder, process


@pytest.fixture
def embedder() -> Iterator[ProcessEmbedder]:
    with closing(ProcessEmbedder()) as embedder:
        yield embedder


def child(embedder: ProcessEmbedder) -> "process.subprocess.Popen[bytes]":
    assert embedder._process is not None
    return embedder._process


def test_vectors_are_those_of_the_model(embedder: ProcessEmbedder) -> None:
    texts = ["one", "zwei\n\ud800", ""]
    found, expected = embedder.embed(texts), bundled_embedder().embed(texts)
    for vector, wanted in zip(found, expected, strict=True):
        assert vector == pytest.approx(wanted, abs=1e-6)
    assert embedder.embed([]) == []


def test_a_process_that_ended_is_replaced(embedder: ProcessEmbedder) -> None:
    before = embedder.embed(["one"])
    first = child(embedder)
    first.kill()
    first.wait()
    assert embedder.embed(["one"]) == before
    assert child(embedder).pid != first.pid


def test_it_ends_when_nobody_asks() -> None:
    with closing(ProcessEmbedder(idle_seconds=0.5)) as embedder:
        embedder.embed(["one"])
        assert child(embedder).wait(timeout=30) == 0
        assert len(embedder.embed(["one"])) == 1


def test_it_ends_with_the_program_that_asks(embedder: ProcessEmbedder) -> None:
    embedder.embed(["one"])
    running = child(embedder)
    assert running.stdin is not None
    running.stdin.close()
    assert running.wait(timeout=30) == 0


def test_closing_ends_it(embedder: ProcessEmbedder) -> None:
    embedder.embed(["one"])
    running = child(embedder)
    embedder.close()
    assert running.poll() is not None
    embedder.close()


def test_closed_while_it_embeds_it_starts_no_other(embedder: ProcessEmbedder) -> None:
    embedder._command = [process.sys.executable, "-c", "input(); input()"]
    started: list[object] = []
    start = embedder._start

    def close_soon() -> "process.subprocess.Popen[bytes]":
        started.append(running := start())
        Thread(target=embedder.close).start()
        return running

    embedder._start = close_soon
    with pytest.raises(EmbedderUnavailable, match="closed"):
        embedder.embed(["one"])
    with pytest.raises(EmbedderUnavailable, match="closed"):
        embedder.embed(["two"])
    assert len(started) == 1


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="priorities are read from /proc")
def test_it_may_yield_to_all_else() -> None:
    with closing(ProcessEmbedder(low_priority=True)) as embedder:
        embedder.embed(["one"])
        assert os.getpriority(os.PRIO_PROCESS, child(embedder).pid) == os.getpriority(os.PRIO_PROCESS, 0) + 10


def test_an_interrupt_of_the_terminal_is_not_for_it(embedder: ProcessEmbedder) -> None:
    embedder.embed(["one"])
    child(embedder).send_signal(signal.SIGINT)
    pid = child(embedder).pid
    embedder.embed(["two"])
    assert child(embedder).pid == pid


PROGRAMS = {
    "import sys; sys.exit(1)": "the process of the bundled model ended without an answer",
    "print('no json')": "the process of the bundled model ended without an answer",
    "print('{}')": "the process of the bundled model ended without an answer",
    'print(\'{"count": 1, "size": 9}\')': "the process of the bundled model ended without an answer",
    'print(\'{"error": "broken"}\')': "broken",
}


@pytest.mark.parametrize(("program", "reason"), PROGRAMS.items())
def test_a_process_that_fails_is_unavailable(embedder: ProcessEmbedder, program: str, reason: str) -> None:
    embedder._command = [process.sys.executable, "-c", program]
    with pytest.raises(EmbedderUnavailable, match=reason):
        embedder.embed(["one"])


def test_a_process_that_cannot_be_started_is_unavailable(embedder: ProcessEmbedder, tmp_path: Path) -> None:
    embedder._command = [str(tmp_path / "nothing")]
    with pytest.raises(EmbedderUnavailable, match="cannot be started"):
        embedder.embed(["one"])
