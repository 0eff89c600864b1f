"""Tables of the settings file, checked against the keys that may stand in them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from nlm_tui.settings.elements import WrongElementError
from nlm_tui.settings.keys import Key
from nlm_tui.settings.toml_text import SHOWN, line_of, shown

T = TypeVar("T")


class Values:
    """The value of each key: as it is given, else its default."""

    def __init__(self, given: Mapping[str, object]) -> None:
        self._given = given

    def __getitem__(self, key: Key[T]) -> T:
        return cast("T", self._given[key.name]) if key.name in self._given else key.default

    def __or__(self, others: Mapping[str, object]) -> "Values":
        """Return these values, with `others` in the place of those of the same keys."""
        return Values({**self._given, **others})


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The settings file, with what is wrong in it; its text is TOML."""

    path: Path
    text: str
    problems: list[str]

    def wrong(self, name: str, problem: str) -> None:
        """Note a problem of the key or table `name`, with its line."""
        self.problems.append(f"{self.path}, line {line_of(name, self.text)}: {problem}")

    def table(self, value: object, name: str) -> dict[str, object]:
        """Return `value` if it is a table, else an empty one; then that is noted."""
        if isinstance(value, dict):
            return cast("dict[str, object]", value)
        self.wrong(name, f'{name} is {shown(value)}, but must be a table, begun by "[{name}]"')
        return {}

    def checked(
        self, table: Mapping[str, object], keys: Sequence[Key[object]], within: str = "", *, others: Sequence[str] = ()
    ) -> Values:
        """Return the values in a table that are as they must be; what else is in it is noted.

        `within` is the name of the table, `others` the keys in it that are checked elsewhere.
        """
        by_name = {key.name: key for key in keys}
        found: dict[str, object] = {}
        for name, value in table.items():
            place = f"{within}.{name}" if within else name
            if key := by_name.get(name):
                try:
                    found[name] = key.check(value)
                except WrongElementError as error:
                    self.wrong(place, f"{name}: {error}; it may be {key.allowed}")
                except ValueError:
                    self.wrong(place, f"{name} {wrong_value(key, value)}")
            elif name not in others:
                known = [*by_name, *others]
                where = f" in {within.partition('[')[0]}" if within else ""
                problem = f"there is no setting {shown(name)}{where}{_near(name, known)}; settings: {', '.join(known)}"
                self.wrong(place, problem)
        return Values(found)


def wrong_value(key: Key[object], value: object) -> str:
    """Return what is wrong with a value that `key` may not have."""
    near = _near(value, key.choices) if isinstance(value, str) else ""
    return f"is {shown(value)}, but may be {key.allowed}{near}"


def _near(text: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    near = get_close_matches(text.casefold()[:SHOWN], list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""
