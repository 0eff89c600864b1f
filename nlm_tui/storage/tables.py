"""Where lists look: tables of short rows beside `sessions`, whose own rows are long.

Beside those named here there is `markers_fts`, the words of markers.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tables:
    """The names of the tables of markers, and of the sessions of each topic; both hold rows and times of sessions."""

    markers: str
    topics: str


OURS = Tables("markers", "session_entities")

CurrentTables = Callable[[], Tables]
"""Brings the tables up to date and names them."""
