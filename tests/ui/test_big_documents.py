"""Long sessions are read batch by batch: the first screen at once, the place kept, counts when all is there."""

import threading

import pytest
from reading import PaneApp, current, opened, shown, talk

from nlm_tui.core import Matcher, query_matcher
from nlm_tui.display.document import Kind, Line
from nlm_tui.ui.layout import Document, Marks, lay_out
from nlm_tui.ui.passages import Spot
from nlm_tui.ui.rows import FOLDED, Layout, Place, Places, Row, Stops

SIZE = (60, 20)
PARTS = 3_000
LONG = talk(
    *(
        message
        for number in range(PARTS)
        for message in (
            ("user", f"question {number}"),
            ("tool", f"Bash  look {number}\nnothing\nat all"),
            ("assistant", f"answer {number}, " + "which is rather long " * 6),
        )
    ),
    decisions=("keep the first", "drop the last"),
    open=("what of the rest?",),
)
WORDS = "1500"


class Gate(Document):
    """A document that is read on only when it is let."""

    def __init__(self, lines, marks: Marks, width: int) -> None:
        super().__init__("cc_1", lines, marks, width)
        self.may_go_on = threading.Event()

    def prepare(self, rows):
        if self.lines:
            assert self.may_go_on.wait(20)
        return super().prepare(rows)


@pytest.fixture
async def half_read(memory_of):
    """A pilot, the view, and the document in it of which only the beginning is there."""
    app = PaneApp(memory_of(talk(("user", "x"))))
    async with app.run_test(size=SIZE) as pilot:
        lines = [Line(f"harbour {number}", Kind.PROMPT if number % 50 == 0 else Kind.TEXT) for number in range(9_000)]
        document = Gate(lines, Marks(query_matcher("harbour")), app.pane.detail.text_width)
        document.fill(1)
        app.pane.show(document)
        app.pane.detail.focus()
        await pilot.pause()
        yield pilot, app.pane.detail, document
        document.may_go_on.set()


async def test_the_first_screen_comes_before_the_rest(half_read, settled) -> None:
    _, detail, document = half_read
    assert shown(detail)[1] == " harbour 1"
    assert 0 < detail.row_count < 9_000
    assert detail.position == f"prompt 1   lines 1-{detail.visible_lines} of {detail.row_count}\u2026"
    document.may_go_on.set()
    await settled(half_read[0], lambda: detail.is_complete)
    assert detail.position == f"matches 8820   prompt 1 of 180   lines 1-{detail.visible_lines} of 9000"


async def test_the_end_is_waited_for(half_read, settled) -> None:
    pilot, detail, document = half_read
    await pilot.press("G")
    assert detail.position.startswith("reading \u2026   ")
    assert detail.first_line == 0
    document.may_go_on.set()
    await settled(pilot, lambda: shown(detail)[-1] == " harbour 8999")
    assert "reading" not in detail.position


async def test_who_moves_on_waits_no_more(half_read, settled) -> None:
    pilot, detail, document = half_read
    await pilot.press("G", "j")
    document.may_go_on.set()
    await settled(pilot, lambda: detail.is_complete)
    assert detail.first_line == 1


async def test_matches_are_stepped_to_as_far_as_they_are_known(half_read, settled) -> None:
    pilot, detail, document = half_read
    await pilot.press("n", "n")
    assert detail.position.startswith("match 2   ")
    await pilot.press("N", "N")
    assert detail.position.startswith("reading \u2026   match 1   ")
    document.may_go_on.set()
    await settled(pilot, lambda: detail.position.startswith("match 8820 of 8820, from the other end"))
    assert current(detail) == ["harbour"]


async def test_prompts_are_waited_for(half_read, settled) -> None:
    pilot, detail, document = half_read
    for _ in range(5):
        await pilot.press("right_square_bracket")
    assert detail.position.startswith("reading \u2026   prompt 4   ")
    document.may_go_on.set()
    await settled(pilot, lambda: detail.position.startswith("prompt 5 of 180") or "prompt 5 of 180" in detail.position)
    assert shown(detail)[0] == " harbour 200"


async def test_what_is_found_is_found_in_all_of_it(half_read, settled) -> None:
    pilot, detail, document = half_read
    await pilot.press("slash", *"8999")
    await settled(pilot, lambda: detail.found_text == "8999")
    assert detail.stop_words == "find 0"
    document.may_go_on.set()
    await settled(pilot, lambda: detail.stop_words == "find 1 of 1")
    assert current(detail) == ["8999"]


async def test_nothing_found_leaves_the_place(half_read, settled) -> None:
    pilot, detail, document = half_read
    await pilot.press("j", "slash", *"zz")
    document.may_go_on.set()
    await settled(pilot, lambda: detail.stop_words == "find 0 of 0")
    assert detail.first_line == 1


async def test_a_letter_is_found_wherever_it_stands(memory_of, settled) -> None:
    app = PaneApp(memory_of(LONG))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        expected = sum(
            line.text.count("h") for line in detail._document.lines if line.kind not in {Kind.PROMPT, Kind.HEADING}
        )
        await pilot.press("slash", "h")
        await settled(pilot, lambda: detail.stop_words == f"find 1 of {expected}")


async def test_the_place_is_kept_when_the_width_changes(memory_of, settled) -> None:
    app = PaneApp(memory_of(LONG))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled, words=WORDS)
        await pilot.press("N")
        await settled(pilot, lambda: current(detail))
        detail.scroll_relative(y=3, animate=False)
        top = detail.top
        for width in (40, 90, 33, 60):
            await pilot.resize_terminal(width, 20)
            await settled(pilot, lambda: detail._document.rows.layout.width == detail.text_width)
            await settled(pilot, lambda: detail.is_complete)
            assert detail.top.line == top.line
        assert detail.first_line > 10_000


async def test_the_place_is_kept_when_tool_calls_fold(memory_of, settled) -> None:
    app = PaneApp(memory_of(LONG))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        for _ in range(3):
            await pilot.press("right_square_bracket")
        top = detail.top
        await pilot.press("z")
        await settled(pilot, lambda: detail._document.rows.layout.folded and detail.is_complete)
        assert detail.top.line == top.line
        assert sum(row.end == FOLDED for row in detail._document.rows) == PARTS


async def test_the_same_session_with_other_marks_stays_at_its_place(memory_of, settled) -> None:
    app = PaneApp(memory_of(LONG))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        await pilot.press("G")
        await pilot.wait_for_animation()
        before, first = shown(detail), detail.first_line
        await opened(app, pilot, settled, words=WORDS)
        assert (shown(detail), detail.first_line) == (before, first)


async def test_a_decision_is_pointed_at(memory_of, settled) -> None:
    app = PaneApp(memory_of(LONG))
    detail = app.pane.detail
    async with app.run_test(size=(60, 7)) as pilot:
        for text, row in (("drop the  last", " * drop the last"), ("what of the rest?", " ? what of the rest?")):
            app.pane.show_session("cc_1", Marks(Matcher()), None, marker=text)
            await settled(pilot, lambda row=row: row in shown(detail))
            (pointed,) = [
                segment.text
                for y in range(detail.visible_lines)
                for segment in detail.render_line(y)
                if segment.style.reverse
            ]
            assert pointed == row.strip()
        app.pane.show_session("cc_1", Marks(Matcher()), None, marker="said nowhere")
        await settled(pilot, lambda: detail.is_complete and detail._waiting is None)


async def test_one_who_reads_on_is_not_taken_back_to_a_decision(memory_of, settled) -> None:
    app = PaneApp(memory_of(LONG))
    detail, marks = app.pane.detail, Marks(Matcher())
    async with app.run_test(size=(60, 7)) as pilot:
        app.pane.show_session("cc_1", marks, None, marker="drop the last")
        await settled(pilot, lambda: " * drop the last" in shown(detail) and detail.is_complete)
        detail.focus()
        await pilot.press("G")
        await pilot.wait_for_animation()
        first, before = detail.first_line, detail._document
        app.pane.show_session("cc_1", marks, None, marker="drop the last")
        await settled(pilot, lambda: detail._document is not before and detail.is_complete)
        assert detail.first_line == first
        assert detail._document.lines[detail._marked].text == "* drop the last"


async def test_secrets_are_seen_only_where_they_are_to_be(memory_of, settled) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    app = PaneApp(memory_of(talk(("user", f"use {secret}"))))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        masked = detail._document
        assert not [row for row in shown(detail) if secret in row]
        assert app.pane.toggle_secrets("cc_1")
        await settled(pilot, lambda: f" use {secret}" in shown(detail))
        app.pane.show_session("cc_1", masked.marks, masked)
        await settled(pilot, lambda: detail.is_complete)
        assert f" use {secret}" in shown(detail)


LINES = [
    Line("one two three"),
    Line("  Bash  a", Kind.TOOL, 4, 1),
    Line("  b", Kind.TOOL, 4, 2),
    Line(""),
    Line("  Bash  c", Kind.TOOL, 4, 3),
    Line("four"),
]


@pytest.mark.parametrize("folded", [False, True])
def test_batches_make_the_same_rows_as_all_at_once(folded) -> None:
    layout = Layout(7, folded)
    whole, parts = lay_out("x", LINES, Marks(Matcher()), 7), lay_out("x", [], Marks(Matcher()), 7)
    whole.lay_out_anew(layout)
    parts.lay_out_anew(layout)
    for line in LINES:
        parts.rows.extend(parts.rows.following([line]))
    assert list(parts.rows) == list(whole.rows)


def test_one_run_folds_by_itself() -> None:
    document = lay_out("x", LINES, Marks(Matcher()), 20)
    rows = list(document.rows)
    assert document.flip(2)
    assert list(document.rows) == [rows[0], Row(1, 0, FOLDED), *rows[3:]]
    assert document.rows.row_of(2, 1) == 1
    assert document.rows.row_of(5) == 4
    assert document.flip(1)
    assert list(document.rows) == rows
    assert not document.flip(0)
    assert document.run_words(1) == "1 tool call  2 lines"


def test_places_in_a_row() -> None:
    places = Places()
    for place in ((0, (2, 6)), (0, (8, 9)), (2, (0, 3))):
        places.add(*place)
    assert [number for number, _ in places.within(Row(0, 0, 4))] == [0]
    assert [number for number, _ in places.within(Row(0, 4, 9))] == [0, 1]
    assert list(places.within(Row(1, 0, 9))) == []
    assert list(places.within(Row(2, 0, FOLDED))) == []
    assert places[2] == Place(2, (0, 3))
    assert [places.first_from(Spot(*spot)) for spot in ((0, 0), (0, 3), (1, 0), (2, 1))] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("near_number", "order", "first"), [(None, [0, 4], 1), (0, [2, 0, 4], 0), (1, [0, 2, 4], 1), (2, [0, 4, 2], 1)]
)
def test_what_is_near_is_one_of_the_stops(near_number, order, first) -> None:
    places = Places()
    places.add(0, (0, 1))
    places.add(4, (0, 1))
    stops = Stops(places, Spot(2, 0) if near_number is not None else None, near_number)
    assert [stop.line for stop in stops] == order
    assert stops.first_from(Spot(1, 0)) == first
    assert stops.first_from(Spot(9, 0)) is None
