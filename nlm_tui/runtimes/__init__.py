"""One reader per runtime: transcript -> what a session is made of."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from nlm_tui.ingest.ports import Reader
from nlm_tui.runtimes.aider import AiderReader
from nlm_tui.runtimes.amp import AmpReader
from nlm_tui.runtimes.claude import ClaudeCodeReader
from nlm_tui.runtimes.codex import CodexReader
from nlm_tui.runtimes.copilot import CopilotReader
from nlm_tui.runtimes.cursor import CursorReader
from nlm_tui.runtimes.droid import DroidReader
from nlm_tui.runtimes.gemini import GeminiReader
from nlm_tui.runtimes.generic import generic_reader
from nlm_tui.runtimes.goose import GooseReader
from nlm_tui.runtimes.hermes import HermesReader
from nlm_tui.runtimes.opencode import OpenCodeReader
from nlm_tui.runtimes.pi import PiReader
from nlm_tui.runtimes.qwen import QwenReader
from nlm_tui.runtimes.windsurf import WindsurfReader
from nlm_tui.settings import SourceSettings

__all__ = ["AiderReader", "ClaudeCodeReader", "CodexReader", "CopilotReader", "default_readers"]


class _RuntimeReader(Reader, Protocol):
    """A reader that looks in the folders that one runtime calls its own."""

    def __init__(self, homes: Sequence[Path], /) -> None: ...

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path, /) -> Reader: ...


READERS: tuple[type[_RuntimeReader], ...] = (
    ClaudeCodeReader,
    CodexReader,
    GeminiReader,
    OpenCodeReader,
    PiReader,
    CopilotReader,
    CursorReader,
    AiderReader,
    QwenReader,
    GooseReader,
    AmpReader,
    HermesReader,
    WindsurfReader,
    DroidReader,
)


def default_readers(
    environ: Mapping[str, str],
    home: Path,
    sources: SourceSettings | None = None,
    folders: Callable[[], Iterable[Path]] = tuple,
) -> tuple[Reader, ...]:
    """Return a reader for every runtime that is wanted, each looking where its runtime would keep its transcripts.

    `sources` names other places and describes further runtimes; `folders` returns the directories of known projects,
    for runtimes that keep their transcripts there.
    """
    sources = sources or SourceSettings()
    readers: list[Reader] = []
    for kind in READERS:
        reader = kind.from_environment(environ, home)
        own = sources.of(reader.runtime)
        if kind is AiderReader:
            reader = AiderReader.from_environment(environ, home, own.roots, folders)
        elif own.roots:
            reader = kind(own.roots)
        if own.enabled:
            readers.append(reader)
    return (*readers, *map(generic_reader, sources.generic))
