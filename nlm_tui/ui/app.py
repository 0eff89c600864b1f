"""The app: it wires a context to its screen."""

import asyncio
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from nlm_tui.ui.commands import COMMANDS
from nlm_tui.ui.context import Context
from nlm_tui.ui.screens.search import SearchScreen


class NlmApp(App[None]):
    """Search the memory of all coding agents on this machine."""

    TITLE = "nlm"
    COMMAND_PALETTE_BINDING = "alt+x"  # ctrl+p goes up in the list, as in other programs that find while one types
    CSS_PATH = "app.tcss"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - typed by Textual
        (0, "-tiny"),
        (64, "-narrow"),
        (100, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (12, "-tall")]  # noqa: RUF012 - typed by Textual

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", id="app.quit", tooltip="Leave the program", priority=True),
        Binding("ctrl+c", "quit", "Quit", id="app.interrupt", tooltip="Leave the program", show=False, priority=True),
        Binding(
            "ctrl+z", "suspend_process", "Suspend", id="app.suspend", tooltip="Back to the shell for now", show=False
        ),
        Binding("f1", "toggle_help", "Help", id="app.help", tooltip="Show or hide all keys"),
    ]

    def __init__(self, context: Context, *, theme: str | None = None) -> None:
        super().__init__()
        self._app_context = context
        if theme is not None:
            self.theme = theme

    @property
    def context(self) -> Context:
        """What the app was given."""
        return self._app_context

    def on_mount(self) -> None:
        # A closed terminal window or a polite kill leaves as Quit does: terminal restored, child and store closed.
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not on Windows, not outside the main thread
                loop.add_signal_handler(number, partial(self.exit, return_code=128 + number))

        self.app_resume_signal.subscribe(self, self._paint_again)  # pyright: ignore[reportUnknownMemberType]

    def _paint_again(self, _: object) -> None:
        """Repaint all after the shell had the terminal: what it shows now is not what was last painted."""
        for widget in self.screen.walk_children(with_self=True):
            widget.refresh()

    def get_default_screen(self) -> Screen[None]:
        return SearchScreen(self._app_context)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)  # pyright: ignore[reportUnknownMemberType] - a bare Screen
        if isinstance(screen, SearchScreen):
            for command in COMMANDS:
                yield SystemCommand(command.title, command.help, partial(screen.action_do, command.id))

    def action_toggle_help(self) -> None:
        if self.screen.query("HelpPanel"):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

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
