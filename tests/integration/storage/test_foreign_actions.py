"""What users of the other program changed there is what its store says here."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from foreign_stores import CANONICAL, changed, files, minimal_store

from nlm_tui.core import RecallService, SessionFilter, parse
from nlm_tui.core.actions import marker_id
from nlm_tui.core.browsing import RowQuery
from nlm_tui.core.editing import EditRefusedError, EditService
from nlm_tui.core.model import ClosedQuestion
from nlm_tui.storage import SqliteSessionStore

DECISION = marker_id("decision", "cc_a", "dead-letter after SIGTERM")
QUESTION = marker_id("open", "cc_b", "who reads the queue at night")
LOG = f"""INSERT INTO actions (id, timestamp, kind, subject_type, subject_id, payload) VALUES
  ('1', '', 'revise_decision', 'decision', '{DECISION}',
   '{{"to": "dead-letter after three tries", "original_text": "dead-letter after SIGTERM"}}'),
  ('2', '', 'promote_open', 'open_question', '{QUESTION}',
   '{{"resolution": "the zookeeper does", "original_text": "who reads the queue at night"}}'),
  ('3', '', 'retire_entity', 'entity', 'SQS', NULL),
  ('4', '', 'snooze', 'open_question', '{QUESTION}', NULL)"""  # noqa: S608 - ours
UNDO = """INSERT INTO actions (id, timestamp, kind, subject_type, subject_id, payload) VALUES
  ('7', '', 'undo', 'action', '1', '{}'), ('8', '', 'undo', 'action', '2', '{}'), ('9', '', 'undo', 'action', '3', '{}')
"""


def found(store: SqliteSessionStore, text: str) -> list[str]:
    return sorted(hit.id for hit in RecallService(store).search(parse(text)).results)


def test_the_store_that_the_other_program_wrote(tmp_path: Path) -> None:
    path = shutil.copy(CANONICAL, tmp_path / "canonical.sqlite")
    with SqliteSessionStore.open(path) as store:
        assert store._overlay
        store._overlay.complete()
        promoted, resolved, revised = store.get_by_ids(
            [
                "cr_6378200c-08fb-4e13-a0a3-75a80d802910",
                "cr_4ff0b80f-aa53-4326-ab8e-d362ea7dc76e",
                "pi_2068d2c9-c0e7-4d25-a243-20cf01f1bc61",
            ]
        )
        question = "Is MinIO fast enough once the type errors sees real traffic?"
        assert promoted.closed == (ClosedQuestion(question, "Yes, extend it in the next minor release"),)
        assert promoted.decisions[-1] == "Yes, extend it in the next minor release"
        assert question not in promoted.open
        assert (len(resolved.closed), resolved.open) == (1, ())
        assert "Corrected decision text for the overlay" in revised.decisions
        assert found(store, '"corrected decision text"') == [revised.id]
        assert store.count(SessionFilter(entity="edge-cases")) == 0
        assert "edge-cases" not in [value.value for value in store.filter_values("entity")]


@pytest.mark.parametrize("undo", [UNDO, "UPDATE actions SET reverted_by = '9'", "DELETE FROM actions"])
def test_what_was_done_takes_effect_until_it_is_undone(tmp_path: Path, undo: str) -> None:
    path = minimal_store(tmp_path / "canonical.sqlite")
    with SqliteSessionStore.open(path) as store:
        before = store.list()
        assert found(store, "sigterm") == ["cc_a"]
        changed(path, LOG)
        first, second = store.get_by_ids(["cc_a", "cc_b"])
        assert first.decisions == ("dead-letter after three tries",)
        assert (second.decisions, second.open) == (("the zookeeper does",), ())
        assert second.closed == (ClosedQuestion("who reads the queue at night", "the zookeeper does"),)
        assert found(store, "has:open") == found(store, "sigterm") == found(store, "entity:sqs") == []
        assert found(store, "has:decision") == ["cc_a", "cc_b"]
        assert found(store, "zookeeper in:decision") == ["cc_b"]
        changed(path, undo)
        assert store.list() == before
        assert found(store, "sigterm") == ["cc_a"]
        assert found(store, "entity:sqs") == ["cx_c"]


def test_a_log_without_columns_is_none(tmp_path: Path) -> None:
    path = minimal_store(tmp_path / "canonical.sqlite", LOG, "ALTER TABLE actions DROP COLUMN payload")
    with SqliteSessionStore.open(path) as store:
        assert store.get_by_ids(["cc_a"])[0].decisions == ("dead-letter after SIGTERM",)


def test_nothing_is_edited_there_and_nothing_is_written(tmp_path: Path) -> None:
    path = minimal_store(tmp_path / "canonical.sqlite", "DROP TABLE actions")
    before = files(tmp_path)
    with SqliteSessionStore.open(path) as store:
        edits = EditService(store.corrections, now=lambda: datetime(2026, 1, 1, tzinfo=UTC), new_suffix=lambda: "0")
        assert "belongs to another program" in edits.why_not()
        for deed in (
            lambda: edits.pin("cc_a"),
            lambda: edits.rename_topic("SQS", "x"),
            lambda: edits.resolve(QUESTION),
            edits.undo,
            lambda: edits.unhide("cc_a"),
            lambda: edits.unpin("cc_a"),
        ):
            with pytest.raises(EditRefusedError, match="belongs to another program"):
                deed()
        assert found(store, "is:hidden") == found(store, "is:pinned") == found(store, "is:noted") == []
        assert found(store, "-is:hidden") == ["cc_a", "cc_b", "cx_c"]
    assert files(tmp_path) == before


def test_a_session_is_not_newer_than_itself(tmp_path: Path) -> None:
    path = minimal_store(tmp_path / "canonical.sqlite")
    links = [("cc_a", "cc_a", "supersedes"), ("cc_a", "cc_a", "continues"), ("cc_a", "cc_b", "supersedes")]
    links += [("cc_b", "cc_a", "supersedes")]
    values = ", ".join(map(str, links))
    changed(path, f"INSERT INTO session_edges (from_session, to_session, kind) VALUES {values}")  # noqa: S608 - ours
    with SqliteSessionStore.open(path) as store:
        first, second = store.get_by_ids(["cc_a", "cc_b"])
        assert (first.superseded_by, first.continues, second.superseded_by) == (("cc_b",), (), ("cc_a",))
        timeline = {row.origin.session_id: row for row in store.browsing.timeline_rows(RowQuery()).rows}
        assert (timeline["cc_a"].supersedes, timeline["cc_a"].continues) == (("cc_b",), ())
        assert timeline["cc_b"].supersedes == ("cc_a",)
        assert [(timeline[name].origin.successor or ("",))[0] for name in ("cc_a", "cc_b")] == ["cc_b", "cc_a"]
