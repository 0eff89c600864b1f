"""A store that nlm-memory wrote: read like our own, answered as that program answers, never changed."""

import json
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from support import a_session

from nlm_tui.core import RecallQuery, RecallService, SessionFilter, StoreError
from nlm_tui.ingest.ports import SourceState
from nlm_tui.storage import SqliteSessionStore

EXPECTED = json.loads((Path(__file__).parent / "interop" / "nlm-memory-v0.5.2-expected.json").read_text())


@pytest.fixture
def path(tmp_path: Path, interop_bytes: bytes) -> Path:
    path = tmp_path / "canonical.sqlite"
    path.write_bytes(interop_bytes)
    return path


@pytest.fixture
def other(path: Path, interop_bytes: bytes) -> Iterator[SqliteSessionStore]:
    """The store, opened; afterwards it is what it was, and alone."""
    with SqliteSessionStore.open(path) as store:
        yield store
    assert path.read_bytes() == interop_bytes
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("query", EXPECTED["queries"], ids=lambda query: query["query"])
def test_answers_are_those_of_that_program(other: SqliteSessionStore, query: dict) -> None:
    result = RecallService(other).search(RecallQuery(query["query"], ranking="reference"))
    assert result.total == query["total"]
    assert [
        {"id": hit.id, "matchScore": round(hit.match_score, 6), "matchedIn": list(hit.matched_in), "status": hit.status}
        for hit in result.results[:5]
    ] == query["top5"]


def test_sessions_are_whole(other: SqliteSessionStore) -> None:
    assert other.read_only
    assert other.foreign
    assert other.count() == len(other.list()) == 41
    (session,) = other.get_by_ids(["cc_7b945aa5-6c38-49e7-a583-8368cd3da9f4"])
    assert session.label == "Plan markdown export in larkspur-infra"
    assert session.entities == ("larkspur-infra", "Helm")
    assert [len(session.decisions), len(session.open), len(session.messages)] == [1, 2, 1]
    assert (session.project, session.parent_id, session.source_gone, session.turns) == (None, None, False, ())


def test_sessions_are_found_by_the_beginning_of_their_id(other: SqliteSessionStore) -> None:
    for beginning in ("cc_7b945aa5", "7b945aa5"):
        assert other.ids_beginning_with(beginning, 5) == ["cc_7b945aa5-6c38-49e7-a583-8368cd3da9f4"]


def test_filters_act_here_too(other: SqliteSessionStore) -> None:
    sessions = other.list()
    for wanted, passing in (
        (SessionFilter(entity="flutter"), {session.id for session in sessions if "Flutter" in session.entities}),
        (SessionFilter(kind="decision"), {session.id for session in sessions if session.decisions}),
        (SessionFilter(kind="open", top_level=True), {session.id for session in sessions if session.open}),
    ):
        assert passing
        assert other.count(wanted) == len(passing)
        found = other.keyword_search("the", 1, wanted)
        assert found.total == len({hit.session_id for hit in other.keyword_search("the", 100)} & passing)


def test_it_holds_no_vectors(other: SqliteSessionStore) -> None:
    assert other.embedding_model is None
    found = other.semantic_search([1.0] * 768, 5)
    assert (found, found.total) == ([], 0)


def test_nothing_is_written(other: SqliteSessionStore) -> None:
    for write in (
        lambda: other.insert_sessions(a_session()),
        lambda: other.update_status("cc_7b945aa5-6c38-49e7-a583-8368cd3da9f4", "closed"),
        other.batch,
        lambda: other.record_source("codex", "/x", SourceState(1, 1, "", None)),
        lambda: other.mark_source_gone("codex", "/x"),
        lambda: other._connection.run("DELETE FROM sessions"),
    ):
        with pytest.raises(StoreError, match="read"):
            write()
    assert other.count() == 41


def test_what_that_program_writes_meanwhile_is_seen(path: Path) -> None:
    program = apsw.Connection(str(path))
    program.execute("UPDATE sessions SET status = 'active' WHERE rowid = 1")
    with SqliteSessionStore.open(path) as store:
        assert sum(session.status == "active" for session in store.list()) == 1
        program.execute("UPDATE sessions SET status = 'active' WHERE rowid = 2")
        assert sum(session.status == "active" for session in store.list()) == 2
    assert path.with_name(path.name + "-wal").stat().st_size > 0, "its log is its own"
    program.close()
