"""The timeline: days, what sessions held, and which replaced which."""

from dataclasses import replace
from datetime import UTC

from rich.style import Style
from sailing import painted
from support import a_session

from nlm_tui.core import Matcher
from nlm_tui.core.actions import Action
from nlm_tui.core.browsing import Origin, TimelineRow
from nlm_tui.ui.views.gutter import gutters
from nlm_tui.ui.views.look import Look
from nlm_tui.ui.views.timeline import TimelineRows


def drawn(heights: list[int], *links: tuple[int, int]) -> list[str]:
    return [line for row in gutters(heights, links) for line in row]


def test_a_line_joins_two_rows_whichever_is_on_top() -> None:
    expected = ["┌─ ", "│  ", "│  ", "└─ "]
    assert drawn([2, 1, 1], (0, 2)) == expected
    assert drawn([2, 1, 1], (2, 0)) == expected


def test_a_chain_goes_on_in_its_lane() -> None:
    assert drawn([1, 1, 1, 1], (0, 1), (1, 3)) == ["┌─ ", "├─ ", "│  ", "└─ "]


def test_lines_beside_each_other_cross() -> None:
    assert drawn([1, 1, 1, 1], (0, 2), (1, 3)) == ["┌─ ", "│┌ ", "└┼ ", " └ "]


def test_what_has_no_lane_is_left_to_the_words() -> None:
    assert drawn([1] * 6, (0, 3), (1, 4), (2, 5)) == ["┌─ ", "│┌ ", "││ ", "└┼ ", " └ ", "   "]
    assert drawn([1], (0, 0)) == ["   "]


def row(number: int, day: str, **given: object) -> TimelineRow:
    origin = Origin(session_id=f"s{number}", label=f"Session {number}", runtime="codex", started_at=f"{day}T08:00:00Z")
    others = (*given.get("supersedes", ()), *given.get("continues", ()))
    labels = {other: other.replace("s", "Session ") for other in others}
    return TimelineRow(origin=replace(origin, **given.pop("origin", {})), labels=labels, **given)


def lines(rows: list[TimelineRow], width: int = 60) -> list[str]:
    painter = TimelineRows(UTC)
    headings = painter.headings(rows)
    style = Style()
    look = Look(width, Matcher(), style, style, style, style)
    shown = []
    for number, one in enumerate(rows):
        shown += [headings[number]] if number in headings else []
        for line in range(painter.height(one)):
            shown.append("".join(segment.text for segment in painter.paint(one, line, look)).rstrip())
    return shown


def test_days_sessions_markers_and_reversals() -> None:
    rows = [
        row(3, "2026-05-03", decisions=("no retries",), open=("why?",), supersedes=("s1",), continues=("s2",)),
        row(2, "2026-05-02", origin={"project": "/src/pay"}),
        row(1, "2026-05-02", origin={"successor": ("s3", "Session 3")}, decisions=("a", "b", "c"), open=("d", "e")),
    ]
    assert lines(rows, 44) == [
        "     2026-05-03",
        "┌─ Session 3                    08:00  codex",
        "│    replaces Session 1",
        "│    continues Session 2",
        "│    * no retries",
        "│    ? why?",
        "  │  2026-05-02",
        "│  Session 2               08:00  pay  codex",
        "└─ Session 1                    08:00  codex",
        "     superseded by Session 3",
        "     * a",
        "     * b",
        "     * c",
        "     and 2 more",
    ]


def test_hostile_text_and_unknown_times_are_shown_literally() -> None:
    shown = lines(
        [row(1, "", origin={"label": "a\x1b]52;c;x\x07b\n[red]", "started_at": "never"}, decisions=("\x9b1m",))]
    )
    assert shown[0].strip() == "no date"
    assert not any(character < " " or "\x7f" <= character < "\xa0" for line in shown for character in line)
    assert "ab [red]" in shown[1]


def test_a_session_is_named_by_its_label_wherever_it_stands() -> None:
    shown = lines([replace(row(3, "2026-05-03", supersedes=("far", "unknown")), labels={"far": "Far down"})])
    assert [line.strip() for line in shown[2:]] == ["replaces Far down", "replaces unknown"]


async def test_it_can_be_turned_around(make_app, memory_of, typed, settled) -> None:
    older = a_session("old", label="Older", started_at="2026-05-01T08:00:00Z")
    newer = a_session("new", label="Newer", started_at="2026-05-03T08:00:00Z")
    action = Action("act_1", "2026-05-03T09:00:00Z", "supersede", "session", "old", {"by": "new"})
    app = make_app(memory_of(older, newer, also=lambda store: store.corrections.act(action)))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "")
        await pilot.press("alt+6")
        rows = screen.views.rows
        await settled(pilot, lambda: rows.selected_key == "new")
        shown = "\n".join(painted(rows, 0, 7))
        assert shown.index("┌─ Newer") < shown.index("replaces Older") < shown.index("└─ Older")
        assert "superseded by Newer" in shown
        await pilot.press("alt+v")
        assert rows.selected_key == "new"
        shown = "\n".join(painted(rows, 0, 7))
        assert shown.index("┌─ Older") < shown.index("└─ Newer")
        assert "oldest sessions first" in screen.header.text
        await pilot.press("alt+1", "alt+v")
        assert screen.view_name == "sessions"
