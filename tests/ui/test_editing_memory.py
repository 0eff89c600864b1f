"""Each change of the memory: from the key to the store, shown at once, and back by one key."""

from dataclasses import replace
from pathlib import Path

import pytest
from support import a_session

from nlm_tui.core.actions import standing
from nlm_tui.core.editing import EditService
from nlm_tui.settings import LastScreen
from nlm_tui.ui.screens.asking import AskText, Choose, Confirm
from nlm_tui.ui.screens.choosing import ChooseSession

OLD = a_session(
    "old",
    label="Retry queue in Redis",
    started_at="2026-05-01T10:00:00.000Z",
    decisions=("Redis holds it",),
    open=("Who pays for Redis?",),
    entities=("Redis", "queues"),
)
NEW = a_session(
    "new",
    label="Retry queue in Postgres",
    started_at="2026-05-20T10:00:00.000Z",
    decisions=("Postgres holds it", "Rows are locked"),
    entities=("Postgres", "queues"),
)


@pytest.fixture
def memory(memory_of):
    return memory_of(OLD, NEW)


@pytest.fixture
def edits(make_app, memory, settled, typed):
    """Return a coroutine that opens the app on `text`, presses the letter of a change, and hands over to `then`."""

    async def run(text, letter, then, *, view=None, size=(120, 36)):
        app = make_app(memory)
        async with app.run_test(size=size, notifications=True) as pilot:
            screen = await typed(pilot, text)
            if view:
                await pilot.press(view)
                await settled(
                    pilot, lambda: screen.answered == text and (screen.target.session_id or screen.target.topic)
                )
            await pilot.press("alt+e")
            await settled(pilot, lambda: isinstance(app.screen, Choose))
            await pilot.press(letter)
            await then(pilot, app, screen)

    return run


async def answered(pilot, settled, app, text, kind=AskText):
    await settled(pilot, lambda: isinstance(app.screen, kind))
    app.screen.box.value = text
    await pilot.press("enter")


def kinds(memory):
    return [action.kind for action in standing(memory.editing._store.log())]


def session(memory, session_id):
    return memory.sessions.get_by_id(session_id)


async def test_a_title_is_changed_shown_and_taken_back(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await answered(pilot, settled, app, "Where retries wait")
        await settled(pilot, lambda: screen.results.selected and screen.results.selected.label == "Where retries wait")
        await settled(pilot, lambda: "Where retries wait" in screen.session.detail.render_line(0).text)
        await pilot.press("alt+u")
        await settled(pilot, lambda: screen.results.selected.label == "Retry queue in Redis")
        assert kinds(memory) == []

    await edits("redis", "t", then)
    assert [action.kind for action in memory.editing._store.log()] == ["retitle", "undo"]


async def test_escape_changes_nothing(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await settled(pilot, lambda: isinstance(app.screen, AskText))
        await pilot.press("escape")
        await settled(pilot, lambda: app.screen is screen)

    await edits("redis", "t", then)
    assert memory.editing._store.log() == []


async def test_what_makes_no_sense_is_said_and_changes_nothing(edits, memory, settled) -> None:
    async def then(pilot, app, _screen):
        await answered(pilot, settled, app, "   ")
        await settled(pilot, lambda: any("title" in note.message for note in app._notifications))

    await edits("redis", "t", then)
    assert kinds(memory) == []


async def test_a_note_is_kept_found_and_taken_off(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await answered(pilot, settled, app, "ask Priya first")
        await settled(pilot, lambda: session(memory, "old").note == "ask Priya first")
        screen.box.value = "priya"
        await settled(pilot, lambda: screen.answered == "priya" and screen.results.selected)
        assert screen.results.selected.id == "old"

    await edits("redis", "n", then)


@pytest.mark.parametrize(("letter", "kind"), [("d", "decision"), ("o", "open")])
async def test_a_marker_is_added(edits, memory, settled, letter, kind) -> None:
    async def then(pilot, app, _):
        await answered(pilot, settled, app, "Ports are closed")
        await settled(pilot, lambda: kinds(memory) == [f"add_{kind}"])

    await edits("redis", letter, then)
    old = session(memory, "old")
    assert (old.decisions if kind == "decision" else old.open)[-1] == "Ports are closed"


async def test_a_session_is_superseded_by_one_that_is_searched_for(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await settled(pilot, lambda: isinstance(app.screen, ChooseSession) and app.screen.hits)
        assert [hit.id for hit in app.screen.hits] == ["new"]
        app.screen.box.value = "postgres"
        await settled(pilot, lambda: app.screen.hits and app.screen.hits[0].id == "new")
        await pilot.press("enter")
        await settled(pilot, lambda: screen.results.selected and screen.results.selected.status == "superseded")
        assert any("superseded by \u201cRetry queue in Postgres\u201d" in note.message for note in app._notifications)

    await edits("redis", "s", then)
    assert session(memory, "old").superseded_by == ("new",)


async def test_a_session_is_linked_as_the_continuation_of_another(edits, memory, settled) -> None:
    async def then(pilot, app, _):
        await settled(pilot, lambda: isinstance(app.screen, ChooseSession) and app.screen.hits)
        await pilot.press("enter")
        await settled(pilot, lambda: kinds(memory) == ["continue"])

    await edits("postgres", "c", then)
    assert session(memory, "new").continues == ("old",)


async def test_a_hidden_session_is_gone_from_the_list_until_it_is_asked_for(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await settled(pilot, lambda: [hit.id for hit in screen.results.hits] == ["new"])
        screen.box.value = "is:hidden"
        await settled(pilot, lambda: [hit.id for hit in screen.results.hits] == ["old"])
        await pilot.press("alt+e")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("h")
        await settled(pilot, lambda: kinds(memory) == ["hide", "unhide"] and not screen.results.hits)
        await pilot.press("alt+u")
        await settled(pilot, lambda: [hit.id for hit in screen.results.hits] == ["old"])

    await edits("queue redis", "h", then)


async def test_a_pin_is_put_taken_off_and_put_again_by_undo(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await settled(pilot, lambda: screen.results.selected and screen.results.selected.pinned)
        await pilot.press("alt+e")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("p")
        await settled(pilot, lambda: not screen.results.selected.pinned)
        await pilot.press("alt+u")
        await settled(pilot, lambda: screen.results.selected.pinned)
        await pilot.press("alt+u")
        await settled(pilot, lambda: not screen.results.selected.pinned)
        said = [note.message.partition("   ")[0] for note in app._notifications]
        assert said == ["pinned", "unpinned", "undone: unpinned", "undone: pinned"]
        assert kinds(memory) == []

    await edits("redis", "p", then)


async def test_a_decision_is_corrected_where_it_is_selected(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await answered(pilot, settled, app, "Redis holds it for a day")
        await settled(pilot, lambda: screen.target.marker and screen.target.marker.text == "Redis holds it for a day")

    await edits("redis holds", "e", then, view="alt+2")
    assert session(memory, "old").decisions == ("Redis holds it for a day",)


async def test_one_of_several_markers_is_chosen(edits, memory, settled) -> None:
    async def then(pilot, app, _screen):
        await settled(pilot, lambda: isinstance(app.screen, Choose) and len(app.screen._choices) == 2)
        await pilot.press("2")
        await settled(pilot, lambda: kinds(memory) == ["dismiss_decision"])

    await edits("postgres", "x", then)
    assert session(memory, "new").decisions == ("Postgres holds it",)


async def test_a_question_is_answered_reopened_and_resolved(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await answered(pilot, settled, app, "The platform team pays")
        await settled(pilot, lambda: screen.target.marker and screen.target.marker.state == "promoted")
        old = session(memory, "old")
        assert old.open == ()
        assert old.decisions == ("Redis holds it", "The platform team pays")
        await pilot.press("alt+e")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("w")
        await settled(pilot, lambda: screen.target.marker.state == "standing")
        await pilot.press("alt+d")
        await settled(pilot, lambda: screen.target.marker.state == "resolved")

    await edits("pays", "a", then, view="alt+3")
    old = session(memory, "old")
    assert (old.open, old.decisions) == ((), ("Redis holds it",))


@pytest.mark.parametrize(("key", "left"), [("y", ["new"]), ("n", ["new", "old"]), ("escape", ["new", "old"])])
async def test_a_session_is_forgotten_after_a_question(edits, memory, settled, key, left) -> None:
    async def then(pilot, app, screen):
        await settled(pilot, lambda: isinstance(app.screen, Confirm))
        app.context.state.change(lambda state: replace(state, history=("redis",), last=LastScreen(selected="old")))
        await pilot.press(key)
        await settled(pilot, lambda: app.screen is screen and not app.workers and not screen.workers)
        await settled(pilot, lambda: app.context.state.state.last.selected == ("" if key == "y" else "old"))
        assert app.context.state.state.history == ("redis",)
        await settled(pilot, lambda: sorted(hit.id for hit in screen.results.hits) == left)

    await edits("queue redis", "F", then)
    assert sorted(found.id for found in memory.sessions.list()) == left


async def test_copies_that_hold_what_was_forgotten_are_named(make_app, memory, settled, typed) -> None:
    app = make_app(replace(memory, copies=lambda: [Path("/m.sqlite.schema-103.backup")]))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await typed(pilot, "queue redis")
        for key, shown in (("alt+e", Choose), ("F", Confirm)):
            await pilot.press(key)
            await settled(pilot, lambda shown=shown: isinstance(app.screen, shown))
        await pilot.press("y")
        await settled(pilot, lambda: "schema-103.backup still holds" in " ".join(n.message for n in app._notifications))


async def test_topics_are_renamed_merged_and_retired(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await answered(pilot, settled, app, "Redis Cluster")
        await settled(pilot, lambda: screen.target.topic == "Redis Cluster")
        for letter, name in (("g", "Postgres"), ("z", None)):
            await pilot.press("alt+e")
            await settled(pilot, lambda: isinstance(app.screen, Choose))
            await pilot.press(letter)
            if name:
                await answered(pilot, settled, app, name)
                await settled(pilot, lambda: session(memory, "old").entities == ("Postgres", "queues"))
                screen.box.value = "queues"
                await settled(pilot, lambda: screen.target.topic == "queues")
        await settled(pilot, lambda: session(memory, "old").entities == ("Postgres",))

    await edits("redis", "m", then, view="alt+4")


def ships(count):
    return (
        a_session(
            f"ship{number:02}",
            label=f"Ship {number:02}",
            started_at=f"2026-05-20T10:{59 - number}:00.000Z",
            decisions=(f"sail {number:02}",),
            entities=(f"quay {number:02}",),
        )
        for number in range(count)
    )


async def edited(pilot, settled, app, letter, *answers):
    """Choose from the menu of changes, and answer what it asks."""
    await pilot.press("alt+e")
    await settled(pilot, lambda: isinstance(app.screen, Choose))
    await pilot.press(letter)
    for text in answers:
        await answered(pilot, settled, app, text)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
@pytest.mark.parametrize(
    ("letter", "answers", "selected"),
    [("m", ["zebra"], "zebra"), ("m", ["anchor"], "anchor"), ("g", ["quay 47"], "quay 47"), ("z", [], "quay 03")],
)
async def test_the_selection_stays_on_a_topic_that_is_changed(
    make_app, memory_of, settled, typed, size, letter, answers, selected
) -> None:
    app = make_app(memory_of(*ships(48)))
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = await typed(pilot, "")
        await pilot.press("alt+4")
        await settled(pilot, lambda: screen.target.topic == "quay 00")
        await pilot.press("down", "down")
        await edited(pilot, settled, app, letter, *answers)
        await settled(pilot, lambda: screen.target.topic == selected)
        await pilot.press("alt+u")
        back = {"m": {"quay 02"}, "g": {"quay 02", selected}, "z": {selected}}[letter]
        await settled(pilot, lambda: screen.target.topic in back and "quay 02" in screen.views.rows.listed.keys)


async def test_a_topic_that_is_out_of_what_is_searched_gives_its_place_to_the_next(edits, memory, settled) -> None:
    async def then(pilot, app, screen):
        await answered(pilot, settled, app, "zebra")
        await settled(pilot, lambda: kinds(memory) == ["rename_entity"] and screen.target.topic != "Postgres")
        assert screen.target.topic is None

    await edits("postgres", "m", then, view="alt+4")


@pytest.mark.parametrize(("view", "letter"), [("alt+1", "h"), ("alt+2", "x"), ("alt+6", "h")])
async def test_below_a_row_that_goes_the_next_one_is_selected(
    make_app, memory_of, settled, typed, view, letter
) -> None:
    app = make_app(memory_of(*ships(6)))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        screen = await typed(pilot, "")
        await pilot.press(view)
        await settled(pilot, lambda: screen.target.session_id == "ship00")
        await pilot.press("down", "down")
        await edited(pilot, settled, app, letter)
        await settled(pilot, lambda: screen.target.session_id == "ship03")
        await pilot.press("end")
        await edited(pilot, settled, app, letter)
        await settled(pilot, lambda: screen.target.session_id == "ship04")


async def test_a_topic_with_a_secret_in_its_name_gets_another_name_unseen(make_app, memory_of, settled, typed) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    app = make_app(memory_of(replace(OLD, entities=(f"key {key}",))))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        screen = await typed(pilot, "")
        await pilot.press("alt+4")
        await settled(pilot, lambda: screen.target.topic)
        await pilot.press("alt+e")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("m")
        await settled(pilot, lambda: isinstance(app.screen, AskText))
        assert app.screen.box.value == ""
        await answered(pilot, settled, app, "the key")
        await settled(pilot, lambda: screen.target.topic == "the key")


async def test_nothing_is_changed_where_it_cannot_be_and_that_is_said(make_app, memory, typed, settled) -> None:
    class Refusing:
        def require_writable(self):
            from nlm_tui.core import StoreError

            raise StoreError("memory.sqlite: this store belongs to another program and is only read")

    only_read = replace(memory, editing=EditService(Refusing(), now=lambda: None, new_suffix=lambda: ""))
    app = make_app(only_read)
    async with app.run_test(notifications=True) as pilot:
        screen = await typed(pilot, "redis")
        for key in ("alt+e", "alt+u", "alt+d"):
            app._notifications.clear()
            await pilot.press(key)
            await settled(pilot, lambda: any("belongs to another" in note.message for note in app._notifications))
        assert app.screen is screen
