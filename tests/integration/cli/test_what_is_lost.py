"""What becomes of sessions whose files are cut, rewritten, copied, locked or excluded later."""

import json
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support import Run

TRANSCRIPTS = Path(__file__).parents[2] / "transcripts"
ID = "cc_00000c01-0000-4000-8000-000000000c01"
SHORTER = "shorter than what was read from it; the memory keeps that"


@pytest.fixture
def path(home: Path) -> Path:
    """The transcript of a session of Claude Code."""
    shutil.copytree(TRANSCRIPTS / "claude" / "c01-basic", home / ".claude")
    (path,) = (home / ".claude").rglob(f"{ID.removeprefix('cc_')}.jsonl")
    return path


def indexed(run: Run, **more: str) -> dict:
    done = run("index", "--json", **more)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def shown(run: Run) -> dict:
    return json.loads(run("show", ID, "--json").stdout)


def settings(home: Path, text: str) -> None:
    folder = home / ".config" / "nlm-tui"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text)


def first_lines(data: bytes) -> bytes:
    return b"".join(data.splitlines(keepends=True)[:3])


@pytest.mark.parametrize("cut", [first_lines, lambda data: data[: len(data) * 2 // 3]])
def test_a_transcript_that_was_cut_keeps_its_session_and_says_so(run: Run, path: Path, cut) -> None:
    indexed(run)
    before = shown(run)
    path.write_bytes(cut(path.read_bytes()))
    for _ in range(2):
        report = indexed(run)
        assert {"path": str(path), "reason": SHORTER} in report["skipped"]
        assert report["updated"] == 0
        after = shown(run)
        assert after["messages"] == before["messages"]
        assert after["source"]["problem"] == SHORTER


def test_a_transcript_that_was_rewritten_is_read(run: Run, path: Path) -> None:
    indexed(run)
    record = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "Else?"}}
    path.write_text(json.dumps(record) + "\n")
    assert indexed(run)["updated"] == 1
    assert [message["text"] for message in shown(run)["messages"]] == ["Else?"]
    assert shown(run)["source"]["problem"] is None


def test_a_copy_is_named_and_is_not_missed(run: Run, path: Path) -> None:
    indexed(run)
    copy = path.parent.with_name("-another") / path.name
    copy.parent.mkdir()
    shutil.copy(path, copy)
    (skipped,) = [one for one in indexed(run)["skipped"] if one["reason"].startswith("a copy of ")]
    assert {skipped["path"], skipped["reason"].removeprefix("a copy of ")} == {str(path), str(copy)}
    assert shown(run)["source"]["state"] == "present"
    copy.unlink()
    assert indexed(run)["gone"] == 0
    listed = json.loads(run("sources", "--json").stdout)
    assert next(one for one in listed if one["runtime"] == "claude-code")["gone"] == 0
    assert (shown(run)["source"]["path"], shown(run)["source"]["state"]) == (str(path), "present")


@pytest.mark.parametrize("name", ["-0", "-zz"])
def test_a_link_is_not_the_transcript(run: Run, path: Path, name: str) -> None:
    link = path.parent.with_name(name) / path.name
    link.parent.mkdir()
    link.symlink_to(path)
    indexed(run)
    assert shown(run)["source"]["path"] == str(path)
    listed = json.loads(run("sources", "--json").stdout)
    assert next(one for one in listed if one["runtime"] == "claude-code")["unread"] == 0


def test_what_is_excluded_later_is_told_with_what_takes_it_out(run: Run, home: Path, path: Path) -> None:
    project = shown_after_index(run)["project"]
    settings(home, f'[sources]\nexclude_projects = ["{Path(project).name}"]\n')
    (told,) = indexed(run)["unwanted"]
    assert told == {"project": project, "sessions": 1, "command": f"nlm-tui forget --project {project}"}
    assert f"  {told['command']}  (1 session)" in run("index").stdout.splitlines()
    settings(home, f'[sources]\nexclude = ["{path.name}"]\n')
    (told,) = indexed(run)["unwanted"]
    assert told == {"project": None, "sessions": 1, "command": f"nlm-tui forget {ID}"}
    assert run(*shlex.split(told["command"])[1:], "--yes").returncode == 0
    assert indexed(run)["unwanted"] == []


def shown_after_index(run: Run) -> dict:
    indexed(run)
    return shown(run)


def test_projects_of_the_same_run_are_looked_into(run: Run, home: Path, tmp_path: Path) -> None:
    project = tmp_path / "widget-shop"
    project.mkdir()
    (project / ".aider.chat.history.md").write_text("# aider chat started at 2025-03-26 14:32:01\n#### Fix it  \n")
    record = {"type": "user", "uuid": "u", "sessionId": "s", "cwd": str(project), "message": {"content": "Hello"}}
    folder = home / ".claude" / "projects" / "p"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text(json.dumps(record) + "\n")
    assert indexed(run)["new"] == 2
    assert indexed(run)["new"] == 0


def test_a_locked_database_is_listed_and_read_once_it_is_free(run: Run, home: Path) -> None:
    folder = home / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    shutil.copy(TRANSCRIPTS / "opencode" / "o02-sqlite" / "opencode.db", folder)
    database = folder / "opencode.db"
    with closing(sqlite3.connect(database, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=wal")
        writer.execute("UPDATE session SET title = title")
        writer.execute("PRAGMA locking_mode=exclusive")
        writer.execute("UPDATE session SET title = title")
        for _ in range(2):
            report = indexed(run)
            reason = "opencode.db cannot be read: database is locked"
            assert (report["new"], report["skipped"]) == (0, [{"path": str(database), "reason": reason}])
    report = indexed(run)
    assert (report["new"], report["skipped"]) == (2, [])
