"""Where lists look: tables of short rows beside `sessions`, whose own rows are long.

Beside those named here these are `markers_fts`, the words of markers, and `session_counts`, when each session began and
how many markers it holds.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tables:
    """The names of the tables of markers, and of the sessions of each topic, both with rows of sessions."""

    markers: str
    topics: str


OURS = Tables("markers", "session_entities")

CurrentTables = Callable[[], Tables]
"""Brings the tables up to date and names them."""
