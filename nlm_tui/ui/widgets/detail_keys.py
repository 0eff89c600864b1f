"""The keys of the detail pane: arrows, and those of vi and emacs where they are free."""

from typing import Final

from textual.binding import Binding, BindingType


def _hidden(keys: str, action: str, title: str, name: str, tooltip: str) -> Binding:
    return Binding(keys, action, title, id=f"detail.{name}", tooltip=tooltip, show=False)


DETAIL_KEYS: Final[list[BindingType]] = [
    _hidden("up,k,ctrl+p", "scroll_up", "Up", "up", "One line up"),
    _hidden("down,j,ctrl+n", "scroll_down", "Down", "down", "One line down"),
    _hidden("pageup,alt+v", "page_up", "Page up", "page_up", "One page up"),
    _hidden("pagedown,space,ctrl+v", "page_down", "Page down", "page_down", "One page down"),
    _hidden("ctrl+u", "half(-1)", "Half up", "half_up", "Half a page up"),
    _hidden("ctrl+d", "half(1)", "Half down", "half_down", "Half a page down"),
    _hidden("home,g", "scroll_home", "Top", "home", "To the beginning"),
    _hidden("end,G", "scroll_end", "End", "end", "To the end"),
    Binding("slash", "find", "Find", id="detail.find", tooltip="Find a text in this session"),
    Binding("n", "step(1)", "Next match", id="detail.next", tooltip="To the next match"),
    Binding("N,p", "step(-1)", "Match before", id="detail.previous", tooltip="To the match before"),
    Binding("escape", "end_find", "End find", id="detail.end_find", tooltip="Mark what was found no more"),
    Binding("right_square_bracket", "prompt(1)", "Prompt", id="detail.next_prompt", tooltip="To the next prompt"),
    _hidden("left_square_bracket", "prompt(-1)", "Prompt before", "previous_prompt", "To the prompt before"),
    Binding("c", "said", "Where said", id="detail.said", tooltip="To where the next decision or question was said"),
    Binding("z", "fold", "Fold tools", id="detail.fold", tooltip="Fold all tool calls, or unfold them"),
    _hidden("enter", "unfold", "Unfold", "unfold", "Open the first folded tool calls in view"),
    _hidden("v", "render", "Raw", "render", "Markdown and code by what they mean, or as they stand"),
]
