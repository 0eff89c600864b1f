"""Which keys matter now, for the part of the screen that has the focus: what its last line says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from nlm_tui.ui.commands import COMMANDS
from nlm_tui.ui.scopes import Scope, main_scopes
from nlm_tui.ui.widgets.key_bar import Hint
from nlm_tui.ui.widgets.slots import SlotView

if TYPE_CHECKING:
    from textual.binding import Binding
    from textual.screen import Screen

    from nlm_tui.ui.screens.search import SearchScreen

_LAST: Final = "app.help"
_OF_TEXTUAL: Final = (Hint.of("escape", "cancel"), Hint.of("up", "up"), Hint.of("down", "down"))  # its own dialogs


def hints(screen: SearchScreen) -> Iterator[Hint]:
    """Yield the keys that matter, each with what it does: the most important first, last the one that always does."""
    top = screen.app.screen  # pyright: ignore[reportUnknownMemberType] - a bare App
    if top is not screen and top.is_modal:
        yield from _of_dialog(screen, top)
        return
    for command, does in _of_part(screen):
        if keys := screen.app_context.keys.keys(command):
            yield Hint.of(keys[0], does)


def _of_dialog(screen: SearchScreen, dialog: Screen[object]) -> Iterator[Hint]:
    """Yield the keys of a dialog; what leaves it is the last."""
    yield Hint.of("enter", "take it")
    own = [binding for binding in Scope("", type(dialog).__mro__).bindings if binding.show and binding.id is not None]
    found = [(screen.app_context.keys.keys(str(binding.id)), binding.description.lower()) for binding in own]
    leaves, *others = [Hint.of(keys[0], does) for keys, does in found if keys] or _OF_TEXTUAL
    yield from (*others, leaves)


def _of_part(screen: SearchScreen) -> Iterator[tuple[str, str]]:
    """Yield commands, those first that the part with the focus has, then those of the view."""
    keys, view = screen.app_context.keys, screen.view_name
    if isinstance(screen.focused, SlotView):
        yield "results.enter", "open"
    taken: set[str] = set()
    for binding in _of_focus(screen):
        taken.update(keys.keys(str(binding.id)))
        if binding.show:
            yield str(binding.id), binding.description.lower()
    for command in sorted(COMMANDS, key=lambda command: view not in command.views):
        matters = view in command.views or (command.shown and command.id != _LAST)
        if matters and not taken.intersection(keys.keys(command.id)[:1]) and not command.why_not(screen):
            yield command.id, command.title.lower()
    yield _LAST, "help"


def _of_focus(screen: SearchScreen) -> Iterator[Binding]:
    """Yield what has a key in the part with the focus, and can be done there now."""
    focused = screen.focused
    here = next((part for part in main_scopes()[1:] if isinstance(focused, part.nodes)), None)
    for binding in here.bindings if here is not None else ():
        can_be_done = focused is not None and focused.check_action(binding.action.partition("(")[0], ())
        if binding.id is not None and can_be_done:
            yield binding
