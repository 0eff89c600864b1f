"""The line in which one types what to find in a session."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static


class FindInput(Input):
    """Takes the text; up and down step through what is found."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Keep", id="find.keep", tooltip="Keep the marks, and go on reading"),
        Binding("down,ctrl+n", "step(1)", "Next", id="find.next", tooltip="To the next place"),
        Binding("up,ctrl+p", "step(-1)", "Before", id="find.previous", tooltip="To the place before"),
        Binding("escape", "leave", "Back", id="find.leave", tooltip="Mark what was found no more, and go back"),
        Binding("pagedown", "page(1)", "Page down", id="find.page_down", tooltip="One page down", show=False),
        Binding("pageup", "page(-1)", "Page up", id="find.page_up", tooltip="One page up", show=False),
    ]

    def action_leave(self) -> None:
        self.post_message(FindBox.Left())

    def action_step(self, step: int) -> None:
        self.post_message(FindBox.Stepped(step))

    def action_page(self, direction: int) -> None:
        self.post_message(FindBox.Paged(direction))


class FindBox(Horizontal):
    """One line: a sign, and the text to find. It is there only while one types."""

    DEFAULT_CSS = """
    FindBox {
        height: 1; display: none;
        &.-open { display: block; }
        & > Static { width: 2; padding: 0 0 0 1; color: $text-muted; }
        & > Input { width: 1fr; background: $background; }
    }
    """

    class Typed(Message):
        """The text is another one."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Stepped(Message):
        """The user wants to see another place."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class Paged(Message):
        """The user wants to see what stands below or above."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Kept(Message):
        """What was found stays marked."""

    class Left(Message):
        """What was found is not wanted."""

    def __init__(self, *, blinks: bool, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.input = FindInput(compact=True, id="find-text")
        self.input.cursor_blink = blinks

    def compose(self) -> ComposeResult:
        yield Static("/", markup=False)
        yield self.input

    def open(self, text: str) -> None:
        """Show the line with a text that the next key replaces."""
        with self.input.prevent(Input.Changed):
            self.input.value = text
        self.add_class("-open")
        self.input.focus()
        self.input.action_select_all()

    def close(self) -> None:
        """Show the line no more."""
        self.remove_class("-open")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Kept())
