"""Questions to the user: a text, a choice, a yes."""

from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from nlm_tui.core import display_safe, one_line
from nlm_tui.core.secrets import mask
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.questions import Choice

T_co = TypeVar("T_co", covariant=True)

_FRAME = """
{name} {{ align: center middle; }}
{name} > Vertical {{
    width: 76; max-width: 100%; height: auto; max-height: 100%;
    border: round $primary; background: $surface; padding: 0 1;
}}
{name} .title {{ text-style: bold; }}
{name} .hint {{ color: $text-muted; }}
{name} Input {{ background: $surface; }}
{name} OptionList {{ height: auto; max-height: 16; border: none; background: $surface; padding: 0; }}
"""
_LEAVE = Binding("escape,ctrl+g", "leave", "Cancel", id="ask.cancel", tooltip="Change nothing")


def _shown(text: str, style: str) -> Static:
    return Static(mask(display_safe(text)), classes=style, markup=False)


class AskText(ModalScreen[str | None]):
    """Asks for a line of text; None where the user thinks better of it."""

    DEFAULT_CSS = _FRAME.format(name="AskText")
    BINDINGS: ClassVar[list[BindingType]] = [_LEAVE]

    def __init__(self, title: str, text: str = "", *, keys: KeyMap, names: Sequence[str] = ()) -> None:
        """`names` are proposed to go on with what was typed."""
        super().__init__()
        self._asked = title
        leaves = f"Enter takes it, {keys.label('ask.cancel')} changes nothing"
        self._hint = f"{leaves}, Right takes what is proposed" if names else leaves
        proposed = [one_line(name) for name in names if mask(name) == name]
        suggester = SuggestFromList(proposed, case_sensitive=False) if proposed else None
        self.box = Input(one_line(text), suggester=suggester, select_on_focus=False, compact=True)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield _shown(self._asked, "title")
            yield self.box
            yield _shown(self._hint, "hint")

    def on_mount(self) -> None:
        self.box.cursor_blink = False
        self.box.focus()
        self.box.cursor_position = len(self.box.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)

    def action_leave(self) -> None:
        self.dismiss(None)


class Choose(ModalScreen[T_co | None], Generic[T_co]):
    """Asks for one of some choices, by arrows and Enter, by its letter, or by the mouse."""

    DEFAULT_CSS = _FRAME.format(name="Choose")
    BINDINGS: ClassVar[list[BindingType]] = [
        _LEAVE,
        Binding("up,ctrl+p,k", "move('up')", "Up", id="ask.up", tooltip="One choice up"),
        Binding("down,ctrl+n,j", "move('down')", "Down", id="ask.down", tooltip="One choice down"),
    ]

    def __init__(self, title: str, choices: Sequence[Choice[T_co]], *, about: str = "") -> None:
        super().__init__()
        self._asked = title
        self._about = about
        self._choices = tuple(choices)
        self._list = OptionList(*map(_option, self._choices), compact=True, markup=False)

    @property
    def choices(self) -> Sequence[Choice[T_co]]:
        """What is offered."""
        return self._choices

    def compose(self) -> ComposeResult:
        with Vertical():
            yield _shown(self._asked, "title")
            if self._about:
                yield _shown(self._about, "hint")
            yield self._list

    def on_mount(self) -> None:
        self._list.focus()

    def key_pressed(self, letter: str) -> bool:
        """Choose what `letter` stands for; return whether it stands for anything."""
        for choice in self._choices:
            if choice.letter == letter and not choice.unavailable:
                self.dismiss(choice.value)
                return True
        return False

    def on_key(self, event: events.Key) -> None:
        if event.character is not None and self.key_pressed(event.character):
            event.stop()
            event.prevent_default()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._choices[event.option_index].value)

    def action_move(self, where: str) -> None:
        if where == "down":
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)


class Confirm(Choose[bool]):
    """Asks before something that cannot be taken back, or leaves the screen: y, n, or arrows and Enter."""

    DEFAULT_CSS = _FRAME.format(name="Confirm")

    def __init__(self, question: str, *, yes: str, no: str = "Cancel", about: str = "") -> None:
        super().__init__(
            question,
            (Choice(value=False, label=no, letter="n"), Choice(value=True, label=yes, letter="y")),
            about=about,
        )


def _option(choice: Choice[object]) -> Option:
    letter = Content(f"{choice.letter or ' '}  ").stylize("bold")
    parts = [letter, Content(mask(one_line(choice.label)))]
    if detail := mask(one_line(choice.unavailable or choice.help)):
        parts.append(Content(f"  {detail}").stylize("italic"))
    return Option(Content.assemble(*parts), disabled=bool(choice.unavailable))
