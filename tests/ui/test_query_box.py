"""What is typed into the box: conditions and their chips, misspelled and common words, why a hit is there."""

import pytest
from support import a_session
from textual.events import Key, Paste

from nlm_tui.core import RecallQuery, Session, parse, pieces
from nlm_tui.ui.app import NlmApp
from nlm_tui.ui.editing import corrected, taken_off, without_unfinished
from nlm_tui.ui.palette import offers
from nlm_tui.ui.widgets.chips import ChipBar


def marked_text(widget) -> list[str]:
    strips = [widget.render_line(y) for y in range(widget.size.height)]
    return [segment.text for strip in strips for segment in strip if segment.style and segment.style.underline]


def facts(screen) -> str:
    return screen.results.render_line(1).text.strip()


def run_command(app: NlmApp, title: str) -> None:
    next(offer for offer in offers(app.screen, app.context.keys) if offer.title == title).run()


async def test_a_filter_holds_and_is_never_marked(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "retry agent:codex")
        expected = app.context.memory.recall.search(parse("retry agent:codex", typing=True, limit=100))
        assert expected.total
        assert f"{expected.total} of {expected.total}" in screen.found.text
        assert {hit.runtime for hit in screen.results.hits} == {"codex"}
        marked = marked_text(screen.results) + marked_text(screen.session.detail)
        assert marked
        assert {text.lower()[:4] for text in marked} == {"retr"}


async def test_conditions_alone_list_the_newest_that_pass(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        for text in ("agent:claude", "-kafka", "agent:claude -kafka project:pay"):
            screen = await typed(pilot, text)
            hits = screen.results.hits
            assert len(hits) > 1
            assert [hit.started_at for hit in hits] == sorted((hit.started_at for hit in hits), reverse=True)
            assert not marked_text(screen.results)


async def test_subagents_are_found_by_words(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "retry loop project:pay")
        assert [hit for hit in screen.results.hits if hit.parent_id]


async def test_a_filter_without_a_value_says_nothing_yet(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries ")
        before = [hit.id for hit in screen.results.hits]
        for text in ("billing retries agent:", "billing retries -project:", 'billing retries project:"my fol'):
            screen = await typed(pilot, text)
            assert [hit.id for hit in screen.results.hits] == before


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a agent:", "a "),
        ("agent:", ""),
        ("-agent:", ""),
        ("a agent:x", "a agent:x"),
        ("a agent:x,", "a agent:x,"),
        ("a: ", "a: "),
        ("agent: b", "agent: b"),
        ("\\agent:", "\\agent:"),
        ('a project:"b c', "a "),
        ("ag", "ag"),
        ("", ""),
    ],
)
def test_what_is_left_without_an_unfinished_filter(text, rest) -> None:
    assert without_unfinished(text) == rest


async def test_chips_come_with_the_first_condition_and_go_with_the_last(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "retry")
        assert not screen.chips.display
        top = screen.results.region.y
        screen = await typed(pilot, 'retry agent:claude "dead letter" -kafka')
        assert screen.chips.display
        assert screen.results.region.y == top + 1
        assert screen.chips.render_line(0).text.split("ctrl+o")[0].split() == [
            *("agent:claude", "x", '"dead', 'letter"', "x", "-kafka", "x")
        ]
        screen = await typed(pilot, "retry")
        assert not screen.chips.display
        assert screen.results.region.y == top
        await typed(pilot, "retry agent:claude")
        await pilot.resize_terminal(120, 11)
        await pilot.pause()
        assert not screen.chips.display


async def test_only_chips_that_come_or_go_lay_the_screen_out_again(make_app, typed, settled, monkeypatch) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "r")
        laid_out: list[str] = []
        lay_out = screen._refresh_layout
        monkeypatch.setattr(
            screen,
            "_refresh_layout",
            lambda *given, **named: (laid_out.append(screen.box.value), lay_out(*given, **named)),
        )
        await pilot.press(*"etry", "space", "minus", "k", *"afka")
        await settled(pilot, lambda: screen.answered == "retry -kafka")
        assert len(set(laid_out)) == 1
        await pilot.press("space", *"one")
        await settled(pilot, lambda: screen.answered == "retry -kafka one")
        assert len(set(laid_out)) == 1


async def test_a_click_takes_a_chip_off(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "retry agent:claude -kafka")
        await pilot.click(ChipBar, offset=(5, 0))
        await settled(pilot, lambda: screen.answered == "retry -kafka")
        assert screen.box.cursor_position == len("retry -kafka")
        assert screen.box.has_focus
        await pilot.click(ChipBar, offset=(100, 0))
        await pilot.pause()
        assert screen.box.value == "retry -kafka"


async def test_a_key_takes_the_last_chip_off(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "agent:claude retry -kafka pool")
        await pilot.press("ctrl+o")
        await settled(pilot, lambda: screen.answered == "agent:claude retry pool")
        run_command(app, "Take off last filter")
        await settled(pilot, lambda: screen.answered == "retry pool")
        assert screen.box.cursor_position == len("retry pool")
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert screen.box.value == "retry pool"


@pytest.mark.parametrize(("cursor", "after"), [(0, 0), (2, 2), (4, 2), (11, 2), (16, 3), (17, 4)], ids=str)
def test_the_cursor_stays_on_its_character(cursor, after) -> None:
    text = "a agent:claude bc"
    assert taken_off(text, cursor, pieces(text)[0]) == ("a bc", after)


async def test_many_chips_show_the_last_ones(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        text = " ".join(f"entity:thing-number-{number}" for number in range(12))
        screen = await typed(pilot, text)
        shown = screen.chips.render_line(0).text
        assert shown.split()[0] == "+10"
        assert "thing-number-11" in shown
        await pilot.click(ChipBar, offset=(8, 0))
        await pilot.pause()
        assert "thing-number-10" not in screen.box.value
        for width in (30, 12, 3, 1):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert screen.chips.render_line(0).cell_length == screen.chips.size.width


async def test_what_is_not_understood_is_said_and_marked(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "has:foo billing agent:claude")
        assert screen.status.text.startswith("has:foo is not known: use decision or open")
        assert screen.results.hits
        assert "has:foo ? x" in screen.chips.render_line(0).text
        assert "agent:claude x" in screen.chips.render_line(0).text
        screen = await typed(pilot, "agent:xyz billing")
        assert screen.status.text.startswith("no session has agent:xyz")
        assert "no session has agent:xyz" in screen.results.message
        assert "Ctrl+O" in screen.results.message
        assert "agent:xyz ? x" in screen.chips.render_line(0).text
        screen = await typed(pilot, "agent:claude billing")
        assert "?" not in screen.chips.render_line(0).text
        assert screen.status.text == ""


async def test_what_is_not_understood_alone_lists_the_newest_as_an_empty_box_does(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "")
        newest = [hit.id for hit in screen.results.hits[:9]]  # a row of chips leaves room for fewer
        for text in ("since:banana", "has:foo", '-"!!"', '"!!"', "..."):
            screen = await typed(pilot, text)
            assert [hit.id for hit in screen.results.hits[:9]] == newest
        screen = await typed(pilot, "since:banana")
        assert screen.status.text.startswith("since:banana is no day")
        assert "nothing is left" not in screen.status.text
        screen = await typed(pilot, "agent:claude,bogus billing")
        assert screen.results.hits
        assert screen.status.text == "no session has agent:bogus"


async def test_a_misspelled_word_is_said_and_can_be_put_right(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "-mykafak kafak -kafak ")
        assert screen.results.hits[0].approximate
        assert facts(screen).startswith("approximate  ")
        assert screen.status.text.startswith('nothing matches "kafak": showing kafka (ctrl+g')
        assert "kafka" in {text.lower() for text in marked_text(screen.results)}
        await pilot.press("ctrl+g")
        await settled(pilot, lambda: screen.answered == "-mykafak kafka -kafak ")
        assert screen.box.cursor_position == len(screen.box.value)
        assert not facts(screen).startswith("approximate")
        assert "nothing matches" not in screen.status.text
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert screen.box.value == "-mykafak kafka -kafak "
        await typed(pilot, "kafak ")
        run_command(app, "Use the corrected word")
        await settled(pilot, lambda: screen.answered == "kafka ")


def test_only_the_word_itself_is_put_right(demo) -> None:
    result = demo.recall.search(RecallQuery("kafak"))
    assert corrected('kafaks "kafak" kafak!', result) == ('kafaks "kafak" kafka!', 21)
    assert corrected("mykafak -kafak", result) is None


def harbours(count: int) -> list[Session]:
    return [
        Session(
            id=f"cc_{number:03}",
            runtime="claude-code",
            started_at=f"2026-05-{number % 28 + 1:02}T08:{number // 28:02}:00.000Z",
            label=f"Session {number} about the harbour",
            body=f"pier {number}",
        )
        for number in range(count)
    ]


async def test_common_words_are_said_to_be_left_out(make_app, memory_of, typed) -> None:
    app = make_app(memory_of(*harbours(210)))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "the harbour 77 ")
        assert screen.status.text == "left out as too common: the, harbour"
        assert screen.results.hits[0].id == "cc_077"
        assert set(marked_text(screen.results)) == {"77"}
        screen = await typed(pilot, "the harbour ")
        assert screen.status.text == "newest first: every word is in most sessions"
        assert {"the", "harbour"} <= set(marked_text(screen.results))


async def test_why_a_hit_is_there_is_told_until_it_is_not_wanted(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries")
        assert not screen.why.display
        await pilot.press("ctrl+l")
        await settled(pilot, lambda: screen.why.text.startswith("why: billing in "))
        assert "keyword" in screen.why.text
        first = screen.why.text
        await pilot.press("down")
        await settled(pilot, lambda: screen.why.text != first)
        screen = await typed(pilot, "agent:codex")
        await settled(pilot, lambda: "newest" in screen.why.text)
        screen = await typed(pilot, "zeppelin")
        await settled(pilot, lambda: not screen.why.display)
        screen = await typed(pilot, "agent:codex")
        await settled(pilot, lambda: screen.why.display and "newest" in screen.why.text)
        for view in range(2, 7):
            await pilot.press(f"alt+{view}")
            await settled(pilot, lambda: screen.answered == "agent:codex" and not screen.why.display)
        await pilot.press("alt+1")
        await settled(pilot, lambda: screen.why.display and "newest" in screen.why.text)
        await pilot.press("ctrl+l")
        assert not screen.why.display
        screen = await typed(pilot, "billing")
        run_command(app, "Why")
        assert screen.why.display
        for size in ((40, 12), (20, 8), (1, 1)):
            await pilot.resize_terminal(*size)
            await pilot.pause()


async def test_the_selected_hit_and_the_position_follow_the_height(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "")
        bottom = screen.results.page - 1
        await pilot.press(*["down"] * bottom)
        await pilot.press("ctrl+l")
        await settled(pilot, lambda: screen.why.size.height)
        results, detail = screen.results, screen.session.detail
        assert (bottom + 1) * 3 <= results.first_line + results.visible_lines
        await settled(pilot, lambda: f"lines 1-{detail.visible_lines} " in screen.session.position.text)


async def test_keys_that_come_at_once_act_in_their_order(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "retrix")
        for key in ("backspace", "e", "s", "ctrl+u", "a", "b", "left", "c"):
            screen.box.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert screen.box.value == "acb"


async def test_what_is_pasted_in_several_lines_is_one(make_app, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        screen.box.post_message(Paste("billing\n\tretries\r\n"))
        await settled(pilot, lambda: screen.box.value == "billing retries")


async def test_what_begins_a_phrase_or_an_exclusion_empties_nothing(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        for text in ('"', "-", '-"', "[/]"):
            screen = await typed(pilot, text)
            assert screen.results.hits


async def test_a_frequent_word_finds_the_same_before_and_after_a_blank(make_app, memory_of, typed) -> None:
    sessions = [a_session(f"s{number:03}", label="Monday", body="about the harbour") for number in range(300)]
    sessions += [a_session("label", label="The harbour", started_at="2026-01-01T00:00:00.000Z")]
    app = make_app(memory_of(*sessions))
    async with app.run_test(size=(120, 36)) as pilot:
        for text in ("harbour", "harbour "):
            screen = await typed(pilot, text)
            assert "of 301" in screen.found.text
