"""All that can be done on the search screen."""

from typing import Final

from nlm_tui.ui.commands import editing, helping, moving, reading, searching, using, viewing
from nlm_tui.ui.commands.command import Command

GROUPS: Final[dict[str, tuple[Command, ...]]] = {
    "Moving": moving.COMMANDS,
    "Reading the session": reading.COMMANDS,
    "Searching": searching.COMMANDS,
    "Views": viewing.COMMANDS,
    "Using a session": using.COMMANDS,
    "Changing the memory": editing.COMMANDS,
    "The program": helping.COMMANDS,
}
"""All commands, under the titles and in the order in which they are listed."""

COMMANDS: Final[tuple[Command, ...]] = tuple(command for group in GROUPS.values() for command in group)
"""All commands, in this order."""

BY_ID: Final[dict[str, Command]] = {command.id: command for command in COMMANDS}
