"""The passage that is near in meaning: shown with its hit, marked and stepped to in its session."""

from sailing import NEAR, SIZE, ids, painted
from test_pictures import session_of

from nlm_tui.core import Message


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
        await pilot.press("alt+n")
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
        await pilot.press("alt+n", "alt+n", "alt+n", "alt+n")
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
