"""What one does with a session from the shell: print it in another format, go on with it in its agent."""

import json
import os
from pathlib import Path

import pytest
from support import Run, a_session

from nlm_tui.core.secrets import DOTS
from nlm_tui.storage import SqliteSessionStore

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A store with a session that holds a token, one with an agent's id, and one of its subagents."""
    path = tmp_path / "memory.sqlite"
    (tmp_path / "pay").mkdir()
    with SqliteSessionStore.open(path) as store, store.batch():
        store.insert_sessions(
            a_session("cc_leak", label="Rotate it", summary=f"it was {TOKEN}", body=f"use {TOKEN}", parent_id="cc_top")
        )
        top = {"label": "The plan", "runtime_session_id": UUID, "project": str(tmp_path / "pay")}
        store.insert_sessions(a_session("cc_top", **top))
        store.insert_sessions(a_session("x_1", runtime="windsurf"))
    return path


@pytest.fixture
def agent(tmp_path: Path) -> dict[str, str]:
    """A fake agent in PATH, which says where it is and what it was told."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "claude").write_text('#!/bin/sh\necho "agent in $(pwd): $*"\nexit 7\n')
    (folder / "claude").chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "rotate"),
        ("search", "rotate", "--json"),
        ("show", "cc_leak"),
        ("show", "cc_leak", "--json"),
        ("show", "cc_leak", "--format", "markdown"),
        ("show", "cc_leak", "--format", "html"),
    ],
)
def test_secrets_are_printed_on_demand_only(run: Run, memory: Path, arguments: tuple[str, ...]) -> None:
    masked = run("--db", memory, *arguments)
    assert masked.returncode == 0
    assert TOKEN not in masked.stdout
    assert f"ghp_{DOTS}" in masked.stdout
    assert TOKEN in run("--db", memory, *arguments, "--reveal").stdout


def test_a_masked_token_is_still_found(run: Run, memory: Path) -> None:
    assert run("--db", memory, "search", TOKEN).returncode == 0


def test_a_session_is_printed_in_other_formats(run: Run, memory: Path) -> None:
    assert run("--db", memory, "show", "cc_leak", "--format", "markdown").stdout.startswith("# Rotate it\n")
    assert run("--db", memory, "show", "cc_leak", "--format", "html").stdout.startswith("<!doctype html>\n")
    as_json = run("--db", memory, "show", "cc_leak", "--format", "json").stdout
    assert json.loads(as_json)["id"] == "cc_leak"
    assert as_json == run("--db", memory, "show", "cc_leak", "--json").stdout
    text = run("--db", memory, "show", "cc_leak").stdout
    assert text == run("--db", memory, "show", "cc_leak", "--format", "text").stdout
    assert "subagent of The plan" in text
    both = run("--db", memory, "show", "cc_leak", "--json", "--format", "html")
    assert (both.returncode, both.stdout) == (2, "")


def test_a_session_goes_on_in_its_agent_and_directory(run: Run, memory: Path, agent: dict[str, str]) -> None:
    done = run("--db", memory, "resume", "cc_t", **agent)
    assert (done.returncode, done.stderr) == (7, "")
    assert done.stdout == f"agent in {memory.parent / 'pay'}: --resume {UUID}\n"


def test_what_cannot_go_on_says_why(run: Run, memory: Path, agent: dict[str, str]) -> None:
    for name, said in (
        ("cc_leak", "nlm-tui: a subagent cannot be resumed; the session that started it can: The plan\n"),
        ("x_1", "nlm-tui: sessions of windsurf cannot be resumed from a shell\n"),
        ("cc_top", "nlm-tui: claude is not installed here: no such command in PATH\n"),
        ("nothing", "nlm-tui: no session nothing; `nlm-tui search` prints the ids\n"),
    ):
        done = run("--db", memory, "resume", name, **({} if name == "cc_top" else agent))
        assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_a_directory_that_is_gone_is_said_and_the_nearest_taken(run: Run, memory: Path, agent: dict[str, str]) -> None:
    (memory.parent / "pay").rmdir()
    done = run("--db", memory, "resume", "cc_top", **agent)
    assert f"its directory {memory.parent / 'pay'} is gone; {memory.parent} is the nearest" in done.stderr
    assert done.stdout.startswith(f"agent in {memory.parent}: ")


@pytest.mark.parametrize("arguments", [("--pick",), ("--pick", "--print", "path"), ("--query", "x"), ()])
def test_the_screen_needs_a_terminal(run: Run, memory: Path, arguments: tuple[str, ...]) -> None:
    done = run("--db", memory, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "nlm-tui: the search screen needs a terminal; use `nlm-tui search QUERY`\n"
    done = run("--db", memory, *arguments, TERM="dumb")
    assert done.stderr.startswith("nlm-tui: this terminal cannot show the search screen")


def test_what_to_print_is_said_with_pick_only(run: Run, memory: Path) -> None:
    done = run("--db", memory, "--print", "path")
    assert done.returncode == 2
    assert "--print says what --pick prints; name both" in done.stderr
