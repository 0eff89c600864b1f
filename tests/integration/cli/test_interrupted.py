"""Ctrl+C ends the command quietly, whatever it does at that moment."""

import subprocess
import sys
from pathlib import Path

import pytest

from nlm_tui.storage import SqliteSessionStore

_INTERRUPTED_WHILE = """
import os, signal, sys, types
from nlm_tui.__main__ import main
{moment}
sys.argv = ["nlm-tui", *{arguments}]
main()
"""
_LOADING = """
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "nlm_tui.cli":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
"""
_OPENING = """
import nlm_tui.storage
def opens(*arguments, **named):
    os.kill(os.getpid(), signal.SIGINT)
nlm_tui.storage.SqliteSessionStore.open = opens
"""


@pytest.mark.parametrize("moment", [_LOADING, _OPENING], ids=["loading", "opening"])
def test_it_ends_quietly(moment: str, tmp_path: Path) -> None:
    store = tmp_path / "memory.sqlite"
    SqliteSessionStore.open(store).close()
    program = _INTERRUPTED_WHILE.format(moment=moment, arguments=["--db", str(store), "search", "billing"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
