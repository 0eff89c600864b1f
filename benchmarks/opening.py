"""Opening a long session: from its selection to the first full screen, and until all of it is there."""

import argparse
import asyncio
import gc
import tempfile
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from corpus import Writer
from measuring import machine, percentile, table
from textual.app import App, ComposeResult

from nlm_tui.core import Message, RecallService, Session, join_messages, query_matcher
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.ui.context import Context, Memory
from nlm_tui.ui.layout import Marks
from nlm_tui.ui.widgets.session_pane import SessionPane

_SIZES = (("40 KB", 40_000), ("500 KB", 500_000), ("5 MB", 5_000_000))
_BEAT = 0.001  # seconds between two looks at whether the event loop runs
_PAGES = 20


class _PaneApp(App[None]):
    """The session pane alone."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.pane = SessionPane(context)

    def compose(self) -> ComposeResult:
        yield self.pane


@dataclass(frozen=True, slots=True)
class _Opened:
    """What opening a session took: milliseconds, and megabytes that stayed."""

    first_rows: float
    complete: float
    blocked: float
    find: float
    page: float
    memory: float
    rows: int


class _Heart:
    """Beats on the event loop; the longest pause between two beats is how long the loop was blocked."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._task = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        before = perf_counter()
        while True:
            await asyncio.sleep(_BEAT)
            now = perf_counter()
            self.longest = max(self.longest, now - before - _BEAT)
            before = now

    def stop(self) -> float:
        """Stop, and return the longest pause in seconds."""
        self._task.cancel()
        return self.longest


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--text", default="retry cache", help="the words that are marked")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as folder:
        path = Path(folder) / "memory.sqlite"
        with SqliteSessionStore.open(path) as store, store.batch():
            for name, size in _SIZES:
                store.insert_sessions(_session(name, size))
        with SqliteSessionStore.open(path) as store:
            rows = [_row(name, asyncio.run(_measure(store, name, options.text, options.runs))) for name, _ in _SIZES]
    print(f"{machine()}  100x40  {options.runs} runs\n")
    head = ("body", "first rows ms", "worst", "complete ms", "loop blocked ms", "find ms", "page down ms", "MB", "rows")
    print(table(head, rows))


def _session(name: str, size: int) -> Session:
    """Return a session whose body has about `size` characters: prompts, tool calls with output, answers, code."""
    writer, messages, left = Writer(7), list[Message](), size
    while left > 0:
        topic = writer.topic()
        words = [writer.sentence(topic) for _ in range(12)]
        turn = (
            Message("user", words[0], "2026-05-14T10:32:00.000Z"),
            *(Message("tool", f"Bash  {words[1][:60]}\n{chr(10).join(words[2:5])}") for _ in range(2)),
            Message(
                "assistant",
                f"## {words[5]}\n\n{' '.join(words[6:9])}\n\n```python\ndef retry():\n    return {words[9]!r}\n```",
            ),
        )
        messages += turn
        left -= sum(len(message.text) for message in turn)
    body, turns = join_messages(tuple(messages))
    return Session(
        id=name, runtime="claude-code", started_at="2026-05-14T10:32:00.000Z", label=name, body=body, turns=turns
    )


async def _measure(store: SqliteSessionStore, session_id: str, text: str, runs: int) -> list[_Opened]:
    memory = Memory(RecallService(store), store, store.interrupt, store.close, store.state, store.changes)
    app = _PaneApp(Context(memory=memory, reduced_motion=True))
    marks = Marks(query_matcher(text))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        gc.freeze()  # as the app does
        return [await _open(app, session_id, marks) for _ in range(runs)]


async def _open(app: _PaneApp, session_id: str, marks: Marks) -> _Opened:
    detail = app.pane.detail
    app.pane.show(None)
    gc.collect()
    heart, started = _Heart(), perf_counter()
    app.pane.show_session(session_id, marks, None)
    first_rows = await _until(
        lambda: detail.row_count >= detail.visible_lines or (detail.is_complete and detail.row_count)
    )
    first_rows -= started
    complete = await _until(lambda: detail.is_complete) - started
    blocked = heart.stop()
    page = await _page_down(app)
    started = perf_counter()
    detail.action_find()
    detail.look_for("e")
    find = await _until(lambda: " of " in detail.stop_words) - started
    detail.end_find()
    rows = detail.row_count
    return _Opened(
        first_rows * 1000,
        complete * 1000,
        blocked * 1000,
        find * 1000,
        page * 1000,
        await _memory(app, session_id, marks),
        rows,
    )


async def _page_down(app: _PaneApp) -> float:
    """Return the seconds that a page down takes until it is painted."""
    detail, times = app.pane.detail, list[float]()
    for _ in range(_PAGES):
        started = perf_counter()
        detail.scroll_relative(y=detail.visible_lines, animate=False)
        for y in range(detail.visible_lines):
            detail.render_line(y)
        times.append(perf_counter() - started)
        await asyncio.sleep(0)
    return percentile(times, 0.5)


async def _memory(app: _PaneApp, session_id: str, marks: Marks) -> float:
    """Return the megabytes that an opened session keeps."""
    detail = app.pane.detail
    app.pane.show(None)
    gc.collect()
    tracemalloc.start()
    app.pane.show_session(session_id, marks, None)
    await _until(lambda: detail.row_count and detail.is_complete)
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept / 1e6


async def _until(done: Callable[[], object]) -> float:
    """Wait until something holds, and return when."""
    while not done():  # noqa: ASYNC110 - looked at from outside
        await asyncio.sleep(_BEAT)
    return perf_counter()


def _row(name: str, runs: list[_Opened]) -> tuple[object, ...]:
    def middle(values: list[float]) -> float:
        return percentile(values, 0.5)

    first = [run.first_rows for run in runs]
    return (
        name,
        middle(first),
        max(first),
        middle([run.complete for run in runs]),
        max(run.blocked for run in runs),
        middle([run.find for run in runs]),
        middle([run.page for run in runs]),
        runs[-1].memory,
        runs[-1].rows,
    )


if __name__ == "__main__":
    main()
