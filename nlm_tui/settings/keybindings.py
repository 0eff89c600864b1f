"""The keys that the user wants for commands: the table `keys` of the settings file, as it is written there."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from nlm_tui.settings.elements import WrongElementError, texts
from nlm_tui.settings.toml_text import dotted, line_of, shown

OWN_KEYS: Final = "keys"
_ALLOWED = 'keys, as in "ctrl+y,y" or ["ctrl+y", "y"]'


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """The keys that one command is to have, and where that is written. Whether they can be is known to the screen."""

    command: str
    keys: tuple[str, ...]
    path: Path
    line: int

    @property
    def place(self) -> str:
        """Where it is written."""
        return f"{self.path}, line {self.line}"


def key_bindings(value: object, path: Path, text: str, problems: list[str]) -> Iterator[KeyBinding]:
    """Yield what the table `keys` says; `session.copy` may be in quotes or not. What is wrong goes to `problems`."""
    if not isinstance(value, dict):
        line = line_of(OWN_KEYS, text)
        problems.append(f'{path}, line {line}: keys is {shown(value)}, but must be a table, begun by "[keys]"')
        return
    seen: set[str] = set()
    for command, written in dotted(cast("dict[str, object]", value)):
        line = line_of(f"{OWN_KEYS}.{command}", text)
        try:
            keys = _keys(written)
        except WrongElementError as error:
            problems.append(f"{path}, line {line}: {command}: {error}; it may be {_ALLOWED}")
            continue
        except ValueError:
            problems.append(f"{path}, line {line}: {command} is {shown(written)}, but may be {_ALLOWED}")
            continue
        if command in seen:
            problems.append(f"{path}, line {line}: {command} is given twice")
        else:
            yield KeyBinding(command, keys, path, line)
        seen.add(command)


def _keys(written: object) -> tuple[str, ...]:
    if isinstance(written, str):
        return tuple(written.split(",")) if written.strip() else ()
    return texts(written)
