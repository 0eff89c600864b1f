"""All that can be done on the search screen."""

from typing import Final

from nlm_tui.ui.commands import moving, searching
from nlm_tui.ui.commands.command import Command

COMMANDS: Final[tuple[Command, ...]] = (*moving.COMMANDS, *searching.COMMANDS)
"""All commands, in the order in which they are listed."""

BY_ID: Final[dict[str, Command]] = {command.id: command for command in COMMANDS}
