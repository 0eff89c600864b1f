"""`forget`: what it asks, what it refuses, what is gone afterwards."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from support import Run, a_session

from nlm_tui.settings import LastScreen
from nlm_tui.settings.state_file import StateFile
from nlm_tui.storage import SqliteSessionStore

pytestmark = pytest.mark.skipif(os.name != "posix", reason="terminals are made by the system")


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "memory" / "m.sqlite"
    with SqliteSessionStore.open(path) as store:
        store.insert_sessions(a_session("cc_1", label="Plan \x1b[31mA", project="/src/pay"))
        store.insert_sessions(a_session("cc_2", label="Plan B", project="/src/pay/api"))
        store.insert_sessions(a_session("cx_3", label="Plan C", project="/src/web"))
        store.insert_sessions(a_session("sub", label="Helper", parent_id="cc_1"))
    return path


def left(memory: Path) -> list[str]:
    with SqliteSessionStore.open(memory) as store:
        return sorted(session.id for session in store.list())


def answered(environ: dict[str, str], arguments: list[object], answer: bytes) -> tuple[int, str]:
    """Run the command on a terminal of its own, answer its question, and return its exit status and what it showed."""
    import pty
    import sys

    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, [sys.executable, "-m", "nlm_tui", *map(str, arguments)], environ)  # noqa: S606 - no shell is wanted
    os.write(terminal, answer)
    shown = b""
    while True:
        try:
            more = os.read(terminal, 4096)
        except OSError:
            break
        if not more:
            break
        shown += more
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode(errors="replace")


def test_sessions_are_forgotten_by_the_beginning_of_their_ids(run: Run, memory: Path) -> None:
    done = run("--db", memory, "forget", "--yes", "cx", "cc_2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "forgot 2 sessions\n", "")
    assert left(memory) == ["cc_1", "sub"]


@pytest.mark.parametrize(
    ("selected", "kept"),
    [("cc_1", ""), ("cc_1::dec::0f8fad5bd9cb", ""), ("sub", ""), ("cc_2", "cc_2"), ("elsewhere", "elsewhere")],
)
def test_that_it_was_selected_last_is_forgotten_and_what_was_typed_is_not(
    run: Run, memory: Path, tmp_path: Path, selected: str, kept: str
) -> None:
    state = StateFile(tmp_path / "state.json")
    before = state.change(
        lambda was: replace(was, history=("plan a",), last=LastScreen(query="plan a", selected=selected))
    )
    done = run("--db", memory, "forget", "--yes", "cc_1", NLM_STATE_PATH=str(tmp_path / "state.json"))
    assert (done.returncode, done.stderr) == (0, "")
    assert state.read() == replace(before, last=LastScreen(query="plan a", selected=kept))


def test_a_project_is_forgotten_with_hidden_sessions_and_subagents(run: Run, memory: Path) -> None:
    from datetime import UTC, datetime

    from nlm_tui.core.editing import EditService

    with SqliteSessionStore.open(memory) as store:
        EditService(store.corrections, now=lambda: datetime(2026, 1, 1, tzinfo=UTC), new_suffix=lambda: "0").hide(
            "cc_2"
        )
    done = run("--db", memory, "forget", "--yes", "--project", "pay")
    assert (done.returncode, done.stdout) == (0, "forgot 3 sessions\n")
    assert left(memory) == ["cx_3"]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["cc_1"], 2, "say --yes"),
        (["--yes"], 2, "say what to forget"),
        (["--yes", "cc_1", "--project", "pay"], 2, "say what to forget"),
        (["--yes", "--project", " "], 2, "--project needs a name"),
        (["--yes", "cc_1", "nobody"], 1, "no session nobody"),
        (["--yes", "cc"], 1, "cc begins several ids: cc_1, cc_2"),
        (["--yes", "--project", "none"], 1, "no session has project:none"),
    ],
)
def test_nothing_is_forgotten_where_it_is_not_clear(
    run: Run, memory: Path, arguments: list[str], status: int, said: str
) -> None:
    done = run("--db", memory, "forget", *arguments)
    assert done.returncode == status
    assert said in done.stderr
    assert left(memory) == ["cc_1", "cc_2", "cx_3", "sub"]


def test_the_demo_is_not_forgotten(run: Run) -> None:
    assert run("--demo", "forget", "--yes", "x").returncode == 2


def test_on_a_terminal_it_asks(environ: dict[str, str], memory: Path) -> None:
    for answer in (b"n\n", b"\n", b"\x04"):
        status, shown = answered(environ, ["--db", memory, "forget", "cc_1"], answer)
        assert (status, "Forget 1 session" in shown, "Plan A" in shown) == (1, True, True)
    assert left(memory) == ["cc_1", "cc_2", "cx_3", "sub"]
    status, shown = answered(environ, ["--db", memory, "forget", "cc_1"], b"y\n")
    assert (status, "forgot 2 sessions" in shown) == (0, True)
    assert left(memory) == ["cc_2", "cx_3"]


def test_it_names_the_copies_that_hold_what_was_forgotten(run: Run, memory: Path) -> None:
    memory = memory.rename(memory.with_name("[m].sqlite"))
    copy = memory.with_name("[m].sqlite.schema-103.backup")
    copy.write_bytes(memory.read_bytes())
    done = run("--db", memory, "forget", "--yes", "cc_1")
    assert done.returncode == 0
    assert done.stderr == f"nlm-tui: {copy} still holds what was forgotten: delete it if you can do without\n"
