"""Semantic search: the sessions with the passage nearest to a vector."""

import math
from collections.abc import Sequence

import orjson

from nlm_tui.core import EmbedderUnavailable, Page, Place, SemanticNeighbor, StoreError
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.vector_sets import pack_code, pack_vector, unpack_vector

_FEW = 5_000  # vectors that are all compared in full; of more, those with the most similar signs
_LEAST_RESCORED = 1_000
_PER_SESSION = 8  # passages of a session that may all be near


def semantic_search(
    connection: Connection, vector: Sequence[float], limit: int, passing: Condition, vector_set: int
) -> Page[SemanticNeighbor]:
    """Return the `limit` sessions with the passage nearest to a unit `vector`, and how many have vectors in the set.

    Of many vectors only the best by code are compared in full: the nearest session is missed about never,
    one in the tenth place once in a hundred times.

    Raises:
        EmbedderUnavailable: vectors cannot be compared on this platform.
    """
    load_vector_functions(connection)
    source = f"FROM {passing.table} AS p CROSS JOIN" if passing.table else "FROM"
    join = "ON c.session_row = p.row AND" if passing.table else "WHERE"
    codes = f"{source} vector_codes AS c {join} c.vector_set = ?"
    ((count,),) = connection.rows(f"SELECT count(*) FROM (SELECT 1 {codes} LIMIT ?)", (vector_set, _FEW + 1))
    near, parameters = f"SELECT c.vector {codes}", [vector_set]
    if count > _FEW:
        near += " ORDER BY vec_distance_hamming(vec_bit(c.code), vec_bit(?)) LIMIT ?"
        parameters += [pack_code(vector), max(_LEAST_RESCORED, _PER_SESSION * limit)]
    rows = connection.rows(
        f"WITH near (vector) AS MATERIALIZED ({near}), "
        "best (session_row, field, start, end, distance) AS ("
        "SELECT v.session_row, v.field, v.start, v.end, min(vec_distance_L2(v.embedding, ?)) "
        "FROM near CROSS JOIN vectors AS v ON v.row = near.vector GROUP BY v.session_row) "
        "SELECT s.id, best.distance, best.field, best.start, best.end, s.started_at, "
        "s.row IN (SELECT row FROM sessions WHERE status = 'superseded') "
        "FROM best JOIN sessions AS s ON s.row = best.session_row ORDER BY best.distance, s.row LIMIT ?",
        (*parameters, pack_vector(vector), limit),
    )
    neighbors = [
        SemanticNeighbor(session_id, distance, Place(field, start, end), started_at, bool(superseded))
        for session_id, distance, field, start, end, started_at, superseded in rows
    ]
    return Page(neighbors, _total(connection, passing, vector_set))


def similar_search(
    connection: Connection, session_ids: Sequence[str], limit: int, passing: Condition
) -> Page[SemanticNeighbor]:
    """Return the sessions nearest to the middle of the vectors of `session_ids`, which are left out.

    Raises:
        EmbedderUnavailable: none of them has vectors.
    """
    ids = orjson.dumps(list(session_ids)).decode()
    rows = connection.rows(
        "SELECT v.vector_set, v.embedding FROM vectors AS v WHERE v.session_row IN "
        "(SELECT row FROM sessions WHERE id IN (SELECT value FROM json_each(?))) ORDER BY v.vector_set DESC, v.row",
        (ids,),
    )
    if not rows:
        raise EmbedderUnavailable(f"no vectors of {', '.join(session_ids)} yet")
    newest = rows[0][0]
    middle = _middle([unpack_vector(embedding) for vector_set, embedding in rows if vector_set == newest])
    found = semantic_search(connection, middle, limit + len(session_ids), passing, newest)
    others = [neighbor for neighbor in found if neighbor.session_id not in session_ids]
    return Page(others[:limit], found.total - (len(found) - len(others)))


def load_vector_functions(connection: Connection) -> None:
    """Make the functions over vectors available.

    Raises:
        EmbedderUnavailable: there are none for this platform.
    """
    try:
        connection.load_vector_functions()
    except StoreError as error:
        raise EmbedderUnavailable(f"vectors cannot be compared here: {error}") from error


def _middle(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return the unit vector between `vectors`."""
    sums = [sum(values) for values in zip(*vectors, strict=True)]
    norm = math.hypot(*sums)
    return [value / norm for value in sums] if norm else list(vectors[0])


def _total(connection: Connection, passing: Condition, vector_set: int) -> int:
    ((total,),) = connection.rows(
        f"SELECT count(*) FROM embedded_sessions WHERE vector_set = ? AND {passing.sql('session_row')}", (vector_set,)
    )
    return total
