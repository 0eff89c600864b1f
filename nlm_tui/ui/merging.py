"""Hits by meaning among hits that are on the screen already."""

from collections.abc import Sequence
from dataclasses import replace

from nlm_tui.core import RecallHit


def around(hits: Sequence[RecallHit], selected: RecallHit, place: int) -> tuple[RecallHit, ...]:
    """Return `hits` in their order around the selected one, which stays at its place, whether it is among them or not.

    What its row shows stays too: only that it was also found by meaning is new.
    """
    found = next((hit for hit in hits if hit.id == selected.id), selected)
    if selected.semantic_score is None:
        found = replace(found, snippet=selected.snippet, snippet_field=selected.snippet_field)
    others = [hit for hit in hits if hit.id != selected.id]
    return (*others[:place], found, *others[place:])
