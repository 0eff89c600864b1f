"""Which words the memory holds, and in how many sessions."""

import math
from collections.abc import Iterable

from nlm_tui.core import near_spellings, stem, unlikelihood
from nlm_tui.storage.connection import Connection

_FEW = 64  # lookups in one statement
_REMEMBERED = 4096
_MOST_BEGINNINGS = 200
_ALSO_LIKELY = 2.0  # by how much a near spelling may be less likely than the likeliest, as a logarithm


class Vocabulary:
    """Counts matches of expressions, and remembers them until the next `refresh` finds the store changed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._state: object = None
        self._counts: dict[str, int] = {}
        self._near: dict[str, tuple[str, ...]] = {}

    def refresh(self) -> None:
        """Forget what was counted if the store has changed since."""
        state = self._connection.state()
        if state != self._state or len(self._counts) >= _REMEMBERED:
            self._state = state
            self._counts.clear()
            self._near.clear()

    def sessions(self) -> int:
        """Return how many sessions there are."""
        return self._remembered("", "SELECT count(*) FROM sessions", ())

    def count(self, expression: str, index: str = "sessions_fts") -> int:
        """Return how many sessions match an FTS5 expression."""
        sql = f"SELECT count(*) FROM {index} WHERE {index} MATCH ?"
        return self._remembered(f"{index} {expression}", sql, (expression,)) if expression else 0

    def near(self, word: str) -> tuple[str, ...]:
        """Return words of the memory that are spelled nearly as `word`, one of each stem, the likeliest first."""
        if word not in self._near:
            self._near[word] = self._find_near(word)
        return self._near[word]

    def _find_near(self, word: str) -> tuple[str, ...]:
        by_stem: dict[str, str] = {}
        for spelling in sorted(near_spellings(word), key=lambda spelling: unlikelihood(word, spelling)):
            by_stem.setdefault(stem(spelling), spelling)
        likely = sorted(
            (unlikelihood(word, by_stem[term]) - math.log(1 + sessions), term)
            for term, sessions in self._frequencies(by_stem)
        )
        return tuple(by_stem[term] for unlikely, term in likely if unlikely <= likely[0][0] + _ALSO_LIKELY)

    def beginning_with(self, text: str) -> list[str]:
        """Return indexed words that begin with `text` and that find themselves, in order; not all of very many."""
        rows = self._connection.rows(
            "SELECT term FROM sessions_vocabulary WHERE term >= ? AND term < ? LIMIT ?",
            (text, text + "\U0010ffff", _MOST_BEGINNINGS),
        )
        return [term for (term,) in rows if term.isalnum() and stem(term) == term]

    def _frequencies(self, terms: Iterable[str]) -> list[tuple[str, int]]:
        listed = [term for term in terms if term.isalnum()]
        found: list[tuple[str, int]] = []
        for place in range(0, len(listed), _FEW):
            some = listed[place : place + _FEW]
            marks = ", ".join("?" * len(some))
            found += [
                (term, sessions)
                for term, sessions in self._connection.rows(
                    f"SELECT term, doc FROM sessions_vocabulary WHERE term IN ({marks})", some
                )
            ]
        return found

    def _remembered(self, key: str, sql: str, parameters: tuple[object, ...]) -> int:
        if key not in self._counts:
            ((self._counts[key],),) = self._connection.rows(sql, parameters)
        return self._counts[key]
