"""The readers of all runtimes, as the settings want them."""

from pathlib import Path

from nlm_tui.ingest.ports import Reader
from nlm_tui.runtimes import default_readers
from nlm_tui.settings import RUNTIMES, RuntimeSettings, SourceSettings


def by_name(readers: tuple[Reader, ...]) -> dict[str, Reader]:
    return {reader.runtime: reader for reader in readers}


def test_every_runtime_has_a_reader_below_the_home(tmp_path):
    readers = default_readers({}, tmp_path)
    assert [reader.runtime for reader in readers] == list(RUNTIMES)
    assert all(root.is_relative_to(tmp_path) for reader in readers for root in reader.roots)
    assert [list(reader.discover()) for reader in readers] == [[]] * len(readers)


def test_a_runtime_may_be_left_out_or_be_somewhere_else(tmp_path):
    sources = SourceSettings(
        runtimes={
            "codex": RuntimeSettings(enabled=False),
            "claude-code": RuntimeSettings(roots=(tmp_path / "a", tmp_path / "b")),
        }
    )
    readers = by_name(default_readers({"CLAUDE_CONFIG_DIR": "/elsewhere"}, tmp_path / "home", sources))
    assert set(by_name(default_readers({}, tmp_path))) - set(readers) == {"codex"}
    assert readers["claude-code"].roots == (tmp_path / "a" / "projects", tmp_path / "b" / "projects")
    assert all(root.is_relative_to(tmp_path / "home") for root in readers["aider"].roots)


def test_every_reader_looks_in_the_folders_that_are_its_own(tmp_path):
    home = RuntimeSettings(roots=(tmp_path / "own",))
    for reader in default_readers({}, tmp_path / "home", SourceSettings(runtimes=dict.fromkeys(RUNTIMES, home))):
        assert reader.roots
        assert all(root.is_relative_to(tmp_path / "own") for root in reader.roots), reader.runtime


def test_known_projects_are_looked_through_where_a_runtime_writes_there(tmp_path: Path):
    (tmp_path / ".aider.chat.history.md").write_text("# aider chat started at 2025-03-26 14:32:01\n#### a  \n")
    readers = by_name(default_readers({}, tmp_path / "home", folders=lambda: [tmp_path]))
    (source,) = readers["aider"].discover()
    assert source.path.parent == tmp_path
