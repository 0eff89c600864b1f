"""Indexing in a process of its own: what it says on its way, and how it ends."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from nlm_tui.ingest import background
from nlm_tui.ingest.background import index_in_background
from nlm_tui.ingest.events import Event, IndexingFailedError, decode_event, encode_event
from nlm_tui.ingest.report import (
    EmbeddingProgress,
    EmbeddingReport,
    ExtractionProgress,
    ExtractionReport,
    IndexProgress,
    IndexReport,
    Skipped,
    Unwanted,
)

PYTHON = sys.executable
STORE = Path("memory.sqlite")
EVENTS = [
    IndexProgress(done=0, total=2, changed=0, path="/home/sam/ü\n\x1b[2J.jsonl"),
    IndexReport(new=1, updated=2, unchanged=3, gone=4, bad_lines=5, interrupted=True, seconds=0.25),
    IndexReport(skipped=[Skipped("/a", "is no transcript"), Skipped("/b", "holds no conversation")]),
    IndexReport(unwanted=[Unwanted(2, "/srv/client"), Unwanted(1, ids=("cc_1",))]),
    EmbeddingProgress(model="MiniLM", done=1, total=9, seconds_left=None),
    EmbeddingProgress(model="MiniLM", done=5, total=9, seconds_left=1.5),
    EmbeddingReport(embedded=2, interrupted=True, seconds=0.5, problems=["no server"]),
    ExtractionProgress(model="qwen3:4b-instruct", done=1, total=9, seconds_left=None),
    ExtractionReport(extracted=2, failed=1, waiting=3, interrupted=True, seconds=0.5, problems=["no server"]),
]


@pytest.mark.parametrize("event", EVENTS)
def test_events_are_lines(event: Event) -> None:
    line = encode_event(event)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode_event(line) == event


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"Traceback",
        b"null",
        b"[]",
        b"1",
        b"{}",
        b'{"progress": {}}',
        b'{"other": {}}',
        b'{"report": {"new": 1, "x": 2}}',
    ],
)
def test_anything_else_is_a_failure(line: bytes) -> None:
    with pytest.raises(IndexingFailedError, match="something unexpected"):
        decode_event(line)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is run in place of Python; it finds the arguments that Python would get."""
    path = tmp_path / "program"
    path.touch(mode=0o755)
    monkeypatch.setattr(background.sys, "executable", str(path))
    return path


def script(program: Path, text: str) -> None:
    program.write_text(f"#!{PYTHON}\nimport os, sys, signal\n{text}")


async def events(environ: dict[str, str] | None = None) -> list[Event]:
    return [event async for event in index_in_background(STORE, environ or dict(os.environ))]


async def test_events_come_as_they_are_said(program: Path) -> None:
    said = b"".join(map(encode_event, EVENTS))
    script(program, f"sys.stdout.buffer.write({said!r})")
    assert await events() == EVENTS


async def test_it_is_our_command_on_that_store_and_environment(program: Path) -> None:
    script(program, "print(sys.argv[1:], os.environ['MARK'], file=sys.stderr); sys.exit(3)")
    expected = "['-P', '-m', 'nlm_tui', '--db', 'memory.sqlite', 'index', '--events'] here"
    with pytest.raises(IndexingFailedError) as failure:
        await events({**os.environ, "MARK": "here"})
    assert str(failure.value) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("print('one\\ntwo', file=sys.stderr); sys.exit(1)", "two"),
        ("sys.exit(7)", "exit status 7"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "exit status -9"),
        ("print('hello')", "something unexpected"),
    ],
)
async def test_a_failure_says_why(program: Path, text: str, reason: str) -> None:
    script(program, text)
    with pytest.raises(IndexingFailedError, match=reason):
        await events()


async def test_whoever_stops_listening_ends_it(program: Path) -> None:
    line = encode_event(EVENTS[0])
    script(program, f"sys.stdout.buffer.write({line!r}); sys.stdout.flush(); signal.pause()")
    stream: AsyncIterator[Event]
    async with aclosing(index_in_background(STORE, dict(os.environ))) as stream:
        assert await anext(stream) == EVENTS[0]


async def test_it_may_only_embed(program: Path) -> None:
    script(program, "print(sys.argv[1:], file=sys.stderr); sys.exit(3)")
    with pytest.raises(IndexingFailedError, match="'index', '--events', '--only-embed'"):
        async for _ in index_in_background(STORE, dict(os.environ), read=False):
            pass
