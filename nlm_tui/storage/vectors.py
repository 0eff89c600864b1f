"""Semantic search: the sessions with the passage nearest to a vector."""

import math
from collections.abc import Callable, Sequence

import orjson

from nlm_tui.core import EmbedderUnavailable, Page, Place, SemanticNeighbor
from nlm_tui.storage.codes import MANY, CodesInMemory, loaded_numpy
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.vector_sets import pack_code, pack_vector, unpack_vector

_FEW = 10_000  # vectors that are all compared in full; of more, those with the most similar signs
_LEAST_RESCORED = 2_000
_PER_SESSION = 3  # passages of a session that may all be near


class VectorSearch:
    """Searches the vectors of one store of ours."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._codes: dict[int, CodesInMemory] = {}
        self._totals: tuple[object, dict[int, int]] = (None, {})

    def search(
        self, vector: Sequence[float], limit: int, passing: Condition, vector_set: int
    ) -> Page[SemanticNeighbor]:
        """Return the `limit` sessions with the passage nearest to a unit `vector`, and how many have vectors.

        Of many vectors only those are compared in full that are most like by their signs. What is missed so is about as
        near as what is found.

        Raises:
            EmbedderUnavailable: vectors cannot be compared on this platform.
        """
        self._connection.load_vector_functions()
        near, parameters = self._near(vector, limit, passing, vector_set)
        rows = self._connection.rows(
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
        return Page(neighbors, self._total(passing, vector_set))

    def similar(self, session_ids: Sequence[str], limit: int, passing: Condition) -> Page[SemanticNeighbor]:
        """Return the sessions nearest to the middle of the vectors of `session_ids`, which are left out.

        Raises:
            EmbedderUnavailable: none of them has vectors, or vectors cannot be compared on this platform.
        """
        vector_set, own = self._vectors_of(session_ids)
        return similar_to(own, session_ids, limit, lambda middle, most: self.search(middle, most, passing, vector_set))

    def _vectors_of(self, session_ids: Sequence[str]) -> tuple[int, list[tuple[float, ...]]]:
        """Return the largest set that has vectors of any of the sessions, and these."""
        ids = orjson.dumps(list(session_ids)).decode()
        sets = self._connection.rows(
            "SELECT vector_set FROM embedded_sessions GROUP BY vector_set ORDER BY count(*) DESC, vector_set DESC"
        )
        for (vector_set,) in sets:
            rows = self._connection.rows(
                "SELECT embedding FROM vectors WHERE vector_set = ? AND session_row IN "
                "(SELECT row FROM sessions WHERE id IN (SELECT value FROM json_each(?))) ORDER BY row",
                (vector_set, ids),
            )
            if rows:
                return vector_set, [unpack_vector(embedding) for (embedding,) in rows]
        return 0, []

    def _near(
        self, vector: Sequence[float], limit: int, passing: Condition, vector_set: int
    ) -> tuple[str, list[object]]:
        """Return SQL for the rows of the vectors to compare in full, and its parameters."""
        if passing.table:
            codes = (
                f"FROM {passing.table} AS p CROSS JOIN vector_codes AS c ON c.session_row = p.row AND c.vector_set = ?"
            )
        else:
            codes = f"FROM vector_codes AS c WHERE c.vector_set = ? AND {passing.sql('c.session_row')}"
        count = self._count(f"SELECT 1 {codes}", vector_set, _FEW)
        if count <= _FEW:
            return f"SELECT c.vector {codes}", [vector_set]
        rescored = max(_LEAST_RESCORED, _PER_SESSION * limit)
        held = self._held(vector_set)
        if held is None:
            order = "ORDER BY vec_distance_hamming(vec_bit(c.code), vec_bit(?)) LIMIT ?"
            return f"SELECT c.vector {codes} {order}", [vector_set, pack_code(vector), rescored]
        rows = held.nearest(vector, rescored, self._rows(passing.table), self._rows(passing.hidden) or ())
        return "SELECT value FROM json_each(?)", [orjson.dumps(rows).decode()]

    def _rows(self, table: str | None) -> list[int] | None:
        return [row for (row,) in self._connection.rows(f"SELECT row FROM {table}")] if table else None

    def _held(self, vector_set: int) -> CodesInMemory | None:
        """Return the codes of a set in memory, if they are many."""
        if vector_set not in self._codes:
            every = "SELECT 1 FROM vector_codes WHERE vector_set = ?"
            numpy = loaded_numpy() if self._count(every, vector_set, MANY) > MANY else None
            if numpy is None:
                return None
            self._connection.map_file()  # vectors are read here and there
            self._codes[vector_set] = CodesInMemory(self._connection, vector_set, numpy)
        return self._codes[vector_set]

    def _count(self, vectors: str, vector_set: int, most: int) -> int:
        """Return how many rows a query gives, and no more than `most` and one."""
        ((count,),) = self._connection.rows(f"SELECT count(*) FROM ({vectors} LIMIT ?)", (vector_set, most + 1))
        return count

    def _total(self, passing: Condition, vector_set: int) -> int:
        """Return how many sessions that pass have vectors; all are counted anew only once the store has changed."""
        every = "SELECT count(*) FROM embedded_sessions WHERE vector_set = ?"
        if passing:
            ((total,),) = self._connection.rows(f"{every} AND {passing.sql('session_row')}", (vector_set,))
            return total
        state = self._connection.state()
        if self._totals[0] != state:
            self._totals = (state, {})
        totals = self._totals[1]
        if vector_set not in totals:
            ((totals[vector_set],),) = self._connection.rows(every, (vector_set,))
        return totals[vector_set]


def similar_to(
    own: Sequence[Sequence[float]],
    session_ids: Sequence[str],
    limit: int,
    search: Callable[[Sequence[float], int], Page[SemanticNeighbor]],
) -> Page[SemanticNeighbor]:
    """Return the `limit` sessions that `search` finds nearest to the middle of `own`, the vectors of `session_ids`.

    Raises:
        EmbedderUnavailable: there are no such vectors.
    """
    if not own:
        raise EmbedderUnavailable(f"no vectors of {', '.join(session_ids)} yet")
    found = search(_middle(own), limit + len(session_ids))
    others = [neighbor for neighbor in found if neighbor.session_id not in session_ids]
    return Page(others[:limit], found.total - (len(found) - len(others)))


def _middle(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return the unit vector between `vectors`."""
    sums = [sum(values) for values in zip(*vectors, strict=True)]
    norm = math.hypot(*sums)
    return [value / norm for value in sums] if norm else list(vectors[0])
