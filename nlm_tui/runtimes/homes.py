"""The folders that runtimes are told to use."""

from pathlib import Path


def named_folder(named: str, home: Path) -> Path:
    """Return the folder that a variable or setting names, with `home` for `~` as runtimes read it."""
    if named == "~" or named.startswith(("~/", "~\\")):
        return home / named[2:]
    return Path(named)
