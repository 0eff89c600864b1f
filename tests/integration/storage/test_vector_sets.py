"""Vectors in sets of one model each: they follow their session, are resumed, and never mix."""

import math
from pathlib import Path

import pytest
from support import a_session, put_vectors, rows

from nlm_tui.core import EmbedderUnavailable, EmbeddingModel, RecallService, chunks, parse
from nlm_tui.storage import SqliteSessionStore

MODEL = EmbeddingModel("test", "model", chunk_characters=40)
OTHER = EmbeddingModel("test", "other", chunk_characters=40)


def embed(store: SqliteSessionStore, session_id: str, model: EmbeddingModel = MODEL, most: int = 16) -> None:
    """Give every passage of a session the vector of its length."""
    session = store.get_by_id(session_id)
    assert session is not None
    made = {chunk.digest: vector(len(chunk.text)) for chunk in chunks(session, model.chunk_characters, most)}
    store.vectors.write(session_id, model, made, most)


def vector(angle: float) -> list[float]:
    return [math.cos(angle), math.sin(angle)]


def kept(store_path: Path) -> list[tuple[object, ...]]:
    return rows(store_path, "SELECT field, start, end FROM vectors ORDER BY row")


def test_what_is_missing_is_known(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("old", started_at="2026-01-01T00:00:00.000Z"))
    store.insert_sessions(a_session("new", started_at="2026-02-01T00:00:00.000Z", body="some body"))
    assert store.vectors.pending(MODEL, 1) == ["new", "old"]
    assert store.vectors.state(MODEL, 16) == (2, 0, 0)
    embed(store, "new", most=1)
    assert (store.vectors.pending(MODEL, 1), store.vectors.pending(MODEL, 16)) == (["old"], ["new", "old"])
    assert store.vectors.state(MODEL, 16) == (2, 1, 0)
    embed(store, "new")
    assert store.vectors.pending(MODEL, 16) == ["old"]
    assert store.vectors.pending(OTHER, 16) == ["new", "old"]
    assert store.vectors.state(MODEL, 16) == (2, 1, 1)


def test_a_session_that_is_read_again_keeps_the_vectors_of_what_it_still_says(
    store: SqliteSessionStore, store_path: Path
) -> None:
    store.insert_sessions(a_session("a", label="first", body="one\n" * 5 + "two\n" * 20))
    embed(store, "a")
    before = set(store.vectors.digests("a", MODEL))
    store.insert_sessions(a_session("a", label="other", body="one\n" * 5 + "two\n" * 20))
    after = store.vectors.digests("a", MODEL)
    assert after < before
    assert len(after) == len(before) - 1
    assert ("head", 0, 5) not in kept(store_path)
    assert store.vectors.pending(MODEL, 1) == ["a"]
    embed(store, "a")
    assert store.vectors.pending(MODEL, 16) == []
    assert len(kept(store_path)) == len(before)


def test_places_follow_their_text(store: SqliteSessionStore, store_path: Path) -> None:
    store.insert_sessions(a_session("a", label="", decisions=("kept",)))
    embed(store, "a")
    assert kept(store_path) == [("decisions", 0, 4)]
    store.insert_sessions(a_session("a", label="", decisions=("a much longer one that came in before it", "kept")))
    assert kept(store_path) == [("decisions", 41, 45)]


def test_a_deleted_session_leaves_no_vector(store: SqliteSessionStore, store_path: Path) -> None:
    for name in "ab":
        store.insert_sessions(a_session(name, body=name))
        embed(store, name)
        embed(store, name, OTHER)
    store._connection.run("DELETE FROM sessions WHERE id = 'a'")
    assert rows(store_path, "SELECT DISTINCT session_row FROM vectors") == [(2,)]
    assert rows(store_path, "SELECT DISTINCT session_row FROM embedded_sessions") == [(2,)]
    assert rows(store_path, "SELECT count(*) FROM vectors") == rows(store_path, "SELECT count(*) FROM vector_codes")


def test_sets_do_not_mix(store: SqliteSessionStore) -> None:
    for name in "ab":
        store.insert_sessions(a_session(name))
    put_vectors(store, "a", [[1.0, 0.0]], "one")
    put_vectors(store, "b", [[1.0, 0.0]], "two")
    one, two = (EmbeddingModel("test", name) for name in ("one", "two"))
    found = [store.semantic_search([1.0, 0.0], 5, model=model) for model in (one, two)]
    assert [[hit.session_id for hit in page] for page in found] == [["a"], ["b"]]
    assert [page.total for page in found] == [1, 1]
    for other in (EmbeddingModel("x", "one"), EmbeddingModel("test", "one", scheme="other")):
        with pytest.raises(EmbedderUnavailable, match="no vectors of 2 numbers by one"):
            store.semantic_search([1.0, 0.0], 5, model=other)
    store.vectors.drop_superseded(two)
    with pytest.raises(EmbedderUnavailable):
        store.semantic_search([1.0, 0.0], 5, model=one)
    assert [hit.session_id for hit in store.semantic_search([1.0, 0.0], 5, model=two)] == ["b"]


def test_a_model_with_another_size_is_another_set(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("a", label="label"))
    (chunk,) = chunks(a_session("a", label="label"), 40)
    store.vectors.write("a", MODEL, {chunk.digest: [1.0, 0.0]}, 16)
    store.vectors.write("a", MODEL, {chunk.digest: [1.0, 0.0, 0.0]}, 16)
    assert len(store.semantic_search([1.0, 0.0], 5, model=MODEL)) == 1
    assert len(store.semantic_search([1.0, 0.0, 0.0], 5, model=MODEL)) == 1
    store.vectors.drop_superseded(MODEL)
    with pytest.raises(EmbedderUnavailable, match="no vectors of 2 numbers by model"):
        store.semantic_search([1.0, 0.0], 5, model=MODEL)
    with pytest.raises(ValueError, match="different sizes"):
        store.vectors.write("a", MODEL, {b"1": [1.0], b"2": [1.0, 0.0]}, 16)


def test_vectors_of_what_a_session_said_before_are_left_out(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("a", label="before"))
    (stale,) = chunks(a_session("a", label="before"), 40)
    store.insert_sessions(a_session("a", label="after"))
    store.vectors.write("a", MODEL, {stale.digest: [1.0, 0.0]}, 16)
    assert store.semantic_search([1.0, 0.0], 5) == []
    assert store.vectors.pending(MODEL, 1) == ["a"]
    store.vectors.write("gone", MODEL, {stale.digest: [1.0, 0.0]}, 16)


def test_the_place_of_the_nearest_passage_is_told(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("a", label="x" * 3, decisions=("y" * 20,), status="superseded"))
    embed(store, "a")
    (hit,) = store.semantic_search(vector(20), 5)
    assert (hit.place, hit.started_at, hit.superseded) == (("decisions", 0, 20), "2026-05-14T10:32:00.000Z", True)


def test_what_is_similar_to_a_session(store: SqliteSessionStore) -> None:
    for name, angles in {"a1": (0.0, 0.2), "near": (0.1,), "far": (2.0,), "bare": ()}.items():
        store.insert_sessions(a_session(name))
        put_vectors(store, name, [vector(angle) for angle in angles])
    for name in ("a1", "a"):
        found = store.similar_search([name], 5)
        assert ([hit.session_id for hit in found], found.total) == (["near", "far"], 2)
    assert found[0].score == pytest.approx(1.0)
    assert [hit.session_id for hit in store.similar_search(["a1"], 1)] == ["near"]
    reasons = {"bare": "no vectors of bare yet", "nobody": "no session nobody", "": "no session "}
    store.insert_sessions(a_session("near2"))
    reasons["nea"] = "nea begins several ids: near, near2"
    for name, reason in reasons.items():
        with pytest.raises(EmbedderUnavailable, match=reason):
            store.similar_search([name], 5)
    result = RecallService(store).search(parse("like:nea,nobody,a1"))
    assert [hit.id for hit in result.results] == ["near", "far"]
    assert result.notes == (reasons["nea"], reasons["nobody"])
    with pytest.raises(EmbedderUnavailable, match="nea begins several ids: near, near2; no session nobody"):
        store.similar_search(["nea", "nobody"], 5)


def test_similar_ones_are_looked_for_in_the_set_that_holds_the_most(store: SqliteSessionStore) -> None:
    for name, angle in {"one": 0.0, "two": 0.1, "three": 0.2}.items():
        store.insert_sessions(a_session(name))
        put_vectors(store, name, [vector(angle)], "whole")
    for name in ("one", "three"):
        put_vectors(store, name, [vector(0.0)], "growing")
    assert [hit.session_id for hit in store.similar_search(["one"], 5)] == ["two", "three"]
