"""What `ingest` needs from the rest: readers that parse transcripts, a writer that keeps sessions."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nlm_tui.core import Message, Session


class TranscriptError(Exception):
    """A source that cannot be read as a transcript; the text says why, in words for the user."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that may hold a transcript. `salt` is text from elsewhere that its session depends on, such as a title."""

    path: Path
    size: int
    mtime_ns: int
    salt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What a reader found in a source. Counts cover all of it; `messages` may lack the middle of a very long one."""

    session_id: str
    runtime: str
    native_id: str
    kind: str
    messages: tuple[Message, ...]
    title: str | None = None
    project: str | None = None
    branch: str | None = None
    model: str | None = None
    parent_id: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    prompts: int = 0
    answers: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    images: int = 0
    summaries: int = 0
    bad_lines: int = 0
    truncated_tail: bool = False


class Reader(Protocol):
    """Finds and reads the transcripts of one runtime. Sources are only ever read."""

    @property
    def runtime(self) -> str:
        """The runtime's name, as sessions carry it."""
        ...

    @property
    def roots(self) -> Sequence[Path]:
        """The folders it looks in, whether they exist or not."""
        ...

    def discover(self) -> Iterable[Source]:
        """Yield what may be a transcript, in any order; unreadable folders are passed over."""
        ...

    def read(self, source: Source) -> Transcript | None:
        """Return the transcript, or None for a file that holds no conversation.

        Raises:
            TranscriptError: the file is no transcript, or cannot be read as one.
            OSError: the file cannot be opened.
        """
        ...


@dataclass(frozen=True, slots=True)
class SourceState:
    """What the memory knows of a source that it read before."""

    size: int
    mtime_ns: int
    fingerprint: str
    session_id: str | None
    gone: bool = False
    reason: str | None = None


class MemoryWriter(Protocol):
    """The side of the store that ingestion writes to."""

    def source_states(self, runtime: str) -> Mapping[str, SourceState]:
        """Return what is known, by path."""
        ...

    def batch(self) -> AbstractContextManager[None]:
        """One transaction: all that is written inside becomes visible at its end, or nothing."""
        ...

    def forgotten(self) -> Collection[str]:
        """Return the ids of the sessions that are not to be read again."""
        ...

    def forget_also(self, session_ids: Collection[str]) -> None:
        """Note that these are not to be read again either."""
        ...

    def insert_session(self, session: Session) -> None:
        """Insert the session, or replace the one of the same id."""
        ...

    def record_source(self, runtime: str, path: str, state: SourceState) -> None:
        """Remember that a source was read."""
        ...

    def mark_source_gone(self, runtime: str, path: str) -> None:
        """Remember that a source was deleted; its session stays, marked."""
        ...
