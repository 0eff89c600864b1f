"""What is written comes back; what is written again replaces it."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import a_session, random_session, rows

from nlm_tui.core import Evidence, Session, SessionFilter, StoreError, Turn, storable
from nlm_tui.storage import SqliteSessionStore

FULL = Session(
    id="cc_full",
    runtime="claude-code",
    runtime_session_id="full",
    started_at="2026-05-14T10:32:00.000Z",
    ended_at="2026-05-14T11:20:00.000Z",
    duration_min=48,
    label="Retry budget",
    summary="Replaced endless retries.",
    body="Fix it.\n\nDone: 検索 😀",
    turns=(Turn("user", 0, 7, "2026-05-14T10:32:00.000Z"), Turn("assistant", 9, 19, None, withdrawn=True)),
    status="superseded",
    project="/home/sam/src/pay",
    branch="main",
    model="opus",
    parent_id="cc_parent",
    entities=("SQS", "pay-worker", "A"),
    decisions=("three retries", "then the dead-letter queue"),
    open=("who reads it?",),
    evidence={("decision", "three retries"): Evidence(1, "Done: 検索"), ("open", "who reads it?"): Evidence(0, "Fix")},
    transcript_kind="jsonl",
    transcript_path="/home/sam/.claude/x.jsonl",
    transcript_offset=3,
    transcript_length=1234,
    source_gone=True,
)


@pytest.mark.parametrize("session", [FULL, a_session()])
def test_all_fields_come_back(store: SqliteSessionStore, session: Session) -> None:
    store.insert_sessions(session)
    assert store.get_by_id(session.id) == session
    assert store.list() == [session]


def test_an_id_that_is_no_text_is_found_by_what_was_stored(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("\ud800"))
    assert [session.id for session in store.get_by_ids(["\ud800", "\ufffd"])] == ["\ufffd", "\ufffd"]


def test_evidence_is_that_of_the_last_reading_and_of_markers_only(store: SqliteSessionStore) -> None:
    store.insert_sessions(FULL)
    again = replace(
        FULL, evidence={("decision", "three retries"): Evidence(0, "Fix\ud800"), ("open", "?"): Evidence(0, "")}
    )
    store.insert_sessions(again)
    assert store.get_by_ids(["cc_full"])[0].evidence == {("decision", "three retries"): Evidence(0, "Fix\ufffd")}


TEXT = st.text(st.characters(), max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(texts=st.lists(TEXT, min_size=9, max_size=9), many=st.lists(TEXT, max_size=3, unique_by=storable))
def test_any_text_comes_back(store: SqliteSessionStore, texts: list[str], many: list[str]) -> None:
    label, summary, body, project, branch, model, runtime, path, role = texts
    session = a_session(
        texts[0] + texts[8], label=label, summary=summary, body=body, project=project, branch=branch, model=model,
        runtime=runtime, transcript_path=path, turns=(Turn(role, 0, len(body), role),), entities=tuple(many),
        decisions=tuple(many), open=tuple(many),
    )  # fmt: skip
    store.insert_sessions(session)
    kept = store.get_by_id(session.id)
    assert kept is not None
    assert (kept.id, kept.label, kept.body, kept.project) == tuple(map(storable, (session.id, label, body, project)))
    assert kept.turns == (Turn(storable(role), 0, len(body), storable(role)),)
    assert kept.entities == kept.decisions == kept.open == tuple(map(storable, many))


def test_the_same_id_again_replaces_everything(store: SqliteSessionStore, store_path: Path) -> None:
    store.insert_sessions(FULL)
    other = a_session(
        "cc_full", label="Other", entities=("B", "A"), decisions=(), open=("new?", "newer?"), runtime="codex"
    )
    store.insert_sessions(other)
    assert store.list() == [other]
    assert rows(store_path, "SELECT kind, text, position FROM markers ORDER BY id") == [
        ("open", "new?", 0),
        ("open", "newer?", 1),
    ]
    store.insert_sessions(replace(other, entities=("A", "B")))
    assert store.list()[0].entities == ("A", "B"), "their order may change alone"


def test_entities_are_counted(store: SqliteSessionStore, store_path: Path) -> None:
    random = Random(3)
    for _ in range(120):
        store.insert_sessions(random_session(random, random.randint(0, 20)))
    counted = rows(store_path, "SELECT canonical, session_count FROM entities ORDER BY canonical")
    assert counted == rows(
        store_path, "SELECT entity_canonical, count(*) FROM session_entities GROUP BY 1 ORDER BY entity_canonical"
    )
    first_and_last = "SELECT min(started_at), max(started_at) FROM sessions WHERE id IN ({})"
    named = "SELECT session_id FROM session_entities WHERE entity_canonical = 'Seen'"
    for number, month in enumerate((5, 3, 9)):
        store.insert_sessions(a_session(f"x{number}", started_at=f"2026-{month:02}-01T00:00:00Z", entities=("Seen",)))
    ((first, last),) = rows(
        store_path, "SELECT first_seen_session, last_seen_session FROM entities WHERE canonical = 'Seen'"
    )
    assert (first, last) == ("x1", "x2")
    assert rows(store_path, first_and_last.format(named)) == [("2026-03-01T00:00:00Z", "2026-09-01T00:00:00Z")]


def test_a_session_that_cannot_be_written_changes_nothing(store: SqliteSessionStore) -> None:
    store.insert_sessions(FULL)
    with pytest.raises(StoreError, match="CHECK"):
        store.insert_sessions(replace(FULL, label="new", status="unheard of"))
    assert store.list() == [FULL]


def test_a_batch_is_all_or_nothing(store: SqliteSessionStore, store_path: Path) -> None:
    with SqliteSessionStore.open(store_path) as reader:
        with store.batch():
            store.insert_sessions(a_session("a"))
            store.insert_sessions(a_session("b"))
            assert reader.count() == 0, "nobody sees half of a batch"
        assert reader.count() == 2
        with pytest.raises(KeyboardInterrupt), store.batch():
            store.insert_sessions(a_session("c"))
            raise KeyboardInterrupt
        assert store.count() == reader.count() == 2
        with pytest.raises(StoreError), store.batch():
            store.insert_sessions(a_session("d"))
            store.insert_sessions(a_session("e", status="unheard of"))
        assert store.count() == 2
        store.insert_sessions(a_session("f"))
        assert reader.count() == 3


def test_status(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("a"))
    for status in ("active", "superseded", "closed"):
        assert store.update_status("a", status) is True
        assert store.get_by_id("a") == a_session("a", status=status)
    assert store.update_status("nobody", "closed") is False
    assert store.update_status("\udcff", "closed") is False
    with pytest.raises(ValueError, match="unknown status 'lost': use one of active, closed, superseded"):
        store.update_status("a", "lost")


def test_the_newest_come_first_page_by_page(store: SqliteSessionStore) -> None:
    random = Random(5)
    sessions = [random_session(random, number) for number in range(40)]
    for session in sessions:
        store.insert_sessions(session)
    children = Counter(session.parent_id for session in sessions)
    newest = [replace(session, subagents=children[session.id]) for session in sessions]
    newest.sort(key=lambda session: session.id)
    newest.sort(key=lambda session: session.started_at, reverse=True)
    assert store.list() == newest
    assert store.list(7) == newest[:7]
    assert store.list(7, None, 35) == newest[35:]
    assert store.list(0) == store.list(5, offset=40) == []
    about = SessionFilter(entity="Redis")
    assert store.list(3, about, 2) == [session for session in newest if "Redis" in session.entities][2:5]


def test_ids_are_looked_up_in_their_order(store: SqliteSessionStore) -> None:
    for name in "abc":
        store.insert_sessions(a_session(name))
    found = store.get_by_ids(["c", "nobody", "a", "\udcff", "", "c"])
    assert [session.id for session in found] == ["c", "a", "c"]
    assert store.get_by_ids([]) == []
    assert store.get_by_id("nobody") is None
    assert store.get_by_ids([f"x{number}" for number in range(50_000)]) == []


def test_ids_by_their_beginning(store: SqliteSessionStore) -> None:
    with store.batch():
        for session_id, native in (("cc_12ab", "12ab"), ("cc_12cd", "12cd"), ("codex_12ab", "12ab"), ("x%_", None)):
            store.insert_sessions(a_session(session_id, runtime_session_id=native))
    for text, found in {
        "cc_12a": ["cc_12ab"],
        "cc_12ab": ["cc_12ab"],
        "cc_": ["cc_12ab", "cc_12cd"],
        "12a": ["cc_12ab", "codex_12ab"],
        "12c": ["cc_12cd"],
        "x%": ["x%_"],
    }.items():
        assert store.ids_beginning_with(text, 5) == found, text
    for text in ("", "%", "_", "c*", "CC_", "2ab", "cc_12ab\x00", "\udcff", "cc_12abc"):
        assert store.ids_beginning_with(text, 5) == [], text
    assert store.ids_beginning_with("c", 2) == ["cc_12ab", "cc_12cd"]
