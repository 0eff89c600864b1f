"""What takes the place of what the memory has: never a file that was cut, never an older copy."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from indexing_fakes import HOUR, Clock, FakeReader, FakeWriter, LinkingReader, write

from nlm_tui.core import Message
from nlm_tui.ingest.indexer import Indexer
from nlm_tui.ingest.policy import Policy
from nlm_tui.ingest.ports import Source, SourceBusyError, Transcript
from nlm_tui.ingest.report import IndexReport, Skipped, Unwanted

SHORTER = "shorter than what was read from it; the memory keeps that"
WHOLE = "one\ntwo\nthree\nfour"


@dataclass
class TalkReader(LinkingReader):
    """Each line of a file is a message; those that begin with a minus were taken back, `?` is a bad line.

    Names give the session: `name` and `name-2` are files of one.
    """

    def read(self, source: Source) -> Transcript | None:
        name = source.path.stem
        self.was_read.append(name)
        if name in self.happens:
            return self.happens[name]()
        lines = source.path.read_text().splitlines()
        said = tuple(
            Message("note" if line.startswith("note ") else "user", line.removeprefix("-"), withdrawn=line[0] == "-")
            for line in lines
            if line and line != "?"
        )
        told = self.transcript(name.partition("-")[0], "", bad_lines=lines.count("?"))
        return replace(told, messages=said) if said else None


@pytest.fixture
def reader(tmp_path: Path) -> TalkReader:
    return TalkReader(tmp_path)


@pytest.fixture
def writer() -> FakeWriter:
    return FakeWriter()


def index(reader: FakeReader, writer: FakeWriter, policy: Policy | None = None) -> IndexReport:
    reader.was_read.clear()
    return Indexer([reader], writer, clock=Clock(), policy=policy).run()


def told(writer: FakeWriter, name: str = "a") -> list[str]:
    return [message.text for message in writer.sessions[f"fake_{name}"].messages]


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return report.new, report.updated, report.unchanged, report.gone


@pytest.mark.parametrize(
    "text",
    [
        "one\ntwo",
        "one",
        "one\ntwo\nthree\nfo",
        "one\ntwo\nth",
        "two\nfour",
        "?\ntwo\n?\n?",
        "one" + "\n" * (len(WHOLE) - 3),
        "one\n?\nthree\nfour\n?\n?\n?\n?\n?\n?\n?",
    ],
)
def test_a_file_that_lost_something_does_not_take_it_from_the_memory(
    reader: TalkReader, writer: FakeWriter, text: str
) -> None:
    path = write(reader.folder, "a", WHOLE)
    index(reader, writer)
    write(reader.folder, "a", text, 2)
    for expected in ((0, 0, 0, 0), (0, 0, 1, 0)):
        report = index(reader, writer)
        assert (counts(report), report.skipped) == (expected, [Skipped(str(path), SHORTER)])
        assert told(writer) == WHOLE.splitlines()
    assert reader.was_read == [], "it is read once"


@pytest.mark.parametrize(
    "text", ["one\nelse", "zero", "two\none", "one\ntwo\n-three\n-four", "one\ntwo\nthree\nfour\nfive", "one\ntwo x"]
)
def test_what_says_something_else_is_taken(reader: TalkReader, writer: FakeWriter, text: str) -> None:
    write(reader.folder, "a", WHOLE)
    index(reader, writer)
    write(reader.folder, "a", text, 2)
    report = index(reader, writer)
    assert (counts(report), report.skipped) == ((0, 1, 0, 0), [])
    assert told(writer) == text.replace("-", "").splitlines()


def test_a_file_that_is_restored_bit_by_bit(reader: TalkReader, writer: FakeWriter) -> None:
    write(reader.folder, "a", WHOLE)
    index(reader, writer)
    for hours, text in enumerate(("one", "one\ntwo", "one\ntwo\nthree"), 2):
        write(reader.folder, "a", text, hours)
        assert index(reader, writer).updated == 0
        assert told(writer) == WHOLE.splitlines()
    write(reader.folder, "a", WHOLE + "\nfive", 9)
    report = index(reader, writer)
    assert (counts(report), report.skipped) == ((0, 1, 0, 0), [])
    assert told(writer)[-1] == "five"


def test_a_long_session_that_was_cut_where_the_memory_left_something_out(
    reader: TalkReader, writer: FakeWriter
) -> None:
    write(reader.folder, "a", "one\ntwo\nnote 2 more\nfive and more")
    index(reader, writer)
    for text, is_kept in (("one\ntwo\nthree", True), ("one\nelse\nthree", False)):
        write(reader.folder, "a", text, len(text))
        assert (index(reader, writer).updated == 0) == is_kept


def test_another_way_of_reading_may_find_less(
    reader: TalkReader, writer: FakeWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(reader.folder, "a", WHOLE)
    index(reader, writer)
    monkeypatch.setattr("nlm_tui.ingest.changes.EXTRACTION_VERSION", 999)
    reader.happens["a"] = lambda: reader.transcript("a", "one")
    assert counts(index(reader, writer)) == (0, 1, 0, 0)
    assert told(writer) == ["one"]


def test_another_session_under_the_same_name_leaves_the_one_before(reader: TalkReader, writer: FakeWriter) -> None:
    write(reader.folder, "a", WHOLE)
    index(reader, writer)
    write(reader.folder, "a", "else", 2)
    reader.happens["a"] = lambda: reader.transcript("other", "else")
    assert counts(index(reader, writer)) == (1, 0, 0, 0)
    assert told(writer) == WHOLE.splitlines()
    assert writer.sessions["fake_a"].source_gone


def test_a_copy_is_one_also_where_it_is_older(reader: TalkReader, writer: FakeWriter) -> None:
    path = write(reader.folder, "a", WHOLE, 5)
    index(reader, writer)
    copy = write(reader.folder, "a-2", "one\ntwo", 1)
    report = index(reader, writer)
    assert (counts(report), report.skipped) == ((0, 0, 1, 0), [Skipped(str(copy), f"a copy of {path}")])
    assert writer.sessions["fake_a"].transcript_path == str(path)
    copy.unlink()
    assert counts(index(reader, writer)) == (0, 0, 1, 0), "the session still has its file"
    assert not writer.sessions["fake_a"].source_gone


def test_a_copy_serves_once_the_original_is_gone(reader: TalkReader, writer: FakeWriter) -> None:
    path = write(reader.folder, "a", WHOLE, 5)
    index(reader, writer)
    copy = write(reader.folder, "a-2", WHOLE, 1)
    index(reader, writer)
    path.unlink()
    report = index(reader, writer)
    assert (counts(report), report.skipped) == ((0, 1, 0, 0), [])
    session = writer.sessions["fake_a"]
    assert (session.transcript_path, session.source_gone) == (str(copy), False)


def test_an_older_copy_that_is_left_does_not_take_its_place(reader: TalkReader, writer: FakeWriter) -> None:
    path = write(reader.folder, "a", WHOLE, 5)
    copy = write(reader.folder, "a-2", "one\ntwo", 1)
    index(reader, writer)
    path.unlink()
    report = index(reader, writer)
    assert report.skipped == [Skipped(str(copy), f"shorter than what was read from {path}; the memory keeps that")]
    assert (told(writer), writer.sessions["fake_a"].source_gone) == (WHOLE.splitlines(), True)


def test_a_copy_that_goes_on_is_taken(reader: TalkReader, writer: FakeWriter) -> None:
    write(reader.folder, "a", WHOLE, 5)
    index(reader, writer)
    write(reader.folder, "a-2", WHOLE + "\nfive", 6)
    assert counts(index(reader, writer)) == (0, 1, 0, 0)
    assert told(writer)[-1] == "five"


@pytest.mark.parametrize("first", ["0-link", "z-link"])
def test_a_link_is_no_file_of_its_own(reader: TalkReader, writer: FakeWriter, first: str) -> None:
    path = write(reader.folder, "a", WHOLE)
    (reader.folder / f"{first}.txt").symlink_to(path)
    for expected in ((1, 0, 0, 0), (0, 0, 1, 0)):
        report = index(reader, writer)
        assert (counts(report), report.skipped) == (expected, [])
    assert writer.sessions["fake_a"].transcript_path == str(path)


def test_a_session_that_was_read_by_a_link_comes_to_its_file(reader: TalkReader, writer: FakeWriter) -> None:
    path = write(reader.folder, "a", WHOLE)
    link = reader.folder / "a-2.txt"
    link.symlink_to(path)
    hidden = path.rename(reader.folder / "a.elsewhere")
    link.unlink()
    link.symlink_to(hidden)
    index(reader, writer)
    assert writer.sessions["fake_a"].transcript_path == str(link)
    hidden.rename(path)
    link.unlink()
    link.symlink_to(path)
    report = index(reader, writer)
    assert (counts(report), report.skipped) == ((0, 1, 0, 0), [])
    assert writer.sessions["fake_a"].transcript_path == str(path)


def fails(error: Exception) -> Callable[[], None]:
    def happen() -> None:
        raise error

    return happen


def test_what_another_program_had_for_itself_is_read_once_it_can_be(reader: TalkReader, writer: FakeWriter) -> None:
    path = write(reader.folder, "a", WHOLE)
    reader.happens["a"] = fails(SourceBusyError("is locked"))
    for _ in range(2):
        report = index(reader, writer)
        assert (report.skipped, reader.was_read) == ([Skipped(str(path), "is locked")], ["a"])
    reader.happens.clear()
    assert counts(index(reader, writer)) == (1, 0, 0, 0), "though the file is the same"


@dataclass
class FollowingReader(FakeReader):
    """Reads what lies in the projects that the memory knows."""

    writer: FakeWriter = field(default_factory=FakeWriter)

    def projects(self):
        return list(map(Path, self.writer.sessions_by_project()))

    def discover(self):
        for project in self.projects():
            found = (path := project / "history.txt").stat()
            yield Source(path, found.st_size, found.st_mtime_ns)


def test_projects_that_a_run_comes_upon_are_looked_into_in_the_same_run(tmp_path: Path, writer: FakeWriter) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "history.txt").write_text("Fix it")
    os.utime(project / "history.txt", ns=(9 * HOUR, 9 * HOUR))
    write(tmp_path, "a", "Fix it")
    reader = FakeReader(tmp_path)
    reader.happens["a"] = lambda: reader.transcript("a", "Fix it", project=str(project))
    follower = FollowingReader(tmp_path, "follower", writer=writer)
    report = Indexer([follower, reader], writer, clock=Clock()).run()
    assert (report.new, set(writer.sessions)) == (2, {"fake_a", "follower_history"})


def test_what_the_memory_has_of_what_is_excluded_now_is_told(reader: TalkReader, writer: FakeWriter) -> None:
    for name, project in (("a", "/srv/secret/api"), ("b", "/srv/open"), ("c", "/srv/open")):
        write(reader.folder, name, name)
        reader.happens[name] = lambda name=name, project=project: reader.transcript(name, name, project=project)
    assert index(reader, writer).unwanted == []
    report = index(reader, writer, Policy(["b.txt"], ["secret"]))
    assert report.unwanted == [Unwanted(1, "/srv/secret/api"), Unwanted(1, ids=("fake_b",))]
    assert index(reader, writer, Policy(["nothing"])).unwanted == []
