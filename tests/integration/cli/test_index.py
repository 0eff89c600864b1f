"""`index`: from transcripts in a home folder to answers."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import Run

from nlm_tui.ingest.background import index_in_background
from nlm_tui.ingest.report import EmbeddingReport, IndexProgress, IndexReport

TRANSCRIPTS = Path(__file__).parents[2] / "transcripts"
KEYS = [
    "sessions",
    "new",
    "updated",
    "unchanged",
    "gone",
    "excluded",
    "bad_lines",
    "interrupted",
    "skipped",
    "recovered",
    "unwanted",
    "seconds",
    "embedding",
]


@pytest.fixture
def history(home: Path) -> Path:
    """A home folder with what two agents kept: three sessions, and two files that are none."""
    shutil.copytree(TRANSCRIPTS / "claude" / "c01-basic", home / ".claude")
    shutil.copytree(TRANSCRIPTS / "claude" / "c05-corrupt-middle", home / ".claude", dirs_exist_ok=True)
    shutil.copytree(TRANSCRIPTS / "claude" / "c07-empty", home / ".claude", dirs_exist_ok=True)
    shutil.copytree(TRANSCRIPTS / "codex" / "x01-rollout", home / ".codex")
    return home


def indexed(run: Run, *before: object, **more: str) -> dict:
    done = run(*before, "index", "--json", **more)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def counts(report: dict) -> tuple[int, int, int, int, int]:
    return tuple(report[name] for name in ("sessions", "new", "updated", "unchanged", "gone"))


def test_first_all_then_only_what_changed(run: Run, history: Path) -> None:
    first = indexed(run)
    assert list(first) == KEYS
    assert counts(first) == (3, 3, 0, 0, 0)
    assert first["bad_lines"] > 0
    assert len(first["skipped"]) == 2
    for skipped in first["skipped"]:
        assert Path(skipped["path"]).is_relative_to(history / ".claude")
        assert skipped["reason"] == "holds no conversation"
    second = indexed(run)
    assert counts(second) == (3, 0, 0, 3, 0)
    assert second["skipped"] == first["skipped"]
    (path,) = (history / ".codex").rglob("rollout-*.jsonl")
    path.unlink()
    assert counts(indexed(run)) == (3, 0, 0, 2, 1)
    session = json.loads(run("show", "codex_00000a01-0000-4000-8000-000000000a01", "--json").stdout)
    assert session["source_gone"] is True
    assert session["messages"]


def test_sources_are_only_read(run: Run, history: Path) -> None:
    def state() -> dict[Path, tuple[bytes, int]]:
        files = [path for name in (".claude", ".codex") for path in (history / name).rglob("*") if path.is_file()]
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    before = state()
    indexed(run)
    assert state() == before


@pytest.mark.usefixtures("history")
def test_what_was_indexed_is_found_and_shown(run: Run) -> None:
    indexed(run)
    result = json.loads(run("search", "cart total", "--json").stdout)
    assert result["results"][0]["id"] == "cc_00000c01-0000-4000-8000-000000000c01"
    session = json.loads(run("show", result["results"][0]["id"], "--json").stdout)
    assert session["label"] == "Why does the cart total show 0.00 after a refresh"
    asked = "Why does the cart total show 0.00 after a refresh?"
    assert session["messages"][0] == {"role": "user", "text": asked, "at": "2026-03-02T09:00:10.000Z"}


def test_folders_of_the_agents_may_be_elsewhere(run: Run, history: Path) -> None:
    (history / ".claude").rename(history / "claude")
    (history / ".codex").rename(history / "codex")
    assert counts(indexed(run)) == (0, 0, 0, 0, 0)
    claude = indexed(run, CLAUDE_CONFIG_DIR=str(history / "claude"))
    assert counts(claude) == (2, 2, 0, 0, 0)
    assert counts(indexed(run, CODEX_HOME=str(history / "codex"))) == (3, 1, 0, 0, 0)


@pytest.mark.usefixtures("history")
def test_the_report_as_text(run: Run) -> None:
    done = run("index")
    assert (done.returncode, done.stderr) == (0, "")
    first, *others = done.stdout.splitlines()
    assert first.startswith("3 sessions in the memory: 3 new, 0 updated, 0 unchanged, ")
    assert "2 files skipped:" in others


def test_nothing_to_read(run: Run) -> None:
    assert counts(indexed(run)) == (0, 0, 0, 0, 0)


@pytest.mark.usefixtures("history")
def test_the_store_of_another_program_is_not_written(
    run: Run, home: Path, tmp_path: Path, interop_bytes: bytes
) -> None:
    path = tmp_path / "other.sqlite"
    path.write_bytes(interop_bytes)
    done = run("--db", path, "index")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{path}: this store belongs to another program and is only read; your own is {home}" in done.stderr
    assert run("--db", path, "search", "orchard-api").returncode == 0
    result = json.loads(run("--db", path, "search", "orchard-api", "--json", NLM_EMBEDDER="auto").stdout)
    reason = result["mode_unavailable"]
    assert reason == "this memory belongs to another program and holds no vectors"
    assert path.read_bytes() == interop_bytes
    assert sorted(tmp_path.glob("other*")) == [path]


UNWRITABLE = """
import os
os.access = lambda path, mode: not mode & os.W_OK
import nlm_tui.cli
nlm_tui.cli.main()
"""


@pytest.mark.usefixtures("history")
def test_nor_is_a_store_that_cannot_be_written(run: Run, home: Path) -> None:
    indexed(run)
    (path,) = home.rglob("memory.sqlite")
    done = run("index", code=UNWRITABLE)
    reason = f"nlm-tui: {path}: the store cannot be written; make it writable, or choose another with --db\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", reason)
    assert run("search", "cart total", code=UNWRITABLE).returncode == 0


INTERRUPTED = """
import nlm_tui.cli, nlm_tui.runtimes.codex as codex
def read(self, source):
    raise KeyboardInterrupt
codex.CodexReader.read = read
nlm_tui.cli.main()
"""


def test_ctrl_c_keeps_what_was_read(run: Run, history: Path) -> None:
    (path,) = (history / ".codex").rglob("rollout-*.jsonl")
    os.utime(path, (0, 0))  # the last to be read
    done = run("index", "--json", code=INTERRUPTED)
    report = json.loads(done.stdout)
    assert (done.returncode, report["interrupted"], counts(report)) == (130, True, (2, 2, 0, 0, 0))
    assert counts(indexed(run)) == (3, 1, 0, 2, 0)


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.usefixtures("history")
def test_a_terminal_sees_progress(environ: dict[str, str]) -> None:
    leader, follower = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "nlm_tui", "index"], env=environ, stdin=subprocess.DEVNULL, check=True, timeout=60,
            stdout=subprocess.PIPE, stderr=follower, text=True,
        )  # fmt: skip
        progress = os.read(leader, 10_000).decode()
    finally:
        os.close(leader)
        os.close(follower)
    assert "indexing" in progress
    assert "5/5" in progress
    assert done.stdout.startswith("3 sessions in the memory")


@pytest.mark.usefixtures("history")
async def test_the_screen_hears_of_it(environ: dict[str, str], store_path: Path) -> None:
    events = [event async for event in index_in_background(store_path, environ)]
    *steps, report, embedding = events
    assert embedding == EmbeddingReport(seconds=embedding.seconds)
    assert isinstance(report, IndexReport)
    assert (report.new, len(report.skipped)) == (3, 2)
    assert all(isinstance(step, IndexProgress) for step in steps)
    assert [step.done for step in steps] == list(range(6))
