"""No cell of a real terminal is left as it was: where all of it is painted again, it shows the same."""

import os
import shutil
import signal

import pytest
from virtual_terminal import VirtualTerminal

OPEN = "SSH_CONNECTION=x exec nlm-tui --demo"  # over SSH nothing blinks
STEPS = [
    ("dead", "dead"),
    (" letter", "dead letter"),
    ("BSpace", "dead lette"),
    *(("Down", "dead lette"),) * 2,
    *((f"M-{view}", "dead lette") for view in (2, 3, 4, 5, 6, 1)),
    ("F1", "What you can type"),
    ("Escape", "dead lette"),
    ("M-x", "Search for commands"),
    ("theme", "theme"),
    ("Escape", "dead lette"),
    ("C-l", "why"),
    ("NPage", "dead lette"),
]


def picture(terminal) -> list[list[object]]:
    """Return what is seen of each cell."""
    seen = VirtualTerminal(120, 40)
    seen.feed(terminal.tmux("capture-pane", "-peN").removesuffix("\n").replace("\n", "\r\n"))
    return seen.picture


def at_rest(terminal) -> list[list[object]]:
    """Wait until nothing changes any more, and return what is seen then."""
    seen: list[list[list[object]]] = []

    def rests() -> bool:
        seen.append(picture(terminal))
        return len(seen) > 10 and all(each == seen[-1] for each in seen[-10:])

    terminal.wait(rests, "a screen that rests")
    return seen[-1]


@pytest.fixture
def process(terminal) -> int:
    """Open the invented memory, and return the number of its process."""
    terminal.enter(OPEN)
    terminal.wait_for("1 Sessions")
    return int(terminal.tmux("display-message", "-p", "#{pane_pid}"))


def paint_all_again(terminal, process: int) -> None:
    """Let the terminal forget what it shows, and check that the same comes back."""
    before = at_rest(terminal)
    terminal.tmux("send-keys", "-R")
    assert not terminal.shown.strip()
    os.kill(process, signal.SIGWINCH)  # as where a window was another size, and is no longer
    terminal.wait(lambda: picture(terminal) == before, "what was shown before")


def test_whatever_was_pressed(terminal, process: int) -> None:
    for key, expected in STEPS:
        terminal.press(key)
        terminal.wait_for(expected)
        paint_all_again(terminal, process)


def test_in_a_window_of_another_size(terminal, process: int) -> None:
    for columns, lines in ((60, 12), (120, 40), (100, 30)):
        terminal.tmux("resize-window", "-x", str(columns), "-y", str(lines))
        terminal.wait(lambda lines=lines: "enter" in "".join(terminal.rows[lines - 1 :]), "the last line")
        paint_all_again(terminal, process)


def test_after_a_stop(terminal) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    terminal.enter("exec env PS1='$ ' bash --norc --noprofile")
    terminal.enter(OPEN.replace("exec ", ""))
    terminal.wait_for("1 Sessions")
    before = at_rest(terminal)
    terminal.press("C-z")
    terminal.wait_for("Stopped")
    terminal.enter("fg")
    terminal.wait(lambda: picture(terminal) == before, "what was shown before")
