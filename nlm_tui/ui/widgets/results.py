"""The list of hits: rows of fixed height, painted only when seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.segment import Segment
from textual.content import Content
from textual.css.styles import RulesMap
from textual.message import Message
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from nlm_tui.core import Matcher, RecallHit, Span
from nlm_tui.display.words import age, project_name, short_runtime

MATCH_STYLE = "bold underline"
_MARK = "> "
_LEAST_LABEL = 12


def highlight(text: str, spans: Sequence[Span]) -> Content:
    """Return `text` with `spans` marked: by weight and line, so that every theme keeps them readable."""
    content = Content(text)
    for start, end in spans:
        content = content.stylize(MATCH_STYLE, start, end)
    return content


@dataclass(frozen=True, slots=True)
class HitRow(Visual):
    """A hit in three lines: label and age; where it matched and what it holds; the passage that matched best."""

    HEIGHT: ClassVar[int] = 3

    hit: RecallHit
    words: Matcher
    now: datetime

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:  # noqa: ARG002 - Visual's signature
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:  # noqa: ARG002 - Visual's signature
        return self.HEIGHT

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions  # noqa: ARG002 - Visual's signature
    ) -> list[Strip]:
        room = max(width - len(_MARK), 1)
        strips: list[Strip] = []
        for line in (self._title(room), self._facts(room), self._passage(room)):
            indented = Content.assemble(" " * len(_MARK), line).truncate(max(width, 1), ellipsis=True)
            strips += indented.render_strips(max(width, 1), 1, style, options)[:1]
        return strips

    def _title(self, width: int) -> Content:
        left = highlight(self.hit.label, self.words.spans(self.hit.label))
        right = f"{age(self.hit.started_at, self.now)} {short_runtime(self.hit.runtime)}"
        return _two_sides(left, Content(right), width)

    def _facts(self, width: int) -> Content:
        hit = self.hit
        where = list(hit.matched_in) or (["conversation"] if hit.snippet_field else [])
        if hit.parent_id:
            where.insert(0, "subagent")
        if hit.status == "superseded":
            where.insert(0, "superseded")
        holds = [
            f"decisions {len(hit.decisions)}" if hit.decisions else "",
            f"open {len(hit.open)}" if hit.open else "",
            project_name(hit.project),
        ]
        right = "  ".join(part for part in holds if part)
        return _two_sides(Content(" ".join(where)), Content(right), width).stylize("dim")

    def _passage(self, width: int) -> Content:
        text = self.hit.snippet
        spans = self.words.spans(text)
        if spans and spans[0][1] > width:  # the row would end before the match: begin closer to it
            cut = text.rfind(" ", 0, max(spans[0][0] - width // 3, 1)) + 1
            text = "…" + text[cut:]
            spans = self.words.spans(text)
        return highlight(text, spans).truncate(width, ellipsis=True)


def _two_sides(left: Content, right: Content, width: int) -> Content:
    room = width - right.cell_length - 1
    if room < _LEAST_LABEL:
        return left.truncate(width, ellipsis=True)
    left = left.truncate(room, ellipsis=True)
    return Content.assemble(left, " " * (width - left.cell_length - right.cell_length), right)


class ResultsList(OptionList, can_focus=False):
    """The hits. The selection follows the first one until the user moves it, then it stays on its session."""

    DEFAULT_CSS = """
    ResultsList {
        height: 1fr; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1;
        & > .option-list--option { padding: 0; }
        & > .option-list--option-highlighted {
            color: $block-cursor-foreground; background: $block-cursor-background; text-style: none;
        }
        &:focus { border: none; background-tint: transparent; }
    }
    """

    class SelectionChanged(Message):
        """The selection rests on another session, or on none."""

        def __init__(self, session_id: str | None) -> None:
            super().__init__()
            self.session_id = session_id

    class NearEnd(Message):
        """The user is about to reach the last hit."""

    def __init__(self, now: Callable[[], datetime], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._now = now
        self._hits: tuple[RecallHit, ...] = ()
        self._words: Matcher | None = None
        self._follows_top = True

    @property
    def hits(self) -> tuple[RecallHit, ...]:
        """The hits in the list."""
        return self._hits

    @property
    def selected(self) -> RecallHit | None:
        """The hit under the selection."""
        return self._hits[self.highlighted] if self.highlighted is not None and self._hits else None

    @property
    def follows_top(self) -> bool:
        """Whether the selection still follows the first hit."""
        return self._follows_top

    def show_hits(self, hits: Sequence[RecallHit], words: Matcher, *, keep_selection: bool = False) -> None:
        """Show `hits`; `keep_selection` holds the selection on its session even where it follows the top."""
        if tuple(hits) == self._hits and words == self._words:
            return
        before = self.selected
        self._hits, self._words = tuple(hits), words
        now = self._now()
        wanted = 0
        if before is not None and (keep_selection or not self._follows_top):
            wanted = next((place for place, hit in enumerate(hits) if hit.id == before.id), -1)
            if wanted < 0:
                wanted, self._follows_top = 0, True
        with self.prevent(OptionList.OptionHighlighted):
            self.set_options([Option(HitRow(hit, words, now)) for hit in hits])
            self.highlighted = wanted if hits else None
        self.post_message(self.SelectionChanged(self.selected.id if self.selected else None))

    def follow_top(self) -> None:
        """Let the selection follow the first hit again."""
        self._follows_top = True
        if self._hits:
            self.highlighted = 0

    def move(self, step: int) -> None:
        """Move the selection by `step` hits, without wrapping around."""
        if self._hits:
            self._follows_top = False
            self.highlighted = min(max((self.highlighted or 0) + step, 0), len(self._hits) - 1)

    @property
    def page(self) -> int:
        """How many hits fit on the screen."""
        return max(self.scrollable_content_region.height // HitRow.HEIGHT, 1)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self._hits and event.option_index != 0:
            self._follows_top = False
        self.post_message(self.SelectionChanged(self.selected.id if self.selected else None))
        if event.option_index >= len(self._hits) - self.page:
            self.post_message(self.NearEnd())

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        place, line = divmod(self.scroll_offset.y + y, HitRow.HEIGHT)
        if line or place != self.highlighted or not self._hits:
            return strip
        style = next((segment.style for segment in strip if segment.style is not None), None)
        return Strip.join([Strip([Segment(_MARK, style)]), strip.crop(len(_MARK))])
