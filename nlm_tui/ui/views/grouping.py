"""Hits in groups: by day, project or agent."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final, NamedTuple

from nlm_tui.core import RecallHit
from nlm_tui.core.browsing import Grouping
from nlm_tui.display.words import counted, day_of, project_name, short_runtime

GROUPINGS: Final[tuple[Grouping | None, ...]] = (None, "day", "project", "agent")


class Grouped(NamedTuple):
    """Hits in the order of their groups, as places among all hits; the heading above each hit that begins a group."""

    order: tuple[int, ...]
    headings: dict[int, str]


def grouped(hits: Sequence[RecallHit], by: Grouping | None, zone: tzinfo | None, *, complete: bool = True) -> Grouped:
    """Return hits in groups: the one with the best hit first, days the newest first; without `by` as they are.

    Where these are not all hits, which `complete` tells, more of a group may follow, and its heading says so.
    """
    if by is None:
        return Grouped(tuple(range(len(hits))), {})
    groups: dict[str, list[int]] = {}
    for place, hit in enumerate(hits):
        groups.setdefault(_group(hit, by, zone), []).append(place)
    ordered = sorted(groups.items(), key=lambda group: group[0], reverse=True) if by == "day" else groups.items()
    order: list[int] = []
    headings: dict[int, str] = {}
    for name, places in ordered:
        headings[len(order)] = f"{name or f'no {by}'}  {counted(len(places), 'session')}{'' if complete else ' so far'}"
        order += places
    return Grouped(tuple(order), headings)


def _group(hit: RecallHit, by: Grouping, zone: tzinfo | None) -> str:
    if by == "day":
        return day_of(hit.started_at, zone)
    return project_name(hit.project) if by == "project" else short_runtime(hit.runtime)
