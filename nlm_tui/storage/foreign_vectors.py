"""Semantic search over the vectors that another program keeps, in tables of sqlite-vec."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from nlm_tui.core import EmbedderUnavailable, EmbeddingModel, Page, SemanticNeighbor
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.foreign import ForeignConnection
from nlm_tui.storage.vector_sets import pack_vector, unpack_vector
from nlm_tui.storage.vectors import similar_to

_MOST_NEAREST = 4096  # that sqlite-vec finds
_LEAST_NEAREST = 64
_PER_SESSION = 2  # chunks of a session that are near, mostly
_DEFAULT_MODEL = EmbeddingModel("ollama", "nomic-embed-text")
_NEWEST_TAG = ":latest"
_VECTOR_COLUMN = re.compile(r"(\w+)\s+(?:float|f32)\s*\[\s*(\d+)\s*\]", re.IGNORECASE)
_CHUNK_OWNERS = "SELECT chunk_id AS key, session_id FROM other.session_chunk_map"
_AUXILIARY_OWNERS = "SELECT rowid AS key, value00 AS session_id FROM other.session_embedding_chunks_auxiliary"
_SUPERSEDED = "SELECT rowid FROM sessions WHERE status = 'superseded'"
_SESSION_OWNERS = "SELECT id AS key, id AS session_id FROM other.session_embeddings_rowids"


@dataclass(frozen=True, slots=True)
class _Vectors:
    """A table of vectors: its columns, their size, and what gives the session of each key."""

    table: str
    key: str
    column: str
    dimensions: int
    owners: str


class ForeignVectors:
    """The vectors of a store of another program."""

    def __init__(self, connection: ForeignConnection) -> None:
        self._connection = connection

    def model(self) -> EmbeddingModel | None:
        """Return what made the vectors, or None where there are none."""
        if self._find() is None:
            return None
        if self._has("embedding_config"):
            rows = self._connection.rows("SELECT provider, model FROM other.embedding_config WHERE lane = 'prose'")
            for provider, name in rows:
                return EmbeddingModel(provider, name)
        return _DEFAULT_MODEL

    def search(
        self, vector: Sequence[float], limit: int, passing: Condition, model: EmbeddingModel | None = None
    ) -> Page[SemanticNeighbor]:
        """Return the `limit` sessions with the chunk nearest to a unit `vector`, and how many have any.

        A vector of another size than the store's finds nothing.

        Raises:
            EmbedderUnavailable: the vector is of another model, or that makes vectors of another size by now.
        """
        found = self._find()
        if found is None or found.dimensions != len(vector) or not _is_same(model, self.model()):
            if model is not None:
                raise EmbedderUnavailable(f"this memory has no vectors of {len(vector)} numbers by {model.name}")
            return Page()
        self._connection.load_vector_functions()
        packed = pack_vector(vector)
        nearest = self._nearest(found, packed, limit, passing)
        ((total,),) = self._connection.rows(
            f"SELECT count(DISTINCT s.id) FROM ({found.owners}) AS o JOIN sessions AS s ON s.id = o.session_id "
            f"WHERE {passing.sql('s.rowid')}"
        )
        return Page(nearest[:limit], total)

    def search_similar(self, session_ids: Sequence[str], limit: int, passing: Condition) -> Page[SemanticNeighbor]:
        """Return the sessions nearest to the middle of the vectors of `session_ids`, which are left out.

        Raises:
            EmbedderUnavailable: none of them has vectors.
        """
        own = self._vectors_of(session_ids)
        return similar_to(own, session_ids, limit, lambda middle, most: self.search(middle, most, passing))

    def _vectors_of(self, session_ids: Sequence[str]) -> list[tuple[float, ...]]:
        found = self._find()
        if found is None:
            return []
        self._connection.load_vector_functions()
        rows = self._connection.rows(
            f"WITH wanted AS MATERIALIZED (SELECT key FROM ({found.owners}) "
            "WHERE session_id IN (SELECT value FROM json_each(?))) "
            f"SELECT v.{found.column} FROM wanted AS w CROSS JOIN other.{found.table} AS v ON v.{found.key} = w.key",
            (orjson.dumps(list(session_ids)).decode(),),
        )
        return [unpack_vector(packed) for (packed,) in rows]

    def _nearest(self, found: _Vectors, packed: bytes, limit: int, passing: Condition) -> list[SemanticNeighbor]:
        """Return the sessions of the nearest chunks: of so many that there are `limit` of them, if there are."""
        wanted = max(_LEAST_NEAREST, _PER_SESSION * limit)
        while True:
            wanted = min(wanted, _MOST_NEAREST)
            rows = self._connection.rows(
                f"SELECT {found.key} FROM other.{found.table} WHERE {found.column} MATCH ? AND k = ? "
                f"AND {found.key} IN (SELECT o.key FROM ({found.owners}) AS o "
                f"JOIN sessions AS s ON s.id = o.session_id WHERE {passing.sql('s.rowid')})",
                (packed, wanted),
            )
            neighbors = self._compared(found, packed, [key for (key,) in rows])
            if len(neighbors) >= limit or len(rows) < wanted or wanted == _MOST_NEAREST:
                return neighbors
            wanted *= 4

    def _compared(self, found: _Vectors, packed: bytes, keys: Sequence[object]) -> list[SemanticNeighbor]:
        """Return the sessions of chunks, each by its best one, nearest first.

        The angle is asked for anew: the table may measure otherwise, and its vectors need not be unit vectors.
        """
        rows = self._connection.rows(
            f"WITH owners AS MATERIALIZED (SELECT key, session_id FROM ({found.owners}) "
            "WHERE key IN (SELECT value FROM json_each(?))) "
            f"SELECT s.rowid, s.id, s.started_at, s.rowid IN ({_SUPERSEDED}), "
            f"min(vec_distance_cosine(v.{found.column}, ?)) AS apart FROM owners AS o "
            f"CROSS JOIN other.{found.table} AS v ON v.{found.key} = o.key "
            "CROSS JOIN sessions AS s ON s.id = o.session_id GROUP BY s.rowid HAVING apart IS NOT NULL "
            "ORDER BY apart, s.rowid",
            (orjson.dumps(keys).decode(), packed),
        )
        return [
            SemanticNeighbor(
                session_id, math.sqrt(max(2.0 * apart, 0.0)), started_at=started_at, superseded=bool(superseded)
            )
            for _, session_id, started_at, superseded, apart in rows
        ]

    def _find(self) -> _Vectors | None:
        """Return the table that holds vectors: one of chunks, or that of older releases, one for each session."""
        has_map = self._has("session_chunk_map")
        chunk_owners = _CHUNK_OWNERS if has_map else _AUXILIARY_OWNERS
        for table, key, owners in (
            ("session_embedding_chunks", "chunk_id", chunk_owners),
            ("session_embeddings", "session_id", _SESSION_OWNERS),
        ):
            rows = self._connection.rows("SELECT sql FROM other.sqlite_schema WHERE name = ?", (table,))
            declared = _VECTOR_COLUMN.search(rows[0][0]) if rows else None
            # Its own tables tell whether it holds any without sqlite-vec, which not every platform has.
            if declared and self._connection.rows(f"SELECT 1 FROM other.{table}_rowids LIMIT 1"):
                return _Vectors(table, key, declared[1], int(declared[2]), owners)
        return None

    def _has(self, table: str) -> bool:
        return bool(self._connection.rows("SELECT 1 FROM other.sqlite_schema WHERE name = ?", (table,)))


def _is_same(wanted: EmbeddingModel | None, own: EmbeddingModel | None) -> bool:
    """Return whether a model is the store's own; what is put before texts is not told there."""
    if wanted is None or own is None:
        return wanted is None
    return (wanted.provider, wanted.name.removesuffix(_NEWEST_TAG)) == (
        own.provider,
        own.name.removesuffix(_NEWEST_TAG),
    )
