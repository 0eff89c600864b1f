"""Folders that cannot be looked into: noted where readers look, for whoever asked them to."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_noted: ContextVar[dict[str, str] | None] = ContextVar("_noted", default=None)


@contextmanager
def noting() -> Generator[dict[str, str]]:
    """Yield the folders that readers cannot look into meanwhile, each with the reason."""
    noted: dict[str, str] = {}
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def note(folder: str, error: OSError) -> None:
    """Note that a folder cannot be looked into; one that is not there is no fault."""
    noted = _noted.get()
    if noted is not None and not isinstance(error, FileNotFoundError | NotADirectoryError):
        noted[folder] = f"cannot be read: {error.strerror or type(error).__name__}"
