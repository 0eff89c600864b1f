"""Indexing: only what changed is read, nothing is lost, one bad file never stops the rest."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from indexing_fakes import Clock, FakeReader, FakeWriter, write

from nlm_tui.core import Session
from nlm_tui.ingest.indexer import Indexer
from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.ingest.report import IndexProgress, IndexReport, Skipped


@pytest.fixture
def reader(tmp_path: Path) -> FakeReader:
    return FakeReader(tmp_path)


@pytest.fixture
def writer() -> FakeWriter:
    return FakeWriter()


def index(reader: FakeReader, writer: FakeWriter, clock: Clock | None = None) -> IndexReport:
    reader.was_read.clear()
    return Indexer([reader], writer, clock=clock or Clock()).run()


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return report.new, report.updated, report.unchanged, report.gone


def test_the_newest_are_read_first_and_only_once(reader: FakeReader, writer: FakeWriter) -> None:
    for name, hours in (("old", 1), ("new", 3), ("b", 2), ("a", 2)):
        write(reader.folder, name, "Fix it", hours)
    assert counts(index(reader, writer)) == (4, 0, 0, 0)
    assert reader.was_read == ["new", "a", "b", "old"]
    assert writer.sessions["fake_new"].transcript_path == str(reader.folder / "new.txt")
    assert counts(index(reader, writer)) == (0, 0, 4, 0)
    assert reader.was_read == []


def test_runtimes_are_read_by_age_not_one_after_the_other(tmp_path: Path, writer: FakeWriter) -> None:
    first, second = FakeReader(tmp_path / "1", "first"), FakeReader(tmp_path / "2", "second")
    order: list[str] = []
    for place, one in enumerate((first, second)):
        one.folder.mkdir()
        one.was_read = order
        for hours in (1, 3):
            write(one.folder, f"{one.runtime}{hours}", "x", hours + place)
    Indexer([first, second], writer, clock=Clock()).run()
    assert order == ["second3", "first3", "second1", "first1"]


@pytest.mark.parametrize(
    ("text", "hours"), [("Fix them", 1), ("Fix it", 2), ("Fix it all", 2), ("Do not", 5), ("Fax it", 1)]
)
def test_what_changed_is_read_again(reader: FakeReader, writer: FakeWriter, text: str, hours: int) -> None:
    write(reader.folder, "a", "Fix it")
    write(reader.folder, "b", "Fix it")
    index(reader, writer)
    write(reader.folder, "a", text, hours)
    assert counts(index(reader, writer)) == (0, 1, 1, 0)
    assert reader.was_read == ["a"]
    assert writer.sessions["fake_a"].body == text


def test_same_size_and_time_but_another_end_is_a_change(reader: FakeReader, writer: FakeWriter) -> None:
    write(reader.folder, "a", "x" * 20_000 + "old")
    index(reader, writer)
    write(reader.folder, "a", "x" * 20_000 + "new")
    assert counts(index(reader, writer)) == (0, 1, 0, 0)


def test_a_title_kept_beside_the_file_is_part_of_it(reader: FakeReader, writer: FakeWriter) -> None:
    write(reader.folder, "a", "Fix it")
    index(reader, writer)
    reader.salt = "a title"
    assert counts(index(reader, writer)) == (0, 1, 0, 0)
    assert counts(index(reader, writer)) == (0, 0, 1, 0)


def test_another_way_of_reading_reads_all_again(
    reader: FakeReader, writer: FakeWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(reader.folder, "a", "Fix it")
    index(reader, writer)
    monkeypatch.setattr("nlm_tui.ingest.changes.EXTRACTION_VERSION", 999)
    assert counts(index(reader, writer)) == (0, 1, 0, 0)


def fails(error: Exception) -> Callable[[], None]:
    def happen() -> None:
        raise error

    return happen


def test_what_gives_no_session_is_named_with_its_reason(reader: FakeReader, writer: FakeWriter) -> None:
    reader.happens = {
        "bad": fails(TranscriptError("is no transcript")),
        "locked": fails(PermissionError(13, "Permission denied")),
        "odd": fails(OSError("odd")),
        "ours": fails(KeyError("secret words of a transcript")),
    }
    for name in (*reader.happens, "good"):
        write(reader.folder, name, "Fix it")
    write(reader.folder, "empty", "")
    expected = [
        Skipped(str(reader.folder / f"{name}.txt"), reason)
        for name, reason in (
            ("bad", "is no transcript"),
            ("empty", "holds no conversation"),
            ("locked", "cannot be read: Permission denied"),
            ("odd", "cannot be read: OSError"),
            ("ours", "cannot be read: internal error (KeyError)"),
        )
    ]
    report = index(reader, writer)
    assert (counts(report), report.skipped) == ((1, 0, 0, 0), expected)
    report = index(reader, writer)
    assert (counts(report), report.skipped) == ((0, 0, 1, 0), expected), "known, and not read again"
    assert reader.was_read == []


def test_a_file_that_cannot_even_be_opened(reader: FakeReader, writer: FakeWriter) -> None:
    write(reader.folder, "a", "Fix it")
    gone = write(reader.folder, "gone", "Fix it", 2)

    def vanish(progress: IndexProgress) -> None:
        if progress.path == str(gone):
            gone.unlink()

    report = Indexer([reader], writer, clock=Clock()).run(vanish)
    assert report.skipped == [Skipped(str(gone), "cannot be read: No such file or directory")]
    assert counts(report) == (1, 0, 0, 0)


@pytest.mark.parametrize("text", ["", "worse than before"])
def test_a_file_that_gives_nothing_any_more_keeps_its_session(
    reader: FakeReader, writer: FakeWriter, text: str
) -> None:
    write(reader.folder, "a", "Fix it")
    index(reader, writer)
    kept = dict(writer.sessions)
    if text:
        reader.happens["a"] = fails(TranscriptError("damaged"))
    write(reader.folder, "a", text, 2)
    report = index(reader, writer)
    assert (counts(report), len(report.skipped)) == ((0, 0, 0, 0), 1)
    assert writer.sessions == kept
    assert counts(index(reader, writer)) == (0, 0, 1, 0), "its session is still there"
    reader.happens.clear()
    write(reader.folder, "a", "Fix it again", 3)
    assert counts(index(reader, writer)) == (0, 1, 0, 0)


def test_a_deleted_file_keeps_its_session_marked(reader: FakeReader, writer: FakeWriter) -> None:
    path = write(reader.folder, "a", "Fix it")
    write(reader.folder, "b", "Fix it")
    index(reader, writer)
    path.unlink()
    assert counts(index(reader, writer)) == (0, 0, 1, 1)
    assert writer.sessions["fake_a"].source_gone
    assert counts(index(reader, writer)) == (0, 0, 1, 0), "said once"
    write(reader.folder, "a", "Fix it")
    assert counts(index(reader, writer)) == (0, 1, 1, 0), "it is back, though nothing else about it changed"
    assert not writer.sessions["fake_a"].source_gone


def test_a_file_that_is_only_not_looked_at_is_not_gone(reader: FakeReader, writer: FakeWriter, tmp_path: Path) -> None:
    write(reader.folder, "a", "Fix it")
    index(reader, writer)
    reader.folder = tmp_path / "elsewhere"
    assert counts(index(reader, writer)) == (0, 0, 0, 0)
    assert not writer.sessions["fake_a"].source_gone


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX")
def test_a_file_name_need_not_be_text(reader: FakeReader, writer: FakeWriter) -> None:
    path = write(reader.folder, "a\udcff", "Fix it")
    assert counts(index(reader, writer)) == (1, 0, 0, 0)
    assert counts(index(reader, writer)) == (0, 0, 1, 0)
    path.unlink()
    assert counts(index(reader, writer)) == (0, 0, 0, 1)
    assert all(session.source_gone for session in writer.sessions.values())


def test_ctrl_c_keeps_what_was_read(reader: FakeReader, writer: FakeWriter) -> None:
    for hours in range(1, 6):
        write(reader.folder, f"h{hours}", "Fix it", hours)
    reader.happens["h3"] = fails(KeyboardInterrupt())
    report = index(reader, writer)
    assert report.interrupted
    assert counts(report) == (2, 0, 0, 0)
    assert sorted(writer.sessions) == ["fake_h4", "fake_h5"]
    reader.happens.clear()
    report = index(reader, writer)
    assert (counts(report), report.interrupted) == ((3, 0, 2, 0), False)


def test_ctrl_c_while_writing_loses_nothing(reader: FakeReader, writer: FakeWriter) -> None:
    for hours in range(1, 100):
        write(reader.folder, f"h{hours:02}", "Fix it", hours)
    insert, pressed = writer.insert_sessions, []

    def interrupted(*sessions: Session) -> None:
        insert(*sessions)
        if not pressed:
            pressed.append(True)
            raise KeyboardInterrupt

    writer.insert_sessions = interrupted
    report = index(reader, writer)
    assert report.interrupted
    assert report.new == len(writer.sessions) == 64, "the batch that was being written"


def test_writing_is_in_batches_by_number_size_and_time(reader: FakeReader, writer: FakeWriter) -> None:
    for number in range(150):
        write(reader.folder, f"n{number}", "Fix it")
    index(reader, writer)
    assert writer.batches == [64, 64, 22]
    writer.batches.clear()
    for number in range(4):
        write(reader.folder, f"n{number}", "large " * 900_000, 2)
    index(reader, writer)
    assert writer.batches == [2, 2]
    writer.batches.clear()
    for number in range(3):
        write(reader.folder, f"n{number}", "Fix it", 3)
    index(reader, writer, Clock(step=1.1))
    assert writer.batches == [1, 1, 1]


def test_progress_counts_up_to_its_end(reader: FakeReader, writer: FakeWriter) -> None:
    for hours in (1, 2, 3):
        write(reader.folder, f"h{hours}", "Fix it", hours)
    seen: list[IndexProgress] = []
    Indexer([reader], writer, clock=Clock()).run(seen.append)
    assert [(step.done, step.total, step.changed, Path(step.path).stem) for step in seen] == [
        (0, 3, 0, "h3"),
        (1, 3, 0, "h2"),
        (2, 3, 0, "h1"),
        (3, 3, 3, ""),
    ]
    seen.clear()
    Indexer([reader], writer, clock=Clock()).run(seen.append)
    assert seen == []


def test_two_files_of_one_session_are_one_session(reader: FakeReader, writer: FakeWriter) -> None:
    paths = [write(reader.folder, name, "Fix it") for name in ("a", "copy")]
    for path in paths:
        reader.happens[path.stem] = lambda: reader.transcript("same", "Fix it")
    expected = [Skipped(str(paths[1]), f"a copy of {paths[0]}")]
    report = index(reader, writer)
    assert (counts(report), report.skipped) == ((1, 0, 0, 0), expected)
    report = index(reader, writer)
    assert (counts(report), report.skipped) == ((0, 0, 1, 0), expected)
    assert list(writer.sessions) == ["fake_same"]


def test_unreadable_lines_are_counted_but_one_that_is_being_written(reader: FakeReader, writer: FakeWriter) -> None:
    write(reader.folder, "a", "x")
    reader.happens["a"] = lambda: reader.transcript("a", "Fix it", bad_lines=3, truncated_tail=True)
    assert index(reader, writer).bad_lines == 2


def test_time_is_taken_from_the_clock(reader: FakeReader, writer: FakeWriter) -> None:
    assert index(reader, writer, Clock(step=2.0)).seconds > 0


def test_what_a_subagent_of_a_forgotten_session_began_is_not_kept_either(tmp_path: Path) -> None:
    reader, writer = FakeReader(tmp_path), FakeWriter()
    for name, parent in (("child", "forgotten"), ("grandchild", "child")):
        (tmp_path / f"{name}.txt").write_text("a secret plan")
        reader.happens[name] = partial(
            reader.transcript, name, "a secret plan", parent_id=f"fake_{parent}", is_subagent=True
        )
    assert Indexer([reader], writer).run().new == 0
    (tmp_path / "grandchild.txt").write_text("a longer secret plan")
    assert Indexer([reader], writer).run().new == 0
    assert writer.sessions == {}


def test_what_is_forgotten_is_not_kept_again(tmp_path: Path) -> None:
    (tmp_path / "forgotten.txt").write_text("a secret plan")
    (tmp_path / "child.txt").write_text("more of it")
    (tmp_path / "other.txt").write_text("something else")
    reader, writer = FakeReader(tmp_path), FakeWriter()
    reader.happens["child"] = lambda: reader.transcript(
        "child", "more of it", parent_id="fake_forgotten", is_subagent=True
    )
    for text in ("a secret plan", "a longer secret plan"):
        (tmp_path / "forgotten.txt").write_text(text)
        report = Indexer([reader], writer).run()
        assert (report.new + report.unchanged, report.updated, report.skipped) == (1, 0, [])
        assert list(writer.sessions) == ["fake_other"]
