"""The list of hits."""

from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from nlm_tui.core import Matcher, RecallHit, Span
from nlm_tui.core.browsing import Grouping
from nlm_tui.display.words import age, counted, project_name, short_runtime
from nlm_tui.ui.painting import MATCH, NEAR_SIGN, clipped, two_sides
from nlm_tui.ui.views.grouping import Grouped, grouped
from nlm_tui.ui.widgets.slots import BOLD, NO_MARK, Slots, SlotView

HEIGHT = 3  # lines of a hit: label and age; where it matched and what it holds; the passage that matched best
_BY_MEANING = "semantic"  # the field of hits that were found by meaning


class ResultsList(SlotView):
    """The hits, in groups on demand."""

    def __init__(
        self,
        now: Callable[[], datetime],
        zone: tzinfo | None = None,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._now = now
        self._zone = zone
        self._hits: tuple[RecallHit, ...] = ()
        self._grouped = Grouped((), {})
        self._words: Matcher = Matcher()
        self._grouping: Grouping | None = None
        self._complete = True

    @property
    def hits(self) -> tuple[RecallHit, ...]:
        """The hits in the list, best first."""
        return self._hits

    @property
    def selected(self) -> RecallHit | None:
        """The hit under the selection."""
        return self._hits[self.selected_place] if self._hits else None

    @property
    def selected_place(self) -> int:
        """The place of the selected hit among all, best first."""
        return self._grouped.order[self.listed.selected] if self._hits else 0

    @property
    def usual_height(self) -> int:
        return HEIGHT

    @property
    def grouping(self) -> Grouping | None:
        """What the hits are grouped by."""
        return self._grouping

    def group(self, by: Grouping | None) -> None:
        """Show the hits in groups, or as they are; the selection stays on its session."""
        self._grouping = by
        self._list(self._hits, self._words, message=self.message, keep=True)
        self.bring_into_view()

    def wanted_session(self, *, keep: bool = False) -> str | None:
        """Return the session that stays selected when the hits change; None for the first hit, whichever it is."""
        return self.listed.wanted(keep=keep)

    def show_hits(
        self,
        hits: Sequence[RecallHit],
        words: Matcher,
        *,
        message: str = "",
        keep: bool = False,
        complete: bool = True,
    ) -> None:
        """Show `hits`, which may not be `complete`, or `message` when there are none."""
        self._complete = complete
        self._list(hits, words, message=message, keep=keep)
        self.bring_into_view()

    def exchange(self, hits: Sequence[RecallHit], words: Matcher, *, complete: bool = True) -> None:
        """Show other hits around the selected one, which is at the same place among them; nothing scrolls."""
        if self._grouping is not None or self.listed.preferred in {hit.id for hit in hits}:
            self.show_hits(hits, words, keep=True, complete=complete)
            return
        self._complete = complete
        follows = self.listed.follows_top
        self._list(hits, words, keep=True)
        self.listed.follows_top = follows
        self.lines_changed(self.line_count)

    def _list(self, hits: Sequence[RecallHit], words: Matcher, *, message: str = "", keep: bool) -> None:
        self._hits, self._words = tuple(hits), words
        self._grouped = grouped(self._hits, self._grouping, self._zone, complete=self._complete)
        keys = [self._hits[place].id for place in self._grouped.order]
        slots = Slots.of([HEIGHT] * len(keys), self._grouped.headings)
        self.listed.take(keys, slots, message=message, keep=keep)

    def paint_row(self, slot: int, line: int, width: int, style: Style) -> tuple[str, list[Segment]]:
        hit = self._hits[self._grouped.order[slot]]
        chosen = slot == self.listed.selected
        if line == 0:
            return NO_MARK, self._title(hit, width, style + BOLD)
        style = style if chosen else self.get_component_rich_style("slots--faint")
        if line == 1:
            mark = f"{NEAR_SIGN} " if _BY_MEANING in hit.matched_in else NO_MARK
            return mark, self._facts(hit, width, style, chosen=chosen)
        return NO_MARK, self._passage(hit, width, style)

    def _title(self, hit: RecallHit, width: int, style: Style) -> list[Segment]:
        right = f"{age(hit.started_at, self._now())} {short_runtime(hit.runtime)}"
        return two_sides(hit.label, self._matches(hit.label), right, width, style)

    def _facts(self, hit: RecallHit, width: int, style: Style, *, chosen: bool) -> list[Segment]:
        kinds = (
            "* pinned" if hit.pinned else "",
            "hidden" if hit.hidden else "",
            "noted" if hit.note else "",
            "approximate" if hit.approximate else "",
            "superseded" if hit.status == "superseded" else "",
            "subagent" if hit.parent_id else "",
            counted(hit.subagents, "subagent") if hit.subagents else "",
        )
        decisions = f"decisions {len(hit.decisions)}" if hit.decisions else ""
        holds = "  ".join(filter(None, (decisions, f"open {len(hit.open)}" if hit.open else "")))
        left = "  ".join(filter(None, (*kinds, holds, _how_found(hit))))
        start = left.find(holds)
        accent = style if chosen else self.get_component_rich_style("slots--accent")
        return two_sides(left, [((start, start + len(holds)), accent)], project_name(hit.project), width, style)

    def _passage(self, hit: RecallHit, width: int, style: Style) -> list[Segment]:
        text = hit.snippet
        spans = self._words.spans(text)
        if spans and cell_len(text[: spans[0][1]]) >= width:  # the row would end before the match: begin closer to it
            cut = text.rfind(" ", 0, max(spans[0][0] - width // 3, 1)) + 1
            text = f"…{text[cut:]}"
        return clipped(text, self._matches(text), width, style)

    def _matches(self, text: str) -> list[tuple[Span, Style]]:
        return [(span, MATCH) for span in self._words.spans(text)]


def _how_found(hit: RecallHit) -> str:
    """Return where the words were found, whether the hit came by meaning, and where that passage is."""
    fields = ", ".join(name for name in hit.matched_in if name != _BY_MEANING)
    where = fields or hit.snippet_field
    found = f"in {where}" if where else ""
    if _BY_MEANING not in hit.matched_in:
        return found
    if not found:
        return "by meaning"
    return f"{found} and by meaning" if fields or hit.keyword_score is not None else f"by meaning, {found}"
