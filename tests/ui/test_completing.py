"""Tab completes filters: names, fixed values, and values that stand in the memory."""

import threading
from dataclasses import replace

import pytest
from test_safety import CHROMATIC, CONTROL, contrast

from nlm_tui.core import FilterValue, Session, StoreError
from nlm_tui.ui.completing import MOST
from nlm_tui.ui.widgets.completions import CompletionList


def offered(screen) -> list[str]:
    return [candidate.text for candidate in screen.completions.candidates]


def lines(screen) -> list[str]:
    return [screen.completions.render_line(y).text for y in range(screen.completions.size.height)]


async def test_a_single_candidate_is_put_in_at_once(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "retry ag")
        await pilot.press("tab")
        assert screen.box.value == "retry agent:"
        assert not screen.completions.display
        await pilot.press(*"cla", "tab")
        await settled(pilot, lambda: screen.box.value == "retry agent:claude-code ")
        await settled(pilot, lambda: screen.answered == screen.box.value)
        assert {hit.runtime for hit in screen.results.hits} == {"claude-code"}
        assert screen.box.has_focus


async def test_the_most_frequent_values_are_offered_first(make_app, demo, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "project:")
        await pilot.press("tab")
        await settled(pilot, lambda: screen.completions.display)
        values = demo.values("project")
        assert offered(screen) == [value for value, _ in values][:MOST]
        assert lines(screen)[0].split() == [">", values[0].value, str(values[0].sessions)]
        screen = await typed(pilot, "entity:")
        await pilot.press("tab")
        await settled(pilot, lambda: len(offered(screen)) == MOST)


async def test_keys_move_the_mark_and_enter_puts_it_in(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "agent:")
        selected = screen.results.selected
        await pilot.press("tab")
        await settled(pilot, lambda: screen.completions.display)
        names = offered(screen)
        assert len(names) > 3
        for key, place in (("tab", 1), ("down", 2), ("shift+tab", 1), ("up", 0), ("up", -1), ("tab", 0), ("down", 1)):
            await pilot.press(key)
            assert screen.completions.marked.text == names[place]
        assert screen.results.selected == selected
        await pilot.press("enter")
        assert screen.box.value == f"agent:{names[1]} "
        assert screen.box.cursor_position == len(screen.box.value)
        assert screen.box.has_focus
        assert not screen.completions.display


async def test_typing_narrows_the_list_and_a_blank_closes_it(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "entity:")
        await pilot.press("tab")
        await settled(pilot, lambda: screen.completions.display)
        await pilot.press("p")
        assert offered(screen)
        assert offered(screen)[0].lower().startswith("p")
        await pilot.press("o", "s")
        assert offered(screen)[0] == "Postgres"
        await pilot.press("backspace")
        assert "Postgres" in offered(screen)
        await pilot.press("space")
        assert not screen.completions.display
        assert screen.box.value == "entity:po "


async def test_escape_closes_the_list_and_nothing_else(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing has:")
        await pilot.press("tab")
        assert offered(screen) == ["decision", "open"]
        await pilot.press("escape")
        assert not screen.completions.display
        assert screen.box.value == "billing has:"
        await pilot.press("tab", "alt+x")
        await settled(pilot, lambda: not screen.completions.display)


async def test_what_holds_the_text_follows_what_begins_so(make_app, memory_of, typed, settled) -> None:
    memory = replace(
        memory_of(), values=lambda _: [FilterValue("MyPay", 9), FilterValue("pay", 5), FilterValue("Payroll", 2)]
    )
    app = make_app(memory)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "project:PAY")
        await pilot.press("tab")
        await settled(pilot, lambda: screen.completions.display)
        assert offered(screen) == ["pay", "Payroll", "MyPay"]


async def test_a_value_with_blanks_is_put_in_quotes(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "entity:react, retry")
        screen.box.cursor_position = len("entity:react")
        await pilot.press("tab")
        await settled(pilot, lambda: "React Native" in offered(screen))
        while screen.completions.marked.text != "React Native":
            await pilot.press("down")
        await pilot.press("enter")
        assert screen.box.value == 'entity:"React Native", retry'
        assert screen.box.cursor_position == len('entity:"React Native"')


async def test_fixed_values_need_no_memory(make_app, demo, typed) -> None:
    def fail(name: str) -> list[FilterValue]:
        raise AssertionError(name)

    app = make_app(replace(demo, values=fail))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "status:")
        await pilot.press("tab")
        assert offered(screen) == ["active", "closed", "superseded"]
        assert lines(screen)[0].split() == [">", "active"]
        screen = await typed(pilot, "-in:lab")
        await pilot.press("tab")
        assert screen.box.value == "-in:label "


async def test_tab_moves_the_focus_where_there_is_no_filter(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        for text in ("", "zebra", "retry ", '"agent'):
            screen = await typed(pilot, text)
            await pilot.press("tab")
            assert screen.results.has_focus, text
            await pilot.press("tab")
            assert screen.session.detail.has_focus
            await pilot.press("shift+tab", "shift+tab")
            assert screen.box.has_focus
            assert screen.box.value == text
            await pilot.press("shift+tab")
            assert screen.session.detail.has_focus
            await pilot.press("escape")


async def test_a_value_that_nothing_completes_keeps_the_focus(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "project:zzz")
        await pilot.press("tab")
        await settled(pilot, lambda: screen.status.text == "nothing completes project:zzz")
        assert screen.box.has_focus
        assert not screen.completions.display


async def test_values_are_asked_for_once_until_the_memory_changes(make_app, demo, typed, settled) -> None:
    asked: list[str] = []

    def values(name: str) -> list[FilterValue]:
        asked.append(name)
        return demo.values(name)

    app = make_app(replace(demo, values=values))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "agent:")
        for _ in range(3):
            await pilot.press("tab")
            await settled(pilot, lambda: screen.completions.display)
            await pilot.press("escape")
        assert asked == ["agent"]
        screen.completions.forget()
        await pilot.press("tab")
        await settled(pilot, lambda: screen.completions.display)
        assert asked == ["agent", "agent"]


async def test_slow_values_block_no_key_and_are_dropped_when_the_text_went_on(make_app, demo, typed, settled) -> None:
    started, go_on = threading.Event(), threading.Event()

    def values(name: str) -> list[FilterValue]:
        started.set()
        assert go_on.wait(30)
        return demo.values(name)

    app = make_app(replace(demo, values=values))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "agent:")
        await pilot.press("tab")
        await settled(pilot, started.is_set)
        await pilot.press(*"codex", "space")
        await settled(pilot, lambda: screen.answered == "agent:codex ")
        go_on.set()
        await settled(pilot, lambda: not [worker for worker in app.workers if worker.group == "complete"])
        assert not screen.completions.display
        assert screen.box.value == "agent:codex "


async def test_a_failure_of_the_memory_is_said(make_app, demo, typed, settled) -> None:
    def fail(_: str) -> list[FilterValue]:
        raise StoreError("the disk is gone")

    app = make_app(replace(demo, values=fail))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "model:")
        await pilot.press("tab")
        await settled(pilot, lambda: screen.status.text == "the disk is gone")


async def test_hostile_values_are_shown_safely_and_put_in_as_they_are(make_app, memory_of, typed, settled) -> None:
    nasty = "\x1b[31mred\x1b[0m [bold]x[/bold] [/foo] \u202eoverride"
    sessions = [
        Session(id=f"cc_{name}", runtime="claude-code", started_at="2026-05-01", label="x", branch=name)
        for name in (nasty, "漢" * 60, "plain")
    ]
    app = make_app(memory_of(*sessions))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "branch:")
        await pilot.press("tab")
        await settled(pilot, lambda: screen.completions.display)
        shown = lines(screen)
        assert len(shown) == 3
        assert not [line for line in shown if CONTROL.search(line)]
        assert "[bold]x[/bold] [/foo]" in "".join(shown)
        while screen.completions.marked.text != nasty:
            await pilot.press("down")
        await pilot.press("enter")
        await settled(pilot, lambda: screen.answered == f'branch:"{nasty}" ')
        assert [hit.id for hit in screen.results.hits] == [f"cc_{nasty}"]
        assert not CONTROL.search(screen.chips.render_line(0).text)


async def test_a_click_puts_a_candidate_in(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "retry has:")
        await pilot.press("tab")
        await pilot.pause()
        await pilot.click(CompletionList, offset=(3, 1))
        assert screen.box.value == "retry has:open "
        assert screen.box.has_focus


async def test_the_list_stays_on_the_screen_at_any_size(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await typed(pilot, "x " * 30 + "entity:")
        for size in ((80, 24), (64, 12), (40, 11), (12, 6), (3, 3), (1, 1), (120, 36)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert not screen.completions.display
            await pilot.press("tab")
            await settled(pilot, lambda: screen.completions.display)
            assert screen.completions.region.right <= max(size[0], 1)
            await pilot.press("down", "escape")


@pytest.mark.parametrize("theme", CHROMATIC)
async def test_chips_and_candidates_can_be_read(make_app, typed, theme) -> None:
    app = make_app(theme=theme)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "agent:claude has:foo status:")
        await pilot.press("tab")
        await pilot.pause()
        segments = [
            *(segment for segment in screen.chips.render_line(0) if ":" in segment.text),
            *(segment for y in range(2) for segment in screen.completions.render_line(y)),
        ]
        assert len(segments) >= 4
        assert {segment.text: contrast(segment.style) for segment in segments if contrast(segment.style) < 4.5} == {}
