"""Rows of topics, in columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from rich.segment import Segment

from nlm_tui.core.browsing import TopicRow
from nlm_tui.display.words import day_of
from nlm_tui.ui.views.look import Look

_NARROW = 60  # cells


@dataclass(frozen=True, slots=True)
class TopicRows:
    """A topic and its numbers."""

    zone: tzinfo | None

    def key(self, row: TopicRow) -> str:
        return row.name

    def height(self, _: TopicRow) -> int:
        return 1

    def headings(self, _: Sequence[TopicRow]) -> Mapping[int, str]:
        return {}

    def paint(self, row: TopicRow, _: int, look: Look) -> list[Segment]:
        numbers = (f"{row.sessions:,}", f"{row.decisions:,}", f"{row.open:,}")
        return look.text(row.name, look.plain, _columns(numbers, day_of(row.last_seen, self.zone), look.width))


def columns_title(width: int) -> str:
    """Return the titles of the columns, as far to the right as the columns are."""
    right = _columns(("sessions", "decisions", "open"), "last seen", width)
    return "topic" + right.rjust(max(width - len("topic"), 0))


def _columns(numbers: tuple[str, str, str], last_seen: str, width: int) -> str:
    if width < _NARROW:
        return f"{numbers[0]:>8} {numbers[2]:>6}"
    return f"{numbers[0]:>8}  {numbers[1]:>9}  {numbers[2]:>6}  {last_seen:>10}"
