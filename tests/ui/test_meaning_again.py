"""What goes on after a merge: further pages, and the same search again."""

from dataclasses import replace

from sailing import BOATS, FERRIES, SIZE, ids, in_order

from nlm_tui.core import RecallQuery
from nlm_tui.storage import SqliteSessionStore


async def test_the_list_goes_on_after_a_merge(memory_of, make_app, with_meaning, typed, settled) -> None:
    ferries = [replace(FERRIES[number % 4], id=f"cc_{number:03}") for number in range(60)]
    boats = [replace(BOATS[number % 4], id=f"cc_boat{number:03}") for number in range(60)]
    near = {"ferry": [boat.id for boat in boats]}
    memory, embedder = with_meaning(memory_of(*ferries, *boats), near)
    asked = embedder.hold("ferry")
    app = make_app(memory, mode="hybrid")
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        page = len(ids(screen))
        screen.move(page - 1)
        await settled(pilot, lambda: len(ids(screen)) == 2 * page)
        assert screen.searching.is_pending
        chosen, place, top = screen.results.selected.id, screen.results.selected_place, screen.results.first_line
        embedder.let_go("ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        assert len(ids(screen)) >= 2 * page  # as far as the list had gone by words
        assert ids(screen)[place] == screen.results.selected.id == chosen
        assert screen.results.first_line == top
        while len(ids(screen)) < 120:
            shown = len(ids(screen))
            screen.move(shown)
            chosen, top = screen.results.selected.id, screen.results.first_line
            await settled(pilot, lambda shown=shown: len(ids(screen)) > shown)
            assert (screen.results.selected.id, screen.results.first_line) == (chosen, top)
        assert len(set(ids(screen))) == 120
        assert screen.found.text.startswith("hybrid   120 of 120")
        pinned = ids(screen)[place]
        assert [found for found in ids(screen) if found != pinned] == [
            found for found in [*in_order(memory, "ferry"), *in_rest(memory, "ferry")] if found != pinned
        ]


def in_rest(memory, text: str) -> list[str]:
    found = memory.by_meaning.search(RecallQuery(text, mode="hybrid", typing=True, limit=100, offset=100))
    return [hit.id for hit in found.results]


async def test_looking_again_shows_no_list_by_words_in_between(app_of, sailing, tmp_path, typed, settled) -> None:
    _, embedder = sailing
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        await pilot.press("down")
        chosen, before = screen.results.selected.id, ids(screen)
        asked = embedder.hold("ferry")
        with SqliteSessionStore.open(tmp_path / "memory.sqlite") as store:
            store.insert_sessions(replace(FERRIES[0], id="cc_new", label="Ferry ferry ferry"))
        screen.memory_changed()
        await settled(pilot, asked.is_set)
        assert ids(screen) == before
        screen.memory_changed()
        screen.memory_changed()
        assert embedder.interrupts == 0  # what is asked already is waited for, then asked once more
        embedder.let_go("ferry")
        await settled(pilot, lambda: "cc_new" in ids(screen))
        await settled(pilot, lambda: embedder.embedded.count("ferry") == 3)
        assert screen.results.selected.id == chosen
        assert screen.results.selected_place == 1


async def test_looking_again_goes_as_far_as_the_list_has_grown(
    memory_of, make_app, with_meaning, typed, settled
) -> None:
    ferries = [replace(FERRIES[number % 4], id=f"cc_{number:03}") for number in range(60)]
    memory, embedder = with_meaning(memory_of(*ferries), {"ferry": ["cc_059"]})
    app = make_app(memory, mode="hybrid")
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        page = len(ids(screen))
        screen.move(page - 1)
        await settled(pilot, lambda: len(ids(screen)) == 2 * page)
        asked = embedder.hold("ferry")
        screen.memory_changed()
        await settled(pilot, asked.is_set)
        screen.move(page)
        chosen, place = screen.results.selected.id, screen.results.selected_place
        embedder.let_go("ferry")
        await settled(pilot, lambda: len(ids(screen)) >= 3 * page)
        assert (screen.results.selected.id, screen.results.selected_place) == (chosen, place)
        screen.box.value = "ferryx"
        screen.box.value = "ferry"
        await settled(pilot, lambda: not screen.searching.is_pending)
        assert (screen.results.selected.id, screen.results.selected_place) == (chosen, place)
        assert len(ids(screen)) >= 3 * page


async def test_going_back_to_a_text_that_is_answered_does_not_flicker(app_of, typed, settled) -> None:
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        before = ids(screen)
        seen: list[list[str]] = []
        show = screen.views.sessions.show_answer
        screen.views.sessions.show_answer = lambda answer, **named: (show(answer, **named), seen.append(ids(screen)))  # type: ignore[method-assign]
        screen.box.value = "ferryx"
        screen.box.value = "ferry"
        await settled(pilot, lambda: seen)
        assert seen == [before]


async def test_a_selected_session_that_is_no_hit_any_more_leaves_the_list(app_of, sailing, typed, settled) -> None:
    memory = sailing[0]
    app = app_of()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        await pilot.press("down")
        gone = screen.results.selected.id
        memory.forget([gone])
        screen.memory_changed()
        await settled(pilot, lambda: gone not in {hit.id for hit in screen.results.hits})
        assert screen.results.hits
