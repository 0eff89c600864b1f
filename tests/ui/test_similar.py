"""Sessions that are similar to the selected one."""

from dataclasses import replace

import pytest
from sailing import FERRIES, NEAR, SIZE, ids, painted


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
        await settled(pilot, lambda: screen.answered == text and not screen.searching.is_pending)
        assert screen.results.selected.id == "cc_ferry1"
        await pilot.press(*("escape",) * (1 if screen.results.follows_top else 2))
        assert screen.box.value == ""


async def test_back_comes_the_text_whatever_was_typed_meanwhile(app_of, typed, settled) -> None:
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferry")
        await pilot.press("down", "ctrl+f")
        chosen = screen.box.value.removeprefix("like:")
        await pilot.press(*" boat")
        assert screen.box.value == f"like:{chosen} boat"
        await pilot.press("escape")
        assert screen.box.value == "ferry"
        await settled(pilot, lambda: screen.answered == "ferry" and not screen.searching.is_pending)
        assert (screen.results.selected.id, screen.results.selected_place) == (chosen, 1)


async def test_a_session_without_vectors_says_so(app_of, sailing, typed, settled) -> None:
    app = app_of()
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "like:cc_boat3")
        assert screen.results.message == (
            "Nothing can be found by meaning.\n\nsession cc_boat3 has no vectors\n\nEsc goes back."
        )
        assert screen.status.text == "meaning is off: session cc_boat3 has no vectors"
        asked = sailing[1].hold("ferry")
        screen = await typed(pilot, "ferry")
        await settled(pilot, asked.is_set)
        assert screen.searching.is_pending
        assert screen.status.text == ""
        sailing[1].let_go("ferry")
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
