from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from support import a_session, put_vectors, rows

from nlm_tui.core import Page, RecallService, Session, StoreError, parse
from nlm_tui.core.actions import Action
from nlm_tui.core.editing import EditService
from nlm_tui.storage import SqliteSessionStore

RARE = "quetzalcoatlus"
OTHERS = (
    a_session("older", label="Older", entities=("pay", "shared"), decisions=("keep redis",)),
    a_session("newer", label="Newer", entities=("shared",), started_at="2026-05-16T10:00:00.000Z"),
)


def secret_session(**more: object) -> Session:
    word = RARE
    given: dict[str, object] = {
        "label": f"The {word} plan",
        "summary": f"about {word}",
        "body": f"we said {word} {word}Camel {word}",
        "decisions": (f"feed the {word}",),
        "open": (f"where is the {word}",),
        "entities": (word, "shared"),
        "project": f"/src/{word}",
        "branch": word,
    }
    return a_session("secret", **(given | more))


def editor(store: SqliteSessionStore) -> EditService:
    numbers = count()
    return EditService(
        store.corrections, now=lambda: datetime(2026, 11, 30, tzinfo=UTC), new_suffix=lambda: f"{next(numbers):08x}"
    )


@pytest.fixture
def store(store_path: Path) -> Iterator[SqliteSessionStore]:
    with SqliteSessionStore.open(store_path) as store:
        for session in (*OTHERS, secret_session()):
            store.insert_sessions(session)
        yield store


def files_with(folder: Path, word: str) -> list[str]:
    return [file.name for file in sorted(folder.iterdir()) if word.encode() in file.read_bytes().lower()]


def found(store: SqliteSessionStore, text: str) -> list[str]:
    return sorted(hit.id for hit in RecallService(store).search(parse(text)).results)


def test_no_file_of_the_store_holds_what_was_forgotten(store: SqliteSessionStore, store_path: Path) -> None:
    store.insert_sessions(secret_session(body=f"{RARE} by an older reading " * 2000))
    store.insert_sessions(secret_session())
    put_vectors(store, "secret", [(1.0, 0.0)])
    edits = editor(store)
    edits.retitle("secret", f"{RARE} again")
    edits.undo()
    edits.note("secret", f"note on {RARE}")
    edits.revise(edits.markers("secret")[0][0], f"do not feed the {RARE}")
    edits.rename_topic(RARE, f"{RARE} two")
    edits.hide("secret")
    rows(store_path, "INSERT INTO facts (id, kind, subject, predicate, value, source_session_id, confidence) "
         "VALUES ('f', 'decision', 'x', 'y', ?, 'secret', 1)", [RARE])  # fmt: skip
    assert files_with(store_path.parent, RARE)
    assert store.forget(["secret"]) == 1
    assert files_with(store_path.parent, RARE) == []
    assert found(store, RARE) == found(store, "is:hidden") == []
    assert rows(store_path, "SELECT count(*) FROM actions") == [(0,)]
    assert rows(store_path, "SELECT session_id FROM forgotten") == [("secret",)]
    for table in ("vectors", "vector_codes", "embedded_sessions", "session_originals", "facts", "entity_variants"):
        assert rows(store_path, f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608 - ours


def test_all_others_stay_as_they_were(store: SqliteSessionStore, store_path: Path) -> None:
    for number in range(50):
        store.insert_sessions(a_session(f"more{number}", label=f"Session {number} of many", entities=("b", "a")))
    put_vectors(store, "more7", [(1.0, 0.0)])
    assert store.forget(["more3", "secret", "unknown"]) == 2
    assert [store.get_by_id(session.id) for session in OTHERS] == list(OTHERS)
    for number in range(50):
        session = store.get_by_id(f"more{number}")
        assert (session is not None) == (number != 3)
        assert session is None or session.entities == ("b", "a")
        assert found(store, f'"session {number} of many"') == ([f"more{number}"] if number != 3 else [])
    near = store.semantic_search((1.0, 0.0), 5)
    assert isinstance(near, Page)
    assert [neighbor.session_id for neighbor in near] == ["more7"]
    for index in ("sessions_fts", "sessions_heads"):
        rows(store_path, f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")  # noqa: S608 - ours
    assert rows(store_path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(store_path, "PRAGMA foreign_key_check") == []
    assert rows(store_path, "SELECT text FROM markers WHERE id IN (SELECT rowid FROM markers_fts('redis'))") == [
        ("keep redis",)
    ]
    assert rows(store_path, "SELECT * FROM markers_fts(?)", [RARE]) == []


def test_subagents_go_too_and_topics_that_nobody_has(store: SqliteSessionStore, store_path: Path) -> None:
    store.insert_sessions(a_session("child", parent_id="secret", entities=("only here",)))
    store.insert_sessions(a_session("grandchild", parent_id="child"))
    assert store.forget(["secret"]) == 3
    assert store.forgotten() == {"secret", "child", "grandchild"}
    assert rows(
        store_path, "SELECT canonical, session_count, first_seen_session, last_seen_session FROM entities ORDER BY 1"
    ) == [("pay", 1, "older", "older"), ("shared", 2, "older", "newer")]


def test_what_a_forgotten_session_did_to_others_is_taken_back(store: SqliteSessionStore) -> None:
    edits = editor(store)
    edits.supersede("older", "secret")
    edits.continue_("newer", "secret")
    edits.pin("older")
    store.forget(["secret"])
    older, newer = store.get_by_ids(["older", "newer"])
    assert (older.status, older.superseded_by, older.pinned) == ("closed", (), True)
    assert newer.continues == ()
    edits.unpin("older")
    assert [store.get_by_id(session.id) for session in OTHERS] == list(OTHERS)


def test_topics_of_others_keep_their_names(store: SqliteSessionStore) -> None:
    edits = editor(store)
    edits.rename_topic("shared", "common")
    edits.rename_topic("common", "usual")
    store.forget(["secret"])
    assert found(store, "entity:shared") == found(store, "entity:usual") == ["newer", "older"]
    edits.undo()
    assert found(store, "entity:common") == ["newer", "older"]


def test_while_another_reads_the_store_it_says_that_traces_stay(
    store: SqliteSessionStore, store_path: Path, reading: Callable[[Path], None]
) -> None:
    reading(store_path)
    with pytest.raises(StoreError, match="traces of it stay"):
        store.forget(["secret"])
    assert store.get_by_id("secret") is None
    assert store.forgotten() == {"secret"}


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Let another connection read a store, and go on reading until the test ends."""
    import apsw

    monkeypatch.setattr("nlm_tui.storage.connection._BUSY_TIMEOUT_MS", 50)
    opened: list[apsw.Connection] = []

    def read(path: Path) -> None:
        other = apsw.Connection(str(path))
        opened.append(other)
        other.execute("BEGIN")
        assert list(other.execute("SELECT count(*) FROM sessions"))

    yield read
    for other in opened:
        other.close()


def test_nobody_is_forgotten_twice(store: SqliteSessionStore) -> None:
    assert store.forget([]) == store.forget(["nobody"]) == 0
    assert store.forget(["secret"]) == 1
    assert store.forget(["secret"]) == 0


def test_a_store_that_is_only_read_forgets_nothing(store: SqliteSessionStore, store_path: Path) -> None:
    store.close()
    store_path.chmod(0o400)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nlm_tui.storage.store.can_write", lambda _: False)
        with SqliteSessionStore.open(store_path) as read, pytest.raises(StoreError, match="cannot be written"):
            read.forget(["secret"])


def put_fact(store_path: Path, fact: str, session: str, newer: str | None, *, subject: str = "cache") -> None:
    rows(
        store_path,
        "INSERT INTO facts (id, kind, subject, predicate, value, source_session_id, superseded_by, created_at, "
        "confidence) VALUES (?1, 'decision', ?2, 'is', ?1, ?3, ?4, ?1, 1)",
        [fact, subject, session, newer],
    )


@pytest.mark.parametrize(
    ("sessions", "left"),
    [
        ("abSc", [("1", "2"), ("2", "4"), ("4", None)]),
        ("aSSc", [("1", "4"), ("4", None)]),
        ("Sbcd", [("2", "3"), ("3", "4"), ("4", None)]),
        ("abcS", [("1", "2"), ("2", "3"), ("3", None)]),
        ("abSS", [("1", "2"), ("2", None)]),
        ("SbSS", [("2", None)]),
        ("SSSS", []),
    ],
)
def test_facts_follow_each_other_as_if_the_forgotten_had_never_been(
    store: SqliteSessionStore, store_path: Path, sessions: str, left: list[tuple[str, str | None]]
) -> None:
    """Of each fact, oldest first: the session that it comes from; S is the one that is forgotten."""
    for place in range(len(sessions), 0, -1):
        session = "secret" if sessions[place - 1] == "S" else "older"
        put_fact(store_path, str(place), session, str(place + 1) if place < len(sessions) else None)
    assert store.forget(["secret"]) == 1
    assert rows(store_path, "SELECT id, superseded_by FROM facts ORDER BY id") == left


def test_of_facts_that_a_forgotten_one_replaced_the_newest_counts_again(
    store: SqliteSessionStore, store_path: Path
) -> None:
    put_fact(store_path, "3", "secret", None)
    put_fact(store_path, "1", "older", "3")
    put_fact(store_path, "2", "newer", "3")
    put_fact(store_path, "other", "newer", None, subject="queue")
    assert store.forget(["secret"]) == 1
    assert rows(store_path, "SELECT id, superseded_by FROM facts ORDER BY id") == [
        ("1", "2"),
        ("2", None),
        ("other", None),
    ]


@pytest.mark.parametrize(
    ("name", "forgotten"), [("secret::1", "secret"), ("secret::dec", "secret"), ("secret", "secret::dec")]
)
def test_sessions_whose_ids_begin_alike_keep_what_was_changed(
    store: SqliteSessionStore, store_path: Path, name: str, forgotten: str
) -> None:
    other = a_session(name, decisions=("keep it",), open=("why",))
    store.insert_sessions(other)
    store.insert_sessions(a_session(forgotten, decisions=("no longer",), open=("where",)))
    edits = editor(store)
    (decision, _), (question, _) = edits.markers(name)
    edits.revise(decision, "keep it all")
    edits.resolve(question)
    edits.dismiss(edits.markers(forgotten)[0][0])
    assert store.forget([forgotten]) == 1
    store.insert_sessions(other)
    (kept,) = store.get_by_ids([name])
    assert (kept.decisions, kept.open, [closed.text for closed in kept.closed]) == (("keep it all",), (), ["why"])
    assert rows(store_path, "SELECT count(*) FROM actions") == [(2,)]


def test_what_is_changed_while_another_program_forgets_it_leaves_no_trace(
    store: SqliteSessionStore, store_path: Path
) -> None:
    edits = editor(store)
    pinned = edits.pin("secret").action
    question = edits.resolve(edits.markers("secret")[1][0]).action
    noted = Action("act_later", pinned.at, "note", "session", "secret", {"text": f"note on {RARE}"})
    undone = Action("act_last", pinned.at, "undo", "action", question.id, {"undone_subject": question.subject_id})
    with SqliteSessionStore.open(store_path) as other:
        other.forget(["secret"])
    for late in (noted, undone, replace(question, id="act_again")):
        with pytest.raises(StoreError, match="forgotten meanwhile"):
            store.corrections.act(late)
    assert rows(store_path, "SELECT count(*) FROM actions") == [(0,)]
