"""The list of hits."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from nlm_tui.core import Matcher, RecallHit, Span
from nlm_tui.display.words import age, project_name, short_runtime
from nlm_tui.ui.painting import MATCH, NEAR_SIGN, clip, marked
from nlm_tui.ui.widgets.lines import LineView
from nlm_tui.ui.wrap import wrap

HEIGHT = 3  # lines of a hit: label and age; where it matched and what it holds; the passage that matched best
_MARK, _NO_MARK = "> ", "  "
_LEAST_LEFT = 12
_BOLD = Style(bold=True)
_BY_MEANING = "semantic"  # the field of hits that were found by meaning


class ResultsList(LineView, can_focus=False):
    """The hits. The selection follows the first one until the user moves it, then it stays on its session."""

    DEFAULT_CSS = """
    ResultsList {
        background: $background;
        & > .results--hit { color: $foreground; background: $background; text-style: bold; }
        & > .results--facts { color: $text-muted; background: $background; }
        & > .results--holds { color: $text-accent; background: $background; }
        & > .results--passage { color: $text-muted; background: $background; }
        & > .results--selected { color: auto; background: $primary-muted; }
        & > .results--message { color: $text-muted; background: $background; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "results--hit",
        "results--facts",
        "results--holds",
        "results--passage",
        "results--selected",
        "results--message",
    }

    class SelectionMoved(Message):
        """The user moved the selection to another session, maybe near the end of the list."""

        def __init__(self, session_id: str, *, nears_end: bool) -> None:
            super().__init__()
            self.session_id = session_id
            self.nears_end = nears_end

    def __init__(self, now: Callable[[], datetime], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._now = now
        self._hits: tuple[RecallHit, ...] = ()
        self._words: Matcher = Matcher()
        self._selected = 0
        self._follows_top = True
        self._message = ""
        self._preferred: str | None = None

    @property
    def hits(self) -> tuple[RecallHit, ...]:
        """The hits in the list."""
        return self._hits

    @property
    def selected(self) -> RecallHit | None:
        """The hit under the selection."""
        return self._hits[self._selected] if self._hits else None

    @property
    def message(self) -> str:
        """What stands in place of the hits when there are none."""
        return self._message

    @property
    def follows_top(self) -> bool:
        """Whether the selection still follows the first hit."""
        return self._follows_top

    @property
    def page(self) -> int:
        """How many hits fit on the screen."""
        return max(self.visible_lines // HEIGHT, 1)

    @property
    def selected_place(self) -> int:
        """The place of the selected hit among all."""
        return self._selected

    def wanted_session(self, *, keep: bool = False) -> str | None:
        """Return the session that stays selected when the hits change; None for the first hit, whichever it is.

        `keep` holds the selection on its session even where it follows the top.
        """
        if self._preferred is not None:
            return self._preferred
        return self.selected.id if self.selected and (keep or not self._follows_top) else None

    def show_hits(self, hits: Sequence[RecallHit], words: Matcher, *, message: str = "", keep: bool = False) -> None:
        """Show `hits`, or `message` when there are none."""
        wanted = self.wanted_session(keep=keep)
        place = next((place for place, hit in enumerate(hits) if hit.id == wanted), None)
        self._follows_top = place is None or (self._follows_top and (place == 0 or self._preferred is None))
        if place is not None:
            self._preferred = None
        self._hits, self._words, self._message = tuple(hits), words, message
        self._selected = place or 0
        self._bring_into_view()

    def exchange(self, hits: Sequence[RecallHit], words: Matcher) -> None:
        """Show other hits around the selected one, which is at the same place among them; nothing scrolls."""
        if self._preferred in {hit.id for hit in hits}:
            self.show_hits(hits, words)
            return
        chosen = self.selected.id if self.selected else None
        self._hits, self._words, self._message = tuple(hits), words, ""
        self._selected = next((place for place, hit in enumerate(hits) if hit.id == chosen), 0)
        self.lines_changed(self._line_count)

    def move(self, step: int) -> None:
        """Move the selection by `step` hits, without wrapping around."""
        self._select(self._selected + step)

    def follow_top(self) -> None:
        """Select the first hit and let the selection follow it again."""
        self._select(0)
        self._follows_top = True

    def let_go(self) -> None:
        """Let the selection follow the first hit of what is shown next."""
        self._follows_top = True

    def prefer(self, session_id: str | None) -> None:
        """Select a session when it is among the hits that are shown next; None for none in particular."""
        self._preferred = session_id

    def on_resize(self) -> None:
        self._bring_into_view()

    def on_click(self, event: events.Click) -> None:
        self._select((self.first_line + event.y) // HEIGHT)

    def paint(self, number: int, width: int) -> Strip:
        place, line = divmod(number, HEIGHT)
        if not self._hits:
            return self._paint_message(number, width)
        if place >= len(self._hits):
            return Strip.blank(width, self.get_component_rich_style("results--hit"))
        hit = self._hits[place]
        chosen = place == self._selected
        kind = ("hit", "facts", "passage")[line]
        style = self.get_component_rich_style("results--selected" if chosen else f"results--{kind}")
        if chosen and kind == "hit":
            style += _BOLD
        mark = _NO_MARK
        if line == 0 and chosen:
            mark = _MARK
        elif line == 1 and _BY_MEANING in hit.matched_in:
            mark = f"{NEAR_SIGN} "
        room = width - len(_MARK)
        paint = (self._title, self._facts, self._passage)[line]
        return Strip([Segment(mark, style), *paint(hit, room, style)]).adjust_cell_length(width, style).simplify()

    def _select(self, place: int) -> None:
        if not self._hits:
            return
        self._follows_top = False
        place = min(max(place, 0), len(self._hits) - 1)
        moved, self._selected = place != self._selected, place
        if moved:
            self._bring_into_view()
            nears_end = place >= len(self._hits) - self.page
            self.post_message(self.SelectionMoved(self._hits[place].id, nears_end=nears_end))

    def _bring_into_view(self) -> None:
        """Scroll as little as shows the whole selected hit, and repaint what changed."""
        top = self._selected * HEIGHT
        lowest = top + HEIGHT - self.visible_lines
        first = min(max(self.first_line, lowest), top)
        self.lines_changed(self._line_count, first_line=max(first, 0))

    @property
    def _line_count(self) -> int:
        return len(self._hits) * HEIGHT if self._hits else self._message.count("\n") + 1

    def _title(self, hit: RecallHit, width: int, style: Style) -> list[Segment]:
        right = f"{age(hit.started_at, self._now())} {short_runtime(hit.runtime)}"
        return _two_sides(hit.label, self._matches(hit.label), right, width, style)

    def _facts(self, hit: RecallHit, width: int, style: Style) -> list[Segment]:
        kinds = (
            "approximate" if hit.approximate else "",
            "superseded" if hit.status == "superseded" else "",
            "subagent" if hit.parent_id else "",
        )
        decisions = f"decisions {len(hit.decisions)}" if hit.decisions else ""
        holds = "  ".join(filter(None, (decisions, f"open {len(hit.open)}" if hit.open else "")))
        left = "  ".join(filter(None, (*kinds, holds, _how_found(hit))))
        start = left.find(holds)
        accent = style if hit is self.selected else self.get_component_rich_style("results--holds")
        return _two_sides(left, [((start, start + len(holds)), accent)], project_name(hit.project), width, style)

    def _passage(self, hit: RecallHit, width: int, style: Style) -> list[Segment]:
        text = hit.snippet
        spans = self._words.spans(text)
        if spans and cell_len(text[: spans[0][1]]) >= width:  # the row would end before the match: begin closer to it
            cut = text.rfind(" ", 0, max(spans[0][0] - width // 3, 1)) + 1
            text = f"…{text[cut:]}"
        return _clipped(text, self._matches(text), width, style)

    def _matches(self, text: str) -> list[tuple[Span, Style]]:
        return [(span, MATCH) for span in self._words.spans(text)]

    def _paint_message(self, number: int, width: int) -> Strip:
        style = self.get_component_rich_style("results--message")
        lines = [line[start:end] for line in self._message.split("\n") for start, end in wrap(line, max(width - 4, 1))]
        # One blank line above, so that it does not stick to the frame.
        text = lines[number - 1] if 0 < number <= len(lines) else ""
        return Strip([Segment(f"  {text}", style)]).adjust_cell_length(width, style)


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


def _two_sides(left: str, spans: Sequence[tuple[Span, Style]], right: str, width: int, style: Style) -> list[Segment]:
    room = width - cell_len(right) - 1
    if room < _LEAST_LEFT:
        return _clipped(left, spans, width, style)
    segments = _clipped(left, spans, room, style)
    used = sum(segment.cell_length for segment in segments)
    return [*segments, Segment(" " * (room + 1 - used) + right, style)]


def _clipped(text: str, spans: Sequence[tuple[Span, Style]], width: int, style: Style) -> list[Segment]:
    shown = clip(text, width)
    return marked(shown, 0, len(shown), spans, style)
