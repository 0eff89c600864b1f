"""The full-text index never parts from the sessions."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from support import a_session, random_session, rows

from nlm_tui.core import RANKINGS
from nlm_tui.storage import SqliteSessionStore

INDEXES = ("sessions_fts", "sessions_heads")


def check(store_path: Path) -> None:
    """Fail if an index differs from the sessions."""
    for index in INDEXES:
        rows(store_path, f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")  # noqa: S608


def blocks(store_path: Path) -> list[list[tuple[object, ...]]]:
    """Return what the indexes hold."""
    return [rows(store_path, f"SELECT id, block FROM {index}_data ORDER BY id") for index in INDEXES]  # noqa: S608


@pytest.mark.parametrize("seed", range(4))
def test_it_is_sound_after_whatever_was_done(store: SqliteSessionStore, store_path: Path, seed: int) -> None:
    random = Random(seed)
    for _ in range(150):
        session = random_session(random, random.randint(0, 30))
        match random.randint(0, 9):
            case 0:
                store.update_status(session.id, random.choice(("active", "superseded")))
            case 1:
                rows(store_path, "DELETE FROM sessions WHERE id = ?", [session.id])
            case 2:
                rows(store_path, "VACUUM")
            case _:
                store.insert_sessions(session)
    check(store_path)
    for session in store.list():
        for ranking in RANKINGS:
            found = [hit.session_id for hit in store.keyword_search(session.label, 100, ranking=ranking)]
            assert session.id in found
        for text in (*session.decisions, *session.open, *session.entities):
            assert session.id in [hit.session_id for hit in store.keyword_search(text, 100)] or not text
        last = session.label.split()[-1]
        assert session.id in [hit.session_id for hit in store.keyword_search(last[:3], 100, typing=True)]


def test_vacuum_does_not_renumber(store: SqliteSessionStore, store_path: Path) -> None:
    for name in "abcd":
        store.insert_sessions(a_session(name, label=f"only {name}{name}"))
    rows(store_path, "DELETE FROM sessions WHERE id IN ('a', 'c')")
    rows(store_path, "VACUUM")
    assert [hit.session_id for hit in store.keyword_search("bb", 5)] == ["b"]
    assert [hit.session_id for hit in store.keyword_search("dd", 5)] == ["d"]
    assert store.keyword_search("aa cc", 5) == []
    check(store_path)


def test_old_words_no_longer_find(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session(label="alpha", summary="beta", body="gamma"))
    store.insert_sessions(a_session(label="delta", summary="beta", body=""))
    assert store.keyword_search("alpha gamma", 5) == []
    assert len(store.keyword_search("delta", 5)) == len(store.keyword_search("beta", 5)) == 1


@pytest.mark.parametrize("column", ["label", "summary", "body"])
def test_another_program_may_change_one_field(store: SqliteSessionStore, store_path: Path, column: str) -> None:
    store.insert_sessions(a_session(label="one", summary="two", body="three"))
    rows(store_path, f"UPDATE sessions SET {column} = 'four'")  # noqa: S608 - a name from above
    check(store_path)
    assert len(store.keyword_search("four", 5)) == 1
    assert len(store.keyword_search("one two three", 5)) == 1


def test_what_is_not_indexed_costs_the_index_nothing(store: SqliteSessionStore, store_path: Path) -> None:
    store.insert_sessions(a_session(body="redis"))
    before = blocks(store_path)
    store.update_status("cc_1", "superseded")
    assert blocks(store_path) == before
    store.insert_sessions(replace(a_session(body="redis"), decisions=("x",)))
    check(store_path)
