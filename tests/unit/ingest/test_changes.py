"""What is read again: files of many sessions, links, moves, what is excluded or not selected, files that grow."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from indexing_fakes import HOUR, Clock, FakeReader, FakeWriter, LinkingReader, write

from nlm_tui.core import Message
from nlm_tui.ingest.changes import Selection
from nlm_tui.ingest.indexer import Indexer
from nlm_tui.ingest.listing import list_sources
from nlm_tui.ingest.policy import Policy
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.ingest.report import IndexReport, Recovered, Skipped
from nlm_tui.ingest.unreadable import note


@dataclass
class LinesReader(FakeReader):
    """Each line of a file is a session, `name text`; a file without a blank is one."""

    was_listed: list[str] = field(default_factory=list)

    def parts(self, source: Source) -> Iterator[Source]:
        self.was_listed.append(source.path.stem)
        text = source.path.read_text()
        if text == "damaged":
            raise TranscriptError("is damaged")
        if " " not in text:
            yield source
        for place, line in enumerate(filter(None, text.splitlines() if " " in text else [])):
            name, _, said = line.partition(" ")
            yield Source(source.path, len(said), place * HOUR, said, name)

    def read(self, source: Source) -> Transcript | None:
        if not source.part:
            return super().read(source)
        self.was_read.append(source.part)
        return self.transcript(source.part, source.salt)


class GrowingText:
    """A file that was read up to some place."""

    def __init__(self, reader: "GrowingFakeReader", source: Source) -> None:
        self._reader = reader
        self._text = ""
        self.grow(source)

    def grow(self, source: Source) -> bool:
        text = source.path.read_text()
        if not text.startswith(self._text):
            return False
        self._reader.parsed.append(text.removeprefix(self._text))
        self._text = text
        return True

    def transcript(self) -> Transcript:
        return self._reader.transcript("a", self._text)


@dataclass
class GrowingFakeReader(FakeReader):
    """Reads on from where it was."""

    parsed: list[str] = field(default_factory=list)

    def open(self, source: Source) -> GrowingText:
        return GrowingText(self, source)


Index = Callable[..., IndexReport]


@pytest.fixture
def writer() -> FakeWriter:
    return FakeWriter()


def index(
    reader: FakeReader, writer: FakeWriter, selection: Selection | None = None, policy: Policy | None = None
) -> IndexReport:
    reader.was_read.clear()
    return Indexer([reader], writer, clock=Clock(), policy=policy).run(selection=selection or Selection())


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return report.new, report.updated, report.unchanged, report.gone


def test_of_a_file_of_many_sessions_those_that_changed_are_read(tmp_path: Path, writer: FakeWriter) -> None:
    reader = LinesReader(tmp_path)
    path = write(tmp_path, "many", "one first\ntwo second\n")
    assert counts(index(reader, writer)) == (2, 0, 0, 0)
    assert reader.was_read == ["two", "one"]
    assert {session.transcript_path for session in writer.sessions.values()} == {str(path)}
    reader.was_listed.clear()
    assert counts(index(reader, writer)) == (0, 0, 2, 0)
    assert (reader.was_read, reader.was_listed) == ([], []), "not even listed"

    write(tmp_path, "many", "one first\ntwo changed\nthree third\n", 2)
    assert counts(index(reader, writer)) == (1, 1, 1, 0)
    assert reader.was_read == ["three", "two"]


def test_a_session_deleted_from_such_a_file_stays_marked(tmp_path: Path, writer: FakeWriter) -> None:
    reader = LinesReader(tmp_path)
    path = write(tmp_path, "many", "one first\ntwo second\n")
    index(reader, writer)
    write(tmp_path, "many", "two second\n", 2)
    assert index(reader, writer).gone == 1
    assert {session.id for session in writer.sessions.values() if session.source_gone} == {"fake_one"}
    path.unlink()
    assert counts(index(reader, writer)) == (0, 0, 0, 1)
    assert all(session.source_gone for session in writer.sessions.values())
    assert counts(index(reader, writer)) == (0, 0, 0, 0), "said once"


def test_such_a_file_that_cannot_be_listed_keeps_what_it_had(tmp_path: Path, writer: FakeWriter) -> None:
    reader = LinesReader(tmp_path)
    path = write(tmp_path, "many", "one first\ntwo second\n")
    index(reader, writer)
    write(tmp_path, "many", "damaged", 2)
    report = index(reader, writer)
    assert (report.gone, report.skipped) == (0, [Skipped(str(path), "is damaged")])
    assert not any(session.source_gone for session in writer.sessions.values())
    assert index(reader, writer).skipped == [Skipped(str(path), "is damaged")], "known, and not listed again"
    write(tmp_path, "many", "one first\ntwo second\n", 3)
    assert counts(index(reader, writer)) == (0, 0, 2, 0)


def test_an_interrupted_run_lists_such_a_file_again(tmp_path: Path, writer: FakeWriter) -> None:
    reader = LinesReader(tmp_path)
    write(tmp_path, "many", "one first\ntwo second\n")

    def stop(_: object) -> None:
        if reader.was_read:
            raise KeyboardInterrupt

    assert Indexer([reader], writer, clock=Clock()).run(stop).new == 1
    assert counts(index(reader, writer)) == (1, 0, 1, 0)


def test_a_file_of_such_a_runtime_may_be_one_session(tmp_path: Path, writer: FakeWriter) -> None:
    reader = LinesReader(tmp_path)
    write(tmp_path, "single", "Alone")
    assert counts(index(reader, writer)) == (1, 0, 0, 0)
    assert counts(index(reader, writer)) == (0, 0, 1, 0)


def test_a_file_with_two_names_is_read_once(tmp_path: Path, writer: FakeWriter) -> None:
    reader = LinkingReader(tmp_path)
    (tmp_path / "link.txt").hardlink_to(write(tmp_path, "a", "Fix it"))
    assert counts(index(reader, writer)) == (1, 0, 0, 0)
    assert counts(index(reader, writer)) == (0, 0, 1, 0)


def test_a_file_that_moved_is_not_reported_as_deleted(tmp_path: Path, writer: FakeWriter) -> None:
    reader = FakeReader(tmp_path)
    path = write(tmp_path, "a", "Fix it")
    reader.happens["b"] = lambda: reader.transcript("a", "Fix it")
    index(reader, writer)
    path.rename(tmp_path / "b.txt")
    assert counts(index(reader, writer)) == (0, 1, 0, 0)
    assert not writer.sessions["fake_a"].source_gone


def test_what_a_moved_file_left_behind_is_no_session_of_its_own(tmp_path: Path, writer: FakeWriter) -> None:
    reader = FakeReader(tmp_path)
    stub = write(tmp_path, "a", "Fix it")
    index(reader, writer)
    write(tmp_path, "b", "Fix it")
    reader.happens["b"] = lambda: reader.transcript("a", "Fix it")
    write(tmp_path, "a", "", 2)
    index(reader, writer)
    stub.unlink()
    assert counts(index(reader, writer)) == (0, 0, 1, 0)
    assert not writer.sessions["fake_a"].source_gone


def test_a_session_whose_file_holds_another_one_now_is_marked(tmp_path: Path, writer: FakeWriter) -> None:
    reader = FakeReader(tmp_path)
    write(tmp_path, "a", "Fix it")
    index(reader, writer)
    write(tmp_path, "a", "Something else", 2)
    reader.happens["a"] = lambda: reader.transcript("other", "Something else")
    assert counts(index(reader, writer)) == (1, 0, 0, 0)
    assert {session.id: session.source_gone for session in writer.sessions.values()} == {
        "fake_a": True,
        "fake_other": False,
    }


def test_what_is_excluded_is_not_read_and_what_was_read_stays(tmp_path: Path, writer: FakeWriter) -> None:
    reader = FakeReader(tmp_path)
    write(tmp_path, "a", "Fix it")
    write(tmp_path, "b", "Fix it")
    index(reader, writer)
    write(tmp_path, "b", "Fix it twice", 2)
    policy = Policy(exclude=["b.txt"])
    report = index(reader, writer, policy=policy)
    assert (counts(report), report.excluded, reader.was_read) == ((0, 0, 1, 0), 1, [])
    assert writer.sessions["fake_b"].body == "Fix it"
    assert not writer.sessions["fake_b"].source_gone


def test_sessions_of_an_excluded_project_are_named_and_read_once_the_settings_change(
    tmp_path: Path, writer: FakeWriter
) -> None:
    reader = FakeReader(tmp_path)
    path = write(tmp_path, "a", "Fix it")
    reader.happens["a"] = lambda: reader.transcript("a", "Fix it", project="/home/dana/secret")
    policy = Policy(exclude_projects=["secret"])
    for _ in range(2):
        report = index(reader, writer, policy=policy)
        assert report.skipped == [Skipped(str(path), "its project is excluded by the settings")]
        assert writer.sessions == {}
    assert reader.was_read == [], "it is read once"
    assert counts(index(reader, writer)) == (1, 0, 0, 0)


def test_what_tools_put_out_is_kept_or_not(tmp_path: Path, writer: FakeWriter) -> None:
    reader = FakeReader(tmp_path)
    write(tmp_path, "a", "Fix it")
    messages = (Message("user", "Fix it"), Message("tool", "Bash  ls"), Message("output", "a.py"))
    reader.happens["a"] = lambda: replace(reader.transcript("a", ""), messages=messages)
    index(reader, writer)
    assert [(message.role, message.text) for message in writer.sessions["fake_a"].messages] == [
        ("user", "Fix it"),
        ("tool", "Bash  ls"),
        ("tool", "a.py"),
    ]
    index(reader, writer, policy=Policy(keeps_tool_output=False))
    assert writer.sessions["fake_a"].body == "Fix it\n\nBash  ls"


def test_only_what_is_selected_is_looked_at(tmp_path: Path, writer: FakeWriter) -> None:
    reader = FakeReader(tmp_path)
    old, new = write(tmp_path, "old", "Fix it", 1), write(tmp_path, "new", "Fix it", 5)
    index(reader, writer, Selection(since_ns=3 * HOUR))
    assert reader.was_read == ["new"]
    old.unlink()
    assert index(reader, writer, Selection(since_ns=3 * HOUR)).gone == 0
    write(tmp_path, "old", "Fix it", 1)
    index(reader, writer, Selection(paths=(tmp_path / "old.txt",)))
    assert reader.was_read == ["old"]
    write(tmp_path, "old", "Fix it all", 1)
    index(reader, writer, Selection(runtimes=frozenset({"another"})))
    assert reader.was_read == []
    new.unlink()
    assert counts(index(reader, writer, Selection(runtimes=frozenset({"fake"})))) == (0, 1, 0, 1)


def test_of_a_selected_file_of_many_sessions_the_rest_is_read_later(tmp_path: Path, writer: FakeWriter) -> None:
    reader = LinesReader(tmp_path)
    write(tmp_path, "many", "one first\ntwo second\nthree third\n", 5)
    assert index(reader, writer, Selection(since_ns=HOUR)).new == 2
    assert counts(index(reader, writer)) == (1, 0, 2, 0)


def test_files_with_unreadable_lines_are_named_each_time(tmp_path: Path, writer: FakeWriter) -> None:
    reader = FakeReader(tmp_path)
    path = write(tmp_path, "a", "Fix it")
    reader.happens["a"] = lambda: reader.transcript("a", "Fix it", bad_lines=2, bad_line=7)
    expected = [Recovered(str(path), 2, 7)]
    for _ in range(2):
        report = index(reader, writer)
        assert (report.recovered, report.bad_lines) == (expected, 2)


def test_who_watches_reads_only_what_was_added(tmp_path: Path, writer: FakeWriter) -> None:
    reader = GrowingFakeReader(tmp_path)
    indexer = Indexer([reader], writer, clock=Clock(), lasts=True)
    for hours, text in enumerate(("Fix it.", "Fix it. Now", "Fix it. Now.", "Else", "Else."), 1):
        write(tmp_path, "a", text, hours)
        indexer.run()
        assert writer.sessions["fake_a"].body == text
    assert reader.was_read == ["a"], "what nobody watched grow is read as a whole"
    assert reader.parsed == ["Fix it. Now", ".", "Else", "."]


def test_times_are_trusted_where_that_is_wanted(tmp_path: Path, writer: FakeWriter) -> None:
    reader = FakeReader(tmp_path)
    write(tmp_path, "a", "Fix it")
    index(reader, writer)
    write(tmp_path, "a", "Fax it")
    assert counts(index(reader, writer, Selection(trusts_times=True))) == (0, 0, 1, 0)
    assert counts(index(reader, writer)) == (0, 1, 0, 0)


def test_local_times_are_those_of_a_zone(tmp_path: Path, writer: FakeWriter) -> None:
    reader = FakeReader(tmp_path)
    write(tmp_path, "a", "Fix it")
    reader.happens["a"] = lambda: reader.transcript("a", "Fix it", local_start="2026-03-02T09:00:10")
    index(reader, writer)
    session = writer.sessions["fake_a"]
    assert (session.started_at, session.details.local_time) == ("2026-03-02T09:00:10.000Z", True)


@dataclass
class WalledReader(FakeReader):
    """Finds files in a folder that can become unreadable."""

    error: OSError | None = None

    def discover(self) -> Iterator[Source]:
        if self.error is None:
            yield from super().discover()
        else:
            note(str(self.folder), self.error)


def test_a_folder_that_cannot_be_read_is_named_and_what_was_in_it_is_not_gone(
    tmp_path: Path, writer: FakeWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = WalledReader(tmp_path)
    write(tmp_path, "a", "Fix it")
    index(reader, writer)
    reader.error = PermissionError(13, "Permission denied")
    monkeypatch.setattr("os.path.lexists", lambda _: False)
    expected = [Skipped(str(tmp_path), "cannot be read: Permission denied")]
    report = index(reader, writer)
    assert (report.skipped, report.gone) == (expected, 0)
    (listed,) = list_sources([reader], {"fake": writer.source_states("fake")}, Policy())
    assert list(listed.skipped) == expected


def test_a_folder_that_is_not_there_is_no_fault(tmp_path: Path, writer: FakeWriter) -> None:
    reader = WalledReader(tmp_path, error=FileNotFoundError(2, "No such file or directory"))
    assert index(reader, writer).skipped == []


def test_a_part_is_named_alike_in_every_run(tmp_path: Path, writer: FakeWriter) -> None:
    reader = LinesReader(tmp_path)
    path = write(tmp_path, "many", "one first\n")
    transcript = reader.transcript

    def damaged(name: str, text: str) -> Transcript:
        if text == "second":
            raise TranscriptError("is damaged")
        return transcript(name, text, bad_lines=1)

    reader.transcript = damaged
    write(tmp_path, "many", "one first\ntwo second\n", 2)
    for _ in range(2):
        report = index(reader, writer)
        assert report.skipped == [Skipped(f"{path}#two", "is damaged")]
        assert report.recovered == [Recovered(f"{path}#one", 1, None)]
