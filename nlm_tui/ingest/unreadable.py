"""What readers come upon where they look, and cannot look into: noted for whoever asked them to."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_noted: ContextVar[dict[str, str] | None] = ContextVar("_noted", default=None)


@contextmanager
def noting() -> Generator[dict[str, str]]:
    """Yield the paths of what readers cannot look into meanwhile, each with the reason."""
    noted: dict[str, str] = {}
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def note(folder: str, error: OSError) -> None:
    """Note that a folder cannot be looked into; one that is not there is no fault."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        note_reason(folder, f"cannot be read: {error.strerror or type(error).__name__}")


def note_reason(path: str, reason: str) -> None:
    """Note why what is at `path` was not looked into."""
    noted = _noted.get()
    if noted is not None:
        noted[path] = reason
