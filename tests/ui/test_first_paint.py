"""What the first paint waits for: nothing that only a key brings."""

import json
import subprocess
import sys

LATER = (
    "nlm_tui.display.export",
    "nlm_tui.ui.commands.copying",
    "nlm_tui.ui.commands.opening",
    "nlm_tui.ui.commands.saving",
    "nlm_tui.ui.help_text",
    "nlm_tui.ui.palette",
    "nlm_tui.ui.screens.asking",
    "nlm_tui.ui.screens.choosing",
    "nlm_tui.ui.screens.help",
    "nlm_tui.ui.screens.history",
    "pygments",
)

PAINT = """
import asyncio, json, sys
from pathlib import Path
from nlm_tui.core import RecallService
from nlm_tui.demo import fill
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.ui.app import NlmApp
from nlm_tui.ui.context import Context, Memory
from datetime import UTC, datetime

async def paint():
    with SqliteSessionStore.open(Path(sys.argv[1])) as store:
        fill(store, datetime(2026, 6, 1, tzinfo=UTC))
        memory = Memory(
            recall=RecallService(store),
            sessions=store,
            interrupt=store.interrupt,
            close=store.close,
            state=store.state,
            changes=store.changes,
        )
        app = NlmApp(Context(memory=memory, mode="keyword"))
        async with app.run_test(size=(120, 36)) as pilot:
            while app.screen.answered is None:
                await pilot.pause(0.01)
            assert "enter open" in app.screen.key_bar.text

asyncio.run(paint())
print(json.dumps(sorted(sys.modules)))
"""


def test_it_waits_for_no_dialog(tmp_path) -> None:
    store = str(tmp_path / "memory.sqlite")
    done = subprocess.run([sys.executable, "-c", PAINT, store], capture_output=True, text=True, check=True)
    assert set(LATER) & set(json.loads(done.stdout)) == set()
