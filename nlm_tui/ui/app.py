"""The app: it wires a context to its screen."""

import asyncio
import gc
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import ClassVar, Final

from rich.console import RenderableType
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.driver import Driver
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input

from nlm_tui.core import one_line
from nlm_tui.ui.alt_keys import tell_alt_keys
from nlm_tui.ui.any_input import any_input
from nlm_tui.ui.context import Context
from nlm_tui.ui.handing_over import HandingOver, handing_over
from nlm_tui.ui.screens.search import SearchScreen
from nlm_tui.ui.shadow import Thrifty, thrifty_driver
from nlm_tui.ui.themes import with_contrast

_A_MOMENT: Final = 0.1  # seconds, from one look at who has the terminal to the next


def _palette() -> type[Provider]:
    from nlm_tui.ui.palette import PaletteCommands  # noqa: PLC0415 - no first paint waits for it

    return PaletteCommands


class NlmApp(App[None]):
    """Search the memory of all coding agents on this machine."""

    TITLE = "nlm"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_palette}
    CSS_PATH = "app.tcss"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - typed by Textual
        (0, "-tiny"),
        (64, "-narrow"),
        (100, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (12, "-tall")]  # noqa: RUF012 - typed by Textual

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+x,:", "command_palette", "Commands", id="app.palette", tooltip="All commands, found by name"),
        Binding(
            "ctrl+z", "suspend_process", "Suspend", id="app.suspend", tooltip="Back to the shell for now", show=False
        ),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", tooltip="Leave the program", priority=True),
        Binding(
            "ctrl+c", "quit", "Quit at once", id="app.interrupt", tooltip="Leave the program", show=False, priority=True
        ),
    ]

    def __init__(self, context: Context, *, theme: str | None = None) -> None:
        tell_alt_keys()
        super().__init__()
        self._app_context = context
        self._shown_theme = ""
        self._told_shape = "default"  # of the pointer
        self._leaves = False
        self._asks_again: asyncio.TimerHandle | None = None
        self.begin_with(theme or "")
        if context.reduced_motion:
            self.animation_level = "none"

    @property
    def context(self) -> Context:
        """What the app was given."""
        return self._app_context

    def begin_with(self, theme: str) -> None:
        """Look so at the start, '' for as Textual does; what is chosen later is remembered."""
        if theme:
            self.theme = theme
        self._shown_theme = self.theme

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not on Windows, not outside the main thread
            # A closed terminal window or a polite kill leaves as Quit does: terminal restored, child and store closed.
            for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
                loop.add_signal_handler(number, partial(self._told_to_leave, number))
            # A shell that kills what is stopped lets it go on, too. To take the terminal back at once, as the driver
            # would, means to be stopped again, since the shell has it: what else was told would never be heard.
            if (number := getattr(signal, "SIGCONT", None)) is not None:
                loop.add_signal_handler(number, loop.call_soon, self._told_to_go_on)

        self.set_keymap(self._app_context.keys.for_textual)
        self.theme_changed_signal.subscribe(self, self._theme_changed)  # pyright: ignore[reportUnknownMemberType]
        self.app_resume_signal.subscribe(self, self.paint_again)  # pyright: ignore[reportUnknownMemberType]

    def on_resize(self, event: events.Resize) -> None:
        # There and back: what was cut off meanwhile is lost, and Textual sees no change.
        if self.screen_stack and event.size == self.size:
            self.paint_again()

    def on_ready(self) -> None:
        # What the screen is made of stays: to look through it for garbage stops all else for a tenth of a second.
        gc.freeze()

    def on_unmount(self) -> None:
        gc.unfreeze()

    def _told_to_leave(self, number: int) -> None:
        self._leaves = True
        self.exit(return_code=128 + number)

    def _told_to_go_on(self) -> None:
        if self._asks_again is not None:
            self._asks_again.cancel()
            self._asks_again = None
        driver = self._driver
        if self._leaves or not isinstance(driver, HandingOver):
            return
        if not driver.is_in_front:  # a shell that brings to the front what runs does not tell it so
            self._asks_again = asyncio.get_running_loop().call_later(_A_MOMENT, self._told_to_go_on)
        elif driver.is_away:
            driver.resume_application_mode()
        elif driver.can_suspend:  # it was stopped in the midst: the shell has changed what the terminal does
            driver.suspend_application_mode()
            driver.resume_application_mode()
            self.paint_again()

    def paint_again(self, _: object = None) -> None:
        """Repaint all: what the terminal shows now is not what was last painted."""
        if isinstance(self._driver, Thrifty):
            self._driver.forget()
        for widget in self.screen.walk_children(with_self=True):
            widget.refresh()

    def get_driver_class(self) -> type[Driver]:
        return handing_over(thrifty_driver(any_input(super().get_driver_class())))

    def _set_pointer_shape(self, shape: str) -> None:
        # Textual tells it with each screen that opens, and after what is no text the driver sends all of the screen.
        if shape != self._told_shape:
            self._told_shape = shape
            super()._set_pointer_shape(shape)

    def get_default_screen(self) -> Screen[None]:
        return SearchScreen(self._app_context)

    def action_command_palette(self) -> None:
        super().action_command_palette()
        self._hold_still()

    def action_change_theme(self) -> None:
        super().action_change_theme()
        self._hold_still()

    def _hold_still(self) -> None:
        """Let the cursor of Textual's own boxes not blink where nothing is to move."""
        if self._app_context.reduced_motion:
            self.call_after_refresh(self._stop_blinking)

    def _stop_blinking(self) -> None:
        for box in self.screen.query(Input):
            box.cursor_blink = False

    def get_css_variables(self) -> dict[str, str]:
        return with_contrast(super().get_css_variables(), self.current_theme)

    def _theme_changed(self, theme: Theme) -> None:
        main = self.screen_stack[0] if self.screen_stack else None
        if theme.name != self._shown_theme and isinstance(main, SearchScreen):
            main.remembering.theme(theme.name)
        self._shown_theme = theme.name

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        for screen in self.screen_stack[:1]:
            if isinstance(screen, SearchScreen) and (problem := screen.leave()):
                message = message or one_line(problem)
        super().exit(result, return_code, message)

    def _fatal_error(self) -> None:
        """Report a crash without local variables: they hold the user's transcripts."""
        from rich.segment import Segments  # noqa: PLC0415 - a crash alone needs them, and they load slowly
        from rich.traceback import Traceback  # noqa: PLC0415

        self.bell()
        kind, error, traceback = sys.exc_info()
        if kind is not None and error is not None:
            self._app_context.report_crash(error)
            trace = Traceback.extract(kind, error, traceback, show_locals=False)
            for stack in trace.stacks:
                stack.exc_value = "(its text is left out: it may quote a transcript)"
                stack.notes.clear()
            report = Traceback(trace, show_locals=False, width=None, suppress=["textual"])
            self._exit_renderables.append(Segments(self.console.render(report)))
        self._close_messages_no_wait()
