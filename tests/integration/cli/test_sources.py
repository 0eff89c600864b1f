"""What is read: all or some of it, again while it is written, by one process at a time, and what is told of it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from support import Run

from nlm_tui.ingest.background import index_in_background
from nlm_tui.ingest.report import IndexReport

TRANSCRIPTS = Path(__file__).parents[2] / "transcripts"
C01, C05, X01 = "cc_00000c01-0000-4000-8000-000000000c01", "cc_00000c05-0000-4000-8000-000000000c05", "codex_00000a01"
LINE = b'{"type":"user","uuid":"new","sessionId":"s","message":{"content":"And the vat?"}}\n'


@pytest.fixture
def history(home: Path) -> Path:
    """A home folder with what two agents kept: three sessions, two files that are none, a damaged one among them."""
    for fixture in ("c01-basic", "c05-corrupt-middle", "c07-empty"):
        shutil.copytree(TRANSCRIPTS / "claude" / fixture, home / ".claude", dirs_exist_ok=True)
    shutil.copytree(TRANSCRIPTS / "codex" / "x01-rollout", home / ".codex")
    return home


def transcript(history: Path) -> Path:
    (path,) = (history / ".claude").rglob(f"{C01.removeprefix('cc_')}.jsonl")
    return path


def indexed(run: Run, *options: object, **more: str) -> dict:
    done = run("index", "--json", *options, **more)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.usefixtures("history")
def test_one_runtime_alone(run: Run) -> None:
    assert indexed(run, "--runtime", "codex")["sessions"] == 1
    assert indexed(run)["new"] == 2


@pytest.mark.usefixtures("history")
def test_a_runtime_that_nobody_knows_is_named_with_those_that_are(run: Run) -> None:
    done = run("index", "--runtime", "kodex")
    assert done.returncode == 2
    assert "kodex is none of claude-code, codex" in " ".join(done.stderr.split())


def test_only_what_was_written_to_since(run: Run, history: Path) -> None:
    for path in (history / ".claude").rglob("*.jsonl"):
        os.utime(path, (0, 0))
    assert indexed(run, "--since", "30d")["sessions"] == 1
    assert indexed(run)["new"] == 2


@pytest.mark.parametrize("since", ["soon", "30", "-1d", "30 parsecs"])
def test_a_time_that_is_none(run: Run, since: str) -> None:
    done = run("index", f"--since={since}")
    assert done.returncode == 2
    assert "hours, days, weeks, months or years" in " ".join(done.stderr.split())


def test_one_file_or_folder_among_those_that_are_known(run: Run, history: Path) -> None:
    assert indexed(run, "--source", transcript(history))["sessions"] == 1
    assert indexed(run, "--source", history / ".codex")["new"] == 1


def test_what_lies_elsewhere_is_read_where_it_is_named(run: Run, home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "another user"
    shutil.copytree(TRANSCRIPTS / "claude" / "c01-basic", elsewhere / "claude")
    rollout = next((TRANSCRIPTS / "codex" / "x02-early-jsonl").rglob("*.jsonl"))
    alone = shutil.copy(rollout, tmp_path / "rollout of a colleague.jsonl")
    assert indexed(run, "--source", elsewhere / "claude", "--source", alone)["new"] == 2
    later = indexed(run)
    assert (later["gone"], later["sessions"]) == (0, 2), "nobody says they are gone, for nobody looks there"
    assert not (home / ".claude").exists()


def test_the_folder_above_those_of_agents_may_be_named(run: Run, history: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(history, old / "colleague")
    shutil.rmtree(history / ".claude")
    shutil.rmtree(history / ".codex")
    (old / "rows.jsonl").write_text('{"row": 1}\n')
    report = indexed(run, "--source", old)
    assert report["new"] == 3
    reason = "nothing recognised in it: no transcript of an agent that is known"
    assert {"path": str(old / "rows.jsonl"), "reason": reason} in report["skipped"]


def test_what_nobody_recognises_is_said(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "readme.txt").write_text("Read me")
    for options in (("--source", folder), ("--source", folder / "readme.txt", "--runtime", "codex")):
        done = run("index", *options)
        assert done.returncode == 0
        assert f"  {options[1]}: nothing recognised in it: no transcript of" in done.stdout


@contextmanager
def watching(environ: dict[str, str], *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "nlm_tui", "index", "--watch", *options]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.skipif(os.name != "posix", reason="Ctrl+C is a signal of POSIX here")
def test_who_watches_sees_what_is_written_until_ctrl_c(environ: dict[str, str], history: Path, run: Run) -> None:
    with watching(environ, "--json") as process:
        assert process.stdout is not None
        reports = ReportLines(process.stdout)
        assert reports.next()["new"] == 3
        with transcript(history).open("ab") as file:
            file.write(LINE)
        while (report := reports.next())["updated"] == 0:
            assert report["new"] == 0
        assert json.loads(run("show", C01, "--json").stdout)["messages"][-1]["text"] == "And the vat?"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0


def test_who_watches_one_runtime_reads_no_other(environ: dict[str, str], history: Path, run: Run) -> None:
    with watching(environ, "--json", "--runtime", "codex") as process:
        assert process.stdout is not None
        reports = ReportLines(process.stdout)
        assert (first := reports.next())["new"] == 1
        assert (second := reports.next())["new"] == 0, "all that is watched is looked at once more"
        assert first["sessions"] == second["sessions"] == 1
    assert indexed(run)["new"] == 2, history


class ReportLines:
    """JSON reports, one after the other."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def next(self) -> dict:
        text = ""
        for line in self._lines:
            text += line
            if line == "}\n":
                return json.loads(text)
        raise AssertionError(f"no report: {text}")


async def test_the_screen_hears_of_what_is_written(environ: dict[str, str], store_path: Path, history: Path) -> None:
    async with aclosing(index_in_background(store_path, environ, watch=True)) as events:
        reports = (event async for event in events if isinstance(event, IndexReport))
        assert (await anext(reports)).new == 3
        with transcript(history).open("ab") as file:
            file.write(LINE)
        while not (await anext(reports)).updated:
            pass


def test_of_two_that_index_the_second_waits(environ: dict[str, str], store_path: Path, history: Path) -> None:
    command = [sys.executable, "-m", "nlm_tui", "--db", str(store_path), "index"]
    with FileLock(f"{store_path}.lock"):
        process = subprocess.Popen(
            command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
        assert process.stderr is not None
        assert process.stderr.readline() == "nlm-tui: waiting for another nlm-tui that indexes\n"
        assert process.poll() is None
    told, _ = process.communicate(timeout=60)
    assert told.startswith("3 sessions in the memory"), history


def test_of_two_that_embed_the_second_leaves_it_to_the_first(run: Run, store_path: Path, history: Path) -> None:
    with FileLock(f"{store_path}.vectors.lock"):
        done = run("--db", store_path, "index")
        assert (done.returncode, done.stderr) == (0, "")
        first, *_, last = done.stdout.splitlines()
        assert first.startswith("3 sessions in the memory"), history
        assert last == "by meaning: another nlm-tui is at it"
        assert json.loads(run("--db", store_path, "index", "--json").stdout)["embedding"]["elsewhere"] is True
    assert json.loads(run("--db", store_path, "index", "--json").stdout)["embedding"]["elsewhere"] is False


def test_sources_are_listed_before_and_after(run: Run, history: Path) -> None:
    before = {one["runtime"]: one for one in json.loads(run("sources", "--json").stdout)}
    assert (before["claude-code"]["found"], before["claude-code"]["unread"]) == (4, 4)
    projects = [history / folder / "projects" for folder in (".claude", ".config/claude")]
    assert before["claude-code"]["roots"] == [
        {"path": str(projects[0]), "exists": True, "problem": ""},
        {"path": str(projects[1]), "exists": False, "problem": ""},
    ]
    assert before["codex"]["sessions"] == 0
    indexed(run)
    after = {one["runtime"]: one for one in json.loads(run("sources", "--json").stdout)}
    claude = after["claude-code"]
    assert (claude["unread"], claude["sessions"], len(claude["skipped"])) == (0, 2, 2)
    assert {skipped["reason"] for skipped in claude["skipped"]} == {"holds no conversation"}
    ((path, bad_lines),) = [(one["path"], one["bad_lines"]) for one in claude["recovered"]]
    assert (Path(path).stem, bad_lines) == (C05.removeprefix("cc_"), 4)
    told = run("sources").stdout
    assert "2 sessions  4 files" in told
    assert "holds no conversation" in told


@pytest.fixture
def settings(history: Path, environ: dict[str, str]) -> Path:
    """Settings that name folders in which nothing can be found."""
    (history / "file").write_text("x")
    (history / "empty").mkdir()
    config = history / "config.toml"
    config.write_text(
        '[sources.pi]\nenabled = false\n[sources.codex]\nroots = ["~/.codex", "~/nowhere", "~/file", "~/empty"]\n'
        '[sources.aider]\nroots = ["~/empty", "~/code"]\n'
        '[[generic]]\nname = "logs"\nroots = ["~/empty",\n"~/missing"]\n',
        "utf-8",
    )
    environ["NLM_CONFIG"] = str(config)
    return config


def test_a_folder_that_is_named_in_vain_is_told_of(run: Run, history: Path, settings: Path) -> None:
    done = run("index")
    assert done.returncode == 0
    without = "codex keeps nothing there: it has no sessions, archived_sessions"
    assert done.stderr.splitlines() == [
        f"nlm-tui: {settings}, line 4: nothing is read from {history}/nowhere: there is no such folder",
        f"nlm-tui: {settings}, line 4: nothing is read from {history}/file: it is no folder",
        f"nlm-tui: {settings}, line 4: nothing is read from {history}/empty: {without}",
        f"nlm-tui: {settings}, line 6: nothing is read from {history}/code: there is no such folder",
        f"nlm-tui: {settings}, line 9: nothing is read from {history}/missing: there is no such folder",
    ]
    assert run("index", "--runtime", "claude-code").stderr == ""
    assert run("index", "--source", history).stderr == ""
    told = run("sources").stdout
    assert "  ~/.codex/sessions\n" in told
    assert "  ~/nowhere (named in the settings, but there is no such folder)\n" in told
    assert "  ~/file (named in the settings, but it is no folder)\n" in told
    assert (
        "  logs  ~/missing (named in the settings, but there is no such folder), ~/empty\n"
        "Off in the settings\n  pi\n" in told
    )
    listed = {one["runtime"]: one for one in json.loads(run("sources", "--json").stdout)}
    missing = {"path": f"{history}/missing", "exists": False, "problem": "there is no such folder"}
    assert listed["logs"]["roots"] == [missing, {"path": f"{history}/empty", "exists": True, "problem": ""}]
    assert (listed["pi"]["enabled"], listed["codex"]["enabled"]) == (False, True)


def test_where_aider_was_looked_for_is_told(run: Run, history: Path) -> None:
    (history / ".aider.chat.history.md").write_text("# aider chat started at 2025-03-26 14:32:01\n\n#### ask  \n")
    indexed(run)
    told = run("sources").stdout
    assert re.search(r"  ~/\.aider\.chat\.history\.md\n  the folders of [2-9] known projects\n", told)


def test_a_runtime_that_is_off_is_not_taken_for_an_unknown_one(run: Run, settings: Path) -> None:
    done = run("index", "--runtime", "pi")
    assert done.returncode == 2
    assert f"pi is off in the settings ({settings}, line 2)" in " ".join(done.stderr.split())


def test_a_mistake_in_what_is_read_does_not_keep_from_searching(run: Run, environ: dict[str, str], history: Path):
    indexed(run)
    (config := history / "config.toml").write_text("[sources]\nx = 1\n")
    environ["NLM_CONFIG"] = str(config)
    for command in (("search", "the"), ("show", C01)):
        done = run(*command)
        assert done.returncode == 0
        assert done.stdout
        assert done.stderr.startswith(f'nlm-tui: {config}, line 2: there is no setting "x" in sources')
    for command in ("index", "sources"):
        done = run(command)
        assert (done.returncode, done.stdout) == (2, "")


def test_what_the_memory_keeps_of_a_runtime_that_is_off_is_counted(run: Run, environ: dict[str, str], history: Path):
    indexed(run)
    (config := history / "config.toml").write_text("[sources.codex]\nenabled = false\n")
    environ["NLM_CONFIG"] = str(config)
    assert "Off in the settings\n  codex  1 session kept\n" in run("sources").stdout


def test_where_nothing_is_there_any_more_the_places_are_named(run: Run, history: Path) -> None:
    indexed(run)
    shutil.rmtree(history / ".codex")
    assert "  ~/.codex/sessions (not there)\n  ~/.codex/archived_sessions (not there)\n" in run("sources").stdout


def test_a_session_says_how_its_source_is(run: Run, history: Path) -> None:
    def source() -> dict:
        return json.loads(run("show", C01, "--json").stdout)["source"]

    indexed(run)
    path = transcript(history)
    expected = {"path": str(path), "kind": "claude-code-jsonl", "state": "present", "problem": None}
    assert source() == expected
    path.write_text("no transcript at all\n")
    indexed(run)
    assert source() == {**expected, "state": "unreadable", "problem": "no Claude Code record in it"}
    path.unlink()
    indexed(run)
    assert source() == {**expected, "state": "deleted"}


def test_a_session_tells_all_that_was_read(run: Run, history: Path) -> None:
    indexed(run)
    told = json.loads(run("show", C01, "--json").stdout)
    assert {name: told[name] for name in ("project", "branch", "model", "runtime_session_id", "parent_id")} == {
        "project": "/home/dana/widget-shop",
        "branch": "feature/cart",
        "model": "claude-sonnet-4-6",
        "runtime_session_id": C01.removeprefix("cc_"),
        "parent_id": None,
    }
    counts = told["counts"]
    assert (counts["prompts"], counts["answers"], counts["tool_calls"], counts["tool_results"]) == (2, 3, 2, 2)
    assert [message["role"] for message in told["messages"]].count("user") == 2
    assert history
