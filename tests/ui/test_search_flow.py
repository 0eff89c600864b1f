"""What typing, moving and leaving do."""

import re
import threading
from dataclasses import replace

from nlm_tui.core import RecallQuery, RecallService, SearchInterruptedError, Session
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.ui.widgets.results import ResultsList


def numbered(count: int, word: str = "harbour") -> list[Session]:
    return [
        Session(
            id=f"cc_{number:03}",
            runtime="claude-code",
            started_at=f"2026-05-{number % 28 + 1:02}T08:00:00.000Z",
            label=f"Session {number} about the {word}",
            body=f"{word} " * (number + 1),
        )
        for number in range(count)
    ]


class SlowRecall:
    """Recall that waits at chosen queries until it is let go, or interrupted."""

    def __init__(self, recall: RecallService, slow: str) -> None:
        self._recall = recall
        self._slow = slow
        self.started = threading.Event()
        self.interrupted = threading.Event()
        self.searched: list[str] = []

    def search(self, query: RecallQuery, **named):
        self.searched.append(query.query)
        if query.query == self._slow:
            self.started.set()
            if not self.interrupted.wait(30):
                raise AssertionError("nobody interrupted the slow search")
            raise SearchInterruptedError
        return self._recall.search(query, **named)


async def test_typing_shows_the_hits_of_the_last_text(make_app, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.answered == "")
        assert screen.results.hits
        for key in "billing":
            screen.box.insert_text_at_cursor(key)
        await settled(pilot, lambda: screen.answered == "billing")
        shown = [hit.id for hit in screen.results.hits]
        expected = app.context.memory.recall.search(RecallQuery("billing", limit=100))
        assert shown == [hit.id for hit in expected.results][: len(shown)]
        assert f"{len(shown)} of {expected.total}" in screen.found.text


async def test_keys_reach_the_box(make_app, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(*"retry", "space", *"pool")
        await settled(pilot, lambda: app.screen.answered == "retry pool")
        assert app.screen.results.hits


async def test_a_slow_search_blocks_no_key_and_its_answer_is_dropped(make_app, demo, settled) -> None:
    slow = SlowRecall(demo.recall, "slow")
    app = make_app(replace(demo, recall=slow, interrupt=slow.interrupted.set))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.answered == "")
        screen.box.value = "slow"
        await settled(pilot, slow.started.is_set)
        await pilot.press("backspace", "backspace", "backspace", "backspace", *"kafka")
        await settled(pilot, lambda: screen.answered == "kafka")
        assert slow.interrupted.is_set()
        assert screen.box.value == "kafka"
        assert all("kafka" in f"{hit.label} {hit.summary} {hit.snippet}".lower() for hit in screen.results.hits[:1])


async def test_leaving_in_mid_search_stops_it(make_app, demo, settled) -> None:
    slow = SlowRecall(demo.recall, "slow")
    app = make_app(replace(demo, recall=slow, interrupt=slow.interrupted.set))
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        app.screen.box.value = "slow"
        await settled(pilot, slow.started.is_set)
        await pilot.press("ctrl+q")
    assert slow.interrupted.is_set()
    assert app.return_code == 0


async def test_a_search_that_ends_after_the_screen_is_gone_harms_nothing(make_app, demo, settled) -> None:
    class LateRecall(SlowRecall):
        def search(self, query: RecallQuery, **named):
            if not query.query:
                return self._recall.search(query, **named)
            self.started.set()
            self.interrupted.wait(30)
            return self._recall.search(replace(query, query="billing"), **named)

    late = LateRecall(demo.recall, "late")
    app = make_app(replace(demo, recall=late, interrupt=late.interrupted.set))
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        app.screen.box.value = "late"
        await settled(pilot, late.started.is_set)
        await pilot.press("ctrl+q")
    assert app.return_code == 0


async def test_control_c_leaves(make_app) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("ctrl+c")
    assert app.return_code == 0


async def test_selection_follows_the_top_until_moved_then_stays_on_its_session(make_app, memory_of, typed) -> None:
    sessions = [
        replace(session, body=session.body + " pier" * (30 - number)) for number, session in enumerate(numbered(12))
    ]
    app = make_app(memory_of(*sessions))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "harbour")
        first = screen.results.hits[0].id
        assert screen.results.selected.id == first
        screen = await typed(pilot, "pier")
        assert screen.results.selected.id == screen.results.hits[0].id
        await pilot.press("down", "down")
        chosen = screen.results.selected.id
        assert chosen == screen.results.hits[2].id
        screen = await typed(pilot, "pier harbour")
        assert screen.results.selected.id == chosen
        screen = await typed(pilot, "nothing-like-this")
        assert screen.results.selected is None
        screen = await typed(pilot, "harbour")
        assert screen.results.selected.id == screen.results.hits[0].id


async def test_the_detail_shows_the_selected_session(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries")
        assert screen.session.detail.session_id == screen.results.hits[0].id
        await pilot.press("down")
        await settled(pilot, lambda: screen.session.detail.session_id == screen.results.hits[1].id)
        await pilot.press("pagedown")
        await settled(pilot, lambda: screen.session.detail.session_id == screen.results.selected.id)
        await pilot.press("pageup", "pageup")
        await settled(pilot, lambda: screen.session.detail.session_id == screen.results.hits[0].id)


async def test_matches_are_stepped_through_in_a_ring(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries")
        total = int(screen.session.detail.position.split()[1])
        assert total > 3
        await pilot.press("alt+n")
        assert screen.session.detail.position.startswith(f"match 1 of {total}")
        await pilot.press("alt+p")
        assert screen.session.detail.position.startswith(f"match {total} of {total}")
        assert screen.session.detail.first_line > 0
        assert screen.session.position.text == screen.session.detail.position
        await pilot.press("alt+n")
        assert screen.session.detail.position.startswith(f"match 1 of {total}")


async def test_escape_steps_back_and_loses_nothing(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("down", "enter")
        assert screen.session.detail.has_focus
        await pilot.press("escape")
        assert screen.box.has_focus
        assert not screen.results.follows_top
        await pilot.press("escape")
        assert screen.results.follows_top
        assert screen.box.value == "billing"
        await pilot.press("escape")
        assert screen.box.value == ""
        await settled(pilot, lambda: screen.answered == "")
        await pilot.press("escape")
        assert screen.box.value == "billing"


async def test_coming_back_to_the_box_does_not_select_its_text(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("enter", "escape", "s")
        assert screen.box.value == "billings"


async def test_the_mode_cycles(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        assert screen.found.text.startswith("keyword")
        await pilot.press("ctrl+t")
        await settled(pilot, lambda: screen.found.text.startswith("semantic   0 of 0"))
        assert screen.status.text.startswith("meaning is off")
        await pilot.press("ctrl+t")
        await settled(pilot, lambda: screen.found.text.startswith("hybrid") and screen.results.hits)
        assert screen.status.text.startswith("by keyword only, meaning is off")
        await pilot.press("ctrl+t")
        await settled(pilot, lambda: screen.found.text.startswith("keyword   "))
        assert screen.status.text == ""


async def test_a_click_selects(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries")
        await pilot.click(ResultsList, offset=(5, 7))
        await settled(pilot, lambda: screen.session.detail.session_id == screen.results.hits[2].id)
        assert screen.results.has_focus


async def test_any_size_works(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries")
        for size in ((1, 1), (2, 5), (5, 2), (10, 10), (40, 12), (63, 11), (99, 24), (1, 1), (120, 36)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await pilot.press("down", "alt+n", "up")
        await pilot.pause()
        assert screen.results.hits
        assert screen.session.detail.render_line(0).text.strip() == screen.results.selected.label


async def test_panes_stack_in_a_narrow_terminal(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(99, 24)) as pilot:
        screen = await typed(pilot, "billing")
        assert screen.results.region.bottom <= screen.session.detail.region.y
        await pilot.resize_terminal(100, 24)
        await pilot.pause()
        assert screen.results.region.right <= screen.session.detail.region.x


async def test_the_list_grows_as_the_selection_nears_its_end(make_app, memory_of, settled, typed) -> None:
    app = make_app(memory_of(*numbered(130)))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.results.hits)
        page = len(screen.results.hits)
        assert screen.results.page < page < 30
        seen = [hit.id for hit in screen.results.hits]
        screen.move(page - 1)
        await settled(pilot, lambda: len(screen.results.hits) == 2 * page)
        assert [hit.id for hit in screen.results.hits][:page] == seen
        assert screen.results.selected.id == seen[-1]
        while len(screen.results.hits) < 130:
            shown = len(screen.results.hits)
            screen.move(shown)
            await settled(pilot, lambda shown=shown: len(screen.results.hits) == min(shown + page, 130))
        screen = await typed(pilot, "harbour")
        assert len(screen.results.hits) == page


async def test_hits_of_words_go_on_beyond_a_hundred(make_app, memory_of, settled, typed) -> None:
    memory = memory_of(*numbered(130))
    offsets: list[int] = []

    class WatchedRecall:
        def search(self, query: RecallQuery, **named):
            offsets.append(query.offset)
            return memory.recall.search(query, **named)

    app = make_app(replace(memory, recall=WatchedRecall()))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "harbour ")
        page = len(screen.results.hits)
        while (shown := len(screen.results.hits)) < 130:
            screen.move(shown)
            chosen, top, session = screen.results.selected.id, screen.results.first_line, screen.session.detail
            await settled(pilot, lambda shown=shown: len(screen.results.hits) == min(shown + page, 130))
            assert screen.results.selected.id == chosen
            assert screen.results.first_line == top
            await settled(pilot, lambda session=session, chosen=chosen: session.session_id == chosen)
        ids = [hit.id for hit in screen.results.hits]
        assert len(set(ids)) == 130
        assert "130 of 130" in screen.found.text
        assert offsets == [0, 0, *range(0, 130, page)]  # nothing is asked for at first: pinned sessions and the newest
        first = memory.recall.search(RecallQuery("harbour ", limit=100))
        assert ids[:100] == [hit.id for hit in first.results]
        await pilot.press("down")
        await pilot.pause()
        assert len(offsets) == len(range(0, 130, page)) + 2


async def test_a_memory_that_changed_meanwhile_is_asked_anew(make_app, memory_of, tmp_path, settled, typed) -> None:
    app = make_app(memory_of(*numbered(130)))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "harbour")
        page = len(screen.results.hits)
        with SqliteSessionStore.open(tmp_path / "memory.sqlite") as store:
            store.insert_sessions(replace(numbered(1)[0], id="cc_new", label="Harbour, harbour"))
        screen.move(page - 1)
        chosen = screen.results.selected.id
        await settled(pilot, lambda: len(screen.results.hits) == 2 * page)
        assert screen.results.hits[0].id == "cc_new"
        assert screen.results.selected.id == chosen
        assert f"{2 * page} of 131" in screen.found.text


async def test_the_list_does_not_wait_for_a_huge_session(make_app, memory_of, typed, settled) -> None:
    huge = replace(numbered(1)[0], body="harbour pier\n" * 40_000)
    memory = memory_of(huge)
    gate = threading.Event()

    class SlowSessions:
        def __init__(self) -> None:
            self.reads = 0

        def get_by_id(self, session_id: str):
            self.reads += 1
            if self.reads == 2:  # the first read finds it too long to wait for
                assert gate.wait(30)
            return memory.sessions.get_by_id(session_id)

        def count(self) -> int:
            return 1

    app = make_app(replace(memory, sessions=SlowSessions()))
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        assert app.screen.results.hits
        assert app.screen.session.detail.session_id is None
        gate.set()
        await settled(pilot, lambda: app.screen.session.detail.session_id == huge.id)
        screen = await typed(pilot, "harbour")
        await settled(pilot, lambda: screen.session.detail.position.startswith("matches 40001"))


async def test_everything_is_painted_again_after_the_shell_had_the_terminal(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        painted: list[str] = []
        for widget in (screen, screen.box, screen.results, screen.session.detail, screen.status):
            widget.refresh = lambda *_, name=widget.id, **__: painted.append(name)  # type: ignore[method-assign]
        app.app_resume_signal.publish(app)
        await pilot.pause()
        assert {"query", "results", "detail", "status"} <= set(painted)


async def test_a_tiny_terminal_keeps_room_for_the_query(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(40, 12)) as pilot:
        screen = await typed(pilot, "billing retries")
        assert re.fullmatch(r"\d+ of \d+", screen.found.text)
        assert screen.box.size.width >= 12


async def test_a_half_typed_word_finds_and_marks(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retr")
        assert screen.results.hits[0].label == "Cap billing retries and add a dead-letter queue"
        title = screen.results.render_line(0)
        assert [segment.text for segment in title if segment.style and segment.style.underline] == ["billing", "retr"]
        assert screen.session.detail.position.startswith("matches")
