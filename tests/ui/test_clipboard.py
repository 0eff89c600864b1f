"""How text is copied, and what is said about it."""

import subprocess
import sys

import pytest

from nlm_tui.ui.clipboard import LONGEST, Clipboard, CopyFailedError, ask, feed


class Machine:
    """A machine with some programs, which notes what they were given."""

    def __init__(self, *programs: str, status: int | Exception = 0, told: str = "external") -> None:
        self.programs, self.status, self.told = programs, status, told
        self.fed: list[tuple[tuple[str, ...], bytes]] = []
        self.sent: list[str] = []

    def feed(self, command, data: bytes) -> int:
        self.fed.append((tuple(command), data))
        if isinstance(self.status, Exception):
            raise self.status
        return self.status

    def copy(self, text: str = "é", what: str = "the id", *, platform: str = "linux", **environ: str) -> str:
        found = Clipboard(
            environ,
            lambda name: f"/bin/{name}" if name in self.programs else None,
            platform,
            self.feed,
            lambda command: self.told if command == ("tmux", "show", "-sv", "set-clipboard") else "?",
        )
        return found.copy(text, what, self.sent.append)


ALL = ("wl-copy", "xclip", "xsel", "pbcopy", "clip.exe")


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, ("wl-copy",)),
        ({"DISPLAY": ":0"}, ("xclip", "-selection", "clipboard")),
        ({"platform": "darwin"}, ("pbcopy",)),
        ({"platform": "win32"}, ("clip.exe",)),
        ({"WSL_DISTRO_NAME": "Debian", "WAYLAND_DISPLAY": "wayland-0"}, ("clip.exe",)),
    ],
)
def test_the_tool_of_the_display_is_used(given: dict[str, str], command: tuple[str, ...]) -> None:
    machine = Machine(*ALL)
    assert machine.copy(**given) == f"copied the id (1 character) with {command[0]}"
    assert machine.fed == [(command, "é".encode("utf-16" if command == ("clip.exe",) else "utf-8"))]
    assert machine.sent == []


def test_a_tool_that_is_not_there_is_passed_over() -> None:
    assert Machine("xsel").copy(WAYLAND_DISPLAY="w", DISPLAY=":0").endswith("with xsel")


@pytest.mark.parametrize("environ", [{}, {"DISPLAY": ":0"}, {"SSH_TTY": "/dev/pts/1", "DISPLAY": ":10"}])
def test_else_the_terminal_is_asked(environ: dict[str, str]) -> None:
    machine = Machine(*(ALL if "SSH_TTY" in environ else ()))
    assert machine.copy("0123456789" * 120, **environ) == (
        "sent the id (1,200 characters) to the terminal's clipboard by OSC 52"
    )
    assert len(machine.sent) == 1
    assert machine.fed == []


@pytest.mark.parametrize(
    ("environ", "told", "hint"),
    [
        ({"TMUX": "/tmp/x"}, "external", "; tmux needs: set -s set-clipboard on"),  # noqa: S108
        ({"TMUX": "/tmp/x"}, "", "; tmux needs: set -s set-clipboard on"),  # noqa: S108
        ({"TMUX": "/tmp/x"}, "on", ""),  # noqa: S108
        ({"STY": "1.x"}, "", "; GNU screen may not pass it on"),
        ({"TERM_PROGRAM": "Apple_Terminal"}, "", "; macOS Terminal does not take it"),
    ],
)
def test_what_stands_in_the_way_is_said(environ: dict[str, str], told: str, hint: str) -> None:
    said = Machine(told=told).copy(**environ)
    assert said == f"sent the id (1 character) to the terminal's clipboard by OSC 52{hint}"


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (1, "xclip failed with exit status 1; "),
        (PermissionError(13, "Permission denied"), "xclip failed (Permission denied); "),
        (subprocess.TimeoutExpired("xclip", 3), "xclip did not answer; "),
    ],
)
def test_where_a_tool_fails_the_terminal_is_asked(status: int | Exception, said: str) -> None:
    machine = Machine("xclip", status=status)
    assert machine.copy(DISPLAY=":0") == f"{said}sent the id (1 character) to the terminal's clipboard by OSC 52"
    assert machine.sent == ["é"]


def test_what_is_too_long_for_the_terminal_is_not_sent() -> None:
    machine = Machine()
    with pytest.raises(CopyFailedError, match="the session is 74,996 bytes long, and most terminals take no more"):
        machine.copy("é" * (LONGEST // 2 + 1), "the session")
    machine.copy("x" * LONGEST)
    assert len(machine.sent) == 1
    assert Machine("xclip").copy("x" * 10**6, DISPLAY=":0").startswith("copied")


def test_text_that_is_none_is_copied_as_far_as_it_goes() -> None:
    machine = Machine("xclip")
    machine.copy("a\ud800b", DISPLAY=":0")
    assert machine.fed[0][1] == b"a?b"


def test_real_programs() -> None:
    assert feed([sys.executable, "-c", "import sys; sys.exit(len(sys.stdin.read()))"], b"abc") == 3
    assert ask([sys.executable, "-c", "print('on')"]) == "on"
    assert ask([sys.executable, "-c", "raise SystemExit(1)"]) == ""
    assert ask(["no-such-program"]) == ""
