"""The vectors of another program: any table, width and metric of sqlite-vec."""

import importlib.util
import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import apsw
import pytest
from foreign_stores import files, grown, minimal_store

from nlm_tui.core import EmbedderUnavailable, EmbeddingModel, RecallQuery, SearchInterruptedError, SessionFilter
from nlm_tui.settings import Settings
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.wiring import recall_service

SIZE = 8
CHUNKS = (
    "CREATE VIRTUAL TABLE session_embedding_chunks USING vec0("
    "chunk_id INTEGER PRIMARY KEY, embedding float[{size}]{metric}, +session_id TEXT, +chunk_idx INTEGER)"
)
CHUNK_MAP = "CREATE TABLE session_chunk_map (chunk_id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, chunk_idx INTEGER)"
SESSIONS = "CREATE VIRTUAL TABLE session_embeddings USING vec0(session_id TEXT PRIMARY KEY, embedding float[{size}])"
METRICS = ["", " distance_metric=L2", " distance_metric=cosine", " distance_metric=L1"]
Vectors = Mapping[str, Sequence[Sequence[float]]]


def opened(path: Path) -> apsw.Connection:
    """Return a connection that knows the tables of sqlite-vec."""
    found = importlib.util.find_spec("sqlite_vec")
    assert found
    assert found.origin
    connection = apsw.Connection(str(path))
    connection.enable_load_extension(enable=True)
    connection.load_extension(str(Path(found.origin).with_name("vec0")))
    return connection


def packed(vector: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(vector)}f", *vector)


def with_chunks(path: Path, vectors: Vectors, *, metric: str = "", size: int = SIZE, mapped: bool = True) -> Path:
    """Add chunks with vectors to a store."""
    connection = opened(path)
    connection.execute(CHUNKS.format(size=size, metric=metric))
    if mapped:
        connection.execute(CHUNK_MAP)
    number = 0
    for session_id, chunks in vectors.items():
        for place, vector in enumerate(chunks):
            number += 1
            connection.execute(
                "INSERT INTO session_embedding_chunks VALUES (?, ?, ?, ?)", (number, packed(vector), session_id, place)
            )
            if mapped:
                connection.execute("INSERT INTO session_chunk_map VALUES (?, ?, ?)", (number, session_id, place))
    connection.close()
    return path


def unit_vector(random: Random) -> list[float]:
    vector = [random.gauss(0, 1) for _ in range(SIZE)]
    return [value / math.hypot(*vector) for value in vector]


def cosines(vectors: Vectors, question: Sequence[float]) -> dict[str, float]:
    return {
        session_id: max(
            sum(a * b for a, b in zip(chunk, question, strict=True)) / math.hypot(*chunk) for chunk in chunks
        )
        for session_id, chunks in vectors.items()
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of sixty sessions without vectors."""
    return grown(minimal_store(tmp_path / "canonical.sqlite"), 57)


@pytest.fixture
def vectors(path: Path) -> Vectors:
    """One to four unit vectors for each session but three."""
    random = Random(5)
    with SqliteSessionStore.open(path) as store:
        ids = sorted(session.id for session in store.list())[:-3]
    return {session_id: [unit_vector(random) for _ in range(random.randint(1, 4))] for session_id in ids}


@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("metric", METRICS)
def test_it_is_the_cosine_of_the_nearest_chunk(path: Path, vectors: Vectors, metric: str, *, mapped: bool) -> None:
    before = files(with_chunks(path, vectors, metric=metric, mapped=mapped).parent)
    question = unit_vector(Random(1))
    expected = cosines(vectors, question)
    with SqliteSessionStore.open(path) as store:
        for wanted in (None, SessionFilter(kind="decision"), SessionFilter(entity="pay-worker"), SessionFilter("SQS")):
            passing = {session.id for session in store.list(None, wanted)} & expected.keys()
            best = sorted(passing, key=lambda session_id: -expected[session_id])
            for limit in (1, 5, 100):
                found = store.semantic_search(question, limit, wanted)
                assert [hit.session_id for hit in found] == best[:limit]
                assert [hit.score for hit in found] == pytest.approx(
                    [expected[name] for name in best[:limit]], abs=1e-5
                )
                assert found.total == len(passing)
    assert files(path.parent) == before


def test_vectors_of_any_length_are_compared_by_their_direction(path: Path, vectors: Vectors) -> None:
    random = Random(9)
    longer = {
        name: [[value * random.uniform(0.1, 30) for value in one] for one in some] for name, some in vectors.items()
    }
    longer["cc_a"] = [[0.0] * SIZE]
    stretched = {
        name: [[value * length for value in one] for one in some]
        for name, some in vectors.items()
        for length in [random.uniform(0.1, 30)]
    }
    stretched["cc_a"] = [[0.0] * SIZE]
    with_chunks(path, stretched)
    question = unit_vector(Random(1))
    expected = cosines({name: some for name, some in stretched.items() if name != "cc_a"}, question)
    with SqliteSessionStore.open(path) as store:
        found = store.semantic_search(question, 100)
    assert [hit.session_id for hit in found] == sorted(expected, key=lambda name: -expected[name])


def test_many_chunks_of_one_session_hide_no_other(path: Path) -> None:
    near = [[1.0, 0.001 * number, *[0.0] * (SIZE - 2)] for number in range(700)]
    with_chunks(path, {"cc_a": near, "cc_b": [[0.0, 1.0, *[0.0] * (SIZE - 2)]]})
    with SqliteSessionStore.open(path) as store:
        found = store.semantic_search([1.0, *[0.0] * (SIZE - 1)], 2)
        assert [hit.session_id for hit in found] == ["cc_a", "cc_b"]
        assert found.total == 2
        assert store.semantic_search([1.0, *[0.0] * (SIZE - 1)], 1)[0].distance == pytest.approx(0.0, abs=1e-3)


def test_older_releases_kept_one_vector_for_a_session(path: Path, vectors: Vectors) -> None:
    connection = opened(path)
    connection.execute(CHUNKS.format(size=SIZE, metric=""))
    connection.execute(CHUNK_MAP)
    connection.execute(SESSIONS.format(size=SIZE))
    single = {session_id: chunks[:1] for session_id, chunks in vectors.items()}
    for session_id, (vector,) in single.items():
        connection.execute("INSERT INTO session_embeddings VALUES (?, ?)", (session_id, packed(vector)))
    connection.close()
    question = unit_vector(Random(1))
    expected = cosines(single, question)
    best = sorted(expected, key=lambda session_id: -expected[session_id])
    with SqliteSessionStore.open(path) as store:
        assert store.embedding_model == EmbeddingModel("ollama", "nomic-embed-text")
        assert [hit.session_id for hit in store.semantic_search(question, 5)] == best[:5]
        decided = store.semantic_search(question, 5, SessionFilter(kind="decision"))
        assert ([hit.session_id for hit in decided], decided.total) == (["cc_a"], 1)
        assert store.similar_search(["cc_a"], 3).total == len(single) - 1


def test_hidden_and_vanished_sessions_take_no_place(path: Path, vectors: Vectors) -> None:
    with_chunks(path, {**vectors, "no_such_session": [unit_vector(Random(1))]})
    connection = opened(path)
    connection.execute(
        "PRAGMA ignore_check_constraints = ON; UPDATE sessions SET status = 'replaced' WHERE id = 'cc_a'"
    )
    connection.close()
    with SqliteSessionStore.open(path) as store:
        found = store.semantic_search(unit_vector(Random(1)), 100)
    assert {hit.session_id for hit in found} == vectors.keys() - {"cc_a"}
    assert found.total == len(found)


def test_other_widths_and_models_find_nothing(path: Path, vectors: Vectors) -> None:
    with_chunks(path, vectors)
    own = EmbeddingModel("ollama", "nomic-embed-text", "scheme")
    with SqliteSessionStore.open(path) as store:
        assert store.semantic_search([1.0] * (SIZE + 1), 5) == []
        assert store.semantic_search([], 5) == []
        for model, size in ((EmbeddingModel("ollama", "other"), SIZE), (own, SIZE + 1)):
            with pytest.raises(EmbedderUnavailable, match=f"no vectors of {size} numbers by {model.name}"):
                store.semantic_search([1.0] * size, 5, model=model)
        for model in (None, own, EmbeddingModel("ollama", "nomic-embed-text:latest")):
            assert len(store.semantic_search(unit_vector(Random(1)), 5, model=model)) == 5


def test_the_model_is_the_one_that_the_store_names(path: Path, vectors: Vectors) -> None:
    with_chunks(path, vectors)
    connection = opened(path)
    connection.execute("CREATE TABLE embedding_config (lane TEXT, provider TEXT, model TEXT, dim INTEGER)")
    with SqliteSessionStore.open(path) as store:
        assert store.embedding_model == EmbeddingModel("ollama", "nomic-embed-text")
    connection.execute("INSERT INTO embedding_config VALUES ('code', 'x', 'y', 1), ('prose', 'ollama', 'mxbai', 8)")
    connection.close()
    with SqliteSessionStore.open(path) as store:
        assert store.embedding_model == EmbeddingModel("ollama", "mxbai")
        result = recall_service(Settings.resolve({"OLLAMA_HOST": "127.0.0.1:1"}), store).search(
            RecallQuery("retry", mode="semantic")
        )
    assert str(result.mode_unavailable).startswith("this memory's vectors were made by ollama/mxbai: ")


def test_without_vectors_nothing_is_near(path: Path) -> None:
    with SqliteSessionStore.open(path) as store:
        assert store.embedding_model is None
        assert store.semantic_search([1.0] * SIZE, 5) == []
        with pytest.raises(EmbedderUnavailable, match="no vectors of cc_a"):
            store.similar_search(["cc_a"], 5)
        result = recall_service(Settings.resolve({}), store).search(RecallQuery("retry", mode="hybrid"))
    assert result.mode_unavailable == "this memory belongs to another program and holds no vectors"
    assert [hit.id for hit in result.results] == ["cc_a"]


def test_vectors_that_are_no_floats_are_not_read(path: Path) -> None:
    connection = opened(path)
    connection.execute(CHUNKS.format(size=SIZE, metric="").replace("float[8]", "bit[8]"))
    connection.execute("INSERT INTO session_embedding_chunks VALUES (1, vec_bit(x'ff'), 'cc_a', 0)")
    connection.close()
    with SqliteSessionStore.open(path) as store:
        assert store.embedding_model is None
        assert store.semantic_search([1.0] * SIZE, 5) == []


def test_an_interrupted_search_says_so(path: Path, vectors: Vectors) -> None:
    with_chunks(path, vectors)
    with SqliteSessionStore.open(path) as store:
        question = unit_vector(Random(1))
        expected = store.semantic_search(question, 5)
        database = store._connection._database
        raised = 0
        for steps in range(1, 200, 7):
            left = [steps]

            def stop(left: list[int] = left) -> bool:
                left[0] -= 1
                if not left[0]:
                    store.interrupt()
                return False

            database.set_progress_handler(stop, 20)
            try:
                with store.searching():
                    assert store.semantic_search(question, 5) == expected
            except SearchInterruptedError:
                raised += 1
            database.set_progress_handler(None)
        assert raised > 5
        assert store.semantic_search(question, 5) == expected


def test_without_the_extension_meaning_is_unavailable(
    path: Path, vectors: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_chunks(path, vectors)
    monkeypatch.setattr("nlm_tui.storage.connection.importlib.util.find_spec", lambda _: None)
    with SqliteSessionStore.open(path) as store:
        searches = (
            lambda: store.semantic_search(unit_vector(Random(1)), 5),
            lambda: store.similar_search([store.list(1)[0].id], 5),
        )
        for search in searches:
            with pytest.raises(EmbedderUnavailable, match="sqlite-vec"):
                search()
