"""Rows of facts, with the values that they replaced."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from rich.segment import Segment

from nlm_tui.core import one_line
from nlm_tui.core.browsing import FactRow
from nlm_tui.display.words import day_of
from nlm_tui.ui.views.look import Look, joined
from nlm_tui.ui.views.markers import is_superseded, superseded

_VERSIONS = 3  # that are listed


@dataclass(frozen=True, slots=True)
class FactRows:
    """Subject, predicate, value; then how sure that is and where it comes from; then what it replaced."""

    zone: tzinfo | None

    def key(self, row: FactRow) -> str:
        return row.id

    def height(self, row: FactRow) -> int:
        return 2 + min(len(row.versions), _VERSIONS + 1)

    def headings(self, _: Sequence[FactRow]) -> Mapping[int, str]:
        return {}

    def paint(self, row: FactRow, line: int, look: Look) -> list[Segment]:
        day = day_of(row.created_at, self.zone)
        if line == 0:
            return look.text(joined(row.subject, row.predicate, row.value), look.strong, day)
        if line == 1:
            replaced = superseded(row.origin) if is_superseded(row.origin) else ""
            parts = (f"{row.confidence:.0%} sure", row.kind, replaced, row.origin.label)
            return look.text(joined(*parts), look.faint)
        place = line - 2
        if place == _VERSIONS:
            return look.line(f"  and {len(row.versions) - _VERSIONS:,} before", look.faint)
        version = row.versions[place]
        return look.text(
            one_line(version.value), look.faint, day_of(version.created_at, self.zone), before="  was ", struck=True
        )
