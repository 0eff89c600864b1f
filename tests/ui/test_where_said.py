"""From a decision or an open question to the message that it comes from."""

from dataclasses import replace

import pytest
from reading import PaneApp, current, opened, shown, talk

from nlm_tui.core import Evidence, Matcher
from nlm_tui.ui.layout import Marks

SIZE = (70, 20)
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LONG = "\n".join(f"street {number}" for number in range(60))
FERRY = talk(
    ("user", f"Which pier?\n{LONG}"),
    ("tool", "Grep  pier\nport.txt: the north pier is closed"),
    ("assistant", f"Wait.\nWe meet at the *north\npier*, with {TOKEN}.\n{LONG}"),
    ("user", f"{LONG}\nWho buys the tickets?"),
    ("assistant", "Nobody knows."),
    label="Where the ferries stop",
    decisions=("the north pier", "no evidence", "it is closed"),
    open=("who buys the tickets",),
    evidence={
        ("decision", "the north pier"): Evidence(2, f"We meet at the *north pier*, with {TOKEN}."),
        ("decision", "it is closed"): Evidence(1, "the north pier is closed"),
        ("open", "who buys the tickets"): Evidence(3, "Who buys the tickets?"),
    },
)
OTHER = talk(("user", "Two\n" + LONG), ("user", "cafe"), id="cc_2", decisions=("nothing said",))


@pytest.fixture
async def reader(memory_of, settled):
    """A pilot in an open session, and its view."""
    app = PaneApp(memory_of(FERRY, OTHER))
    async with app.run_test(size=SIZE) as pilot:
        yield pilot, await opened(app, pilot, settled)


async def test_presses_walk_through_the_markers(reader) -> None:
    pilot, detail = reader
    await pilot.press("c")
    assert shown(detail)[0] == " claude  08:00", "the message is at the top"
    assert "".join(current(detail)).startswith("We meet at the *northpier*, with ghp_")
    assert "".join(current(detail)).endswith(".")
    assert TOKEN not in "".join(shown(detail))
    assert detail.position.startswith("said 1 of 3   ")
    assert pilot.app.pane.position.text.startswith("said 1 of 3   ")
    await pilot.press("c")
    assert shown(detail)[0] == "   Grep  pier"
    assert current(detail) == ["the north pier is closed"]
    await pilot.press("c")
    assert current(detail) == ["Who buys the tickets?"], "the words are in view, though the message begins far above"
    assert detail.position.startswith("said 3 of 3   ")
    await pilot.press("c")
    assert detail.position.startswith("said 1 of 3   ")


async def test_the_words_stay_marked_until_something_else_is_gone_to(reader, settled) -> None:
    pilot, detail = reader
    await pilot.press("c", "j", "j", "k")
    assert "".join(current(detail)).startswith("We meet")
    assert detail.position.startswith("said 1 of 3   ")
    assert detail.message_at_view().message == 2
    await pilot.press("right_square_bracket")
    assert detail.position.startswith("prompt 2 of 2")
    await pilot.press("c", "k")
    assert current(detail) == ["the north pier is closed"], "the next one"
    await pilot.press("slash", *"kno")
    await settled(pilot, lambda: detail.stop_words == "find 1 of 1")
    assert current(detail) == ["kno"]
    assert "said" not in detail.position


async def test_folded_tool_calls_unfold(reader) -> None:
    pilot, detail = reader
    await pilot.press("z", "c", "c")
    assert current(detail) == ["the north pier is closed"]


async def test_a_session_that_does_not_say_has_no_such_key(reader, settled) -> None:
    pilot, detail = reader
    await pilot.press("c")
    await opened(pilot.app, pilot, settled, "cc_2")
    assert not detail.check_action("said", ())
    await pilot.press("j", "c")
    assert detail.first_line == 1
    assert "said" not in detail.position
    await opened(pilot.app, pilot, settled, "cc_1")
    assert detail.check_action("said", ())
    await pilot.press("c")
    assert detail.position.startswith("said 1 of 3   "), "from the beginning"


async def test_the_same_session_read_again_keeps_it(reader, settled) -> None:
    pilot, detail = reader
    await pilot.press("c", "c")
    document = detail._document
    pilot.app.pane.read_again()
    await settled(pilot, lambda: detail._document is not document and detail.is_complete)
    assert current(detail) == ["the north pier is closed"]
    assert detail.position.startswith("said 2 of 3   ")


async def test_it_is_gone_to_as_soon_as_it_is_there(memory_of, settled) -> None:
    long = talk(
        *(("user" if number % 2 else "assistant", LONG) for number in range(400)),
        ("user", "The north pier it is."),
        decisions=("north pier",),
        evidence={("decision", "north pier"): Evidence(400, "The north pier it is.")},
    )
    app = PaneApp(memory_of(long))
    async with app.run_test(size=SIZE) as pilot:
        app.pane.show_session("cc_1", Marks(Matcher()), None)
        await settled(pilot, lambda: app.pane.detail.session_id == "cc_1")
        app.pane.detail.focus()
        await pilot.press("c")
        await settled(pilot, lambda: current(app.pane.detail) == ["The north pier it is."])


async def test_words_that_are_not_there_leave_their_message(memory_of, settled) -> None:
    other = replace(FERRY, evidence={("decision", "the north pier"): Evidence(2, "never said")})
    app = PaneApp(memory_of(other))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        await pilot.press("c")
        assert shown(detail)[0] == " claude  08:00"
        assert current(detail) == []
        assert detail.message_at_view().message == 2


@pytest.mark.parametrize("message", [5, -1])
async def test_a_message_that_is_not_there_is_none(memory_of, settled, message: int) -> None:
    other = replace(FERRY, evidence={("decision", "the north pier"): Evidence(message, "never said")})
    app = PaneApp(memory_of(other))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        assert not detail.check_action("said", ())


# On the search screen


async def shows_decisions(pilot, settled, session: str = "cc_1"):
    """Turn to the decisions, and wait for the session of the first one."""
    screen = pilot.app.screen
    await settled(pilot, lambda: screen.answered is not None)
    await pilot.press("alt+2")
    await settled(pilot, lambda: screen.view_name == "decisions" and screen.target.session_id == session)
    return screen


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (50, 14)])
async def test_a_row_opens_at_its_message(make_app, memory_of, settled, size) -> None:
    app = make_app(memory_of(FERRY))
    async with app.run_test(size=size) as pilot:
        screen = await shows_decisions(pilot, settled)
        detail = screen.session.detail
        await pilot.press("down", "down", "enter")
        await settled(pilot, lambda: "".join(current(detail)) == "the north pier is closed")
        assert detail.has_focus
        assert detail.position.startswith("said 2 of 3   ")
        await pilot.press("c")
        assert "".join(current(detail)) == "Who buys the tickets?", "on from there"
        await pilot.press("escape", "enter")
        await settled(pilot, lambda: "".join(current(detail)) == "the north pier is closed")


async def test_a_row_without_evidence_opens_as_before(make_app, memory_of, settled) -> None:
    app = make_app(memory_of(OTHER))
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await shows_decisions(pilot, settled, "cc_2")
        await pilot.press("enter")
        await settled(pilot, lambda: screen.session.detail.has_focus)
        assert screen.session.detail.first_line == 0


async def test_from_the_box_to_where_the_selected_row_was_said(make_app, memory_of, settled) -> None:
    app = make_app(memory_of(FERRY))
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await shows_decisions(pilot, settled)
        detail = screen.session.detail
        await pilot.press("down", "down", "alt+c")
        await settled(pilot, lambda: "".join(current(detail)) == "the north pier is closed")
        assert screen.box.has_focus
        await pilot.press("alt+c")
        assert "".join(current(detail)) == "Who buys the tickets?"


async def test_it_is_said_where_there_is_nothing_to_go_to(make_app, memory_of, settled) -> None:
    app = make_app(memory_of(OTHER))
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await settled(pilot, lambda: app.screen.session.detail.session_id == "cc_2")
        await pilot.press("alt+c")
        said = [notice.message for notice in app._notifications]
        assert said == ["where the decisions and questions of this session were said is not known"]


async def test_the_editor_opens_at_that_message(make_app, memory_of, settled) -> None:
    other = replace(FERRY, turns=tuple(
        turn._replace(at=f"2026-05-30T08:0{number}:00.000Z") for number, turn in enumerate(FERRY.turns)
    ))  # fmt: skip
    app = make_app(memory_of(other))
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await shows_decisions(pilot, settled)
        await pilot.press("enter")
        await settled(pilot, lambda: "We meet" in "".join(current(screen.session.detail)))
        found = screen.session.detail.message_at_view()
        assert (found.message, found.at) == (2, "2026-05-30T08:02:00.000Z")


async def test_a_row_without_evidence_says_so_though_others_have_some(make_app, memory_of, settled) -> None:
    app = make_app(memory_of(FERRY))
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        screen = await shows_decisions(pilot, settled)
        await pilot.press("down")
        await settled(pilot, lambda: screen.session.detail.marker == "no evidence")
        await pilot.press("alt+c")
        assert [notice.message for notice in app._notifications] == ["where this was said is not known"]
        assert screen.session.detail.first_line == 0
