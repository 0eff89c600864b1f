"""A store of another program is read whatever its schema has, lacks, or calls otherwise."""

import shutil
from pathlib import Path

import pytest
from foreign_stores import CANONICAL, OLD, changed, minimal_store

from nlm_tui.core import RecallService, SessionFilter, StoreError, parse
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.storage.index import OURS

# What a reader may find missing in stores of any version, one at a time.
LACKING = {
    "no full-text index": "DROP TABLE sessions_fts",
    "no markers": "DROP TABLE markers",
    "no entities": "DROP TABLE entities",
    "no links to entities": "DROP TABLE session_entities",
    "no variants": "DROP TABLE entity_variants",
    "no actions": "DROP TABLE actions",
    "no edges": "DROP TABLE session_edges",
    "no migrations": "DROP TABLE schema_migrations",
    "no positions": "ALTER TABLE markers DROP COLUMN position",
    "no end": "ALTER TABLE sessions DROP COLUMN ended_at",
    "no transcripts": "ALTER TABLE sessions DROP COLUMN transcript_path",
    "more columns": "ALTER TABLE sessions ADD COLUMN decisions TEXT; ALTER TABLE sessions ADD COLUMN turns TEXT",
    "no index on status": "DROP INDEX idx_sessions_status",
    "a newer version": "INSERT INTO schema_migrations (version, name) VALUES (99, 'future')",
    "an empty text": "UPDATE sessions SET body = NULL, summary = ''",
}
QUERIES = (
    "retry",
    "tokenizer",
    "larkspur",
    "no-such-word",
    '"dead letter"',
    "has:decision",
    "entity:SQS",
    "in:open queue",
    "since:2020-01-01",
    "agent:codex",
    "model:x",
    "project:x",
    "status:superseded",
)
TRIGGERS = "DROP TRIGGER sessions_ai; DROP TRIGGER sessions_au; DROP TRIGGER sessions_ad"


def read_all(store: SqliteSessionStore) -> None:
    """Do everything that a user can do."""
    sessions = store.list()
    assert store.count() == len(sessions) > 0
    assert store.get_by_ids([session.id for session in sessions]) == sessions
    service = RecallService(store)
    found = 0
    for text in QUERIES:
        for ranking in ("best", "reference"):
            result = service.search(parse(text, ranking=ranking), top_level=True)
            found += result.total
            assert len(result.results) <= result.total
    assert found
    for name in ("agent", "project", "entity", "branch", "model"):
        store.filter_values(name)
    assert store._index() == OURS


@pytest.mark.parametrize("statement", LACKING.values(), ids=LACKING.keys())
@pytest.mark.parametrize("source", [None, OLD, CANONICAL], ids=["schema 0", "schema 15", "schema 36"])
def test_what_is_missing_is_made_up(tmp_path: Path, source: Path | None, statement: str) -> None:
    path = tmp_path / "canonical.sqlite"
    if source:
        shutil.copyfile(source, path)
        changed(path, "PRAGMA foreign_keys = OFF", TRIGGERS, statement)
    else:
        minimal_store(path, TRIGGERS, statement)
    content = path.read_bytes()
    with SqliteSessionStore.open(path) as store:
        read_all(store)
    assert path.read_bytes() == content


def test_a_store_of_the_first_schema_is_read_like_ours(tmp_path: Path) -> None:
    with SqliteSessionStore.open(minimal_store(tmp_path / "canonical.sqlite")) as store:
        first = store.get_by_id("cc_a")
        assert first
        assert (first.entities, first.decisions, first.open) == (("pay-worker",), ("dead-letter after SIGTERM",), ())
        assert (first.project, first.model, first.parent_id, first.source_gone) == (None, None, None, False)
        for text, expected in (
            ("SIGTERM", ["cc_a"]),
            ("payworker", ["cc_b", "cc_a"]),
            ("zurich", ["cx_c"]),
            ("検索", ["cx_c"]),
            ("guest", ["cx_c"]),
            ("retry", ["cc_a"]),
            ("has:open", ["cc_b"]),
            ("entity:PayWorker", ["cc_b", "cc_a"]),
            ('in:decision "dead letter"', ["cc_a"]),
        ):
            found = [hit.id for hit in RecallService(store).search(parse(text)).results]
            assert sorted(found) == sorted(expected), text
        assert store.embedding_model is None


def test_the_least_that_is_a_memory(tmp_path: Path) -> None:
    path = changed(
        tmp_path / "least.sqlite",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, started_at TEXT)",
        "INSERT INTO sessions VALUES ('alder', '2026-01-01T00:00:00Z'), ('birch', '2026-01-02T00:00:00Z')",
    )
    with SqliteSessionStore.open(path) as store:
        assert [(session.id, session.label, session.runtime, session.status) for session in store.list()] == [
            ("birch", "birch", "unknown", "closed"),
            ("alder", "alder", "unknown", "closed"),
        ]
        assert store.ids_beginning_with("a", 5) == ["alder"]
        assert store.keyword_search("birch", 5, ranking="reference")[0].session_id == "birch"


def test_a_table_of_sessions_that_are_others_is_refused(tmp_path: Path) -> None:
    path = changed(tmp_path / "web.sqlite", "CREATE TABLE sessions (token TEXT, expires INTEGER)")
    with pytest.raises(StoreError, match=r"web\.sqlite: this database is no session memory"):
        SqliteSessionStore.open(path)


def test_statuses_that_we_do_not_know_are_shown_and_replaced_ones_are_not(tmp_path: Path) -> None:
    path = minimal_store(
        tmp_path / "canonical.sqlite",
        "PRAGMA ignore_check_constraints = ON; "
        "UPDATE sessions SET status = 'archived' WHERE id = 'cc_a'; "
        "UPDATE sessions SET status = 'replaced' WHERE id = 'cc_b'",
    )
    with SqliteSessionStore.open(path) as store:
        assert {session.id: session.status for session in store.list()} == {"cc_a": "archived", "cx_c": "active"}
        assert [tuple(value) for value in store.filter_values("entity")] == [("SQS", 1), ("pay-worker", 1)]


@pytest.mark.parametrize("undone", [False, True])
def test_what_users_renamed_and_merged_is_found_by_all_names(tmp_path: Path, *, undone: bool) -> None:
    path = minimal_store(
        tmp_path / "canonical.sqlite",
        """INSERT INTO actions (id, timestamp, kind, subject_type, subject_id, payload) VALUES
           ('1', '', 'rename_entity', 'entity', 'pay-worker', '{"to": "Former Worker"}'),
           ('2', '', 'rename_entity', 'entity', 'pay-worker', '{"to": "Billing Worker"}'),
           ('3', '', 'merge_entity', 'entity', 'SQS', '{"into": "pay-worker"}'),
           ('4', '', 'rename_entity', 'entity', 'SQS', 'no json'),
           ('5', '', 'rename_entity', 'entity', 'SQS', '{"to": 5}'),
           ('6', '', 'rename_entity', 'entity', 'SQS', NULL)""",
        "UPDATE actions SET reverted_by = '9'" if undone else "SELECT 1",
    )
    with SqliteSessionStore.open(path) as store:
        counts = {
            name: store.count(SessionFilter(entity=name))
            for name in ("pay-worker", "Billing Worker", "Former Worker", "SQS", "payworker")
        }
        words = store.keyword_search('"billing worker"', 5).total
    if undone:
        assert counts == {"pay-worker": 2, "Billing Worker": 0, "Former Worker": 0, "SQS": 1, "payworker": 2}
        assert words == 0
    else:
        assert counts == {"pay-worker": 3, "Billing Worker": 3, "Former Worker": 0, "SQS": 3, "payworker": 3}
        assert words == 3


def test_a_store_that_its_program_brings_up_to_date_is_read_on(tmp_path: Path) -> None:
    path = minimal_store(tmp_path / "canonical.sqlite")
    with SqliteSessionStore.open(path) as store:
        assert store.count() == 3
        changed(
            path,
            "ALTER TABLE sessions ADD COLUMN scope TEXT; ALTER TABLE sessions ADD COLUMN parent_session_id TEXT",
            "UPDATE sessions SET parent_session_id = 'a' WHERE id = 'cx_c'",
            "DROP TABLE entity_variants",
        )
        read_all(store)
    with SqliteSessionStore.open(path) as store:
        child = store.get_by_id("cx_c")
        assert child
        assert child.parent_id == "cc_a"
        assert store.count(SessionFilter(top_level=True)) == 2
