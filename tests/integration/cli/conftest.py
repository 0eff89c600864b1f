"""The real command, in a process of its own, on a machine where nothing else is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import Run

from nlm_tui.wiring import demo_store


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds what `--demo` would make for each run."""
    return demo_store(tmp_path_factory.mktemp("demo"))


@pytest.fixture
def environ(home: Path, tmp_path: Path) -> dict[str, str]:
    """All that a run sees of the environment."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    return {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PATH": os.environ["PATH"],
        "TMPDIR": str(temporary),
        "TZ": "UTC",
        "TERM": "xterm-256color",
        "PYTHONWARNINGS": "error",
        "NLM_EMBEDDER": "off",  # a test that needs meaning says so: the model takes seconds
        "PYTHONIOENCODING": "utf-8",
    }


@pytest.fixture
def run(environ: dict[str, str], tmp_path: Path) -> Run:
    """Run `nlm-tui` and return what came out; `code` is run in its place."""

    def call(*arguments: object, code: str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        program = ["-m", "nlm_tui"] if code is None else ["-c", code]
        return subprocess.run(
            [sys.executable, *program, *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
            env={**environ, **more},
            cwd=tmp_path,
            timeout=60,
        )

    return call
