"""Copying text: by the system's own tool where it has one, else through the terminal, and saying which."""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 74_994
"""Bytes that most terminals take by OSC 52: a hundred thousand in base64."""

_OVER_SSH: Final = ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")
_PATIENCE: Final = 3.0  # seconds
_BEHIND: Final = subprocess.DEVNULL

Which = Callable[[str], str | None]
Run = Callable[[Sequence[str], bytes], int]
Ask = Callable[[Sequence[str]], str]
Send = Callable[[str], None]


class CopyFailedError(Exception):
    """The text cannot be copied, and why. It may quote nothing of it."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that puts what it reads on the clipboard."""

    words: tuple[str, ...]
    encoding: str = "utf-8"


def feed(command: Sequence[str], data: bytes) -> int:
    """Run a program that reads `data`, and return its exit status. Some go on in the background to serve the text.

    Raises:
        OSError: it cannot be run, or reads no further.
        subprocess.TimeoutExpired: it takes too long.
    """
    done = subprocess.run(  # noqa: S603 - a list of words of ours, no shell
        command, input=data, stdout=_BEHIND, stderr=_BEHIND, timeout=_PATIENCE, check=False
    )
    return done.returncode


def ask(command: Sequence[str]) -> str:
    """Run a program and return what it says, '' where it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - a list of words of ours, no shell
            command, stdin=_BEHIND, capture_output=True, encoding="utf-8", errors="replace", timeout=1.0, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


@dataclass(frozen=True, slots=True)
class Clipboard:
    """Where text is copied to on this machine. All that it asks and runs can be exchanged."""

    environ: Mapping[str, str]
    which: Which
    platform: str = sys.platform
    run: Run = feed
    ask: Ask = ask

    def copy(self, text: str, what: str, send: Send) -> str:
        """Copy `text`, which is `what`, and return what was done with it in words. `send` is the way of the terminal.

        Raises:
            CopyFailedError: it is too long for that way, and there is no other.
        """
        size = f"{what} ({len(text):,} {'character' if len(text) == 1 else 'characters'})"
        tool = self._tool()
        failure = ""
        if tool is not None:
            failure = self._failure(tool, text)
            if not failure:
                return f"copied {size} with {tool.words[0]}"
        length = len(text.encode("utf-8", "replace"))
        if length > LONGEST:
            raise CopyFailedError(
                f"{failure}{what} is {length:,} bytes long, and most terminals take no more than {LONGEST:,} by OSC 52"
            )
        send(text)
        return f"{failure}sent {size} to the terminal's clipboard by OSC 52{self._hint()}"

    def _tool(self) -> Tool | None:
        """Return the tool of the display in front of the user, if there is one; over SSH that is another machine's."""
        if any(self.environ.get(name) for name in _OVER_SSH):
            return None
        if self.platform == "darwin":
            found = [Tool(("pbcopy",))]
        elif self.platform == "win32" or self.environ.get("WSL_DISTRO_NAME"):
            found = [Tool(("clip.exe",), "utf-16")]
        else:
            found = []
        if self.environ.get("WAYLAND_DISPLAY"):
            found.append(Tool(("wl-copy",)))
        if self.environ.get("DISPLAY"):
            found += [Tool(("xclip", "-selection", "clipboard")), Tool(("xsel", "--clipboard", "--input"))]
        return next((tool for tool in found if self.which(tool.words[0])), None)

    def _failure(self, tool: Tool, text: str) -> str:
        """Run a tool and return how it failed, '' where it did not."""
        name = tool.words[0]
        try:
            status = self.run(tool.words, text.encode(tool.encoding, "replace"))
        except OSError as error:
            return f"{name} failed ({error.strerror or type(error).__name__}); "
        except subprocess.TimeoutExpired:
            return f"{name} did not answer; "
        return f"{name} failed with exit status {status}; " if status else ""

    def _hint(self) -> str:
        """Return what keeps the text from arriving, as far as that can be known."""
        if self.environ.get("TMUX"):
            told = self.ask(("tmux", "show", "-sv", "set-clipboard"))
            return "" if told == "on" else "; tmux needs: set -s set-clipboard on"
        if self.environ.get("STY"):
            return "; GNU screen may not pass it on"
        if self.environ.get("TERM_PROGRAM") == "Apple_Terminal":
            return "; macOS Terminal does not take it"
        return ""
