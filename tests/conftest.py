"""No test sees the machine that it runs on: an empty home, a clean environment, the same examples every time."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from nlm_tui.storage import SqliteSessionStore

# Slow machines are no failure, and a failure happens again.
settings.register_profile("nlm", deadline=None, derandomize=True, database=None)
settings.load_profile("nlm")

_FROM_THE_SHELL = ("NLM_", "CLAUDE", "CODEX", "OLLAMA", "TEXTUAL", "XDG_", "LC_")
_SINGLE = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PYTHONIOENCODING", "LANG", "LANGUAGE", "APPDATA")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, the only one that the program can find."""
    folder = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(_FROM_THE_SHELL) or name in _SINGLE:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("LOCALAPPDATA", str(folder / "AppData"))
    return folder


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    """Where `store` is."""
    return tmp_path / "memory.sqlite"


@pytest.fixture
def store(store_path: Path) -> Iterator[SqliteSessionStore]:
    """An empty store."""
    with SqliteSessionStore.open(store_path) as opened:
        yield opened
