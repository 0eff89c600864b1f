"""Hits by meaning: they join those by words, move nothing that is selected, and never come too late."""

import re
from dataclasses import replace

from sailing import BOATS, FERRIES, NEAR, SIZE, ids, in_order, painted

from nlm_tui.core import RecallQuery, SearchInterruptedError, StoreError
from nlm_tui.ui.debounce import Debounce
from nlm_tui.ui.merging import around


async def test_hits_by_words_come_first_and_those_by_meaning_join_them(app_of, sailing, typed, settled) -> None:
    memory, embedder = sailing
    asked = embedder.hold("ferry")
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        assert ids(screen) == in_order(replace(memory, meaning=None), "ferry", "keyword")
        assert screen.found.text == "hybrid \u2026   4 of 4   0 ms"
        first = ids(screen)[0]
        embedder.let_go("ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        expected = [found for found in in_order(memory, "ferry") if found != first]
        assert ids(screen) == [first, *expected]
        assert screen.found.text == f"hybrid   {len(expected) + 1} of {len(expected) + 1}   0 ms"


async def test_a_merge_moves_neither_the_selected_hit_nor_the_text_of_its_session(
    app_of, sailing, typed, settled
) -> None:
    _, embedder = sailing
    asked = embedder.hold("ferry")
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        await pilot.press("down", "down", "alt+n", "alt+n", "ctrl+down")
        await settled(pilot, lambda: screen.session.detail.session_id == screen.results.selected.id)
        chosen, place, top = screen.results.selected, screen.results.selected_place, screen.results.first_line
        before, detail = painted(screen.results), painted(screen.session.detail)
        position = screen.session.position.text
        row = 3 * place - top
        assert place == 2
        assert top > 0
        assert position.startswith("match ")
        embedder.let_go("ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        assert (screen.results.selected.id, screen.results.selected_place) == (chosen.id, place)
        assert screen.results.first_line == top
        after = painted(screen.results)
        assert after != before
        assert (after[row], after[row + 2]) == (before[row], before[row + 2])
        assert after[row + 1][2:].startswith(before[row + 1][2:].rstrip())
        assert painted(screen.session.detail) == detail
        assert screen.session.position.text == position
        assert not screen.results.follows_top


async def test_a_merge_paints_only_what_changed(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    asked = embedder.hold("ferry")
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        before = painted(screen.results)
        refreshed: list[int] = []
        screen.results.refresh = lambda *regions, **_: refreshed.extend(region.y for region in regions)  # type: ignore[method-assign]
        embedder.let_go("ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        after = painted(screen.results)
        changed = [y for y, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
        assert 1 in changed
        assert set(changed) <= set(refreshed)
        assert not {0, 2} & set(refreshed)  # of the selected hit only what is said about it
        assert max(refreshed) < 3 * len(ids(screen))


async def test_typing_on_cancels_what_comes_by_meaning(app_of, sailing, typed, settled) -> None:
    memory, embedder = sailing
    asked = embedder.hold("ferry")
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        shown = ids(screen)
        screen = await typed(pilot, "ferry dock")
        assert embedder.interrupts == 1
        assert screen.searching.is_pending  # the model is still busy with the text before
        assert embedder.embedded == ["ferry"]
        embedder.let_go("ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        assert embedder.embedded == ["ferry", "ferry dock"]
        assert ids(screen) == shown
        assert "cc_boat0" not in ids(screen)
        assert in_order(memory, "ferry") != shown


async def test_an_answer_that_the_box_has_left_behind_is_not_shown(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    asked = embedder.hold("ferry")
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        shown = ids(screen)
        with screen.box.prevent(screen.box.Changed):  # as while the key is on its way to the search
            screen.box.value = "ferr"
        embedder.let_go("ferry")
        await settled(pilot, lambda: not [worker for worker in app.workers if worker.group == "meaning"])
        assert ids(screen) == shown


async def test_leaving_while_a_model_is_busy(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    asked = embedder.hold("ferry")
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        await pilot.press("ctrl+q")
        embedder.let_go("ferry")
    assert app.return_code == 0
    assert embedder.interrupts == 1


async def test_what_needs_no_meaning_asks_no_embedder(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        for text in ("", "agent:claude ", "-ferry", "since:2026-05 ", '"', "- "):
            screen = await typed(pilot, text)
            assert not screen.searching.is_pending, text
        assert not embedder.embedded
        screen = await typed(pilot, '"ferry"')
        await settled(pilot, lambda: not screen.searching.is_pending)
        assert embedder.embedded == ["ferry"]


async def test_the_embedder_waits_for_a_rest_and_words_do_not(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    now = [100.0]
    app = app_of(meaning_debounce=Debounce(longest=9.0, shortest=9.0), clock=lambda: now[0])
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        assert ids(screen)
        assert screen.searching.is_pending
        assert not embedder.embedded
        now[0] += 9.0
        await pilot.press("ctrl+t", "ctrl+t", "ctrl+t")  # a choice is no typing: that was long enough ago
        await settled(pilot, lambda: screen.searching.mode == "hybrid" and not screen.searching.is_pending)
        assert embedder.embedded[-1] == "ferry"


async def test_semantic_recall_keeps_the_hits_until_its_own_are_there(app_of, sailing, settled) -> None:
    memory, embedder = sailing
    app = app_of(mode="semantic")
    async with app.run_test(size=SIZE) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.answered == "")
        newest = ids(screen)
        assert len(newest) == len(FERRIES) + len(BOATS)
        asked = embedder.hold("ferry")
        screen.box.value = "ferry"
        await settled(pilot, asked.is_set)
        assert ids(screen) == newest
        assert screen.found.text == "semantic \u2026   8 of 8   0 ms"
        embedder.let_go("ferry")
        await settled(pilot, lambda: screen.answered == "ferry")
        assert ids(screen) == in_order(memory, "ferry", "semantic") == NEAR["ferry"]
        assert screen.results.selected.id == NEAR["ferry"][0]
        assert screen.found.text == "semantic   4 of 4   0 ms"


async def test_a_tiny_terminal_has_room_for_the_sign_that_more_is_to_come(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    asked = embedder.hold("ferry")
    app = app_of()
    async with app.run_test(size=(40, 12)) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        assert screen.found.text == "\u2026 4 of 4"
        embedder.let_go("ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        assert re.fullmatch(r"\d of 6", screen.found.text)


async def test_changing_the_mode_cancels_a_merge(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    asked = embedder.hold("ferry")
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        await pilot.press("ctrl+t")
        await settled(pilot, lambda: screen.found.text.startswith("keyword   "))
        embedder.let_go("ferry")
        await pilot.pause(0.1)
        assert "cc_boat0" not in ids(screen)
        await pilot.press("ctrl+t")
        await settled(pilot, lambda: screen.found.text.startswith("semantic   "))
        assert ids(screen) == NEAR["ferry"]
        await pilot.press("ctrl+t")
        await settled(pilot, lambda: screen.found.text.startswith("hybrid   "))
        assert {"cc_boat0", *(session.id for session in FERRIES)} <= set(ids(screen))


async def test_without_a_model_the_reason_stands_still(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    embedder.reason = "Ollama is not running"
    note = "by keyword only, meaning is off: Ollama is not running"
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, lambda: screen.status.text == note)
        shown, found = ids(screen), screen.found.text
        assert found == "hybrid   4 of 4   0 ms"
        asked = embedder.hold("ferry ")
        screen = await typed(pilot, "ferry ")
        await settled(pilot, asked.is_set)
        assert (ids(screen), screen.found.text, screen.status.text) == (shown, found, note)
        embedder.reason = "the model is missing"
        embedder.let_go("ferry ")
        await settled(pilot, lambda: screen.status.text.endswith("meaning is off: the model is missing"))
        embedder.reason = ""
        screen = await typed(pilot, "ferry")
        await settled(pilot, lambda: screen.status.text == "")
        assert "cc_boat0" in ids(screen)
        screen = await typed(pilot, "")
        embedder.reason = "gone again"
        assert screen.status.text == ""
        await pilot.press("ctrl+t", "ctrl+t")
        await typed(pilot, "ferry")
        await settled(pilot, lambda: screen.status.text == "meaning is off: gone again")
        assert screen.results.message.startswith("Nothing can be found by meaning.\n\ngone again")


async def test_a_store_that_fails_by_meaning_leaves_the_hits_by_words(app_of, sailing, typed, settled) -> None:
    memory, _ = sailing

    class Failing:
        def search(self, query: RecallQuery, **_: object):
            raise StoreError("the disk is gone") if query.query == "ferry" else SearchInterruptedError

    app = app_of(memory=replace(memory, meaning=Failing()))
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, lambda: screen.status.text == "the disk is gone")
        assert len(ids(screen)) == len(FERRIES)
        assert screen.found.text == "hybrid   4 of 4   0 ms"
        await typed(pilot, "ferry sail")
        await settled(pilot, lambda: screen.found.text.startswith("hybrid   "))
        assert ids(screen)


def test_hits_around_the_selected_one(demo) -> None:
    hits = demo.recall.newest(5).results
    first, second, third, fourth, fifth = hits
    assert around([third, first, second], first, 0) == (first, third, second)
    assert around([third, first, second], second, 1) == (third, second, first)
    assert around([third, first], fifth, 1) == (third, fifth, first)
    assert around([third, first], fifth, 4) == (third, first, fifth)
    assert around([], fourth, 0) == (fourth,)
    by_meaning = replace(first, semantic_score=0.5, snippet="elsewhere", match_score=9.0)
    assert around([by_meaning], first, 0) == (replace(by_meaning, snippet=first.snippet),)
    assert around([by_meaning], by_meaning, 0) == (by_meaning,)
