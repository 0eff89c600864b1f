"""Sessions and stores that several tests make."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from subprocess import CompletedProcess

import apsw

from nlm_tui.core import Session

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


def rows(path: Path, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
    """Run SQL on a database by another connection than the store's, and return all rows."""
    connection = apsw.Connection(str(path))
    try:
        return list(connection.execute(sql, tuple(parameters)))
    finally:
        connection.close()
