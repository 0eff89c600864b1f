"""The views: what they list, how they filter, and that each keeps its place."""

import threading
from dataclasses import replace

import pytest
from sailing import painted
from support import a_session

from nlm_tui.core import SearchInterruptedError, StoreError
from nlm_tui.core.actions import Action, marker_id
from nlm_tui.core.browsing import BrowseService, FactRow, Origin
from nlm_tui.ui.target import Target

SIZE = (120, 36)
KEYS = {
    "sessions": "alt+1",
    "decisions": "alt+2",
    "open": "alt+3",
    "topics": "alt+4",
    "facts": "alt+5",
    "timeline": "alt+6",
}

OLD = a_session(
    "old",
    label="Endless retries",
    started_at="2026-01-10T08:00:00.000Z",
    project="/src/pay",
    entities=("Redis", "billing"),
    decisions=("Retry for ever",),
    open=("Who reads the queue?", "Is Redis needed?"),
)
NEW = a_session(
    "new",
    label="A retry budget",
    started_at="2026-05-20T08:00:00.000Z",
    project="/src/pay",
    entities=("Redis",),
    decisions=("Three retries, then the dead-letter queue", "No retries of hard declines"),
    open=("Which alert fires?",),
)
OTHER = a_session("other", label="Colours", started_at="2026-05-25T08:00:00.000Z", decisions=("Blue links",))
RESOLVED = marker_id("open", "old", "Is Redis needed?")


def corrected(store) -> None:
    """Let the newer session supersede the older one, and close a question of that."""
    for place, (kind, subject, subject_id, payload) in enumerate(
        (
            ("supersede", "session", "old", {"by": "new"}),
            ("promote_open", "open_question", RESOLVED, {"resolution": "Yes, for locks"}),
        )
    ):
        store.corrections.act(Action(f"act_{place}", "2026-05-21T08:00:00Z", kind, subject, subject_id, payload))


def with_facts(store) -> None:
    origin = Origin(session_id="new", label="A retry budget", runtime="claude-code", started_at=NEW.started_at)
    fact = FactRow(
        id="f2",
        kind="attribute",
        subject="billing worker",
        predicate="retries",
        value="3",
        confidence=0.9,
        created_at=NEW.started_at,
        origin=origin,
    )
    store.browsing.put_fact(
        replace(fact, versions=(replace(fact, id="f1", value="endless", created_at=OLD.started_at),))
    )


@pytest.fixture
def memory(memory_of):
    return memory_of(OLD, NEW, OTHER, also=corrected)


async def shows(pilot, settled, view: str, text: str | None = None):
    """Turn to a view and wait for its rows."""
    screen = pilot.app.screen
    await pilot.press(KEYS[view])
    if text is not None:
        screen.box.value = text
    await settled(pilot, lambda: screen.view_name == view and screen.answered == screen.box.value)
    return screen


def lines(screen, first: int = 0, last: int | None = None) -> list[str]:
    return [line.strip() for line in painted(screen.views.current.list, first, last) if line.strip()]


async def test_decisions_newest_first_the_superseded_struck(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions")
        shown = lines(screen)
        assert shown[::2] == [
            "> Blue links",
            "Three retries, then the dead-letter queue",
            "No retries of hard declines",
            "Retry for ever",
            "Yes, for locks",
        ]
        assert shown[3].split() == ["Redis", "A", "retry", "budget", "pay", "2026-05-20"]
        assert shown[7].startswith("superseded by A retry budget")
        struck = {
            segment.text for y in range(10) for segment in screen.views.rows.render_line(y) if segment.style.strike
        }
        assert struck == {"Retry for ever", "Yes, for locks"}
        assert "5 of 5" in screen.found.text
        assert "2 Decisions 5" in screen.tabs.render_line(0).text


async def test_words_are_marked_and_filters_hold(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions", "retries project:pay")
        marked = {
            segment.text for y in range(9) for segment in screen.views.rows.render_line(y) if segment.style.underline
        }
        assert {"retries", "Retry"} <= marked
        assert not any(text.startswith(" ") for text in marked)
        assert "Blue links" not in "\n".join(lines(screen))
        screen = await shows(pilot, settled, "decisions", "project:nowhere")
        assert screen.views.rows.message.startswith("No decision matches.\n\nno session has project:nowhere")
        assert "no session has project:nowhere" in screen.status.text
        assert "?" in screen.chips.render_line(0).text
        screen = await shows(pilot, settled, "decisions", "dead blue")
        assert "no decision holds all words: those with most of them come first" in screen.status.text


async def test_open_questions_the_oldest_pinned_the_closed_below(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "open")
        texts = lines(screen)
        assert texts[0] == "> ? Which alert fires?"
        assert texts[1].startswith("open 12 days")
        assert texts[2] == "? Who reads the queue?"
        assert texts[3].startswith("open 142 days  superseded by A retry")
        assert texts[4] == "= Is Redis needed?"
        assert texts[5].startswith("decided: Yes, for locks")
        assert screen.header.text.startswith("oldest open: 142 days  Who reads the queue?")
        await pilot.press("alt+q")
        assert screen.target.marker.text == "Who reads the queue?"


async def test_the_oldest_question_is_reached_however_far_down(make_app, memory_of, settled) -> None:
    sessions = [
        a_session(
            f"s{number:03}",
            started_at=f"20{10 + number // 12}-{number % 12 + 1:02}-01T08:00:00Z",
            open=(f"why {number}",),
        )
        for number in range(150)
    ]
    app = make_app(memory_of(*sessions))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await shows(pilot, settled, "open")
        assert len(screen.views.browsing.page.rows) < 100
        await pilot.press("alt+q")
        await settled(pilot, lambda: screen.target.marker.text == "why 0")
        await settled(pilot, lambda: screen.session.detail.session_id == "s000")


async def test_topics_filter_and_one_comes_back(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "topics")
        assert [line.split() for line in lines(screen)] == [
            [">", "Redis", "2", "4", "2", "2026-05-20"],
            ["billing", "1", "2", "1", "2026-01-10"],
        ]
        assert screen.header.text.split() == ["topic", "sessions", "decisions", "open", "last", "seen"]
        assert screen.header.text.index("last seen") > 90
        assert not screen.session.display
        assert screen.target == Target(topic="Redis")
        for back in ("escape", "ctrl+b"):
            await pilot.press("down", "enter")
            await settled(pilot, lambda: screen.view_name == "sessions" and screen.answered == "entity:billing ")
            assert [hit.id for hit in screen.results.hits] == ["old"]
            await pilot.press(back)
            await settled(pilot, lambda: screen.view_name == "topics" and screen.answered == "")
            assert screen.target == Target(topic="billing")
            await pilot.press("up")


async def test_a_topic_keeps_the_conditions_in_the_box(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "topics", "red since:2026-05-01")
        await pilot.press("enter")
        assert screen.box.value == "since:2026-05-01 entity:Redis "
        await settled(pilot, lambda: [hit.id for hit in screen.results.hits] == ["new"])


async def test_facts_and_their_versions(make_app, memory_of, settled) -> None:
    app = make_app(memory_of(NEW, OLD, also=with_facts))
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "facts")
        first, second, third = lines(screen)
        assert first.startswith("> billing worker  retries  3")
        assert second == "90% sure  attribute  A retry budget"
        assert third.startswith("was endless")
        assert third.endswith("2026-01-10")
        assert screen.target.fact.id == "f2"
        assert screen.target.session_id == "new"


async def test_a_memory_without_facts_says_so(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "facts")
        assert screen.views.rows.message == "This memory holds no facts."
        screen = await shows(pilot, settled, "facts", "redis")
        assert screen.views.rows.message.startswith("No fact matches.")


async def test_a_memory_that_lists_only_sessions_says_so(make_app, memory, typed) -> None:
    app = make_app(replace(memory, browsing=None))
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "retry")
        assert not screen.header.display
        await pilot.press("alt+2")
        await pilot.pause()
        assert screen.views.rows.message == "This memory lists only sessions."


async def test_each_view_keeps_its_text_and_its_place(make_app, settled) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        places = {}
        screen = app.screen
        for step, view in enumerate(KEYS, 3):
            screen = await shows(pilot, settled, view)
            for _ in range(step * 4):
                await pilot.press("down")
            places[view] = (screen.views.current.list.selected_key, screen.views.current.list.first_line)
        assert len({key for key, _ in places.values()}) > 4
        for view in reversed(KEYS):
            screen = await shows(pilot, settled, view)
            await pilot.pause()
            assert (screen.views.current.list.selected_key, screen.views.current.list.first_line) == places[view], view
        screen = await shows(pilot, settled, "decisions", "billing")
        screen = await shows(pilot, settled, "open")
        assert screen.box.value == "billing"
        screen = await shows(pilot, settled, "sessions")
        assert screen.answered == "billing"


async def test_the_session_of_the_row_is_shown_at_its_marker(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions")
        await pilot.press("down", "down")
        await settled(pilot, lambda: screen.session.detail.session_id == "new")
        assert screen.target.session_id == "new"
        assert screen.target.label == "A retry budget"
        assert screen.target.marker.text == "No retries of hard declines"
        reverse = [
            segment.text
            for y in range(screen.session.detail.size.height)
            for segment in screen.session.detail.render_line(y)
            if segment.style and segment.style.reverse
        ]
        assert "No retries of hard declines" in "".join(reverse)


async def test_rows_come_as_the_selection_nears_the_end(make_app, memory_of, settled) -> None:
    sessions = [
        a_session(
            f"s{number:03}", started_at=f"2026-05-{number % 28 + 1:02}T08:00:00Z", decisions=(f"number {number}",)
        )
        for number in range(120)
    ]
    app = make_app(memory_of(*sessions))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await shows(pilot, settled, "decisions")
        page = screen.views.browsing.page
        before = len(page.rows)
        assert before < 60
        await pilot.press("tab", "G")
        chosen = screen.target.marker.text
        await settled(pilot, lambda: len(page.rows) > before)
        assert screen.target.marker.text == chosen
        while len(page.rows) < 120:
            shown = len(page.rows)
            await pilot.press("G")
            await settled(pilot, lambda shown=shown: len(page.rows) > shown)
        assert len({row.id for row in page.rows}) == 120
        assert "120 of 120" in screen.found.text


class SlowBrowsing(BrowseService):
    """Lists that wait at one word until they are let go or interrupted, and fail at another."""

    def __init__(self, service: BrowseService) -> None:
        self._service = service
        self.started, self.interrupted = threading.Event(), threading.Event()

    def markers(self, kind, query, **given):
        if query.query == "slow":
            self.started.set()
            assert self.interrupted.wait(30)
            raise SearchInterruptedError
        if query.query == "broken":
            raise StoreError("memory.sqlite: the disk is gone")
        return self._service.markers(kind, query, **given)

    def days(self, query, **given):
        return self._service.days(query, **given)

    def timeline(self, query, **given):
        return self._service.timeline(query, **given)


@pytest.fixture
def slow(memory):
    browsing = SlowBrowsing(memory.browsing)
    return replace(memory, browsing=browsing, interrupt_browsing=browsing.interrupted.set), browsing


async def test_a_slow_list_blocks_no_key_and_its_answer_is_dropped(make_app, slow, settled) -> None:
    memory, browsing = slow
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions")
        screen.box.value = "slow"
        await settled(pilot, browsing.started.is_set)
        screen.box.value = "blue"
        await settled(pilot, lambda: screen.answered == "blue")
        assert browsing.interrupted.is_set()
        assert "1 of 1" in screen.found.text
        assert screen.target.session_id == "other"


async def test_turning_to_another_view_interrupts(make_app, slow, settled) -> None:
    memory, browsing = slow
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions")
        screen.box.value = "slow"
        await settled(pilot, browsing.started.is_set)
        await shows(pilot, settled, "timeline")
        assert browsing.interrupted.is_set()
        assert screen.view_name == "timeline"


async def test_a_failure_is_said_and_the_last_rows_stay(make_app, slow, settled) -> None:
    app = make_app(slow[0])
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions")
        before = lines(screen)
        screen.box.value = "broken"
        await settled(pilot, lambda: screen.status.text == "memory.sqlite: the disk is gone")
        assert lines(screen) == before


async def test_back_from_one_view_to_the_other_with_its_text(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions", "retries")
        await pilot.press("down")
        chosen = screen.target.marker.text
        screen = await shows(pilot, settled, "open", "queue")
        await pilot.press("ctrl+b")
        await settled(pilot, lambda: screen.view_name == "decisions" and screen.answered == "retries")
        await settled(pilot, lambda: screen.target.marker.text == chosen)


async def test_similar_sessions_from_a_decision_and_back(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions")
        await pilot.press("down", "down", "ctrl+f")
        await settled(pilot, lambda: screen.view_name == "sessions" and screen.answered == "like:new")
        await pilot.press("escape")
        await settled(pilot, lambda: screen.view_name == "decisions" and screen.answered == "")
        assert screen.target.marker.text == "No retries of hard declines"


async def test_to_the_successor_and_back(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions")
        await pilot.press("down", "down", "down", "alt+j")
        await settled(pilot, lambda: screen.target.session_id == "new")
        await pilot.press("ctrl+b")
        await settled(pilot, lambda: screen.target.session_id == "old")
        screen = await shows(pilot, settled, "decisions", "ever")
        await pilot.press("alt+j")
        await settled(pilot, lambda: screen.session.detail.session_id == "new")
        assert screen.session.detail.has_focus
        await pilot.press("escape")
        screen = await shows(pilot, settled, "sessions")
        await pilot.press("alt+j")
        await settled(pilot, lambda: screen.session.detail.session_id == "new")


async def test_what_makes_no_sense_in_a_view_says_why(make_app, memory, settled) -> None:
    app = make_app(memory)
    said = []
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "topics")
        screen.notify = lambda text, **_: said.append(text)  # type: ignore[method-assign]
        await pilot.press("ctrl+f", "ctrl+l", "alt+g", "alt+q", "alt+j", "alt+v")
        assert said == [
            "no topic has similar sessions: alt+1 lists sessions",
            "only hits have a rank to explain: alt+1 lists them",
            "only sessions are grouped: alt+1 shows them",
            "alt+3 shows open questions, and there the one that is open longest",
            "no session is selected",
            "alt+6 shows the timeline",
        ]


async def test_the_list_takes_the_focus_and_letters(make_app, settled) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions", "billing")
        await pilot.press("tab")
        rows = screen.views.rows
        assert rows.has_focus
        assert painted(rows, 0, 1)[0].startswith("» ")
        await pilot.press("j", "j", "k")
        assert rows.listed.selected == 1
        await pilot.press("G")
        assert rows.listed.selected == len(rows.listed.keys) - 1
        await pilot.press("g", "ctrl+d")
        assert rows.listed.selected == min(rows.page // 2, len(rows.listed.keys) - 1)
        await pilot.press("ctrl+u")
        assert rows.listed.selected == 0
        await pilot.press("3")
        assert screen.view_name == "open"
        assert rows.has_focus
        await pilot.press("1")
        assert screen.results.has_focus
        await pilot.press("enter")
        assert screen.session.detail.has_focus
        await pilot.press("escape")
        assert screen.results.has_focus
        await pilot.press("slash", "x")
        assert screen.box.value == "billingx"


async def test_a_click_on_a_name_turns_to_the_view(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "sessions")
        at = screen.tabs.render_line(0).text.index("Timeline")
        await pilot.click("#tabs", offset=(at, 0))
        await settled(pilot, lambda: screen.view_name == "timeline" and screen.answered == "")
        assert screen.prompt.text == "timeline >"


async def test_the_memory_has_changed(make_app, memory, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shows(pilot, settled, "decisions")
        chosen = screen.target
        added = replace(OTHER, id="later", started_at="2026-05-30T08:00:00.000Z", decisions=("Red links",))
        app.context.memory.sessions.insert_sessions(added)
        screen.memory_changed()
        await settled(pilot, lambda: "6 of 6" in screen.found.text)
        assert lines(screen)[0].startswith("Red links")
        assert screen.target == chosen


async def test_hits_over_time_come_when_typing_rests(make_app, memory, typed, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "retry")
        await settled(pilot, lambda: screen.header.text.startswith("Jan 2026 █"))
        assert screen.header.text.endswith("█ May 2026")
        top = screen.results.region.y
        screen = await typed(pilot, "zebra")
        await settled(pilot, lambda: screen.header.text == "")
        assert screen.results.region.y == top
        await pilot.resize_terminal(120, 19)
        await settled(pilot, lambda: not screen.header.display)


async def test_pinned_sessions_come_first_where_nothing_is_asked_for(make_app, memory_of, typed, settled) -> None:
    sessions = [
        a_session(f"s{number:03}", started_at=f"2026-05-{number % 28 + 1:02}T08:00:00Z") for number in range(80)
    ]

    def pin(store) -> None:
        for place, session_id in enumerate(("s000", "s028")):
            store.corrections.act(Action(f"act_{place}", "2026-05-21T08:00:00Z", "pin", "session", session_id, {}))

    app = make_app(memory_of(*sessions, also=pin))
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "")
        assert [hit.id for hit in screen.results.hits][:2] == ["s000", "s028"]
        assert "* pinned" in painted(screen.results)[1]
        while len(screen.results.hits) < 80:
            shown = len(screen.results.hits)
            screen.results.move_to_edge(1)
            await settled(pilot, lambda shown=shown: len(screen.results.hits) > shown)
        assert len({hit.id for hit in screen.results.hits}) == 80
        screen = await typed(pilot, "session")
        assert [hit.id for hit in screen.results.hits][:2] != ["s000", "s028"]
