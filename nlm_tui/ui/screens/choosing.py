"""Choosing another session by searching for it."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from nlm_tui.core import RecallHit, SearchInterruptedError, StoreError, display_safe, one_line, parse
from nlm_tui.display.words import age, project_name, short_runtime
from nlm_tui.ui.context import Context

_MOST = 50


class ChooseSession(ModalScreen[RecallHit | None]):
    """Asks for one session other than `besides`; None where the user thinks better of it."""

    DEFAULT_CSS = """
    ChooseSession { align: center middle; }
    ChooseSession > Vertical {
        width: 90; max-width: 100%; height: 20; max-height: 100%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    ChooseSession .title { text-style: bold; }
    ChooseSession #note { color: $text-muted; }
    ChooseSession Input { background: $surface; }
    ChooseSession OptionList { height: 1fr; border: none; background: $surface; padding: 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+g", "leave", "Cancel", id="choose.cancel", tooltip="Change nothing"),
        Binding("up,ctrl+p", "move(-1)", "Up", id="choose.up", tooltip="One session up"),
        Binding("down,ctrl+n", "move(1)", "Down", id="choose.down", tooltip="One session down"),
    ]

    def __init__(self, title: str, context: Context, *, besides: str) -> None:
        super().__init__()
        self._asked = title
        self._app_context = context
        self._besides = besides
        self._hint = f"Enter takes it, {context.keys.label('choose.cancel')} changes nothing"
        self._hits: tuple[RecallHit, ...] = ()
        self._answered: str | None = None  # the text whose hits are offered
        self.box = Input(placeholder="words, filters", select_on_focus=False, compact=True)
        self.sessions = OptionList(compact=True, markup=False)
        self.note = Static("", id="note", markup=False)

    @property
    def hits(self) -> Sequence[RecallHit]:
        """The sessions that are offered."""
        return self._hits

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(display_safe(self._asked), classes="title", markup=False)
            yield self.box
            yield self.sessions
            yield self.note

    def on_mount(self) -> None:
        self.sessions.can_focus = False
        self.box.cursor_blink = False
        self.box.focus()
        self._search("")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._search(event.value)

    @work(exclusive=True)
    async def _search(self, text: str) -> None:
        context = self._app_context
        query = parse(text, mode="keyword", typing=True, limit=_MOST)
        if text.strip():
            await asyncio.sleep(context.debounce.delay)
        result = None
        while result is None:
            try:
                result = await asyncio.to_thread(context.memory.recall.search, query, top_level=not text.strip())
            except asyncio.CancelledError:
                context.memory.interrupt()
                raise
            except SearchInterruptedError:
                continue  # by the screen below, which searches in the same memory
            except StoreError as error:
                self.note.update(display_safe(str(error)))
                return
        self._answered = text
        self._hits = tuple(hit for hit in result.results if hit.id != self._besides)
        self.sessions.set_options([self._option(hit) for hit in self._hits])
        self.sessions.highlighted = 0 if self._hits else None
        self.note.update(self._hint if self._hits else "No session matches.")

    def _option(self, hit: RecallHit) -> Option:
        about = "  ".join(
            filter(
                None,
                (age(hit.started_at, self._app_context.now()), short_runtime(hit.runtime), project_name(hit.project)),
            )
        )
        return Option(Content.assemble(one_line(hit.label), Content(f"  {one_line(about)}").stylize("italic")))

    @on(Input.Submitted)
    def _submitted(self) -> None:
        place = self.sessions.highlighted
        if place is not None and self._answered == self.box.value:  # else these are the hits of another text
            self.dismiss(self._hits[place])

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._hits[event.option_index])

    def action_move(self, step: int) -> None:
        if step < 0:
            self.sessions.action_cursor_up()
        else:
            self.sessions.action_cursor_down()

    def action_leave(self) -> None:
        self.dismiss(None)
