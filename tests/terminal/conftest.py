"""A real terminal: tmux, with a server of its own, which is asked what it shows."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

_PATIENCE = 40.0  # seconds, on a machine with much else to do
_SIZE = ("-x", "100", "-y", "30")


class Terminal:
    """A shell on a terminal of a tmux server that no other test uses."""

    def __init__(self, folder: Path, environ: dict[str, str]) -> None:
        self._socket = folder / "tmux"
        self._environ = environ
        self.tmux("new-session", "-d", *_SIZE, "-c", str(folder), "env", "PS1=$ ", "sh")
        self.tmux("set-option", "-g", "status", "off")

    def tmux(self, *words: str) -> str:
        """Run a command of tmux and return what it says."""
        command = ["tmux", "-u", "-f", os.devnull, "-S", str(self._socket), *words]
        done = subprocess.run(command, env=self._environ, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def shown(self) -> str:
        """What the terminal shows."""
        return self.tmux("capture-pane", "-pJ")  # wrapped lines as one

    @property
    def rows(self) -> list[str]:
        """What each row of the terminal shows."""
        return self.tmux("capture-pane", "-p").splitlines()

    def press(self, *keys: str) -> None:
        """Press keys, as tmux names them."""
        self.tmux("send-keys", *keys)

    def enter(self, text: str) -> None:
        """Type a line."""
        self.tmux("send-keys", "-l", text)
        self.press("Enter")

    def wait(self, done: Callable[[], object], what: str) -> None:
        """Wait until something is so, and fail where it never is."""
        deadline = time.monotonic() + _PATIENCE
        while not done():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} never came; the terminal shows:\n{self.shown}")
            time.sleep(0.02)  # between two looks

    def wait_for(self, text: str) -> None:
        """Wait until a text is on the terminal."""
        self.wait(lambda: text in self.shown, text)

    def wait_without(self, text: str) -> None:
        """Wait until a text is no longer on the terminal."""
        self.wait(lambda: text not in self.shown, f"a screen without {text}")

    def end(self) -> None:
        """Stop this server, and whatever runs on it."""
        self.tmux("kill-server")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder in PATH, for programs that a test makes up."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


@pytest.fixture
def terminal(home: Path, programs: Path) -> Iterator[Terminal]:
    """A shell on a terminal, in a home of its own; it knows `nlm-tui`."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    python = shlex.quote(sys.executable)
    (programs / "nlm-tui").write_text(f'#!/bin/sh\nexec {python} -m nlm_tui "$@"\n')
    (programs / "nlm-tui").chmod(0o755)
    environ = {
        "HOME": str(home),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "xterm-256color",
        "NLM_EMBEDDER": "off",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    with tempfile.TemporaryDirectory(prefix="nlm-") as folder:  # the path of a socket must be short
        opened = Terminal(Path(folder), environ)
        try:
            yield opened
        finally:
            opened.end()
