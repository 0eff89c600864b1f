"""Pictures of the screen at three sizes. Look at each one that changes."""

from dataclasses import replace

import pytest

from nlm_tui.core import Message, RecallService, Session, join_messages
from nlm_tui.embedding import UnavailableEmbedder
from nlm_tui.settings import RUNTIMES

SIZES = ((120, 36), (80, 24), (60, 20))


def sizes(count: int) -> pytest.MarkDecorator:
    """Take a picture at each of the first sizes."""
    return pytest.mark.parametrize("size", SIZES[:count], ids=lambda size: f"{size[0]}x{size[1]}")


def session_of(*messages: Message, **fields: object) -> Session:
    body, turns = join_messages(messages)
    defaults = {
        "id": "cc_00000000-0000-4000-8000-000000000001",
        "runtime": "claude-code",
        "started_at": "2026-05-30T08:00:00.000Z",
        "label": "A session",
    }
    return Session(**(defaults | fields), body=body, turns=turns)


def hostile() -> Session:
    nasty = (
        "\x1b]52;c;aGFjaw==\x07clip \x1b]0;title\x07 \x1b[31mred\x1b[0m \x9b2J \x00nul \x07bell \b\b back "
        "\u202eoverride\u202c [bold]not bold[/bold] [/foo] [@click=app.quit]x[/] [unclosed \ud800 tab\there"
    )
    return session_of(
        Message("user", f"hostile prompt {nasty}"),
        Message("assistant", f"hostile answer {nasty}\nsecond line\r\nthird\rfourth\u2028fifth"),
        label=f"hostile {nasty}",
        summary=f"summary {nasty}",
        decisions=(f"decision {nasty}",),
        open=(f"open {nasty}",),
        entities=(f"thing {nasty}",),
        project="/srv/[red]\x1b[31mproject",
        branch="fix/[/link]\x1b[2J",
        model="\x1b[5mblink",
    )


def endless() -> Session:
    messages = [
        message
        for number in range(400)
        for message in (
            Message("user", f"Question {number}: does the ferry stop at pier {number}?", "2026-05-30T08:00:00.000Z"),
            Message("tool", f"Bash  grep -n pier-{number} timetable.csv\n  pier-{number},08:{number % 60:02}"),
            Message("assistant", f"Answer {number}. " + "It does, but not on holidays. " * 8),
        )
    ]
    return session_of(*messages, label="A long talk about ferries", entities=("ferry",))


@sizes(3)
async def test_start(make_app, counted, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await counted(pilot)
        assert svg(app, "start")


@sizes(2)
async def test_half_typed(make_app, settled, counted, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await pilot.press(*"dead-let")
        await settled(pilot, lambda: app.screen.answered == "dead-let")
        await counted(pilot)
        assert svg(app, "half-typed")


@sizes(3)
async def test_every_kind_of_highlight(make_app, memory_of, typed_for_picture, svg, size) -> None:
    found = session_of(
        Message("user", "Where does the café keep its harbour timetable?", "2026-05-30T08:00:00.000Z"),
        Message("tool", "Grep  harbour  src/\n  src/timetable.py: harbour = 1", "2026-05-30T08:01:00.000Z"),
        Message("assistant", "In HARBOUR.md; the Cafe file is older.", "2026-05-30T08:02:00.000Z"),
        label="Harbour timetable of the café",
        summary="The harbour timetable is kept in one file.",
        decisions=("The harbour file wins, because the café edits it.",),
        open=("Who tells the harbour about holidays?",),
        entities=("harbour", "iCal"),
        project="/home/sam/src/pier",
        branch="main",
        model="claude-opus-4-5",
        duration_min=48,
    )
    other = session_of(
        Message("user", "harbour"), id="codex_2", runtime="codex", label="Another session", status="superseded"
    )
    app = make_app(memory_of(found, other))
    async with app.run_test(size=size) as pilot:
        await typed_for_picture(pilot, "harbour cafe")
        await pilot.press("alt+n", "alt+n")
        assert svg(app, "highlights")


@sizes(2)
async def test_no_hit(make_app, typed_for_picture, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await typed_for_picture(pilot, "zeppelin")
        assert svg(app, "no-hit")


@sizes(2)
async def test_no_embedder(make_app, demo, typed_for_picture, settled, svg, size) -> None:
    reason = "Ollama is not running at 127.0.0.1:11434: start it with `ollama serve`"
    demo = replace(demo, recall=RecallService(demo.sessions, UnavailableEmbedder(reason)))
    app = make_app(demo, mode="hybrid")
    async with app.run_test(size=size) as pilot:
        screen = await typed_for_picture(pilot, "rate limiter")
        await settled(pilot, lambda: screen.status.text)
        assert svg(app, "no-embedder")


@sizes(2)
async def test_first_run(make_app, memory_of, demo, counted, svg, size) -> None:
    app = make_app(memory_of(), searched_for=RUNTIMES, open_demo=lambda: demo)
    async with app.run_test(size=size) as pilot:
        await counted(pilot)
        assert svg(app, "first-run")


@sizes(3)
async def test_long_conversation(make_app, memory_of, typed_for_picture, svg, size) -> None:
    app = make_app(memory_of(endless()))
    async with app.run_test(size=size) as pilot:
        screen = await typed_for_picture(pilot, "pier ferry")
        await pilot.press("enter", "end")
        assert screen.session.detail.first_line > 1000
        assert svg(app, "long")


@sizes(3)
async def test_hostile_text(make_app, memory_of, typed_for_picture, svg, size) -> None:
    app = make_app(memory_of(hostile()))
    async with app.run_test(size=size) as pilot:
        await typed_for_picture(pilot, "hostile")
        assert svg(app, "hostile")
