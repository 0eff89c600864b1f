"""Sign bits of very many vectors in memory: a million are compared there in the time that SQL takes for 30,000."""

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from nlm_tui.storage.connection import Connection
from nlm_tui.storage.vector_sets import pack_code

MANY: Final = 20_000
"""From so many vectors on it is worth loading them, which takes a second or two for a million, once."""

_BATCH = 50_000  # vectors that are read before the next chance to stop
_BLOCK = 1 << 15  # vectors that are compared at once, in the processor's cache
_WORD = 8  # bytes
_SAMPLE = 64  # of so many distances one is looked at, to guess which are the least
_FAR = 0xFFFF  # the distance of what does not count
_ONE_IN = 40  # vectors are weighed: those that differ in the fewest signs
_LEAST_WEIGHED = 8_000


class _Part(NamedTuple):
    """Vectors that were read: the words of their codes, line by line, the rows of their sessions, and their own."""

    words: Any
    sessions: Any
    vectors: Any

    def __len__(self) -> int:
        return len(self.vectors)


class CodesInMemory:
    """The codes of one set. They are read on when the store has changed, and an interrupt loses nothing."""

    def __init__(self, connection: Connection, vector_set: int, numpy: Any) -> None:  # noqa: ANN401 - a module
        self._connection = connection
        self._set = vector_set
        self._numpy = numpy
        self._state: object = None
        self._first: tuple[int, int] | None = (-1, -1)  # where the first reading has come to; None once it is over
        self._last = -1  # no vector up to this row is missing after the first reading
        self._parts: list[_Part] = []

    def nearest(
        self, vector: Sequence[float], count: int, passing: Sequence[int] | None, left_out: Sequence[int] = ()
    ) -> list[int]:
        """Return the rows of the `count` vectors whose codes are most like `vector`, sorted.

        Of those that differ in the fewest signs, these are the ones whose signs weigh most where it is large. Only
        vectors of the sessions with the rows `passing` count, unless it is None, and none of the rows `left_out`. Some
        may be gone by now.

        Raises:
            SearchInterruptedError: the store was interrupted.
        """
        self._read_on()
        if not self._parts:
            return []
        np = self._numpy
        allowed = None
        if passing is not None or left_out:
            most = max(int(part.sessions.max()) for part in self._parts) + 1
            allowed = np.zeros(most, dtype=bool) if passing is not None else np.ones(most, dtype=bool)
            for rows, value in ((passing or (), True), (left_out, False)):
                known = np.asarray(rows, dtype=np.int64)
                allowed[known[known < most]] = value
        question = _as_words(np, [pack_code(vector)])[:, 0]
        distances = np.concatenate([self._distances(part, question, allowed) for part in self._parts])
        weighed = max(len(distances) // _ONE_IN, _LEAST_WEIGHED, count)
        chosen = _least(np, distances, weighed)
        chosen = np.sort(chosen[distances[chosen] < _FAR])
        starts = np.cumsum([0, *map(len, self._parts)])
        own = [
            chosen[(chosen >= start) & (chosen < start + len(part))] - start
            for start, part in zip(starts, self._parts, strict=False)
        ]
        words = np.concatenate([part.words[:, rows] for part, rows in zip(self._parts, own, strict=True)], axis=1)
        rows = np.concatenate([part.vectors[rows] for part, rows in zip(self._parts, own, strict=True)])
        return np.sort(rows[_least(np, -_weights(np, words, vector), count)]).tolist()

    def _distances(self, part: _Part, question: Any, allowed: Any) -> Any:  # noqa: ANN401 - arrays
        np = self._numpy
        distances = np.zeros(len(part), dtype=np.uint16)
        for start in range(0, len(part), _BLOCK):
            self._connection.raise_if_stopped()
            block = slice(start, start + _BLOCK)
            for line, word in zip(part.words, question, strict=True):
                distances[block] += np.bitwise_count(line[block] ^ word)
        if allowed is not None:
            distances[~allowed[part.sessions]] = _FAR
        return distances

    def _read_on(self) -> None:
        """Read what came since the last time; at first all, in the order in which codes lie."""
        state = self._connection.state()
        while state != self._state:
            if self._last < 0:
                self._last = self._connection.rows("SELECT coalesce(max(row), 0) FROM vectors")[0][0]
            if self._first is not None:
                rows = self._connection.rows(
                    "SELECT vector, session_row, code FROM vector_codes "
                    "WHERE vector_set = ? AND (session_row, vector) > (?, ?) ORDER BY session_row, vector LIMIT ?",
                    (self._set, *self._first, _BATCH),
                )
                self._first = (rows[-1][1], rows[-1][0]) if len(rows) == _BATCH else None
            else:
                rows = self._connection.rows(
                    "SELECT v.row, v.session_row, c.code FROM vectors AS v CROSS JOIN vector_codes AS c "
                    "ON c.vector_set = v.vector_set AND c.session_row = v.session_row AND c.vector = v.row "
                    "WHERE v.vector_set = ? AND v.row > ? ORDER BY v.row LIMIT ?",
                    (self._set, self._last, _BATCH),
                )
                self._last = rows[-1][0] if rows else self._last
                if len(rows) < _BATCH:
                    self._state = state
            if rows:
                self._add(rows)

    def _add(self, rows: Sequence[tuple[int, int, bytes]]) -> None:
        np = self._numpy
        vectors, sessions, codes = zip(*rows, strict=True)
        part = _Part(_as_words(np, codes), np.array(sessions, dtype=np.int64), np.array(vectors, dtype=np.int64))
        while self._parts and len(self._parts[-1]) <= 2 * len(part):  # few parts, and none copied often
            before = self._parts.pop()
            part = _Part(*(np.concatenate(both, axis=-1) for both in zip(before, part, strict=True)))
        self._parts.append(part)


def loaded_numpy() -> Any | None:  # noqa: ANN401 - a module
    """Return numpy, or None where it is not installed or too old; it comes with the bundled model."""
    if importlib.util.find_spec("numpy") is None:
        return None
    numpy = importlib.import_module("numpy")
    return numpy if hasattr(numpy, "bitwise_count") else None


def _as_words(np: Any, codes: Sequence[bytes]) -> Any:  # noqa: ANN401 - a module, an array
    """Return codes as words of 64 bits, filled up with zeros: a line for the first word of each, and so on."""
    size = -(-len(codes[0]) // _WORD) * _WORD
    whole = b"".join(code.ljust(size, b"\0") for code in codes)
    return np.ascontiguousarray(np.frombuffer(whole, dtype="<u8").reshape(len(codes), -1).T)


def _weights(np: Any, words: Any, vector: Sequence[float]) -> Any:  # noqa: ANN401 - a module, arrays
    """Return the products of `vector` with codes, of which each bit stands for 1 or -1."""
    size = words.shape[0] * _WORD
    padded = np.zeros(size * 8, dtype=np.float32)
    padded[: len(vector)] = vector
    signs = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little") * np.float32(2) - 1
    of_bytes = signs @ padded.reshape(size, 8).T  # for each value of each byte
    codes = np.ascontiguousarray(words.T).view(np.uint8)
    weights = np.zeros(len(codes), dtype=np.float32)
    for place in range(size):
        weights += of_bytes[codes[:, place], place]
    return weights


def _least(np: Any, distances: Any, count: int) -> Any:  # noqa: ANN401 - a module, arrays
    """Return where the `count` least of `distances` are, in any order."""
    if len(distances) <= count:
        return np.arange(len(distances))
    sample = np.sort(distances[::_SAMPLE])
    guess = sample[min(2 * count // _SAMPLE + 1, len(sample) - 1)]
    near = np.flatnonzero(distances <= guess)
    if len(near) < count:
        near = np.arange(len(distances))
    return near[np.argpartition(distances[near], count - 1)[:count]]
