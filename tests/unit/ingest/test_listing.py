"""What there is to read of each runtime, and what the memory knows of it."""

from pathlib import Path

from indexing_fakes import HOUR, Clock, FakeReader, FakeWriter, LinkingReader, write

from nlm_tui.ingest.indexer import Indexer
from nlm_tui.ingest.listing import Root, RuntimeSources, list_sources
from nlm_tui.ingest.policy import Policy
from nlm_tui.ingest.report import Recovered, Skipped


def listed(reader: FakeReader, writer: FakeWriter, policy: Policy | None = None) -> RuntimeSources:
    (found,) = list_sources([reader], {reader.runtime: writer.source_states(reader.runtime)}, policy or Policy())
    return found


def test_what_was_never_read_is_listed_as_unread(tmp_path: Path) -> None:
    reader, writer = FakeReader(tmp_path), FakeWriter()
    write(tmp_path, "a", "Fix it", 1)
    write(tmp_path, "b", "Fix it", 2)
    assert listed(reader, writer, Policy(exclude=["b.txt"])) == RuntimeSources(
        runtime="fake",
        roots=(Root(tmp_path, exists=True),),
        found=2,
        unread=1,
        excluded=1,
        gone=0,
        sessions=0,
        size=12,
        newest_ns=2 * HOUR,
        skipped=(),
        recovered=(),
    )


def test_what_was_read_is_told_apart_from_what_could_not_be(tmp_path: Path) -> None:
    reader, writer = FakeReader(tmp_path), FakeWriter()
    bad, empty, gone = (write(tmp_path, name, text) for name, text in (("bad", "Fix it"), ("empty", ""), ("gone", "x")))
    reader.happens["bad"] = lambda: reader.transcript("bad", "Fix it", bad_lines=2, bad_line=7)
    Indexer([reader], writer, clock=Clock()).run()
    gone.unlink()
    Indexer([reader], writer, clock=Clock()).run()
    write(tmp_path, "new", "Fix it")
    found = listed(reader, writer)
    assert (found.found, found.unread, found.gone, found.sessions) == (3, 1, 1, 2)
    assert found.skipped == (Skipped(str(empty), "holds no conversation"),)
    assert found.recovered == (Recovered(str(bad), 2, 7),)


def test_a_session_that_another_file_holds_is_not_deleted(tmp_path: Path) -> None:
    reader, writer = FakeReader(tmp_path), FakeWriter()
    paths = [write(tmp_path, name, "Fix it") for name in ("a", "b")]
    for path in paths:
        reader.happens[path.stem] = lambda: reader.transcript("same", "Fix it")
    Indexer([reader], writer, clock=Clock()).run()
    paths[0].rename(tmp_path / "c.txt")
    reader.happens["c"] = reader.happens["a"]
    Indexer([reader], writer, clock=Clock()).run()
    found = listed(reader, writer)
    assert (found.gone, found.sessions, found.unread) == (0, 1, 0)
    paths[1].unlink()
    (tmp_path / "c.txt").unlink()
    Indexer([reader], writer, clock=Clock()).run()
    assert listed(reader, writer).gone == 1


def test_a_link_beside_its_file_is_not_unread(tmp_path: Path) -> None:
    reader, writer = LinkingReader(tmp_path), FakeWriter()
    (tmp_path / "z.txt").symlink_to(write(tmp_path, "a", "Fix it"))
    Indexer([reader], writer, clock=Clock()).run()
    found = listed(reader, writer)
    assert (found.found, found.unread) == (1, 0)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = listed(FakeReader(tmp_path / "none"), FakeWriter())
    assert (found.roots, found.found, found.newest_ns) == ((Root(tmp_path / "none", exists=False),), 0, None)
