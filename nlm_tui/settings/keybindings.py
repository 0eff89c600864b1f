"""The keys that the user wants for commands: the table `keys` of the settings file, as it is written there."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from nlm_tui.settings.toml_text import dotted, line_of, shown

OWN_KEYS: Final = "keys"


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
        keys = _keys(written)
        if keys is None:
            may = 'may be keys, as in "ctrl+y,y" or ["ctrl+y", "y"]'
            problems.append(f"{path}, line {line}: {command} is {shown(written)}, but {may}")
        elif command in seen:
            problems.append(f"{path}, line {line}: {command} is given twice")
        else:
            yield KeyBinding(command, keys, path, line)
        seen.add(command)


def _keys(written: object) -> tuple[str, ...] | None:
    if isinstance(written, str):
        return tuple(written.split(",")) if written.strip() else ()
    if isinstance(written, list):
        items = cast("list[object]", written)
        if all(isinstance(item, str) for item in items):
            return tuple(cast("list[str]", items))
    return None
