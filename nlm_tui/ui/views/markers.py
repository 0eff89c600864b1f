"""Rows of decisions and of open questions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from rich.segment import Segment

from nlm_tui.core import one_line
from nlm_tui.core.browsing import MarkerRow, Origin
from nlm_tui.display.words import counted, day_of, days_since, project_name
from nlm_tui.ui.views.look import Look, joined

_HEIGHT = 2
_TOPICS = 2  # that are named
_OPEN, _RESOLVED, _DECIDED = "? ", "x ", "= "


@dataclass(frozen=True, slots=True)
class DecisionRows:
    """A decision, then where it comes from. One whose session was superseded is struck, and says by what."""

    zone: tzinfo | None

    def key(self, row: MarkerRow) -> str:
        return row.id

    def height(self, _: MarkerRow) -> int:
        return _HEIGHT

    def headings(self, _: Sequence[MarkerRow]) -> Mapping[int, str]:
        return {}

    def paint(self, row: MarkerRow, line: int, look: Look) -> list[Segment]:
        origin = row.origin
        if line == 0:
            gone = is_superseded(origin)
            return look.text(row.text, look.plain if gone else look.strong, struck=gone)
        about = joined(superseded(origin), topics(origin), origin.label)
        return look.text(about, look.faint, where(origin, self.zone))


@dataclass(frozen=True, slots=True)
class QuestionRows:
    """A question, then its state and where it comes from. Closed ones are faint."""

    now: Callable[[], datetime]
    zone: tzinfo | None

    def key(self, row: MarkerRow) -> str:
        return row.id

    def height(self, _: MarkerRow) -> int:
        return _HEIGHT

    def headings(self, _: Sequence[MarkerRow]) -> Mapping[int, str]:
        return {}

    def paint(self, row: MarkerRow, line: int, look: Look) -> list[Segment]:
        if line == 0:
            sign = {"standing": _OPEN, "resolved": _RESOLVED, "promoted": _DECIDED}[row.state]
            return look.text(row.text, look.strong if row.state == "standing" else look.faint, before=sign)
        parts = (self._state(row), superseded(row.origin), topics(row.origin), row.origin.label)
        return look.text(joined(*parts), look.faint, where(row.origin, self.zone))

    def _state(self, row: MarkerRow) -> str:
        if row.state == "standing":
            return f"open {waiting(row, self.now())}".strip()
        if row.state == "resolved":
            return f"resolved: {row.answer}" if row.answer else "resolved"
        return f"decided: {row.answer}"


def waiting(row: MarkerRow, now: datetime) -> str:
    """Return for how long a question is open; '' when unknown."""
    days = days_since(row.origin.started_at, now)
    return "" if days is None else counted(days, "day")


def oldest_text(row: MarkerRow | None, now: datetime) -> str:
    """Return what is said about the question that is open longest."""
    if row is None:
        return ""
    return f"oldest open: {waiting(row, now) or 'of unknown age'}  {one_line(row.text)}"


def is_superseded(origin: Origin) -> bool:
    """Return whether a newer session came to other conclusions."""
    return origin.successor is not None or origin.status == "superseded"


def superseded(origin: Origin) -> str:
    """Return by what a session was superseded; '' where it stands."""
    if origin.successor is not None:
        return f"superseded by {one_line(origin.successor[1]) or origin.successor[0]}"
    return "superseded" if origin.status == "superseded" else ""


def topics(origin: Origin) -> str:
    """Return the first topics of a session."""
    more = len(origin.topics) - _TOPICS
    return ", ".join(origin.topics[:_TOPICS]) + (f" +{more}" if more > 0 else "")


def where(origin: Origin, zone: tzinfo | None) -> str:
    """Return the project and the day of a session."""
    return joined(project_name(origin.project), day_of(origin.started_at, zone))
