"""The user's own keys, checked before the screen opens."""

from collections import Counter
from collections.abc import Iterator, Sequence

from nlm_tui.settings import KeyBinding, SettingsError
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.keynames import is_typed, key_of, shown
from nlm_tui.ui.scopes import Scope, bindings, scopes

LEAVING = ("app.quit", "app.interrupt")
"""What leaves the program; one of it must have a key."""
_NEAREST = 3


def read_keys(own: Sequence[KeyBinding]) -> KeyMap:
    """Return the keys of all commands.

    Raises:
        SettingsError: some keys of `own` cannot be; the text says where they stand, and why.
    """
    found = {binding.command: _checked(binding) for binding in own}
    keymap = KeyMap(found)
    for binding in own:
        for problem in _conflicts(binding, keymap):
            raise SettingsError(f"{binding.place}: {binding.command}: {problem}")
    if not any(keymap.keys(command) for command in LEAVING):
        place = next(binding.place for binding in own if binding.command in LEAVING)
        raise SettingsError(f"{place}: without a key for one of {' and '.join(LEAVING)} the program cannot be left")
    return keymap


def _checked(binding: KeyBinding) -> tuple[str, ...]:
    """Return the keys of a binding as Textual names them."""
    if binding.command not in bindings():
        raise SettingsError(f"{binding.place}: there is no command {_quoted(binding.command)}{_near(binding.command)}")
    keys: list[str] = []
    for written in binding.keys:
        try:
            keys.append(key_of(written))
        except ValueError as error:
            raise SettingsError(
                f"{binding.place}: {binding.command}: {_quoted(written.strip() or written)} cannot be a key: {error}"
            ) from None
    for key, times in Counter(keys).items():
        if times > 1:
            raise SettingsError(f"{binding.place}: {binding.command}: {shown(key)} is given twice")
    return tuple(keys)


def _conflicts(binding: KeyBinding, keymap: KeyMap) -> Iterator[str]:
    """Yield what speaks against the keys of a binding."""
    command, everywhere = binding.command, scopes()[0]
    at_once = bindings()[command].priority
    for scope in scopes():
        ids = [held.id for held in scope.bindings if held.id is not None]
        if command not in ids and not (at_once and scope is not everywhere):
            continue
        where = "" if scope is everywhere else f", in {scope.name}"
        rivals = [*ids, *_prior(everywhere)]
        for key in keymap.keys(command):
            if other := next((rival for rival in rivals if rival != command and key in keymap.keys(rival)), None):
                yield f"{shown(key)} runs {other} too{where}: give that one another key"
            elif (scope.types or at_once) and is_typed(key):
                yield f"{shown(key)} could not be typed any more"


def _prior(everywhere: Scope) -> list[str]:
    """Return what runs before any part of the screen sees its key."""
    return [binding.id for binding in everywhere.bindings if binding.priority and binding.id is not None]


def _near(command: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    near = get_close_matches(command.lower(), list(bindings()), n=_NEAREST, cutoff=0.5)
    if not near:
        return f"; all are listed by the help, as in {_quoted('search.mode')}"
    return f"; did you mean {' or '.join(map(_quoted, near))}?"


def _quoted(text: str) -> str:
    return '"' + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:60]) + '"'
