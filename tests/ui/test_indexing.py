"""What the screen shows of indexing, and of a memory that is still empty."""

import asyncio
from dataclasses import replace

from nlm_tui.core import Session
from nlm_tui.ingest.events import IndexingFailedError
from nlm_tui.ingest.report import (
    EmbeddingProgress,
    EmbeddingReport,
    ExtractionProgress,
    ExtractionReport,
    IndexProgress,
    IndexReport,
    Skipped,
)
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.ui.indexing import IndexNews


def session(number: int, day: int) -> Session:
    return Session(
        id=f"cc_{number}",
        runtime="claude-code",
        started_at=f"2026-05-{day:02}T08:00:00.000Z",
        label=f"Session {number}",
    )


async def test_new_sessions_appear_without_moving_the_selection(make_app, memory_of, tmp_path, settled) -> None:
    memory = memory_of(session(1, 10), session(2, 9))
    step = asyncio.Event()

    async def indexing():
        yield IndexProgress(done=0, total=2, changed=0, path="/a")
        await step.wait()
        with SqliteSessionStore.open(tmp_path / "memory.sqlite") as store:
            store.insert_sessions(session(3, 11))
        yield IndexProgress(done=1, total=2, changed=1, path="/b")
        yield IndexReport(new=1, skipped=[Skipped("/b", "no transcript")])

    app = make_app(memory, indexing=indexing)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        await settled(pilot, lambda: len(screen.results.hits) == 2 and screen.status.text == "indexing 0 of 2")
        chosen = screen.results.selected.id
        assert chosen == "cc_1"
        step.set()
        await settled(pilot, lambda: len(screen.results.hits) == 3)
        assert screen.results.hits[0].id == "cc_3"
        assert screen.results.selected.id == chosen
        await settled(pilot, lambda: screen.status.text.startswith("1 new session   1 file skipped"))


async def test_a_failure_of_indexing_is_said_and_search_goes_on(make_app, settled, typed) -> None:
    async def indexing():
        raise IndexingFailedError("the disk is full")
        yield

    app = make_app(indexing=indexing)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.status.text == "indexing failed: the disk is full")
        screen = await typed(pilot, "billing")
        assert screen.results.hits


async def test_leaving_ends_indexing(make_app, settled) -> None:
    ended: list[bool] = []

    async def indexing():
        try:
            yield IndexProgress(done=0, total=1, changed=0, path="/a")
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    app = make_app(indexing=indexing)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.status.text)
        await pilot.press("ctrl+q")
    assert ended == [True]


async def test_an_empty_machine_says_what_it_looked_for_and_opens_the_demo(make_app, memory_of, demo, settled) -> None:
    async def indexing():
        yield IndexReport()

    closed: list[bool] = []
    empty = replace(memory_of(), close=lambda: closed.append(True))
    app = make_app(empty, indexing=indexing, open_demo=lambda: demo, searched_for=["claude-code", "codex"])
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        await settled(pilot, lambda: "claude-code, codex" in screen.results.message)
        await pilot.press("enter")
        await settled(pilot, lambda: screen.results.hits)
        assert "demo memory" in screen.status.text
        assert closed == [True]


async def test_an_empty_memory_does_not_claim_that_there_is_nothing_before_it_looked(
    make_app, memory_of, settled
) -> None:
    looked = asyncio.Event()

    async def indexing():
        await looked.wait()
        yield IndexReport()

    app = make_app(memory_of(), indexing=indexing)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: "for the first time" in app.screen.results.message)
        looked.set()
        await settled(pilot, lambda: "No sessions yet" in app.screen.results.message)


async def test_vectors_are_told_of_and_looked_at_now_and_then(make_app, memory_of, settled) -> None:
    step = asyncio.Event()
    now = [0.0]

    async def indexing():
        yield IndexReport(new=1)
        yield EmbeddingProgress(model="small", done=120, total=2300, seconds_left=190.0)
        await step.wait()
        yield EmbeddingReport(embedded=3, problems=["Ollama is not running"])

    app = make_app(memory_of(session(1, 10)), indexing=indexing, clock=lambda: now[0])
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.status.text.startswith("1 new session   by meaning"))
        assert screen.status.text == "1 new session   by meaning: 120 of 2,300 passages, 3 min left"
        step.set()
        await settled(pilot, lambda: screen.status.text == "1 new session   by meaning: Ollama is not running")


async def test_how_often_to_look_at_what_was_added() -> None:
    now = 0.0

    async def run():
        nonlocal now
        for second in range(4):
            now = float(second)
            yield IndexProgress(done=second, total=4, changed=second // 2, path="/a")
        yield IndexReport(new=1)
        for second in range(4, 60):
            now = float(second)
            yield EmbeddingProgress(model="small", done=second - 4, total=60, seconds_left=None)
        yield EmbeddingReport(embedded=1)

    news = IndexNews()
    looked = [(now, news.text) async for due in news.follow(run(), lambda: now) if due]
    assert [at for at, _ in looked] == [2.0, 12.0, 22.0, 32.0, 42.0, 52.0, 59.0]
    assert looked[1][1] == "1 new session   by meaning: 8 of 60 passages"
    assert news.text == "1 new session"
    news.take(EmbeddingProgress(model="small", done=59, total=60, seconds_left=2.0))
    assert news.text.endswith("59 of 60 passages, less than a minute left")


async def test_what_is_read_while_vectors_are_made_is_looked_at_at_once() -> None:
    now = 0.0

    async def run():
        nonlocal now
        yield IndexReport(new=2)
        for done in range(1, 40):
            now += 0.5
            yield EmbeddingProgress(model="small", done=done, total=100, seconds_left=None)
            if done % 10 == 0:
                for read in range(2):
                    now += 0.1
                    yield IndexProgress(done=read, total=1, changed=read, path="/a")
                now += 0.1
                yield IndexReport(updated=1)
                reports.append(now)

    news = IndexNews()
    reports: list[float] = []
    looked = [now async for due in news.follow(run(), lambda: now) if due]
    assert len(reports) == 3
    for at in reports:
        assert any(at - 0.15 < look <= at for look in looked)
    assert len(looked) <= len(reports) + now // 10


async def test_f5_looks_for_new_sessions_again(make_app, settled) -> None:
    runs: list[int] = []

    async def indexing():
        runs.append(1)
        yield IndexReport(new=len(runs))

    app = make_app(indexing=indexing)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.status.text == "1 new session")
        await pilot.press("f5")
        await settled(pilot, lambda: app.screen.status.text == "2 new sessions")


async def test_what_a_model_finds_shows_while_it_goes_on(make_app, memory_of, tmp_path, settled) -> None:
    memory = memory_of(session(1, 10), session(2, 9))
    step, go_on = asyncio.Event(), asyncio.Event()

    async def indexing():
        yield IndexReport()
        yield EmbeddingReport()
        yield ExtractionProgress(model="qwen3", done=0, total=2, seconds_left=None)
        await step.wait()
        with SqliteSessionStore.open(tmp_path / "memory.sqlite") as store:
            store.insert_sessions(replace(session(2, 9), label="Named by a model"))
        yield ExtractionProgress(model="qwen3", done=1, total=2, seconds_left=190.0)
        await go_on.wait()
        yield ExtractionReport(extracted=1)
        await asyncio.Event().wait()

    app = make_app(memory, indexing=indexing)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.status.text == "by model: 0 of 2 sessions")
        chosen = screen.results.selected.id
        step.set()
        await settled(pilot, lambda: screen.status.text == "by model: 1 of 2 sessions, 3 min left")
        go_on.set()
        await settled(pilot, lambda: screen.results.hits[1].label == "Named by a model")
        assert screen.results.selected.id == chosen


def test_what_keeps_a_model_from_it_is_said() -> None:
    news = IndexNews()
    for event in (IndexReport(), EmbeddingReport()):
        news.take(event)
    news.take(ExtractionReport(failed=2, problems=["Ollama is not running", "cc_1: no JSON"]))
    assert news.text == "by model: Ollama is not running"
    news.take(ExtractionProgress(model="qwen3", done=1, total=1, seconds_left=2.0))
    assert news.text == "by model: 1 of 1 session, less than a minute left"
    news.take(ExtractionReport(extracted=1))
    assert news.text == ""
