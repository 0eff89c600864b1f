"""Which full-text index answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import orjson

from nlm_tui.storage.connection import Connection


@dataclass(frozen=True, slots=True)
class Index:
    """A full-text index over `sessions`.

    An `extended` one holds decisions, names and parts of words too, by stems. `weights` are those of the reference
    ranking, as SQL, one for each column.
    """

    name: str
    extended: bool
    weights: str


OURS = Index("sessions_fts", extended=True, weights="10, 4, 1, 0, 0, 0, 0, 0, 0")

CurrentIndex = Callable[[], Index]
"""Gives the index that answers now."""


def held(connection: Connection, matching: str, expression: str, session_ids: Sequence[str]) -> set[str]:
    """Return which of the sessions an index finds; `matching` is SQL in brackets, the rows that match `expression`."""
    rows = connection.rows(
        f"SELECT s.id FROM sessions AS s WHERE s.id IN (SELECT value FROM json_each(?)) AND +s.rowid IN {matching}",
        (orjson.dumps(list(session_ids)).decode(), expression),
    )
    return {session_id for (session_id,) in rows}
