"""Semantic search: the nearest chunk of a session counts, filters act before the cut."""

import math
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from support import a_session, put_vectors, random_session

from nlm_tui.core import SessionFilter
from nlm_tui.storage import SqliteSessionStore

SIZE = 12


def unit_vector(random: Random) -> list[float]:
    vector = [random.gauss(0, 1) for _ in range(SIZE)]
    return [value / math.hypot(*vector) for value in vector]


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_cosine_of_the_nearest_chunk(store: SqliteSessionStore, seed: int) -> None:
    random = Random(seed)
    sessions = [random_session(random, number) for number in range(40)]
    vectors = {session.id: [unit_vector(random) for _ in range(random.randint(0, 4))] for session in sessions}
    with store.batch():
        for session in sessions:
            store.insert_sessions(session)
            put_vectors(store, session.id, vectors[session.id])
    question = unit_vector(random)
    cosine = {
        session_id: max(sum(a * b for a, b in zip(chunk, question, strict=True)) for chunk in chunks)
        for session_id, chunks in vectors.items()
        if chunks
    }
    for wanted in (None, SessionFilter(kind="decision"), SessionFilter(entity="Redis", top_level=True)):
        passing = {session.id for session in store.list(None, wanted)} & cosine.keys()
        best = sorted(passing, key=lambda session_id: -cosine[session_id])
        for limit in (1, 5, 100):
            found = store.semantic_search(question, limit, wanted)
            assert [hit.session_id for hit in found] == best[:limit]
            assert [hit.score for hit in found] == pytest.approx([cosine[name] for name in best[:limit]], abs=1e-5)
            assert found.total == len(passing)


def test_without_vectors_nothing_is_near(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session())
    found = store.semantic_search([1.0, 0.0], 5)
    assert (found, found.total) == ([], 0)


def test_vectors_are_replaced_and_go_with_their_session(store: SqliteSessionStore) -> None:
    for name in "ab":
        store.insert_sessions(a_session(name))
    put_vectors(store, "a", [[1.0, 0.0], [0.0, 1.0]])
    put_vectors(store, "b", [[-1.0, 0.0]])
    put_vectors(store, "a", [[0.0, 1.0]])
    found = store.semantic_search([1.0, 0.0], 5)
    assert [(hit.session_id, pytest.approx(hit.distance)) for hit in found] == [("a", math.sqrt(2)), ("b", 2.0)]
    store._connection.run("DELETE FROM sessions WHERE id = 'b'")
    assert [hit.session_id for hit in store.semantic_search([1.0, 0.0], 5)] == ["a"]


def test_vectors_of_another_size_are_no_match(store: SqliteSessionStore) -> None:
    for name in "ab":
        store.insert_sessions(a_session(name))
    put_vectors(store, "a", [[1.0, 0.0]], "small")
    put_vectors(store, "b", [[1.0, 0.0, 0.0]], "large")
    found = store.semantic_search([1.0, 0.0, 0.0], 5)
    assert ([hit.session_id for hit in found], found.total) == (["b"], 1)


def test_numpy_is_not_loaded(store: SqliteSessionStore, store_path: Path) -> None:
    store.insert_sessions(a_session())
    put_vectors(store, "cc_1", [[1.0, 0.0]])
    script = (
        "import sys; from nlm_tui.storage import SqliteSessionStore\n"
        "with SqliteSessionStore.open(sys.argv[1]) as store: print(len(store.semantic_search([1.0, 0.0], 5)))\n"
        "print(sorted({'numpy', 'sqlite_vec'} & sys.modules.keys()))"
    )
    output = subprocess.run(
        [sys.executable, "-c", script, store_path], capture_output=True, text=True, check=True
    ).stdout
    assert output.split("\n")[:2] == ["1", "[]"]
