"""Vectors of sessions, kept in sets of one model each: what is there, what is missing, how it is replaced."""

import struct
from collections.abc import Mapping, Sequence
from typing import Protocol

from nlm_tui.core import Chunk, EmbeddingModel, Session, SetState, chunks
from nlm_tui.storage.connection import Connection

_HEAD = 1  # passages of a session of which only the first is embedded yet

_ON_THEIR_WAY = 0.02  # of all sessions

_SetAndRow = tuple[int, int]  # the number of a set, the row of a session


class _Store(Protocol):
    def get_by_id(self, session_id: str) -> Session | None: ...
    def require_writable(self) -> None: ...


class SessionVectors:
    """The vectors of one store. A session has one for each of its passages, in each set."""

    def __init__(self, connection: Connection, store: _Store) -> None:
        self._connection = connection
        self._store = store
        self._ready: tuple[object, dict[tuple[EmbeddingModel, int], bool]] = (None, {})

    def find_set(self, model: EmbeddingModel | None, dimensions: int | None = None) -> int | None:
        """Return the newest set of `model` (None: of any) whose vectors have so many dimensions (None: any)."""
        given: dict[str, object] = {}
        if model is not None:
            given = {"provider": model.provider, "model": model.name, "scheme": model.scheme}
        if dimensions is not None:
            given["dimensions"] = dimensions
        only = " AND ".join(f"{name} = ?" for name in given) or "1"
        rows = self._connection.rows(
            f"SELECT id FROM vector_sets WHERE {only} ORDER BY id DESC LIMIT 1", tuple(given.values())
        )
        return rows[0][0] if rows else None

    def state(self, model: EmbeddingModel, most: int) -> SetState:
        """Return how much of the memory can be found by vectors of `model`, with `most` passages of each session."""
        ((sessions, begun, complete),) = self._connection.rows(
            "SELECT (SELECT count(*) FROM sessions), count(*), total(passages >= ?) FROM embedded_sessions "
            "WHERE vector_set = ?",
            (most, self.find_set(model)),
        )
        return SetState(sessions, begun, int(complete))

    def is_begun(self, model: EmbeddingModel) -> bool:
        """Return whether any session can be found by vectors of `model`."""
        found = self.find_set(model)
        return bool(self._connection.rows("SELECT 1 FROM embedded_sessions WHERE vector_set = ? LIMIT 1", (found,)))

    def is_ready(self, model: EmbeddingModel, most: int) -> bool:
        """Return whether nearly all sessions can be found by vectors of `model`, with `most` passages of each.

        A few are always on their way while agents write.
        """
        state = self._connection.state()
        if self._ready[0] != state:
            self._ready = (state, {})
        known = self._ready[1]
        if (model, most) not in known:
            sessions, _, complete = self.state(model, most)
            known[model, most] = complete > 0 and sessions - complete <= max(sessions * _ON_THEIR_WAY, 1)
        return known[model, most]

    def pending(self, model: EmbeddingModel, most: int) -> list[str]:
        """Return the ids of sessions that lack vectors of `model` for `most` of their passages, newest first."""
        rows = self._connection.rows(
            "SELECT s.id FROM sessions AS s WHERE NOT EXISTS (SELECT 1 FROM embedded_sessions AS e "
            "WHERE e.vector_set = ? AND e.session_row = s.row AND e.passages >= ?) ORDER BY s.started_at DESC, s.id",
            (self.find_set(model), most),
        )
        return [session_id for (session_id,) in rows]

    def digests(self, session_id: str, model: EmbeddingModel) -> set[bytes]:
        """Return the digests of the passages of a session that have vectors of `model`."""
        rows = self._connection.rows(
            "SELECT digest FROM vectors WHERE vector_set = ? AND session_row = (SELECT row FROM sessions WHERE id = ?)",
            (self.find_set(model), session_id),
        )
        return {digest for (digest,) in rows}

    def write(
        self, session_id: str, model: EmbeddingModel, vectors: Mapping[bytes, Sequence[float]], most: int
    ) -> None:
        """Write unit vectors of passages of a session, by their digests, and note that it has those of `most` of them.

        Where the session is another by now, what does not belong to it is left out, and it is still to be embedded. One
        that is gone is passed over.

        Raises:
            ValueError: the vectors have different sizes.
        """
        self._store.require_writable()
        dimensions = {len(vector) for vector in vectors.values()}
        if len(dimensions) > 1:
            raise ValueError(f"vectors of {session_id} have different sizes: {sorted(dimensions)}")
        with self._connection.transaction():
            found = self._make_set(model, dimensions.pop()) if dimensions else self.find_set(model)
            session = self._store.get_by_id(session_id)
            if found is None or session is None:
                return
            ((row, characters, before),) = self._connection.rows(
                "SELECT s.row, v.chunk_characters, coalesce((SELECT wanted FROM embedded_sessions "
                "WHERE vector_set = v.id AND session_row = s.row), 0) "
                "FROM sessions AS s, vector_sets AS v WHERE s.id = ? AND v.id = ?",
                (session.id, found),
            )
            wanted = most if most > _HEAD else max(before, _HEAD)
            complete = self.replace((found, row), chunks(session, characters, wanted), vectors)
            self._mark((found, row), wanted, wanted if complete else self._begun((found, row), session, characters))

    def follow(self, session: Session) -> None:
        """After `session` was written again, keep the vectors of passages that it still has, and delete all others."""
        for found, row, characters, wanted in self._connection.rows(
            "SELECT e.vector_set, e.session_row, v.chunk_characters, e.wanted FROM embedded_sessions AS e "
            "JOIN vector_sets AS v ON v.id = e.vector_set "
            "WHERE e.session_row = (SELECT row FROM sessions WHERE id = ?)",
            (session.id,),
        ):
            complete = self.replace((found, row), chunks(session, characters, wanted), {})
            if not complete:
                self._mark((found, row), wanted, self._begun((found, row), session, characters))

    def replace(self, place: _SetAndRow, passages: Sequence[Chunk], vectors: Mapping[bytes, Sequence[float]]) -> bool:
        """Make `passages` those of a session in a set; return whether each of them has a vector.

        `vectors` are new ones; what is there already is kept where it is still wanted.
        """
        self._mark_new(place)
        kept = self._kept(place)
        wanted = {passage.digest: passage.place for passage in reversed(passages)}
        self._connection.run_many(
            "DELETE FROM vectors WHERE row = ?", [(row,) for digest, row in kept.items() if digest not in wanted]
        )
        self._connection.run_many(
            "UPDATE vectors SET field = ?, start = ?, end = ? WHERE row = ?",
            [(*wanted[digest], row) for digest, row in kept.items() if digest in wanted],
        )
        for digest, where in wanted.items():
            if digest not in kept and digest in vectors:
                self._add(place, (*where, digest), vectors[digest])
        return not (wanted.keys() - kept.keys() - vectors.keys())

    def drop_superseded(self, model: EmbeddingModel) -> None:
        """Delete the sets of the provider of `model` that are not its newest one."""
        self._store.require_writable()
        with self._connection.transaction():
            self._connection.run(
                "DELETE FROM vector_sets WHERE provider = ? AND id IS NOT ?", (model.provider, self.find_set(model))
            )

    def _make_set(self, model: EmbeddingModel, dimensions: int) -> int:
        found = self.find_set(model, dimensions)
        if found is not None:
            return found
        self._connection.run(
            "INSERT INTO vector_sets (provider, model, scheme, dimensions, chunk_characters) VALUES (?, ?, ?, ?, ?)",
            (model.provider, model.name, model.scheme, dimensions, model.chunk_characters),
        )
        return self._make_set(model, dimensions)

    def _kept(self, place: _SetAndRow) -> dict[bytes, int]:
        """Return the rows of the vectors that a session has in a set, by the digests of its passages."""
        return dict(
            self._connection.rows("SELECT digest, row FROM vectors WHERE vector_set = ? AND session_row = ?", place)
        )

    def _begun(self, place: _SetAndRow, session: Session, characters: int) -> int:
        """Return the number of the first passage if it has a vector, or 0."""
        kept = self._kept(place)
        return _HEAD if all(chunk.digest in kept for chunk in chunks(session, characters, _HEAD)) else 0

    def _mark_new(self, place: _SetAndRow) -> None:
        self._connection.run(
            "INSERT INTO embedded_sessions (vector_set, session_row, wanted, passages) VALUES (?, ?, 0, 0) "
            "ON CONFLICT DO NOTHING",
            place,
        )

    def _mark(self, place: _SetAndRow, wanted: int, passages: int) -> None:
        self._connection.run(
            "UPDATE embedded_sessions SET wanted = ?, passages = ? WHERE vector_set = ? AND session_row = ?",
            (wanted, passages, *place),
        )

    def _add(self, place: _SetAndRow, passage: tuple[object, ...], vector: Sequence[float]) -> None:
        ((row,),) = self._connection.rows(
            "INSERT INTO vectors (vector_set, session_row, field, start, end, digest, embedding) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING row",
            (*place, *passage, pack_vector(vector)),
        )
        self._connection.run(
            "INSERT INTO vector_codes (vector_set, session_row, vector, code) VALUES (?, ?, ?, ?)",
            (*place, row, pack_code(vector)),
        )


def pack_vector(vector: Sequence[float]) -> bytes:
    """Return a vector as little-endian float32."""
    return struct.pack(f"<{len(vector)}f", *vector)


def unpack_vector(packed: bytes) -> tuple[float, ...]:
    """Return what `pack_vector` packed."""
    return struct.unpack(f"<{len(packed) // 4}f", packed)


def pack_code(vector: Sequence[float]) -> bytes:
    """Return the signs of a vector as bits, filled up to whole bytes."""
    bits = sum(1 << place for place, value in enumerate(vector) if value > 0.0)
    return bits.to_bytes((len(vector) + 7) // 8, "little")
