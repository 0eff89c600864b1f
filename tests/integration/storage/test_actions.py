from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import a_session, put_vectors, rows

from nlm_tui.core import Evidence, RecallHit, RecallService, Session, StoreError, parse
from nlm_tui.core.actions import standing
from nlm_tui.core.corrections import corrected
from nlm_tui.core.editing import EditRefusedError, EditService
from nlm_tui.storage import SqliteSessionStore

NOW = datetime(2026, 11, 30, 9, 18, 5, tzinfo=UTC)
SESSIONS = (
    a_session(
        "a",
        label="Retry budget",
        body="we talked",
        summary="of budgets",
        decisions=("use a queue", "three retries"),
        open=("who reads it", "which region"),
        entities=("SQS", "pay"),
        project="/src/pay",
    ),
    a_session("b", label="Second", entities=("pay",), started_at="2026-05-15T10:00:00.000Z"),
    a_session("c", label="Third", entities=("kafka",), decisions=("use a queue",)),
)


def editor(store: SqliteSessionStore) -> EditService:
    numbers = count()
    return EditService(store.corrections, now=lambda: NOW, new_suffix=lambda: f"{next(numbers):08x}")


@pytest.fixture
def store(store_path: Path) -> Iterator[SqliteSessionStore]:
    with SqliteSessionStore.open(store_path) as store:
        for session in SESSIONS:
            store.insert_sessions(session)
        yield store


@pytest.fixture
def edits(store: SqliteSessionStore) -> EditService:
    return editor(store)


def found(store: SqliteSessionStore, text: str) -> list[str]:
    return sorted(hit.id for hit in hits(store, text))


def hits(store: SqliteSessionStore, text: str) -> Sequence[RecallHit]:
    return RecallService(store).search(parse(text)).results


def known(store: SqliteSessionStore, session_id: str = "a") -> Session:
    session = store.get_by_id(session_id)
    assert session is not None
    return session


def marker(edits: EditService, text: str, session_id: str = "a") -> str:
    return next(name for name, marker in edits.markers(session_id) if marker.text == text)


def read_again(store: SqliteSessionStore) -> None:
    for session in SESSIONS:
        store.insert_sessions(session)


def check_index(store_path: Path) -> None:
    """Raise where an index does not hold what the tables say."""
    for index in ("sessions_fts", "sessions_heads"):
        rows(store_path, f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")  # noqa: S608 - ours
    assert rows(store_path, "PRAGMA foreign_key_check") == []
    assert rows(store_path, "SELECT count(*) FROM markers") == rows(store_path, "SELECT count(*) FROM markers_fts")
    assert (
        rows(
            store_path,
            "SELECT canonical FROM entities WHERE session_count <> "
            "(SELECT count(*) FROM session_entities WHERE entity_canonical = canonical)",
        )
        == []
    )


def test_a_session_is_found_by_what_it_is_called_now(store: SqliteSessionStore, edits: EditService) -> None:
    edits.retitle("a", "Backoff of the mergeGuestCart job")
    for _ in range(2):
        assert known(store).label == "Backoff of the mergeGuestCart job"
        assert found(store, "backoff") == found(store, "guest cart") == ["a"]
        assert found(store, "retry budget in:label") == []
        read_again(store)
    edits.undo()
    assert found(store, "retry in:label") == ["a"]
    assert found(store, "backoff") == []


def test_markers_are_found_by_what_they_say_now(store: SqliteSessionStore, edits: EditService) -> None:
    edits.revise(marker(edits, "three retries"), "seven attempts")
    edits.dismiss(marker(edits, "use a queue"))
    edits.promote(marker(edits, "who reads it"), "the on-call does")
    edits.resolve(marker(edits, "which region"))
    for _ in range(2):
        assert known(store).decisions == ("seven attempts", "the on-call does")
        assert found(store, "attempts in:decision") == found(store, "on-call in:decision") == ["a"]
        assert found(store, "queue") == ["c"]
        assert found(store, "has:open") == []
        read_again(store)
    while edits.undo().action and standing(store.corrections.log()):
        pass
    assert [known(store, session.id) for session in SESSIONS] == list(SESSIONS)


@pytest.mark.usefixtures("store")
def test_markers_are_kept_with_what_became_of_them(edits: EditService, store_path: Path) -> None:
    edits.revise(marker(edits, "three retries"), "seven attempts")
    edits.promote(marker(edits, "who reads it"), "the on-call")
    assert rows(
        store_path,
        "SELECT kind, text, position, state, answer, original_text FROM markers WHERE session_id = 'a' ORDER BY id",
    ) == [
        ("decision", "use a queue", 0, "standing", "", None),
        ("decision", "seven attempts", 1, "standing", "", "three retries"),
        ("decision", "the on-call", 2, "standing", "", None),
        ("open", "who reads it", 0, "promoted", "the on-call", None),
        ("open", "which region", 1, "standing", "", None),
    ]
    assert rows(store_path, "SELECT count(*) FROM session_originals") == [(1,)]
    edits.undo()
    edits.undo()
    assert rows(store_path, "SELECT count(*) FROM session_originals") == [(0,)]


def test_markers_are_indexed_with_what_they_are_about(
    store: SqliteSessionStore, edits: EditService, store_path: Path
) -> None:
    def texts(words: str) -> list[object]:
        found = rows(
            store_path,
            "SELECT text FROM markers WHERE id IN (SELECT rowid FROM markers_fts WHERE markers_fts MATCH ?) ORDER BY 1",
            [words],
        )
        return [text for (text,) in found]

    assert texts("text : retries") == ["three retries"]
    assert texts("about : (retry AND sqs AND pay)") == ["three retries", "use a queue", "which region", "who reads it"]
    edits.retitle("a", "Backoff")
    edits.rename_topic("SQS", "Queue")
    assert texts("about : sqs OR retry") == ["three retries"]
    assert len(texts("about : (queue AND backoff)")) == 4
    assert store.count() == 3


def test_a_superseded_session_stays_so(store: SqliteSessionStore, edits: EditService, store_path: Path) -> None:
    edits.supersede("a", "b")
    edits.continue_("c", "a")
    for _ in range(2):
        assert found(store, "status:superseded") == ["a"]
        assert (known(store).superseded_by, known(store, "c").continues) == (("b",), ("a",))
        read_again(store)
    assert store.update_status("a", "active")
    assert known(store).status == "superseded"
    assert rows(store_path, "SELECT * FROM session_edges ORDER BY 1") == [
        ("b", "a", "supersedes"),
        ("c", "a", "continues"),
    ]
    edits.undo()
    edits.undo()
    assert known(store).status == "active"
    assert rows(store_path, "SELECT * FROM session_edges") == []


def test_a_hidden_session_is_found_nowhere(store: SqliteSessionStore, edits: EditService) -> None:
    store.insert_sessions(a_session("child", parent_id="a", label="Retry of a subagent", entities=("SQS",)))
    edits.hide("a")
    for _ in range(2):
        for session_id in ("a", "b", "c"):  # none of their own passages: reading them again deletes these
            put_vectors(store, session_id, [(1.0, 0.0)])
        assert found(store, "retry") == found(store, "entity:SQS") == found(store, "project:pay") == []
        assert found(store, "entity:pay") == ["b"]
        assert found(store, "-is:hidden") == found(store, "-is:noted") == ["b", "c"]
        assert [session.id for session in store.list()] == ["b", "c"]
        assert store.count() == 2
        assert sorted(store.keyword_search("we retry second", 5)) == sorted(store.keyword_search("second", 5))
        assert store.keyword_search("retry second", 5).total == 1
        assert store.keyword_search("retry", 5, ranking="reference") == []
        assert [neighbor.session_id for neighbor in store.semantic_search((1.0, 0.0), 5)] == ["b", "c"]
        assert store.semantic_search((1.0, 0.0), 5).total == 2
        assert [neighbor.session_id for neighbor in store.similar_search(["b"], 5)] == ["c"]
        assert [value.value for value in store.filter_values("entity")] == ["kafka", "pay"]
        assert store.filter_values("project") == []
        assert known(store).hidden
        read_again(store)
    assert found(store, "retry is:hidden") == found(store, "is:hidden") == found(store, "is:hidden,pinned") == ["a"]
    edits.unhide("a")
    assert found(store, "retry") == ["a", "child"]
    assert store.count() == 4


def test_all_that_subagents_of_a_hidden_session_began_is_hidden(store: SqliteSessionStore, edits: EditService) -> None:
    for child, parent in (("child", "a"), ("grandchild", "child"), ("c", "grandchild")):
        store.insert_sessions(a_session(child, parent_id=parent, started_at="2026-05-13T10:00:00.000Z"))
    edits.hide("a")
    assert [session.id for session in store.list()] == ["b"]
    assert store.count() == 1


def test_a_search_that_runs_while_sessions_are_hidden_goes_on_with_what_it_began_with(
    store: SqliteSessionStore, edits: EditService
) -> None:
    edits.hide("a")
    began_with = store._filters.condition(None)
    edits.hide("b")
    assert store.count() == 1
    shown = f"SELECT s.id FROM sessions AS s WHERE {began_with.sql('s.row')} ORDER BY s.id"  # noqa: S608 - ours
    assert store._connection.rows(shown) == [("b",), ("c",)]


def test_after_an_entry_without_a_time_the_memory_is_still_changed(
    store: SqliteSessionStore, edits: EditService, store_path: Path
) -> None:
    rows(
        store_path,
        "INSERT INTO actions (id, timestamp, kind, subject_type, subject_id, payload) "
        "VALUES ('act_z', 'yesterday', 'pin', 'session', 'b', NULL)",
    )
    edits.pin("a")
    assert known(store).pinned


def test_pins_and_notes_are_filters(store: SqliteSessionStore, edits: EditService) -> None:
    edits.pin("b")
    edits.note("c", "ask the zookeeper\nabout it")
    for _ in range(2):
        assert found(store, "is:pinned") == ["b"]
        assert found(store, "is:note") == found(store, "zookeepers") == ["c"]
        (hit,) = hits(store, "zookeeper")
        assert (hit.snippet_field, hit.matched_in, hit.note) == ("note", ("note",), "ask the zookeeper\nabout it")
        assert hits(store, "is:pinned")[0].pinned
        read_again(store)
    edits.note("c", "")
    assert found(store, "is:noted") == found(store, "zookeeper") == []


def test_a_topic_is_found_by_all_its_names(store: SqliteSessionStore, edits: EditService, store_path: Path) -> None:
    edits.rename_topic("SQS", "Queue")
    edits.merge_topics("Queue", "kafka")
    for _ in range(2):
        assert known(store).entities == ("kafka", "pay")
        assert found(store, "entity:sqs") == found(store, "entity:queue") == found(store, "entity:kafka") == ["a", "c"]
        assert found(store, "kafka") == ["a", "c"]
        assert found(store, "SQS") == []
        assert [value.value for value in store.filter_values("entity")] == ["kafka", "pay"]
        read_again(store)
        check_index(store_path)
    edits.retire_topic("kafka")
    assert known(store).entities == ("pay",)
    assert found(store, "entity:sqs") == found(store, "entity:kafka") == []
    for _ in range(3):
        edits.undo()
    assert [known(store, session.id) for session in SESSIONS] == list(SESSIONS)
    assert found(store, "entity:queue") == []
    assert rows(store_path, "SELECT * FROM entity_variants") == []


def test_a_session_that_is_read_later_gets_the_new_name(store: SqliteSessionStore, edits: EditService) -> None:
    edits.rename_topic("SQS", "Queue")
    store.insert_sessions(a_session("late", entities=("SQS", "Queue")))
    assert known(store, "late").entities == ("Queue",)
    edits.undo()
    assert known(store, "late").entities == ("SQS", "Queue")


def test_vectors_follow_what_is_said_now(store: SqliteSessionStore, edits: EditService) -> None:
    put_vectors(store, "a", [(1.0, 0.0)])
    edits.pin("a")
    edits.rename_topic("SQS", "Queue")
    assert store.semantic_search((1.0, 0.0), 5).total == 1
    edits.retitle("a", "Another")
    assert list(store.semantic_search((1.0, 0.0), 5)) == []


def test_an_action_takes_effect_wholly_or_not_at_all(
    store: SqliteSessionStore, edits: EditService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Session) -> None:
        raise StoreError("full")

    monkeypatch.setattr(store.vectors, "follow", fail)
    with pytest.raises(StoreError, match="full"):
        edits.retitle("a", "Another")
    assert known(store).label == "Retry budget"
    assert store.corrections.log() == []


def test_a_session_of_odd_text_is_edited(store: SqliteSessionStore, edits: EditService) -> None:
    odd = a_session("odd", label="\ud800", decisions=("x\udfff",), open=("\x00",), entities=("e\udc80",))
    store.insert_sessions(odd)
    edits.revise(marker(edits, "x\ufffd", "odd"), "plain")
    edits.rename_topic("e\ufffd", "even")
    store.insert_sessions(odd)
    assert (known(store, "odd").decisions, known(store, "odd").entities) == (("plain",), ("even",))


def test_entries_of_other_programs_are_read_past(store: SqliteSessionStore, store_path: Path) -> None:
    rows(
        store_path,
        "INSERT INTO actions (id, timestamp, kind, subject_type, subject_id, payload) VALUES "
        "('1', '', 'snooze', 'session', 'a', NULL), ('2', '', 'retitle', 'session', 'a', 'no json'), "
        "('3', '', 'note', 'session', 'a', '{\"text\": 5}'), ('4', '', 'note', 'session', 'a', '[]')",
    )
    read_again(store)
    assert [known(store, session.id) for session in SESSIONS] == list(SESSIONS)


DEEDS: Sequence[Callable[[EditService, str, str], object]] = (
    lambda edits, session, word: edits.retitle(session, word),
    lambda edits, session, word: edits.note(session, word),
    lambda edits, session, word: edits.add_marker(session, "decision", word),
    lambda edits, session, word: edits.add_marker(session, "open", word),
    lambda edits, session, word: [edits.revise(name, word) for name, _ in edits.markers(session)[:1]],
    lambda edits, session, _: [edits.dismiss(name) for name, _ in edits.markers(session)[-1:]],
    lambda edits, session, word: [edits.promote(name, word) for name, _ in edits.markers(session)[-1:]],
    lambda edits, session, _: [edits.resolve(name) for name, _ in edits.markers(session)[-1:]],
    lambda edits, session, _: [edits.reopen(name) for name, _ in edits.markers(session)[-1:]],
    lambda edits, session, _: edits.supersede(session, "b"),
    lambda edits, session, _: edits.continue_("c", session),
    lambda edits, session, _: edits.hide(session),
    lambda edits, session, _: edits.pin(session),
    lambda edits, session, _: edits.unhide(session),
    lambda edits, session, _: edits.unpin(session),
    lambda edits, _, word: edits.rename_topic("pay", word),
    lambda edits, _, word: edits.merge_topics(word, "SQS"),
    lambda edits, _, word: edits.retire_topic(word),
    lambda edits, _, __: edits.undo(),
)
_WORDS = ("pay", "kafka", "use a queue", "x")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-2, len(DEEDS) - 1), st.sampled_from("abc"), st.sampled_from(_WORDS)),
        min_size=1,
        max_size=12,
    )
)
def test_the_store_is_what_was_read_with_what_stands_applied(
    tmp_path_factory: pytest.TempPathFactory, deeds: Sequence[tuple[int, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("memory") / "memory.sqlite"
    with SqliteSessionStore.open(path) as store:
        edits = editor(store)
        read_again(store)
        for number, session_id, word in deeds:
            try:
                if number < 0:
                    read_again(store)
                else:
                    DEEDS[number](edits, session_id, word)
            except EditRefusedError:
                continue
            standing_ones = standing(store.corrections.log())
            assert [known(store, session.id) for session in SESSIONS] == [
                corrected(session, standing_ones).session for session in SESSIONS
            ]
        check_index(path)
        for _ in standing(store.corrections.log()):
            edits.undo()
        assert [known(store, session.id) for session in SESSIONS] == list(SESSIONS)
        check_index(path)


SAID = Evidence(1, "No more than three retries."), Evidence(2, "Who reads it?")


def test_evidence_outlives_every_correction(store: SqliteSessionStore, edits: EditService) -> None:
    store.insert_sessions(
        replace(SESSIONS[0], evidence={("decision", "three retries"): SAID[0], ("open", "who reads it"): SAID[1]})
    )
    read = known(store)
    edits.revise(marker(edits, "three retries"), "seven attempts")
    edits.add_marker("a", "decision", "no cron")
    edits.promote(marker(edits, "who reads it"), "the on-call does")
    edits.rename_topic("SQS", "queues")
    assert known(store).evidence == {("decision", "seven attempts"): SAID[0], ("open", "who reads it"): SAID[1]}
    assert [one.evidence for _, one in edits.markers("a")] == [None, SAID[0], None, None, SAID[1], None]
    edits.dismiss(marker(edits, "seven attempts"))
    store.update_status("a", "active")
    assert known(store).evidence == {("open", "who reads it"): SAID[1]}
    while edits.undo().action and standing(store.corrections.log()):
        pass
    assert known(store) == replace(read, status="active")


def test_a_new_reading_brings_its_own_evidence(store: SqliteSessionStore, edits: EditService) -> None:
    edits.revise(marker(edits, "three retries"), "seven attempts")
    assert known(store).evidence == {}
    store.insert_sessions(replace(SESSIONS[0], evidence={("decision", "three retries"): SAID[0]}))
    assert known(store).evidence == {("decision", "seven attempts"): SAID[0]}
