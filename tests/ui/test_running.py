"""Commands while the screen goes on below them: what they act on, what is painted, what is said where they fail."""

import threading
from dataclasses import replace

import pytest
from support import a_session

from nlm_tui.core import SearchInterruptedError, StoreError
from nlm_tui.core.actions import Action, standing
from nlm_tui.core.secrets import DOTS
from nlm_tui.settings import KeyBinding
from nlm_tui.ui.own_keys import read_keys
from nlm_tui.ui.screens.asking import AskText, Choose
from nlm_tui.ui.screens.choosing import ChooseSession
from nlm_tui.ui.screens.help import HelpScreen

SIZE = (120, 36)
OLD = a_session("old", label="Ferries to the island", started_at="2026-05-01T08:00:00Z", open=("Who pays?",))
NEW = a_session("new", label="Boats in the harbour", started_at="2026-05-20T08:00:00Z", decisions=("No sails",))


@pytest.fixture
def memory(memory_of):
    return memory_of(OLD, NEW)


class Failing:
    """A store of sessions that fails on demand."""

    def __init__(self, store) -> None:
        self._store = store
        self.error: Exception | None = None

    def __getattr__(self, name):
        if self.error is not None and name in {"get_by_id", "get_by_ids"}:
            raise self.error
        return getattr(self._store, name)


def notices(app) -> list[str]:
    return [notice.message for notice in app._notifications]


def below(app) -> list[str]:
    """Return what is painted, line by line."""
    return ["".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()]


@pytest.mark.parametrize(("key", "kind"), [("alt+e", Choose), ("f1", HelpScreen), ("ctrl+r", None), ("alt+x", None)])
async def test_what_lies_on_the_screen_is_not_painted_for_what_changes_below(
    make_app, memory, typed, settled, monkeypatch, key, kind
) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "")
        await pilot.press(key)
        await settled(pilot, lambda: app.screen is not screen and (kind is None or isinstance(app.screen, kind)))
        await pilot.pause(0.2)
        paints = []
        display = app._display
        monkeypatch.setattr(app, "_display", lambda *given: paints.append(given) or display(*given))
        for number in range(5):
            screen.status.text = f"by meaning: {number} of 9 passages"
            screen.memory_changed()
            await pilot.pause(0.05)
        await settled(pilot, lambda: not [one for one in app.workers if one.group in {"search", "days"}])
        assert paints == []
        screen.status.text = "it goes on"
        await pilot.press("escape")
        await settled(pilot, lambda: app.screen is screen and any("it goes on" in line for line in below(app)))


async def test_a_dialog_lies_on_a_screen_of_its_size(make_app, memory, typed, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "")
        await pilot.press("alt+e")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        for size in ((40, 12), (1, 1), (80, 24)):
            await pilot.resize_terminal(*size)
            await settled(pilot, lambda size=size: app.screen.size == size == screen.size)
        await settled(pilot, lambda: any("Boats" in line for line in below(app)))
        await pilot.press("escape")
        await settled(pilot, lambda: app.screen is screen and screen.box.has_focus)
        assert screen.panes.arrangement == "stacked"
        await settled(pilot, lambda: any("f1 help" in line for line in below(app)))


@pytest.mark.parametrize("keys", ["alt+e t", "alt+e n", "alt+e p", "alt+e h", "alt+e F", "alt+r", "alt+o", "alt+j"])
@pytest.mark.parametrize("error", [StoreError("memory.sqlite: the disk is gone"), SearchInterruptedError()])
async def test_a_memory_that_fails_ends_the_command_alone(make_app, memory, typed, settled, keys, error) -> None:
    sessions = Failing(memory.sessions)
    app = make_app(replace(memory, sessions=sessions))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await typed(pilot, "")
        sessions.error = error
        await pilot.press(*keys.split())
        said = "the disk is gone" if isinstance(error, StoreError) else "try again"
        await settled(pilot, lambda: any(said in notice for notice in notices(app)))
        assert app.is_running


async def test_a_change_that_fails_is_said(make_app, memory, typed, settled, monkeypatch) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await typed(pilot, "")

        def interrupted() -> None:
            raise SearchInterruptedError

        monkeypatch.setattr(memory.editing, "undo", interrupted)
        await pilot.press("alt+u")
        await settled(pilot, lambda: any("try again" in notice for notice in notices(app)))
        assert "changing" not in screen.status.text


async def test_a_change_is_said_whatever_is_pressed_meanwhile(make_app, memory, typed, settled, monkeypatch) -> None:
    app = make_app(memory)
    go_on, pin = threading.Event(), memory.editing.pin
    monkeypatch.setattr(memory.editing, "pin", lambda session_id: go_on.wait(20) and pin(session_id))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await typed(pilot, "")
        await pilot.press("alt+e", "p")
        await settled(pilot, lambda: "changing" in screen.status.text)
        await pilot.press("alt+u", "ctrl+y")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("escape")
        assert notices(app) == []
        go_on.set()
        await settled(pilot, lambda: len(notices(app)) == 2)
        assert [one.kind for one in memory.editing._store.log()] == ["pin", "undo"]  # in the order of the keys
        await settled(pilot, lambda: screen.status.text == "")


async def test_a_command_acts_on_what_was_selected_when_it_was_given(make_app, memory, typed, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "")
        assert screen.target.session_id == "new"
        await pilot.press("alt+e")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        screen.results.move(1)  # as when newer hits come
        await settled(pilot, lambda: screen.session.detail.session_id == "old")
        await pilot.press("t")
        await settled(pilot, lambda: isinstance(app.screen, AskText))
        assert app.screen.box.value == NEW.label
        app.screen.box.value = "Boats"
        await pilot.press("enter")
        await settled(pilot, lambda: memory.sessions.get_by_id("new").label == "Boats")
        await settled(pilot, lambda: screen.target.session_id == "old")
        assert memory.sessions.get_by_id("old").label == OLD.label


async def test_what_is_in_view_is_copied_from_the_target(make_app, memory_of, typed, settled) -> None:
    sessions = [replace(one, body=f"the body of {one.id}") for one in (OLD, NEW)]
    app = make_app(memory_of(*sessions))
    copied = []
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "")
        await settled(pilot, lambda: screen.session.detail.message_at_view() is not None)
        machine = screen.app_context.machine
        screen.app_context.machine = replace(machine, show=lambda _, text: copied.append(text) or "")
        await pilot.press("ctrl+y", "s", "m")
        await settled(pilot, lambda: copied)
        await pilot.press("ctrl+y")
        screen.results.move(1)
        await settled(pilot, lambda: screen.session.detail.session_id == "old")
        await pilot.press("s", "m")
        await settled(pilot, lambda: len(copied) == 2)
    assert copied == ["the body of new"] * 2


@pytest.fixture
def replaced(memory_of):
    """A memory in which a session was replaced by one that a search for its words does not find."""
    action = Action("act_1", "2026-05-20T09:00:00Z", "supersede", "session", "old", {"by": "new"})
    return memory_of(OLD, NEW, also=lambda store: store.corrections.act(action))


async def test_a_successor_that_is_shown_is_what_commands_act_on(make_app, replaced, typed, settled) -> None:
    app = make_app(replaced)
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferries")
        await pilot.press("alt+j")
        await settled(pilot, lambda: screen.session.detail.session_id == "new" and screen.session.detail.has_focus)
        assert screen.target.session_id == "new"
        screen.memory_changed()
        await settled(pilot, lambda: not [one for one in app.workers if one.group in {"search", "days"}])
        assert (screen.target.session_id, screen.session.detail.session_id) == ("new", "new")
        await pilot.press("alt+e")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("p")
        await settled(pilot, lambda: replaced.sessions.get_by_id("new").pinned)
        assert not replaced.sessions.get_by_id("old").pinned
        await pilot.press("escape")
        await settled(pilot, lambda: screen.session.detail.session_id == "old")
        assert screen.target.session_id == "old"


@pytest.mark.parametrize("leave", ["alt+2", "ctrl+b", "x", "escape"])
async def test_whoever_moves_on_leaves_the_successor(make_app, replaced, typed, settled, leave) -> None:
    app = make_app(replaced)
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferries")
        await pilot.press("alt+j")
        await settled(pilot, lambda: screen.target.session_id == "new")
        if leave in {"x", "escape"}:
            screen.box.focus()
        await pilot.press(leave)
        await settled(pilot, lambda: screen.target.session_id != "new")
        assert screen.box.value or leave != "escape"


async def test_the_successor_that_is_shown_is_picked(make_app, replaced, typed, settled) -> None:
    app = make_app(replaced, picks=True)
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "ferries")
        await pilot.press("alt+j")
        await settled(pilot, lambda: screen.target.session_id == "new")
        screen.box.focus()
        await pilot.press("enter")
        await settled(pilot, lambda: not app.is_running)
    assert app.context.picked == "new"


async def test_the_last_line_says_how_a_row_is_opened(make_app, memory, typed, settled) -> None:
    app = make_app(memory)
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "")
        await pilot.press("tab")
        assert screen.results.has_focus
        await settled(pilot, lambda: screen.key_bar.text.startswith("enter open"))
        await pilot.press("enter")
        await settled(pilot, lambda: not screen.key_bar.text.startswith("enter open"))


async def test_questions_name_the_key_that_leaves_them(make_app, memory, typed, settled, tmp_path) -> None:
    own = [KeyBinding(f"{name}.cancel", ("ctrl+o",), tmp_path / "c", 1) for name in ("ask", "choose")]
    app = make_app(memory, keys=read_keys(own))
    async with app.run_test(size=SIZE) as pilot:
        screen = await typed(pilot, "")
        for letter, kind in (("t", AskText), ("s", ChooseSession)):
            await pilot.press("alt+e")
            await settled(pilot, lambda: isinstance(app.screen, Choose))
            await pilot.press(letter)
            await settled(pilot, lambda kind=kind: isinstance(app.screen, kind))
            await settled(pilot, lambda: any("Ctrl+O changes nothing" in line for line in below(app)))
            await pilot.press("ctrl+o")
            await settled(pilot, lambda: app.screen is screen)


async def test_a_secret_is_neither_shown_nor_overwritten_by_an_edit(make_app, memory_of, typed, settled) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memory = memory_of(a_session("cc_1", label=f"Rotate {token}", decisions=(f"drop {token}",)))
    app = make_app(memory)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await typed(pilot, "")
        await pilot.press("alt+2")
        await settled(pilot, lambda: screen.target.marker)
        for letter in "te":
            app.clear_notifications()
            await pilot.press("alt+e", letter)
            await settled(pilot, lambda: notices(app) == ["it holds a secret, which would be shown: alt+k allows that"])
            assert app.screen is screen
        await pilot.press("alt+k", "alt+e", "e")
        await settled(pilot, lambda: isinstance(app.screen, AskText))
        assert app.screen.box.value == f"drop {token}"
        app.screen.box.value = f"drop {token} soon"
        await pilot.press("enter")
        await settled(pilot, lambda: memory.sessions.get_by_id("cc_1").decisions == (f"drop {token} soon",))
        assert DOTS not in str(standing(memory.editing._store.log()))


async def test_a_session_is_taken_only_from_the_hits_of_what_was_typed(
    make_app, memory, typed, settled, monkeypatch
) -> None:
    app = make_app(memory)
    search, go_on, asked = memory.recall.search, threading.Event(), []

    def slow(query, **given):
        asked.append(query.query)
        if query.query and len(asked) < 4:
            raise SearchInterruptedError  # by the screen below
        if query.query:
            go_on.wait(20)
        return search(query, **given)

    async with app.run_test(size=SIZE) as pilot:
        await typed(pilot, "")
        await pilot.press("down", "alt+e")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("s")
        await settled(pilot, lambda: isinstance(app.screen, ChooseSession) and app.screen.hits)
        dialog = app.screen
        assert [hit.id for hit in dialog.hits] == ["new"]
        monkeypatch.setattr(type(memory.recall), "search", lambda _, query, **given: slow(query, **given))
        dialog.box.value = "nothing like that"
        await pilot.press("enter")
        assert app.screen is dialog
        go_on.set()
        await settled(pilot, lambda: not dialog.hits)
        await pilot.press("enter", "escape")
        assert memory.sessions.get_by_id("old").superseded_by == ()


async def test_where_there_is_no_room_for_the_demo_it_is_said(make_app, memory_of, settled) -> None:
    def full():
        raise OSError("No space left on device")

    app = make_app(memory_of(), open_demo=full)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.answered == "")
        await pilot.press("enter")
        await settled(pilot, lambda: any("No space left" in notice for notice in notices(app)))


async def test_the_menu_of_changes_holds_what_suits_the_row(make_app, memory_of, typed, settled) -> None:
    app = make_app(memory_of(replace(OLD, entities=("Ferry",)), NEW))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await typed(pilot, "")
        for view, first, count in (("alt+1", "session.retitle", 14), ("alt+4", "topic.rename", 3)):
            await pilot.press(view)
            await settled(pilot, lambda: screen.target.session_id or screen.target.topic)
            await pilot.press("alt+e")
            await settled(pilot, lambda: isinstance(app.screen, Choose))
            assert app.screen.choices[0].value.id == first
            assert len(app.screen.choices) == count
            await pilot.press("escape")
        await typed(pilot, "no such word at all")
        await settled(pilot, lambda: screen.target.topic is None)
        await pilot.press("alt+e")
        await settled(pilot, lambda: "nothing is selected" in notices(app))


async def test_what_would_do_nothing_says_why(make_app, memory_of, typed, settled) -> None:
    app = make_app(memory_of())
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await typed(pilot, "ferries")
        await settled(pilot, lambda: "why" not in screen.key_bar.text)
        await pilot.press("ctrl+l", "ctrl+o", "ctrl+g", "f5")
        assert notices(app) == [
            "no hit is selected",
            "the box holds no condition",
            "no other word was looked for than what was typed",
            "no transcripts are read into this memory",
        ]
