"""One reader per runtime: transcript -> what a session is made of."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from nlm_tui.ingest.ports import Reader
from nlm_tui.runtimes.claude import ClaudeCodeReader
from nlm_tui.runtimes.codex import CodexReader
from nlm_tui.runtimes.copilot import CopilotReader

__all__ = ["ClaudeCodeReader", "CodexReader", "CopilotReader", "default_readers"]


class _RuntimeReader(Reader, Protocol):
    """A reader that looks in the folders that one runtime calls its own."""

    def __init__(self, homes: Sequence[Path], /) -> None: ...

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path, /) -> Reader: ...


_READERS: tuple[type[_RuntimeReader], ...] = (
    ClaudeCodeReader,
    CodexReader,
    CopilotReader,
)


def default_readers(environ: Mapping[str, str], home: Path) -> tuple[Reader, ...]:
    """Return a reader for every runtime, each looking where its runtime would keep its transcripts."""
    return tuple(reader.from_environment(environ, home) for reader in _READERS)
