"""Semantic search over plain vectors."""

import struct
from collections.abc import Sequence

from nlm_tui.core import Page, SemanticNeighbor
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.filters import Condition


def semantic_search(
    connection: Connection, vector: Sequence[float], limit: int, passing: Condition
) -> Page[SemanticNeighbor]:
    """Return the `limit` sessions with the chunk nearest to `vector`, and how many have a vector of that size."""
    if not has_vectors(connection):
        return Page()
    connection.load_vector_functions()
    rows = connection.rows(
        "WITH matches (found, distance) AS MATERIALIZED ("
        "SELECT session_row, min(vec_distance_L2(embedding, ?)) FROM session_vectors "
        f"WHERE dimensions = ? AND {passing.sql('session_row')} GROUP BY session_row), "
        "best AS (SELECT found, distance FROM matches ORDER BY distance, found LIMIT ?) "
        "SELECT s.id, best.distance, (SELECT count(*) FROM matches) "
        "FROM best JOIN sessions AS s ON s.rowid = best.found ORDER BY best.distance, best.found",
        (pack_vector(vector), len(vector), limit),
    )
    neighbors = (SemanticNeighbor(session_id, distance) for session_id, distance, _ in rows)
    return Page(neighbors, rows[0][2] if rows else 0)


def has_vectors(connection: Connection) -> bool:
    """Return whether any session has a vector of ours."""
    if not connection.rows("SELECT 1 FROM sqlite_schema WHERE name = 'session_vectors'"):
        return False
    return bool(connection.rows("SELECT 1 FROM session_vectors LIMIT 1"))


def pack_vector(vector: Sequence[float]) -> bytes:
    """Return a vector as little-endian float32."""
    return struct.pack(f"<{len(vector)}f", *vector)
