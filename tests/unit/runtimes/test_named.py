"""Transcripts that a user names, wherever they lie."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from transcript_fixtures import FIXTURES, TRANSCRIPTS, jsonl

from nlm_tui.ingest.changes import distinct
from nlm_tui.ingest.ports import PartsReader, Reader, TranscriptError
from nlm_tui.ingest.unreadable import noting
from nlm_tui.runtimes import READERS, databases, default_readers, named
from nlm_tui.runtimes.named import readers_of

NOTHING = "nothing recognised in it: no transcript of an agent that is known"
HOMES = {
    "claude": ".claude",
    "codex": ".codex",
    "gemini": ".gemini",
    "opencode": ".local/share/opencode",
    "pi": ".pi/agent",
    "copilot": ".copilot",
    "qwen": ".qwen",
    "goose": ".local/share/goose",
    "amp": ".local/share/amp",
    "hermes": ".hermes",
    "droid": ".factory",
    "aider": "code/shop",
    "cursor": ".config/Cursor",
    "windsurf": ".config/Windsurf",
}
LINES = [{"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "Hello"}}]


def look(*paths: Path, known: tuple[Reader, ...] = ()) -> list[Reader]:
    return readers_of(paths, known, READERS)


def read(readers: list[Reader]) -> dict[str, set[str]]:
    """Return the ids of all sessions by runtime, and check that no file is read by two readers."""
    found: dict[str, set[str]] = {}
    paths: list[Path] = []
    for reader in readers:
        for source in distinct(reader.discover()):
            paths.append(source.path)
            for part in reader.parts(source) if isinstance(reader, PartsReader) else (source,):
                try:
                    transcript = reader.read(part)
                except TranscriptError:
                    continue
                if transcript:
                    found.setdefault(reader.runtime, set()).add(transcript.session_id)
    assert len(set(paths)) == len(paths)
    return found


def notes(readers: list[Reader]) -> dict[str, str]:
    with noting() as noted:
        for reader in readers:
            list(reader.discover())
    return noted


def expected(folder: Path) -> dict[str, set[str]]:
    """Return what the readers find that look in the folders of the agents in a home folder."""
    return read(list(default_readers({}, folder)))


@pytest.fixture
def colleague(tmp_path: Path) -> Path:
    """A copy of a home folder, with what every agent kept in it."""
    home = tmp_path / "old" / "colleague"
    for fixture in FIXTURES:
        shutil.copytree(TRANSCRIPTS / fixture["root"], home / HOMES[fixture["runtime"]], dirs_exist_ok=True)
    return home


def test_the_folders_of_agents_are_found_in_a_copy_of_a_home_folder(colleague: Path) -> None:
    wanted = read(list(default_readers({}, colleague, folders=lambda: [colleague / HOMES["aider"]])))
    assert len(wanted) > 10
    for folder in (colleague, colleague.parent):
        assert read(look(folder)) == wanted


@pytest.mark.parametrize("fixture", [one for one in FIXTURES if one["runtime"] != "aider"], ids=lambda one: one["id"])
def test_the_folder_of_an_agent_may_be_anywhere(tmp_path: Path, fixture: dict) -> None:
    home = shutil.copytree(TRANSCRIPTS / fixture["root"], tmp_path / HOMES[fixture["runtime"]])
    if any(home.rglob("*")) and (wanted := expected(tmp_path)):
        folder = home.rename(tmp_path / f"some {fixture['runtime']}")
        assert read(look(folder)) == wanted
        if any(path.is_dir() for path in folder.iterdir()):
            inner = next(path for path in sorted(folder.iterdir()) if path.is_dir())
            assert set(read(look(inner))) <= set(wanted)


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda one: one["id"])
def test_loose_files_are_told_apart_by_what_is_in_them(tmp_path: Path, fixture: dict) -> None:
    runtimes = {kind.from_environment({}, tmp_path).runtime for kind in READERS}
    (runtime,) = [name for name in runtimes if name.split("-")[0] == fixture["runtime"]]
    for session in fixture["sessions"]:
        path = TRANSCRIPTS / fixture["root"] / session["file"]
        flat = tmp_path / session["file"].replace("/", "-") / fixture["runtime"]
        flat.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, flat / path.name)
        if path.parent.parent.name == "session":
            continue  # its messages are in other files
        assert set(read(look(flat / path.name))) == {runtime}, path
        if path.name.endswith(named._LOOSE):
            assert set(read(look(flat))) == {runtime}, path


def test_a_folder_of_loose_files_of_several_agents(tmp_path: Path) -> None:
    for number, fixture in enumerate(FIXTURES):
        if fixture["runtime"] in {"claude", "codex", "gemini", "pi"}:
            for session in fixture["sessions"]:
                path = TRANSCRIPTS / fixture["root"] / session["file"]
                (tmp_path / str(number)).mkdir(exist_ok=True)
                shutil.copy(path, tmp_path / str(number) / path.name)
    (tmp_path / "data.jsonl").write_text('{"rows": 1}\n')
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "readme.txt").write_text("Read me")
    found = look(tmp_path)
    assert set(read(found)) == {"claude-code", "codex", "gemini-cli", "pi"}
    assert notes(found) == {str(tmp_path / "data.jsonl"): NOTHING}


@pytest.mark.parametrize("fixture", ["c13-resume-copy", "c25-same-id", "x10-history-base"])
def test_loose_files_that_belong_together_are_read_so(tmp_path: Path, fixture: str) -> None:
    (root,) = [TRANSCRIPTS / one["root"] for one in FIXTURES if one["id"].startswith(fixture[:3])]
    for path in root.rglob("*.jsonl"):
        (tmp_path / path.parent.name).mkdir(exist_ok=True)
        shutil.copy(path, tmp_path / path.parent.name / path.name)
    (kind,) = {kind for kind in READERS if kind.from_environment({}, root).runtime.startswith(root.parent.name)}
    assert told(look(tmp_path)) == told([kind([root])])


def told(readers: list[Reader]) -> dict[str, tuple[object, ...]]:
    """Return what sessions tell, by their ids."""
    found: dict[str, tuple[object, ...]] = {}
    for reader in readers:
        for source in reader.discover():
            if transcript := reader.read(source):
                found[transcript.session_id] = (transcript.forked_from, transcript.messages)
    return found


def test_what_nobody_recognises_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "readme.txt").write_text("Read me")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "image.jsonl").write_bytes(bytes(range(256)))
    paths = sorted(tmp_path.iterdir())
    assert notes(look(*paths)) == {str(path): NOTHING for path in paths}
    assert notes(look(tmp_path)) == {str(tmp_path): NOTHING}
    missing = tmp_path / "missing.jsonl"
    assert notes(look(missing)) == {str(missing): "cannot be read: No such file or directory"}


def test_what_is_known_is_left_to_who_knows_it(tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "projects" / "p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(jsonl(LINES))
    known = default_readers({}, tmp_path)
    for folder in (tmp_path, path, path.parent, tmp_path / ".claude"):
        assert look(folder, known=known) == []
    other = shutil.copytree(tmp_path / ".claude", tmp_path / "backup" / "claude")
    (reader,) = look(tmp_path, known=known)
    assert [source.path for source in reader.discover()] == [other / "projects" / "p" / "s.jsonl"]


def test_links_are_followed_once(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "s.jsonl").write_bytes(jsonl(LINES))
    (folder / "loop").symlink_to(folder)
    (tmp_path / "other").symlink_to(folder)
    assert read(look(tmp_path)) == {"claude-code": {"cc_s"}}


def test_a_search_has_an_end_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "_MOST_FOLDERS", 3)
    for name in "abcde":
        (tmp_path / name).mkdir()
        (tmp_path / name / "s.jsonl").write_bytes(jsonl(LINES))
    found = look(tmp_path)
    assert len(read(found)["claude-code"]) == 1
    assert notes(found) == {str(tmp_path): named._TOO_MANY}


def test_a_long_file_is_told_by_its_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "_BEGINNING", 400)
    path = tmp_path / "long.jsonl"
    path.write_bytes(jsonl(LINES * 50))
    assert read(look(path)) == {"claude-code": {"cc_long"}}
    path.write_bytes(b'{"rows": 1}\n' * 100 + jsonl(LINES))
    assert notes(look(path)) == {str(path): NOTHING}


def test_a_locked_database_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_BUSY_SECONDS", 0.01)
    path = tmp_path / "a copy.db"
    shutil.copy(TRANSCRIPTS / "opencode" / "o02-sqlite" / "opencode.db", path)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert notes(look(path)) == {str(path): "a copy.db cannot be read: database is locked"}
    assert set(read(look(path))) == {"opencode"}
