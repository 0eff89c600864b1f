"""The user's own keys, checked before the screen opens."""

from collections import Counter
from collections.abc import Iterator, Sequence

from nlm_tui.settings import KeyBinding, SettingsError
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.keynames import is_typed, key_of, shown
from nlm_tui.ui.scopes import Scope, bindings, scopes

LEAVING = ("app.quit", "app.interrupt")
"""What leaves the program; one of it must have a key."""
_NEAREST, _NEAR = 2, 0.75


def read_keys(own: Sequence[KeyBinding]) -> KeyMap:
    """Return the keys of all commands.

    Raises:
        SettingsError: some keys of `own` cannot be; for all of them it says where they stand, and why.
    """
    problems: list[str] = []
    found = {binding.command: keys for binding in own if (keys := _checked(binding, problems)) is not None}
    keymap = KeyMap(found)
    for binding in own:
        if binding.command in found:
            problems += [f"{binding.place}: {binding.command}: {said}" for said in _conflicts(binding, keymap)]
    if not any(keymap.keys(command) for command in LEAVING):
        place = next(binding.place for binding in own if binding.command in LEAVING)
        problems.append(f"{place}: without a key for one of {' and '.join(LEAVING)} the program cannot be left")
    if problems:
        raise SettingsError(*dict.fromkeys(problems))
    return keymap


def with_wrong_keys(error: SettingsError) -> SettingsError:
    """Return an error that names also what is wrong with the user's keys."""
    try:
        read_keys(error.own_keys)
    except SettingsError as more:
        return SettingsError(*error.problems, *more.problems)
    return error


def _checked(binding: KeyBinding, problems: list[str]) -> tuple[str, ...] | None:
    """Return the keys of a binding as Textual names them; None where they cannot be, which goes to `problems`."""
    command = binding.command
    if command not in bindings():
        problems.append(f"{binding.place}: there is no command {_quoted(command)}{_near(command)}")
        return None
    keys: list[str] = []
    wrong: list[str] = []
    for written in binding.keys:
        try:
            keys.append(key_of(written))
        except ValueError as error:
            wrong.append(f"{_quoted(written.strip() or written)} cannot be a key: {error}")
    wrong += [f"{shown(key)} is given twice" for key, times in Counter(keys).items() if times > 1]
    problems += [f"{binding.place}: {command}: {said}" for said in wrong]
    return None if wrong else tuple(keys)


def _conflicts(binding: KeyBinding, keymap: KeyMap) -> Iterator[str]:
    """Yield what speaks against the keys of a binding, once for each of them."""
    told: set[str] = set()
    command, everywhere = binding.command, scopes()[0]
    at_once = bindings()[command].priority
    for scope in scopes():
        is_here = at_once or command in _ids(scope)
        if not (is_here or (scope.is_home and command in _ids(everywhere))):
            continue
        where = "" if scope is everywhere else f", in {scope.name}"
        rivals = [*_ids(scope), *_ids(everywhere, prior=not (scope.is_home and command in _ids(scope)))]
        for key in keymap.keys(command):
            if key in told:
                continue
            if other := next((rival for rival in rivals if _collide(command, rival, key, keymap)), None):
                told.add(key)
                yield f"{shown(key)} runs {other} too{where}: give that one another key"
            elif (at_once or (is_here and scope.types)) and is_typed(key):
                told.add(key)
                yield f"{shown(key)} could not be typed any more"


def _ids(scope: Scope, *, prior: bool = False) -> list[str]:
    """Return what has a key in a part of the screen; `prior` what runs before any smaller part sees its key."""
    return [held.id for held in scope.bindings if held.id is not None and (held.priority or not prior)]


def _collide(command: str, rival: str, key: str, keymap: KeyMap) -> bool:
    """Return whether a key runs two commands, and not because the program itself gives it to both."""
    both = (command, rival)
    by_default = all(key in KeyMap().keys(one) for one in both)
    return command != rival and key in keymap.keys(rival) and not by_default


def _near(command: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    near = get_close_matches(command.lower(), list(bindings()), n=_NEAREST, cutoff=_NEAR)
    if not near:
        return f"; all are listed by the help, as in {_quoted('search.mode')}"
    return f"; did you mean {' or '.join(map(_quoted, near))}?"


def _quoted(text: str) -> str:
    return '"' + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:60]) + '"'
