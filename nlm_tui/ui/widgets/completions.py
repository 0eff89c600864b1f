"""The list that drops down under the box while a filter is completed."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events, work
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from nlm_tui.core import (
    Completion,
    FilterName,
    FilterValue,
    SearchInterruptedError,
    StoreError,
    completed,
    completion_at,
    one_line,
)
from nlm_tui.core.secrets import mask
from nlm_tui.ui.completing import Candidate, asked_of_memory, candidates
from nlm_tui.ui.context import Context
from nlm_tui.ui.painting import clip
from nlm_tui.ui.widgets.search_box import SearchBox

_LEAST, _MOST = 14, 48  # cells
_MARK, _NO_MARK = "> ", "  "


class CompletionList(Widget):
    """Offers what the filter at the cursor of `box` can become. Closed it costs nothing."""

    DEFAULT_CSS = """
    CompletionList {
        layer: drop; position: absolute; display: none; height: auto; width: auto;
        & > .completions--candidate { color: $row-foreground; background: $panel; }
        & > .completions--marked { color: $row-foreground; background: $primary-muted; text-style: $marked-text-style; }
    }
    CompletionList.-open { display: block; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"completions--candidate", "completions--marked"}

    class Failed(Message):
        """Nothing can be offered, and why."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(self, box: SearchBox, context: Context, *, id: str | None = None) -> None:  # noqa: A002 - Textual's
        super().__init__(id=id)
        self._box = box
        self._app_context = context
        self._values: dict[FilterName, Sequence[FilterValue]] = {}
        self._completion: Completion | None = None
        self._candidates: list[Candidate] = []
        self._marked = 0

    @property
    def candidates(self) -> list[Candidate]:
        """What is offered; nothing while the list is closed."""
        return self._candidates

    @property
    def is_open(self) -> bool:
        """Whether anything is offered."""
        return bool(self._candidates)

    @property
    def marked(self) -> Candidate | None:
        """What Enter would put in."""
        return self._candidates[self._marked] if self._candidates else None

    def on_mount(self) -> None:
        self.watch(self._box, "selection", self.follow, init=False)
        self.watch(self._box, "value", self.follow, init=False)

    def start(self) -> bool:
        """Complete what stands at the cursor, and return whether that is the name or a value of a filter.

        A single candidate is put in at once.
        """
        completion = completion_at(self._box.value, self._box.cursor_position)
        if completion is None:
            return False
        name = asked_of_memory(completion)
        if name is not None and name not in self._values:
            self._load(completion, name)
            return True
        found = self._found(completion)
        if len(found) == 1:
            self._put_in(completion, found[0])
        elif found:
            self._show(completion, found)
        else:
            self.post_message(self.Failed(f"nothing completes {completion.name}:{completion.beginning}"))
        return True

    def move(self, step: int) -> None:
        """Mark the next candidate, or the one before; the last is followed by the first."""
        if self._candidates:
            self._marked = (self._marked + step) % len(self._candidates)
            self.refresh()

    def accept(self) -> None:
        """Put the marked candidate in."""
        if self._completion is not None and self.marked is not None:
            self._put_in(self._completion, self.marked)

    def close(self) -> None:
        """Offer nothing more."""
        if self.is_open:
            self._show(None, [])

    def follow(self) -> None:
        """Offer what fits the text by now; an open list closes when nothing does."""
        if not self.is_open:
            return
        completion = completion_at(self._box.value, self._box.cursor_position)
        if completion == self._completion:
            return
        if completion is None or self._completion is None or completion.name != self._completion.name:
            self.close()
        else:
            self._show(completion, self._found(completion))

    def forget(self) -> None:
        """Ask the memory again from now on: it has changed."""
        self._values.clear()

    def on_click(self, event: events.Click) -> None:
        if event.y < len(self._candidates):
            self._marked = event.y
            self.accept()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y >= len(self._candidates):
            return Strip.blank(width, self.rich_style)
        kind = "marked" if y == self._marked else "candidate"
        style = self.get_component_rich_style(f"completions--{kind}")
        mark, count = _MARK if y == self._marked else _NO_MARK, _count(self._candidates[y])
        text = clip(_shown(self._candidates[y]), width - cell_len(mark + count))
        line = f"{mark}{text}{' ' * (width - cell_len(mark + text + count))}{count}"
        return Strip([Segment(line, style)]).adjust_cell_length(width, style)

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Widget's signature
        widths = [cell_len(_MARK + _shown(found) + _count(found)) for found in self._candidates]
        return min(max([_LEAST, *widths]), _MOST, max(container.width, 1))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - the same
        return len(self._candidates)

    @work(exclusive=True, group="complete")
    async def _load(self, completion: Completion, name: FilterName) -> None:
        try:
            values = await asyncio.to_thread(self._app_context.memory.values, name)
        except SearchInterruptedError:
            return
        except StoreError as error:
            self.post_message(self.Failed(str(error)))
            return
        self._values[name] = values
        if self.is_attached and completion_at(self._box.value, self._box.cursor_position) == completion:
            self.start()

    def _found(self, completion: Completion) -> list[Candidate]:
        name = asked_of_memory(completion)
        return candidates(completion, self._values.get(name, ()) if name is not None else ())

    def _put_in(self, completion: Completion, chosen: Candidate) -> None:
        text, cursor = completed(self._box.value, completion, chosen.text)
        self.close()
        self._box.put(text, cursor)

    def _show(self, completion: Completion | None, found: list[Candidate]) -> None:
        """Offer `found`, below the place where it will stand."""
        self._completion, self._candidates, self._marked = completion, found, 0
        self.set_class(bool(found), "-open")
        if completion is not None and found:
            box, screen = self._box, self.screen.size
            column = box.region.x + cell_len(box.value[: completion.start]) - box.scroll_offset.x - len(_MARK)
            widest = self.get_content_width(screen, screen)
            self.styles.offset = (max(min(column, screen.width - widest), 0), box.region.bottom)
        self.refresh(layout=bool(found))


def _shown(candidate: Candidate) -> str:
    return mask(one_line(candidate.text))


def _count(candidate: Candidate) -> str:
    return f"  {candidate.sessions:,} " if candidate.sessions is not None else " "
