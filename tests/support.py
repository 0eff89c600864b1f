"""Sessions and stores that several tests make."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from subprocess import CompletedProcess

import apsw

from nlm_tui.core import Chunk, EmbeddingModel, Place, Session
from nlm_tui.storage import SqliteSessionStore

Run = Callable[..., CompletedProcess[str]]  # runs the real command

WORDS = (
    "redis",
    "kafka",
    "retry",
    "invoice",
    "cursor",
    "migration",
    "token",
    "cache",
    "queue",
    "café",
    "検索",
    "straße",
)
ENTITIES = ("Redis", "Postgres", "billing-worker", "OAuth")


def a_session(session_id: str = "cc_1", **fields: object) -> Session:
    """Return a session of which only what matters to a test is given."""
    given: dict[str, object] = {
        "runtime": "claude-code",
        "started_at": "2026-05-14T10:32:00.000Z",
        "label": "A session",
    }
    return Session(id=session_id, **(given | fields))


def random_session(random: Random, number: int) -> Session:
    """Return a session of few words, so that searches find many of them."""

    def words(most: int) -> str:
        return " ".join(random.choices(WORDS, k=random.randint(0, most)))

    return a_session(
        f"s{number:03}",
        started_at=f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}T08:00:00.000Z",
        label=words(5) or "untitled",
        summary=words(8),
        body=words(40),
        parent_id=random.choice((None, None, f"s{random.randint(0, 50):03}", "elsewhere")),
        entities=tuple(random.sample(ENTITIES, k=random.randint(0, 3))),
        decisions=tuple(words(5) for _ in range(random.randint(0, 2))),
        open=tuple(words(5) for _ in range(random.randint(0, 1))),
    )


def put_vectors(
    store: SqliteSessionStore, session_id: str, vectors: Sequence[Sequence[float]], model: str = "model"
) -> None:
    """Give a session vectors of passages that are none of its own."""
    passages = [
        Chunk(Place("conversation", place, place + 1), f"{place} {vectors[place]}") for place in range(len(vectors))
    ]
    by_digest = {passage.digest: vector for passage, vector in zip(passages, vectors, strict=True)}
    for size in {len(vector) for vector in vectors}:
        with store.batch():
            ((row,),) = store._connection.rows("SELECT row FROM sessions WHERE id = ?", (session_id,))
            vector_set = store.vectors._make_set(EmbeddingModel("test", model), size)
            store.vectors.replace((vector_set, row), passages, by_digest)


def rows(path: Path, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
    """Run SQL on a database by another connection than the store's, and return all rows."""
    connection = apsw.Connection(str(path))
    try:
        return list(connection.execute(sql, tuple(parameters)))
    finally:
        connection.close()
