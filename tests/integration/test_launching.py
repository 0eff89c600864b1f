"""The memory as the screen gets it, over a real store."""

from itertools import pairwise
from pathlib import Path

from support import a_session

from nlm_tui.core.actions import Action
from nlm_tui.launching import open_memory
from nlm_tui.settings import Settings
from nlm_tui.storage import SqliteSessionStore


def test_what_another_window_does_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    settings = Settings.resolve({"HOME": str(tmp_path), "NLM_EMBEDDER": "off"}, path)
    with SqliteSessionStore.open(path) as other:
        memory = open_memory(settings, path)
        try:
            states, changes = [memory.state()], [memory.changes()]
            other.insert_sessions(a_session("one"))
            states.append(memory.state())
            changes.append(memory.changes())
            assert memory.editing is not None
            memory.editing.pin("one")
            states.append(memory.state())
            changes.append(memory.changes())
            assert memory.state() == states[-1]
            other.corrections.act(Action("act_2001", "2001-01-01T00:00:00.000Z", "hide", "session", "one"))
            changes.append(memory.changes())
            other.forget(["one"])
            changes.append(memory.changes())
        finally:
            memory.close()
    assert len(set(states)) == 3
    assert [before == after for before, after in pairwise(changes)] == [True, False, False, False]
