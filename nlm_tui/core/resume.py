"""How a session goes on in the agent that it was led with."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resume:
    """The command that goes on with a session, and the directory to run it in (None: any).

    `refusal` says why it cannot be run, '' where it can; `notes` say what to know before. Both may quote a transcript,
    and are safe to show.
    """

    command: tuple[str, ...] = ()
    directory: str | None = None
    refusal: str = ""
    notes: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The same for a shell, '' where there is no command."""
        command = shlex.join(self.command)
        return f"cd {shlex.quote(self.directory)} && {command}" if command and self.directory else command
