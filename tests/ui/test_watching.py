"""What another window changes in the memory shows here."""

from support import a_session

from nlm_tui.storage import SqliteSessionStore


async def test_what_another_window_writes_is_shown(make_app, memory_of, typed, settled, tmp_path) -> None:
    memory = memory_of(a_session("one", label="Ferry timetable"))
    app = make_app(memory)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "ferry")
        await screen.watching.look()
        with SqliteSessionStore.open(tmp_path / "memory.sqlite") as other:
            other.insert_session(a_session("two", label="Ferry to the islands"))
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
