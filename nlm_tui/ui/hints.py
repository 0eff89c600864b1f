"""Which keys matter now, for the part of the screen that has the focus: what its last line says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from nlm_tui.ui.commands import COMMANDS
from nlm_tui.ui.scopes import main_scopes
from nlm_tui.ui.widgets.slots import SlotView

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen

_LAST: Final = "app.help"


def hints(screen: SearchScreen) -> Iterator[tuple[str, str]]:
    """Yield the commands that matter, each with what it does, the most important first and the help last."""
    if isinstance(screen.focused, SlotView):
        yield "results.enter", "open"
    here = next((part for part in main_scopes()[1:] if isinstance(screen.focused, part.nodes)), None)
    for binding in here.bindings if here is not None else ():
        if binding.show and binding.id is not None:
            yield binding.id, binding.description.lower()
    for command in COMMANDS:
        if command.shown and command.id != _LAST and not command.why_not(screen):
            yield command.id, command.title.lower()
    yield _LAST, "help"
