"""All keys as lines of text, for the shell."""

from collections.abc import Iterator

from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.scopes import scopes

_COLUMN = 24


def key_lines(keymap: KeyMap) -> Iterator[str]:
    """Yield what has a key, by the part of the screen in which it acts: its id, its keys, what it does."""
    for number, scope in enumerate(scopes()):
        if number:
            yield ""
        yield f"In {scope.name}" if number else scope.name.capitalize()
        for held in scope.bindings:
            command = str(held.id)
            yield f"  {command:{_COLUMN}}  {' '.join(keymap.labels(command)):{_COLUMN}}  {held.tooltip}"
