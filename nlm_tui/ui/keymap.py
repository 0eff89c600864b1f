"""Which keys run what: those of the program, or the user's own."""

from collections.abc import Mapping, Sequence

from nlm_tui.ui.keynames import brief, named, shown
from nlm_tui.ui.scopes import binding_of

NO_KEY = "<{}>"
"""What stands for the key of a command that has none: no terminal sends it, and a key of one's own can replace it."""


class KeyMap:
    """The keys of each command, by its id. All that names a key asks here."""

    def __init__(self, own: Mapping[str, Sequence[str]] | None = None) -> None:
        self._own = {command: tuple(keys) for command, keys in (own or {}).items()}

    def keys(self, command: str) -> tuple[str, ...]:
        """Return the keys of a command, as Textual names them; none where it has none."""
        if command in self._own:
            return self._own[command]
        keys = (key.strip() for key in binding_of(command).key.split(","))
        return tuple(named(key) for key in keys if not key.startswith("<"))

    def labels(self, command: str) -> list[str]:
        """Return the keys of a command as texts name them: `Ctrl+T`."""
        return list(map(shown, self.keys(command)))

    def label(self, command: str) -> str:
        """Return the first key of a command as texts name it; where it has none, what the command is called."""
        keys = self.labels(command)
        return keys[0] if keys else f'"{binding_of(command).description}"'

    def brief(self, command: str) -> str:
        """Return the same as short lines name it: `ctrl+t`."""
        keys = self.keys(command)
        return brief(keys[0]) if keys else self.label(command)

    @property
    def for_textual(self) -> dict[str, str]:
        """The user's own keys, as the app takes them."""
        return {command: ",".join(keys) or NO_KEY.format(command) for command, keys in self._own.items()}
