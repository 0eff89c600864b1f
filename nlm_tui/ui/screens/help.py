"""The help, and other things to be read: sections of lines, alone on the screen."""

from typing import ClassVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.strip import Strip

from nlm_tui.ui.help_text import HelpLine, Section, lay_out_help
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.widgets.bars import TextBar
from nlm_tui.ui.widgets.lines import LineView

_MARGIN = 1


class HelpView(LineView, can_focus=True):
    """Shows sections in lines as wide as there is room."""

    DEFAULT_CSS = """
    HelpView {
        background: $background;
        & > .help--title { text-style: bold underline; color: $text-primary; }
        & > .help--key { text-style: bold; color: $foreground; }
        & > .help--text { color: $foreground; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"help--title", "help--key", "help--text"}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k,ctrl+p", "scroll_up", "Up", id="help.up", tooltip="One line up", show=False),
        Binding("down,j,ctrl+n", "scroll_down", "Down", id="help.down", tooltip="One line down", show=False),
        Binding("pageup,b", "page_up", "Page up", id="help.page_up", tooltip="One page up", show=False),
        Binding("pagedown,space", "page_down", "Page down", id="help.page_down", tooltip="One page down", show=False),
        Binding("home,g", "scroll_home", "Top", id="help.home", tooltip="To the beginning", show=False),
        Binding("end,G", "scroll_end", "End", id="help.end", tooltip="To the end", show=False),
    ]

    def __init__(self, parts: list[Section]) -> None:
        super().__init__(id="help")
        self._parts = parts
        self._width = 0
        self._lines: list[HelpLine] = []

    def on_resize(self) -> None:
        self._width = self.content_width
        self._lines = lay_out_help(self._parts, max(self._width - 2 * _MARGIN, 1))
        self.lines_changed(len(self._lines))

    def paint(self, number: int, width: int) -> Strip:
        line = self._lines[number] if number < len(self._lines) else ()
        plain = self.get_component_rich_style("help--text")
        segments = [
            Segment(piece.text, self.get_component_rich_style(f"help--{piece.kind}")) for piece in line if piece.text
        ]
        return Strip([Segment(" " * _MARGIN, plain), *segments]).adjust_cell_length(width, plain).simplify()


class HelpScreen(Screen[None]):
    """Sections alone on the screen: they can be read where there is little room."""

    DEFAULT_CSS = """
    HelpScreen { background: $background; }
    HelpScreen > #close { color: $text-muted; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1,?,alt+h,ctrl+g", "leave", "Close", id="help.close", tooltip="Back to where you were"),
    ]

    def __init__(self, keys: KeyMap, parts: list[Section]) -> None:
        super().__init__()
        self.view = HelpView(parts)
        moving = " ".join(keys.labels(name)[0] for name in ("help.up", "help.down") if keys.labels(name))
        self._closes = f"{' '.join(keys.labels('help.close')[:3])} closes   {moving} scroll".strip()

    def compose(self) -> ComposeResult:
        yield self.view
        yield TextBar(self._closes, id="close")

    def on_mount(self) -> None:
        self.view.focus()

    def action_leave(self) -> None:
        self.dismiss(None)
