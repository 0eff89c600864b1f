"""Rows of a timeline: sessions day by day, what they decided and left open, and which replaced which."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from itertools import chain

from rich.segment import Segment

from nlm_tui.core import one_line
from nlm_tui.core.browsing import TimelineRow
from nlm_tui.display.words import clock_time, day_of, project_name, short_runtime
from nlm_tui.ui.views.gutter import WIDTH, gutters, passing
from nlm_tui.ui.views.look import Look, joined
from nlm_tui.ui.views.markers import is_superseded, superseded
from nlm_tui.ui.widgets.slots import MARK_WIDTH

_PASSING = " " * MARK_WIDTH  # so that lines pass headings where they pass rows
_MARKERS = 4  # that are listed of a session


class TimelineRows:
    """A session, and below it how it relates to others, its decisions and its open questions."""

    def __init__(self, zone: tzinfo | None) -> None:
        self._zone = zone
        self._gutters: dict[str, list[str]] = {}

    def key(self, row: TimelineRow) -> str:
        return row.origin.session_id

    def height(self, row: TimelineRow) -> int:
        return 1 + len(_below(row))

    def headings(self, rows: Sequence[TimelineRow]) -> Mapping[int, str]:
        """Return the days; at the same time the lines are drawn, since only now all rows are known."""
        place = {self.key(row): number for number, row in enumerate(rows)}
        links = [
            (number, place[other])
            for number, row in enumerate(rows)
            for other in row.supersedes
            if other in place and place[other] != number
        ]
        drawn = gutters([self.height(row) for row in rows], links)
        self._gutters = {self.key(row): lines for row, lines in zip(rows, drawn, strict=True)}
        days = [day_of(row.origin.started_at, self._zone) or "no date" for row in rows]
        return {
            number: f"{_PASSING}{passing(drawn[number][0])}{day}"
            for number, day in enumerate(days)
            if number == 0 or days[number - 1] != day
        }

    def paint(self, row: TimelineRow, line: int, look: Look) -> list[Segment]:
        lines = self._gutters.get(self.key(row), [])
        gutter = lines[line] if line < len(lines) else " " * WIDTH
        origin = row.origin
        if line == 0:
            project, agent = project_name(origin.project), short_runtime(origin.runtime)
            right = joined(clock_time(origin.started_at, self._zone), project, agent)
            gone = is_superseded(origin)
            room = Look(look.width - WIDTH, look.words, *(look.strong, look.plain, look.faint, look.accent))
            return [
                Segment(gutter, look.plain),
                *room.text(origin.label, look.plain if gone else look.strong, right, struck=gone),
            ]
        return look.text(_below(row)[line - 1], look.faint, before=f"{gutter}  ")


def _below(row: TimelineRow) -> list[str]:
    """Return the lines below the label of a session."""
    relations = [
        *filter(None, [superseded(row.origin)]),
        *(f"replaces {_named(row, other)}" for other in row.supersedes),
        *(f"continues {_named(row, other)}" for other in row.continues),
    ]
    markers = list(chain((f"* {text}" for text in row.decisions), (f"? {text}" for text in row.open)))
    more = [f"and {len(markers) - _MARKERS + 1:,} more"] if len(markers) > _MARKERS else []
    return [*relations, *(markers[: _MARKERS - 1] if more else markers), *more]


def _named(row: TimelineRow, session_id: str) -> str:
    return one_line(row.labels.get(session_id, "")) or session_id
