"""Hits by meaning: they join those by words, move nothing that is selected, and never come too late."""

import re
from dataclasses import replace

import pytest
from test_pictures import session_of

from nlm_tui.core import Message, RecallQuery, SearchInterruptedError, StoreError
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.ui.app import NlmApp
from nlm_tui.ui.debounce import Debounce
from nlm_tui.ui.merging import around

SIZE = (120, 36)
FERRIES = tuple(
    session_of(
        *(
            message
            for turn in range(12)
            for message in (Message("user", f"Does the ferry {number} sail {turn}?"), Message("assistant", "It does."))
        ),
        id=f"cc_ferry{number}",
        label=f"Ferry {number}",
        started_at=f"2026-05-{20 - number:02}T08:00:00.000Z",
    )
    for number in range(4)
)
BOATS = tuple(
    session_of(
        Message("user", f"How long is the crossing {number}?\n\nThe boat leaves the quay {number} at dawn."),
        Message("assistant", "Nobody knows."),
        id=f"cc_boat{number}",
        label=f"Boat {number}",
        started_at=f"2026-04-{20 - number:02}T08:00:00.000Z",
    )
    for number in range(4)
)
NEAR = {
    "ferry": ["cc_boat0", "cc_ferry3", "cc_boat1", "cc_ferry0"],
    "steamer": ["cc_boat1", "cc_ferry1"],
    "cc_ferry1": ["cc_boat2", "cc_ferry2"],
}
PASSAGES = {
    "cc_boat1": ("conversation", "The boat leaves the quay 1 at dawn.\n\nNobody knows."),
    "cc_ferry3": ("conversation", "Does the ferry 3 sail 2?\n\nIt does."),
}


@pytest.fixture
def sailing(memory_of, with_meaning):
    """A memory of ferries and boats, and its embedder."""
    return with_meaning(memory_of(*FERRIES, *BOATS), NEAR, PASSAGES)


@pytest.fixture
def app_of(make_app, sailing):
    """Return a function that makes an app over that memory."""

    def make(**given: object) -> NlmApp:
        return make_app(**({"memory": sailing[0], "mode": "hybrid"} | given))

    return make


def ids(screen) -> list[str]:
    return [hit.id for hit in screen.results.hits]


def in_order(memory, text: str, mode: str = "hybrid") -> list[str]:
    found = memory.by_meaning.search(RecallQuery(text, mode=mode, typing=True, limit=100))
    return [hit.id for hit in found.results]


def painted(view, first: int = 0, last: int | None = None) -> list[str]:
    return [view.render_line(y).text for y in range(first, view.size.height if last is None else last)]


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
        await pilot.press("down", "down", "ctrl+n", "ctrl+n", "ctrl+down")
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
        assert screen.found.text == "\u2026 2 of 4"
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


async def test_where_no_word_matches_the_first_hit_by_meaning_is_selected(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    asked = embedder.hold("steamer")
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "steamer")
        await settled(pilot, asked.is_set)
        assert screen.results.message == "No session holds these words.\n\nLooking by meaning ..."
        assert screen.session.detail.session_id is None
        embedder.let_go("steamer")
        await settled(pilot, lambda: screen.results.hits)
        assert ids(screen) == NEAR["steamer"]
        assert screen.results.selected_place == 0
        assert screen.results.follows_top
        assert screen.session.detail.session_id == "cc_boat1"
        assert "by meaning, in conversation" in painted(screen.results)[1]
        assert "The boat leaves the quay 1 at dawn." in painted(screen.results)[2]
        assert "by meaning" in painted(screen.results)[4]
        embedder.hold("zeppelin")
        await typed(pilot, "zeppelin")
        embedder.let_go("zeppelin")
        await settled(pilot, lambda: screen.results.message.startswith("No session matches."))


async def test_the_passage_that_is_near_is_marked_and_stepped_to(app_of, typed, settled) -> None:
    app = app_of()
    async with app.run_test(size=(80, 16)) as pilot:
        screen = await typed(pilot, "steamer")
        detail = screen.session.detail
        await settled(pilot, lambda: detail.session_id == "cc_boat1")
        assert screen.session.position.text.startswith("~ near in meaning   matches 1   lines 1-")
        assert not [line for line in painted(detail) if line.startswith("~")]
        await pilot.press("ctrl+n")
        marked = [line.rstrip() for line in painted(detail) if line.startswith("~")]
        assert marked == ["~The boat leaves the quay 1 at dawn.", "~Nobody knows."]
        assert screen.session.position.text.startswith("~ near in meaning   match 1 of 1")
        await pilot.press("down")
        await settled(pilot, lambda: detail.session_id == "cc_ferry1")
        assert not [line for line in painted(detail) if line.startswith("~")]


async def test_the_passage_of_a_hit_by_words_is_marked_without_moving_its_text(app_of, sailing, typed, settled) -> None:
    _, embedder = sailing
    asked = embedder.hold("ferry")
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        while screen.results.selected.id != "cc_ferry3":
            await pilot.press("down")
        detail = screen.session.detail
        await settled(pilot, lambda: detail.session_id == "cc_ferry3")
        await pilot.press("ctrl+n", "ctrl+n", "ctrl+n", "ctrl+n")
        before, top = painted(detail), detail.first_line
        assert screen.session.position.text.startswith("match 4 of 13   ")
        embedder.let_go("ferry")
        await settled(pilot, lambda: screen.session.position.text.startswith("~"))
        after = painted(detail)
        assert [line[1:] for line in after] == [line[1:] for line in before]
        assert detail.first_line == top
        assert [line.rstrip() for line in after if line.startswith("~")] == ["~Does the ferry 3 sail 2?"]
        assert screen.session.position.text.startswith("~ near in meaning   match 5 of 14   ")


async def test_a_long_session_is_not_read_again_for_a_merge(memory_of, make_app, with_meaning, typed, settled) -> None:
    long = session_of(Message("user", "ferry\n" * 40_000), id="cc_long", label="Long")
    memory, embedder = with_meaning(memory_of(long), {"ferry": ["cc_long"]}, {"cc_long": ("conversation", "ferry")})
    asked = embedder.hold("ferry")
    app = make_app(memory, mode="hybrid")
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        await settled(pilot, lambda: screen.session.position.text.startswith("matches 40000"))
        shown = screen.session.detail._document
        embedder.let_go("ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        assert painted(screen.results)[1].startswith("~ in conversation and by meaning")
        await pilot.pause(0.1)
        assert screen.session.detail._document is shown


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
        screen.action_move(page - 1)
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
            screen.action_move(shown)
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
            store.insert_session(replace(FERRIES[0], id="cc_new", label="Ferry ferry ferry"))
        screen._look_again()
        await settled(pilot, asked.is_set)
        assert ids(screen) == before
        screen._look_again()
        screen._look_again()
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
        screen.action_move(page - 1)
        await settled(pilot, lambda: len(ids(screen)) == 2 * page)
        asked = embedder.hold("ferry")
        screen._look_again()
        await settled(pilot, asked.is_set)
        screen.action_move(page)
        chosen, place = screen.results.selected.id, screen.results.selected_place
        embedder.let_go("ferry")
        await settled(pilot, lambda: len(ids(screen)) >= 3 * page)
        assert (screen.results.selected.id, screen.results.selected_place) == (chosen, place)
        screen.box.value = "ferryx"
        screen.box.value = "ferry"
        await settled(pilot, lambda: not screen.searching.is_pending)
        assert (screen.results.selected.id, screen.results.selected_place) == (chosen, place)
        assert len(ids(screen)) >= 3 * page


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


async def test_going_back_to_a_text_that_is_answered_does_not_flicker(app_of, typed, settled) -> None:
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await settled(pilot, lambda: not screen.searching.is_pending)
        before = ids(screen)
        seen: list[list[str]] = []
        show = screen.show_answer
        screen.show_answer = lambda answer, **named: (show(answer, **named), seen.append(ids(screen)))  # type: ignore[method-assign]
        screen.box.value = "ferryx"
        screen.box.value = "ferry"
        await settled(pilot, lambda: seen)
        assert seen == [before]


@pytest.mark.parametrize(("mode", "text"), [("keyword", "ferry"), ("semantic", "steamer"), ("hybrid", "steamer")])
async def test_find_similar_and_back(app_of, sailing, typed, settled, mode, text) -> None:
    _, embedder = sailing
    app = app_of(mode=mode)
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, text)
        await settled(pilot, lambda: not screen.searching.is_pending)
        asked = len(embedder.embedded)
        while screen.results.selected.id != "cc_ferry1":
            await pilot.press("down")
        await pilot.press("ctrl+f")
        assert screen.box.value == "like:cc_ferry1"
        assert "like: Ferry 1" in screen.chips.render_line(0).text
        await settled(pilot, lambda: screen.answered == "like:cc_ferry1")
        assert ids(screen) == NEAR["cc_ferry1"]
        assert screen.results.selected_place == 0
        assert not screen.searching.is_pending
        assert "by meaning" in painted(screen.results)[1]
        assert screen.found.text == "similar   2 of 2   0 ms"
        assert len(embedder.embedded) == asked
        await pilot.press("escape")
        assert screen.box.value == text
        await settled(pilot, lambda: screen.answered == text)
        await pilot.press("escape")
        assert screen.box.value == ""


async def test_a_session_without_vectors_says_so(app_of, typed, settled) -> None:
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "like:cc_boat3")
        assert screen.results.message == (
            "Nothing can be found by meaning.\n\nsession cc_boat3 has no vectors\n\nEscape goes back."
        )
        assert screen.status.text == "meaning is off: session cc_boat3 has no vectors"
        screen = await typed(pilot, "like:")
        await pilot.press("tab")
        await settled(pilot, lambda: screen.status.text == "nothing completes like:")


async def test_a_session_whose_id_cannot_be_typed_has_no_similar_ones(make_app, memory_of, typed) -> None:
    odd = replace(FERRIES[0], id="cc\x1b[31m")
    app = make_app(memory_of(odd))
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await pilot.press("ctrl+f")
        assert screen.box.value == "ferry"
        assert screen.status.text == "the id of this session cannot be searched for"
        await typed(pilot, "zeppelin")
        await pilot.press("ctrl+f")
        assert screen.box.value == "zeppelin"


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
