"""Which full-text index answers."""

from collections.abc import Callable
from dataclasses import dataclass


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
