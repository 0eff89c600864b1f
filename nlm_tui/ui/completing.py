"""What the box offers where a filter is being typed."""

from collections.abc import Sequence
from typing import NamedTuple

from nlm_tui.core import Completion, FilterName, FilterValue, closed_values, name_candidates

MOST = 8


class Candidate(NamedTuple):
    """A name or a value that can be put in, and how many sessions have it, where that is known."""

    text: str
    sessions: int | None = None


def asked_of_memory(completion: Completion) -> FilterName | None:
    """Return the filter whose values must be known to complete this; None where they are known to all, or are ids."""
    name = completion.name
    return name if name is not None and name != "like" and closed_values(name) is None else None


def candidates(completion: Completion, values: Sequence[FilterValue] = ()) -> list[Candidate]:
    """Return what completes this, at most `MOST`: what begins so, then what holds it. `values` are the memory's."""
    if completion.name is None:
        return [Candidate(name) for name in name_candidates(completion.beginning)][:MOST]
    closed = closed_values(completion.name)
    known = [Candidate(*found) for found in values] if closed is None else [Candidate(value) for value in closed]
    wanted = completion.beginning.strip().casefold()
    places = [(found.text.casefold().find(wanted), found) for found in known]
    begin = [found for place, found in places if place == 0]
    return (begin + [found for place, found in places if place > 0])[:MOST]
