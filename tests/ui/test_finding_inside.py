"""Finding a text inside of a session."""

import pytest
from reading import PaneApp, current, marked, opened, shown, talk

SIZE = (70, 20)
WORDS = talk(
    ("user", "Where is the Café?\n" + "\n".join(f"street {number}" for number in range(40))),
    ("assistant", "The cafe is at the pier. CAFE opens at eight."),
    ("tool", "Grep  café\nport.txt: Cafe\u0301 Nord"),
    label="Where the ferries stop",
    summary="A cafe at the pier.",
    decisions=("meet at the café",),
)


@pytest.fixture
async def reader(memory_of, settled):
    """A pilot in an open session, and its view."""
    app = PaneApp(memory_of(WORDS, talk(("user", "cafe"), id="cc_2")))
    async with app.run_test(size=SIZE) as pilot:
        yield pilot, await opened(app, pilot, settled, words="pier street")


async def find(pilot, detail, settled, text: str) -> None:
    """Type a text to find."""
    await pilot.press("slash")
    await settled(pilot, lambda: pilot.app.pane.find_box.input.has_focus)
    await pilot.press(*text)
    await settled(pilot, lambda: detail.found_text == text and " of " in detail.stop_words)


async def test_what_is_found_lights_up_while_typing_and_stays(reader, settled) -> None:
    pilot, detail = reader
    await find(pilot, detail, settled, "caf")
    assert detail.position.startswith("find 1 of 7   ")
    assert marked(detail) == ["caf", "caf", "Caf"]
    assert current(detail) == ["caf"]
    await pilot.press("e")
    await settled(pilot, lambda: detail.found_text == "cafe")
    await pilot.press("enter")
    await settled(pilot, lambda: detail.has_focus)
    assert not pilot.app.pane.find_box.display
    assert pilot.app.pane.position.text.startswith("find 1 of 7")
    for number in range(2, 8):
        await pilot.press("n")
        assert detail.position.startswith(f"find {number} of 7   ")
    assert [text for text in shown(detail) if "Nord" in text]
    await pilot.press("n")
    assert detail.position.startswith("find 1 of 7, from the other end")
    await pilot.press("N")
    assert detail.position.startswith("find 7 of 7, from the other end")
    await pilot.press("N")
    assert detail.position.startswith("find 6 of 7   ")


async def test_escape_brings_back_the_marks_of_the_query_and_the_place(reader, settled) -> None:
    pilot, detail = reader
    await pilot.press("n", "n", "n", "pagedown", "j", "j")
    top, before, position = detail.first_line, marked(detail), detail.position
    assert position.startswith("match 3 of")
    await find(pilot, detail, settled, "eight")
    assert detail.first_line != top
    assert marked(detail) == ["eight"]
    await pilot.press("escape")
    await settled(pilot, lambda: detail.has_focus)
    assert (detail.first_line, marked(detail), detail.position) == (top, before, position)


async def test_escape_in_the_session_takes_away_what_was_kept(reader, settled) -> None:
    pilot, detail = reader
    await find(pilot, detail, settled, "eight")
    await pilot.press("enter")
    await settled(pilot, lambda: detail.has_focus)
    top = detail.first_line
    await pilot.press("escape")
    assert not detail.is_finding
    assert detail.first_line == top
    assert detail.position.startswith("matches ")


async def test_nothing_found_is_said(reader, settled) -> None:
    pilot, detail = reader
    await pilot.press("pagedown")
    top = detail.first_line
    await find(pilot, detail, settled, "zeppelin")
    assert detail.position.startswith("find 0 of 0   ")
    assert detail.first_line == top
    await pilot.press("enter", "n", "N")
    assert detail.position.startswith("find 0 of 0   ")


@pytest.mark.parametrize(
    ("text", "count"), [("cafe", 7), ("Cafe", 2), ("CAFE", 1), ("café", 4), ("Café", 2), ("c", 11), (".*", 0), ("?", 1)]
)
async def test_what_counts(reader, settled, text, count) -> None:
    pilot, detail = reader
    await find(pilot, detail, settled, text)
    assert detail.stop_words.endswith(f" of {count}")


async def test_another_session_ends_it(reader, settled) -> None:
    pilot, detail = reader
    await find(pilot, detail, settled, "cafe")
    await opened(pilot.app, pilot, settled, "cc_2")
    assert not detail.is_finding
    assert not pilot.app.pane.find_box.display


async def test_the_same_session_read_again_keeps_it(reader, settled) -> None:
    pilot, detail = reader
    await find(pilot, detail, settled, "cafe")
    before = detail._document
    pilot.app.pane.read_again()
    await settled(pilot, lambda: detail._document is not before and " of 7" in detail.stop_words)
    assert marked(detail)


async def test_up_and_down_step_while_typing(reader, settled) -> None:
    pilot, detail = reader
    await find(pilot, detail, settled, "cafe")
    await pilot.press("down", "down", "up")
    assert detail.position.startswith("find 2 of 7")
    assert pilot.app.pane.find_box.input.has_focus


async def test_an_empty_text_finds_nothing_and_goes_back(reader, settled) -> None:
    pilot, detail = reader
    await find(pilot, detail, settled, "n")
    await pilot.press("backspace")
    await settled(pilot, lambda: not detail.is_finding)
    assert detail.first_line == 0


async def test_what_was_found_is_offered_again(reader, settled) -> None:
    pilot, detail = reader
    await find(pilot, detail, settled, "eight")
    await pilot.press("enter", "slash")
    box = pilot.app.pane.find_box.input
    await settled(pilot, lambda: box.has_focus)
    assert box.value == "eight"
    await pilot.press(*"pier")
    assert box.value == "pier"


async def test_a_match_in_folded_tool_calls_unfolds_them(reader, settled) -> None:
    pilot, detail = reader
    await pilot.press("z")
    await find(pilot, detail, settled, "nord")
    assert current(detail) == ["Nord"]
    assert detail.folded


async def test_on_the_search_screen(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries")
        detail, selected = screen.session.detail, screen.results.selected.id
        await pilot.press("alt+pagedown")
        assert "prompt 1 of " in screen.session.position.text
        await pilot.press("enter", "slash")
        await settled(pilot, lambda: screen.session.find_box.input.has_focus)
        await pilot.press(*"retry", "down", "pagedown", "pageup", "up")
        await settled(pilot, lambda: detail.stop_words.startswith("find ") and " of " in detail.stop_words)
        assert (screen.box.value, screen.results.selected.id) == ("billing retries", selected)
        await pilot.press("enter")
        await settled(pilot, lambda: detail.has_focus)
        await pilot.press("n", "escape")
        assert detail.has_focus
        assert not detail.is_finding
        await pilot.press("escape")
        await settled(pilot, lambda: screen.box.has_focus)
        assert screen.results.selected.id == selected
