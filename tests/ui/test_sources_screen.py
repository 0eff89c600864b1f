"""What is read, where it was looked for, and what was skipped, as a screen of its own."""

from pathlib import Path

from nlm_tui.core import StoreError
from nlm_tui.ingest.listing import Root, RuntimeSources
from nlm_tui.ingest.report import Skipped
from nlm_tui.ui.screens.help import HelpScreen


def sources(**more: object) -> RuntimeSources:
    fields = {
        "runtime": "claude-code",
        "roots": (Root(Path("/home/dana/.claude/projects"), exists=True),),
        "found": 3,
        "unread": 1,
        "excluded": 0,
        "gone": 0,
        "sessions": 2,
        "size": 4600,
        "newest_ns": None,
        "skipped": (Skipped("/home/dana/[/foo]\x1b[2J.jsonl", "holds no conversation"),),
        "recovered": (),
    }
    return RuntimeSources(**{**fields, **more})


async def opened(app, pilot, settled) -> list[str]:
    await pilot.press("alt+x", *"sources", "enter")
    await settled(pilot, lambda: isinstance(app.screen, HelpScreen))
    view = app.screen.view
    return [view.paint(number, view.content_width).text.rstrip() for number in range(view.virtual_size.height)]


async def test_it_is_opened_by_name_and_closed_again(make_app, typed, settled) -> None:
    absent = sources(
        runtime="codex", roots=(Root(Path("/home/dana/.codex"), exists=False),), found=0, sessions=0, skipped=()
    )
    app = make_app(sources=lambda: [sources(), absent])
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await typed(pilot, "billing")
        lines = await opened(app, pilot, settled)
        assert lines[0] == " claude-code"
        assert "  2 sessions  3 files, 4.6 kB  1 not read yet" in lines
        assert any("[/foo]" in line and "holds no conversation" in line for line in lines)
        assert not any("\x1b" in line for line in lines)
        assert lines[-2:] == [" Nothing found of", "  codex  /home/dana/.codex"]
        await pilot.press("escape")
        assert app.screen is screen


async def test_a_memory_that_fails_is_told(make_app, typed, settled) -> None:
    def fails() -> list[RuntimeSources]:
        raise StoreError("/memory: is locked")

    app = make_app(sources=fails)
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "billing")
        await pilot.press("alt+x", *"sources", "enter")
        await settled(pilot, lambda: any("is locked" in notice.message for notice in app._notifications))
