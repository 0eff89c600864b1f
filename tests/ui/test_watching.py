"""What another window changes in the memory shows here."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from support import a_session

from nlm_tui.ingest.events import Event
from nlm_tui.ingest.report import EmbeddingProgress, EmbeddingReport, IndexProgress, IndexReport
from nlm_tui.storage import SqliteSessionStore


async def test_what_another_window_writes_is_shown(make_app, memory_of, typed, settled, tmp_path) -> None:
    memory = memory_of(a_session("one", label="Ferry timetable"))
    app = make_app(memory)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "ferry")
        await screen.watching.look()
        with SqliteSessionStore.open(tmp_path / "memory.sqlite") as other:
            other.insert_sessions(a_session("two", label="Ferry to the islands"))
        await screen.watching.look()
        await settled(pilot, lambda: {hit.id for hit in screen.results.hits} == {"one", "two"})


async def test_nothing_is_asked_again_where_nothing_changed(make_app, typed, settled) -> None:
    app = make_app(watch_seconds=0.01)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "retry")
        looked = [0]
        look = screen.memory_changed
        screen.memory_changed = lambda: looked.append(1) or look()
        before = screen.watching._seen
        await settled(pilot, lambda: screen.watching._seen is not None and screen.watching._seen is not before)
        assert looked == [0]


class Run:
    """A run of indexing that says what a test wants it to say."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[Event] = asyncio.Queue()

    async def __call__(self) -> AsyncIterator[Event]:
        while True:
            yield await self.events.get()


@pytest.mark.parametrize(
    "busy",
    [
        (IndexProgress(done=1, total=9, changed=0, path=""),),
        (IndexReport(), EmbeddingProgress(model="m", done=0, total=100, seconds_left=None)),
    ],
)
async def test_what_a_user_changes_in_another_window_is_shown_while_sessions_are_taken_in(
    make_app, memory_of, typed, settled, tmp_path, busy
) -> None:
    memory = memory_of(a_session("one", label="Ferry timetable"), a_session("two", label="Ferry fares"))
    run = Run()
    app = make_app(memory, indexing=run)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "ferry")
        await screen.watching.look()
        for event in busy:
            run.events.put_nowait(event)
        await settled(pilot, lambda: screen.background.news.text and run.events.empty())
        looked = [0]
        look = screen.memory_changed
        screen.memory_changed = lambda: looked.append(1) or look()
        with SqliteSessionStore.open(tmp_path / "memory.sqlite") as other:
            other.insert_sessions(a_session("three", label="Ferry to the islands"))
            await screen.watching.look()
            assert looked == [0]  # what is taken in is shown by that
            memory.editing.pin("two")
            await screen.watching.look()
            assert looked == [0, 1]
            await settled(pilot, lambda: any(hit.id == "two" and hit.pinned for hit in screen.results.hits))
            other.forget(["one"])
            await screen.watching.look()
            await settled(pilot, lambda: {hit.id for hit in screen.results.hits} == {"two", "three"})
            other.insert_sessions(a_session("four", label="Ferry crew"))
        run.events.put_nowait(IndexReport())
        run.events.put_nowait(EmbeddingReport())
        await settled(pilot, lambda: not (screen.background.waits or screen.background.news.embeds))
        await screen.watching.look()
        await settled(pilot, lambda: {hit.id for hit in screen.results.hits} == {"two", "three", "four"})
