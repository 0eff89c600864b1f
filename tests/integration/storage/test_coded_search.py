"""Of many vectors only those are compared in full whose signs are most like: in SQL or, of very many, in memory."""

import math
from random import Random

import pytest
from support import a_session, put_vectors

from nlm_tui.core import SearchInterruptedError, SemanticNeighbor, SessionFilter
from nlm_tui.core.actions import Action
from nlm_tui.storage import SqliteSessionStore, codes, vectors
from nlm_tui.storage.connection import Connection

SIZE = 70  # no whole number of bytes, nor of words
DECIDED = SessionFilter(kind="decision")


def unit(random: Random) -> list[float]:
    numbers = [random.gauss(0, 1) for _ in range(SIZE)]
    return [number / math.hypot(*numbers) for number in numbers]


@pytest.fixture
def random() -> Random:
    return Random(7)


@pytest.fixture
def many(store: SqliteSessionStore, random: Random) -> SqliteSessionStore:
    with store.batch():
        for number in range(120):
            add(store, number, random)
    return store


def add(store: SqliteSessionStore, number: int, random: Random) -> None:
    decisions = ("one",) if number % 3 else ()
    store.insert_sessions(a_session(f"s{number:03}", decisions=decisions))
    put_vectors(store, f"s{number:03}", [unit(random) for _ in range(3)])


@pytest.fixture(params=["in SQL", "in memory"])
def coded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Search by code from 50 vectors on, and compare 350 of them in full: of 360, and of 240 that pass all."""
    monkeypatch.setattr(vectors, "_FEW", 50)
    monkeypatch.setattr(vectors, "_LEAST_RESCORED", 350)
    monkeypatch.setattr(vectors, "_PER_SESSION", 1)
    if request.param == "in memory":
        monkeypatch.setattr(vectors, "MANY", 50)
        monkeypatch.setattr(codes, "_BATCH", 100)
        monkeypatch.setattr(codes, "_BLOCK", 64)
        monkeypatch.setattr(codes, "_SAMPLE", 4)
        monkeypatch.setattr(codes, "_LEAST_WEIGHED", 355)
    return request.param


def exactly(store: SqliteSessionStore, question: list[float], wanted: SessionFilter | None) -> list[SemanticNeighbor]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "_FEW", 1_000_000)
        return store.semantic_search(question, 10, wanted)


@pytest.mark.usefixtures("coded")
def test_the_nearest_are_found(many: SqliteSessionStore, random: Random) -> None:
    for _ in range(20):
        question = unit(random)
        for wanted in (None, DECIDED):
            found, expected = many.semantic_search(question, 10, wanted), exactly(many, question, wanted)
            assert found == expected
            assert found.total == expected.total == (120 if wanted is None else 80)


@pytest.mark.usefixtures("coded")
def test_hidden_sessions_are_left_out(many: SqliteSessionStore, random: Random) -> None:
    for number in range(0, 20, 2):
        many.corrections.act(Action(f"act_{number:02}", "2026-05-01T10:00:00.000Z", "hide", "session", f"s{number:03}"))
    for _ in range(5):
        question = unit(random)
        for wanted in (None, DECIDED):
            found, expected = many.semantic_search(question, 10, wanted), exactly(many, question, wanted)
            assert found == expected
            assert found.total == expected.total == (110 if wanted is None else 74)
            assert not {neighbor.session_id for neighbor in found} & {f"s{number:03}" for number in range(0, 20, 2)}


@pytest.mark.usefixtures("coded")
def test_those_with_the_most_similar_signs_are_compared(
    many: SqliteSessionStore, random: Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_LEAST_RESCORED", 60)
    hits = 0
    for _ in range(20):
        question = unit(random)
        found, expected = many.semantic_search(question, 10), exactly(many, question, None)
        hits += len({hit.session_id for hit in found[:3]} & {hit.session_id for hit in expected[:3]})
    assert hits > 45, "by chance it would be ten"


@pytest.mark.usefixtures("coded")
def test_what_comes_and_goes_is_followed(many: SqliteSessionStore, random: Random) -> None:
    question = unit(random)
    assert len(many.semantic_search(question, 10)) == 10
    many.insert_sessions(a_session("new"))
    put_vectors(many, "new", [question])
    assert many.semantic_search(question, 10)[0].session_id == "new"
    for number in range(200, 260):
        add(many, number, random)
    assert many.semantic_search(question, 10) == exactly(many, question, None)
    many._connection.run("DELETE FROM sessions WHERE id IN ('new', 's001')")
    assert many.semantic_search(question, 10) == exactly(many, question, None)
    assert many.semantic_search(question, 10, SessionFilter(entity="nobody")) == []


def test_without_numpy_it_is_sql(
    many: SqliteSessionStore, random: Random, coded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "loaded_numpy", lambda: None)
    question = unit(random)
    assert many.semantic_search(question, 10) == exactly(many, question, None), coded


@pytest.mark.parametrize("coded", ["in memory"], indirect=True)
def test_an_interrupt_while_codes_are_read_loses_nothing(
    many: SqliteSessionStore, random: Random, coded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Connection.rows
    batches = 0

    def interrupted(connection: Connection, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        nonlocal batches
        if "(session_row, vector) > (?, ?)" in sql:
            batches += 1
            if batches == 3:
                many.interrupt()
        return read(connection, sql, parameters)

    monkeypatch.setattr(Connection, "rows", interrupted)
    question = unit(random)
    with many.searching(), pytest.raises(SearchInterruptedError):
        many.semantic_search(question, 10)
    assert batches == 3, coded
    assert many.semantic_search(question, 10) == exactly(many, question, None)
    assert batches == 5, "the first two were kept"
