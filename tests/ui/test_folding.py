"""Going by prompts, and folding tool calls."""

import pytest
from reading import PaneApp, current, opened, shown, talk

SIZE = (70, 16)
CALLS = tuple(("tool", f"Bash  make {number}") for number in range(3))
OUTPUT = ("tool", "ok\n" + "\n".join(f"line {number}" for number in range(20)))
SESSION = talk(
    ("user", "First, build it."),
    ("assistant", "I build."),
    *CALLS,
    OUTPUT,
    ("assistant", "It is built."),
    ("user", "Now test it."),
    ("tool", "Bash  pytest -q\n  3 passed"),
    ("assistant", "It passes.\n" + "\n".join(f"reason {number}" for number in range(30))),
    ("user", "Thanks."),
    ("assistant", "Good."),
)


@pytest.fixture
async def reader(memory_of, settled):
    """A pilot in an open session, and its view."""
    app = PaneApp(memory_of(SESSION))
    async with app.run_test(size=SIZE) as pilot:
        yield pilot, await opened(app, pilot, settled)


async def test_prompts_are_gone_to_one_by_one(reader) -> None:
    pilot, detail = reader
    assert "prompt" not in detail.position
    for number, text in ((1, "First, build it."), (2, "Now test it.")):
        await pilot.press("right_square_bracket")
        assert shown(detail)[:2] == [" You  08:00", f" {text}"]
        assert detail.position.startswith(f"prompt {number} of 3   ")
    await pilot.press("right_square_bracket")
    assert " Thanks." in shown(detail)
    assert pilot.app.pane.position.text.startswith("prompt 3 of 3   ")
    await pilot.press("right_square_bracket")
    assert detail.position.startswith("prompt 3 of 3   ")
    await pilot.press("left_square_bracket")
    assert detail.position.startswith("prompt 2 of 3   ")
    await pilot.press("k", "left_square_bracket")
    assert detail.position.startswith("prompt 1 of 3   ")
    await pilot.press("left_square_bracket")
    assert detail.position.startswith("prompt 1 of 3   ")


async def test_all_tool_calls_fold_and_unfold(reader) -> None:
    pilot, detail = reader
    before, rows = shown(detail), detail.row_count
    await pilot.press("z")
    assert "   + 3 tool calls  24 lines" in shown(detail)
    assert not [row for row in shown(detail) if "make" in row]
    assert detail.row_count == rows - 23 - 1
    assert detail.folded
    await pilot.press("z")
    assert shown(detail) == before


async def test_one_folded_run_opens_by_enter_and_by_a_click(reader) -> None:
    pilot, detail = reader
    await pilot.press("z")
    folded = shown(detail)
    await pilot.press("enter")
    assert "   Bash  make 0" in shown(detail)
    row = shown(detail).index("   Bash  make 0")
    await pilot.click(detail, offset=(4, row))
    assert shown(detail) == folded
    await pilot.click(detail, offset=(4, row))
    assert "   Bash  make 0" in shown(detail)
    await pilot.click(detail, offset=(4, row + 2))
    assert "   Bash  make 2" in shown(detail)
    await pilot.press("G")
    assert detail.row_count == len(detail._document.rows)


async def test_what_is_read_stays_at_its_place_when_tool_calls_fold(reader) -> None:
    pilot, detail = reader
    await pilot.press("right_square_bracket", "right_square_bracket", "z")
    assert shown(detail)[:2] == [" You  08:00", " Now test it."]
    await pilot.press("z")
    assert shown(detail)[:2] == [" You  08:00", " Now test it."]


async def test_another_session_is_folded_as_the_last_one(reader, settled) -> None:
    pilot, detail = reader
    detail.folded = True
    await opened(pilot.app, pilot, settled)
    pilot.app.pane.show(None)
    await opened(pilot.app, pilot, settled)
    assert "   + 3 tool calls  24 lines" in shown(detail)


async def test_a_match_in_a_folded_run_opens_it(reader, settled) -> None:
    pilot, detail = reader
    await opened(pilot.app, pilot, settled, words="pytest")
    await pilot.press("z", "n")
    assert current(detail) == ["pytest"]
    assert detail.row_count == len(detail._document.rows)


async def test_keys_of_vi_and_emacs_move(reader) -> None:
    pilot, detail = reader
    for keys, line in (
        ("j", 1),
        ("ctrl+n", 2),
        ("k", 1),
        ("ctrl+d", 1 + detail.visible_lines // 2),
        ("ctrl+u", 1),
        ("g", 0),
        ("ctrl+v", detail.visible_lines),
        ("alt+v", 0),
        ("G", detail.row_count - detail.visible_lines),
    ):
        await pilot.press(keys)
        await pilot.wait_for_animation()
        assert detail.first_line == line, keys


async def test_what_is_in_view_can_be_asked_for(reader) -> None:
    pilot, detail = reader
    assert detail.message_at_view().text == "First, build it."
    await pilot.press("right_square_bracket", "right_square_bracket")
    message = detail.message_at_view()
    assert (message.message, message.role, message.text) == (7, "user", "Now test it.")
    assert message.at == "2026-05-30T08:00:00.000Z"
    await pilot.press("j", "j", "j")
    assert detail.message_at_view().text == "Bash  pytest -q\n  3 passed"
    pilot.app.pane.show(None)
    assert detail.message_at_view() is None
    assert detail.code_block_at_view() == ""
