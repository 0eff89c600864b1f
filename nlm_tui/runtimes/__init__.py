"""One reader per runtime: transcript -> what a session is made of."""

from collections.abc import Mapping
from pathlib import Path

from nlm_tui.ingest.ports import Reader
from nlm_tui.runtimes.claude import ClaudeCodeReader
from nlm_tui.runtimes.codex import CodexReader

__all__ = ["ClaudeCodeReader", "CodexReader", "default_readers"]


def default_readers(environ: Mapping[str, str], home: Path) -> tuple[Reader, ...]:
    """Return a reader for every runtime, each looking where its runtime would keep its transcripts."""
    return (ClaudeCodeReader.from_environment(environ, home), CodexReader.from_environment(environ, home))
