"""The indexer on the real store: what is in the memory after each run, and at every moment in between."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import rows

from nlm_tui.core import Message
from nlm_tui.ingest.indexer import Indexer
from nlm_tui.ingest.ports import Source, Transcript
from nlm_tui.ingest.report import IndexProgress, IndexReport
from nlm_tui.storage import SqliteSessionStore


@dataclass
class TextReader:
    """A session for each text file: its first prompt."""

    folder: Path
    runtime: str = "text"

    @property
    def roots(self) -> list[Path]:
        return [self.folder]

    def discover(self) -> Iterator[Source]:
        for path in self.folder.glob("*.txt"):
            found = path.stat()
            yield Source(path, found.st_size, found.st_mtime_ns)

    def read(self, source: Source) -> Transcript | None:
        native, text = source.path.stem, source.path.read_text()
        messages = (Message("user", text), Message("assistant", "Decision: keep Redis.\ud800\x00"))
        return Transcript(
            session_id=f"text_{native}".replace("\udcff", "?"), runtime="text", native_id=native, kind="text",
            messages=messages, project="/home/sam/src/pay",
        )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    for number in range(100):
        (folder / f"n{number:02}.txt").write_text(f"Fix the retries of worker{number} please")
        os.utime(folder / f"n{number:02}.txt", (number, number))
    return folder


def index(folder: Path, store: SqliteSessionStore) -> IndexReport:
    return Indexer([TextReader(folder)], store).run()


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return report.new, report.updated, report.unchanged, report.gone


def test_new_unchanged_updated_gone_and_back(folder: Path, store: SqliteSessionStore) -> None:
    assert counts(index(folder, store)) == (100, 0, 0, 0)
    assert [hit.session_id for hit in store.keyword_search("worker7", 5)] == ["text_n07"]
    assert counts(index(folder, store)) == (0, 0, 100, 0)
    path = folder / "n07.txt"
    path.write_text("Now it is about kafka")
    assert counts(index(folder, store)) == (0, 1, 99, 0)
    assert store.keyword_search("worker7", 5, ranking="reference") == []
    path.unlink()
    assert counts(index(folder, store)) == (0, 0, 99, 1)
    (session,) = store.get_by_ids([hit.session_id for hit in store.keyword_search("kafka", 5)])
    assert (session.id, session.source_gone) == ("text_n07", True)
    path.write_text("Now it is about kafka")
    assert counts(index(folder, store)) == (0, 1, 99, 0)
    assert not store.get_by_ids(["text_n07"])[0].source_gone
    assert store.count() == 100


def test_nothing_new_means_nothing_written(folder: Path, store: SqliteSessionStore, store_path: Path) -> None:
    index(folder, store)
    with SqliteSessionStore.open(store_path) as other:
        before = other._connection.rows("PRAGMA data_version")
        index(folder, store)
        assert other._connection.rows("PRAGMA data_version") == before


def test_ctrl_c_and_the_next_run_goes_on(folder: Path, store: SqliteSessionStore) -> None:
    def press(progress: IndexProgress) -> None:
        if progress.done == 80:
            raise KeyboardInterrupt

    report = Indexer([TextReader(folder)], store).run(press)
    assert (counts(report), report.interrupted) == ((80, 0, 0, 0), True)
    assert {session.transcript_path for session in store.list()} == {
        str(folder / f"n{number}.txt") for number in range(20, 100)
    }, "the newest first"
    assert counts(index(folder, store)) == (20, 0, 80, 0)


def test_others_see_whole_batches(folder: Path, store: SqliteSessionStore, store_path: Path) -> None:
    seen: set[int] = set()
    with SqliteSessionStore.open(store_path) as other:
        Indexer([TextReader(folder)], store, clock=lambda: 0.0).run(lambda _: seen.add(other.count()))
    assert seen == {0, 64, 100}


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX")
def test_names_and_text_that_sqlite_cannot_keep(folder: Path, store: SqliteSessionStore) -> None:
    path = folder / "bad\udcff.txt"
    path.write_text("Fix it")
    assert counts(index(folder, store)) == (101, 0, 0, 0)
    assert counts(index(folder, store)) == (0, 0, 101, 0)
    path.unlink()
    assert counts(index(folder, store)) == (0, 0, 100, 1)
    (session,) = [session for session in store.list() if session.source_gone]
    assert session.transcript_path == str(folder / "bad\ufffd.txt")
    assert session.body.endswith("keep Redis.\ufffd\ufffd")


def test_what_is_known_of_a_source(folder: Path, store: SqliteSessionStore, store_path: Path) -> None:
    index(folder, store)
    path = folder / "n07.txt"
    state = store.source_states("text")[str(path)]
    assert (state.size, state.mtime_ns, state.session_id, state.gone, state.reason) == (
        path.stat().st_size, 7 * 10**9, "text_n07", False, None,
    )  # fmt: skip
    assert store.source_states("other") == {}
    columns = "SELECT adapter_name, last_offset, file_size, session_id FROM adapter_state WHERE source_path = ?"
    assert rows(store_path, columns, [str(path)]) == [("text", state.size, state.size, "text_n07")]
