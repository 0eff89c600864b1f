"""What `ingest` needs from the rest: readers that parse transcripts, a writer that keeps sessions."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from nlm_tui.core import Message, Session, storable


class TranscriptError(Exception):
    """A source that cannot be read as a transcript; the text says why, in words for the user."""


class SourceBusyError(TranscriptError):
    """A source that another program has for itself just now. It is read when that is done."""


def reason_of(error: Exception) -> str:
    """Return why a source cannot be read, in words for the user and without a word of the transcript."""
    if isinstance(error, TranscriptError):
        return str(error)
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or type(error).__name__}"
    return f"cannot be read: internal error ({type(error).__name__})"


@dataclass(frozen=True, slots=True)
class Source:
    """What may hold a transcript: a file, or a `part` of one that holds many.

    Size, time and `salt` tell whether it changed; the salt is text from elsewhere that its session depends on, such as
    a title. Those of a part are of the part: its length, when it was last written to, a revision. `file` is device and
    inode, where the system has them: one file may be found by several paths.
    """

    path: Path
    size: int
    mtime_ns: int
    salt: str = ""
    part: str = ""
    file: tuple[int, int] | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        """The name by which the memory knows it."""
        return storable(f"{self.path}#{self.part}" if self.part else str(self.path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What a reader found in a source. Counts cover all of it; `messages` may lack the middle of a very long one.

    Times are ISO 8601 in UTC; `local_start` and `local_end` are those without a zone, where the runtime writes no
    other. `parent_id` is the session that this is a subagent of, or goes on from where the runtime begins a new one;
    `forked_from` the one whose history it begins with. That history is counted as inherited; where the file holds a
    copy of it, its messages are here too, marked, and count as prompts and answers. Sidechains are subagents inside
    the file; their messages are counted apart. Tokens are 0 where the runtime does not say. `bad_line` is the number
    of the first of the `bad_lines`, from 1, where they are lines.
    """

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
    forked_from: str | None = None
    is_subagent: bool = False
    agent_type: str | None = None
    archived: bool = False
    started_at: str | None = None
    ended_at: str | None = None
    local_start: str | None = None
    local_end: str | None = None
    prompts: int = 0
    answers: int = 0
    inherited_prompts: int = 0
    inherited_answers: int = 0
    sidechain_prompts: int = 0
    sidechain_answers: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    images: int = 0
    summaries: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    bad_lines: int = 0
    bad_line: int | None = None
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
        """Yield the files that may hold transcripts, in any order; unreadable folders are passed over."""
        ...

    def read(self, source: Source) -> Transcript | None:
        """Return the transcript, or None for a file that holds no conversation.

        Raises:
            TranscriptError: the file is no transcript, or cannot be read as one.
            OSError: the file cannot be opened.
        """
        ...


@runtime_checkable
class PartsReader(Reader, Protocol):
    """A reader some of whose files hold many transcripts."""

    def parts(self, source: Source) -> Iterable[Source]:
        """Return the transcripts in a file that `discover` found, as parts of it; the file itself where it is one.

        Called only for a file that changed. The parts are read one by one.

        Raises:
            TranscriptError: the file cannot be read; what was read from it before stays.
            OSError: the file cannot be opened.
        """
        ...


@runtime_checkable
class ProjectsReader(Reader, Protocol):
    """A reader that looks into the directories of sessions, also those that others read in the same run.

    It looks below its roots, too, of which it names only the files that lie just there.
    """

    def projects(self) -> Collection[Path]:
        """Return these directories."""
        ...


class Reading(Protocol):
    """The state of reading a file that grows at its end."""

    def grow(self, source: Source) -> bool:
        """Read what was added; False for a file that was rewritten, which is to be read from its beginning."""
        ...

    def transcript(self) -> Transcript | None:
        """Return what was read so far, as `Reader.read` does."""
        ...


@runtime_checkable
class GrowingReader(Reader, Protocol):
    """A reader whose files are only appended to, as a rule."""

    def open(self, source: Source) -> Reading:
        """Read a file, and keep the state of reading it. Raises what `read` raises."""
        ...


@dataclass(frozen=True, slots=True)
class SourceState:
    """What the memory knows of a source that it read before.

    `bad_line` is the number of the first of the `bad_lines`, from 1, where they are lines.
    """

    size: int
    mtime_ns: int
    fingerprint: str
    session_id: str | None
    gone: bool = False
    reason: str | None = None
    bad_lines: int = 0
    bad_line: int | None = None


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

    def get_by_id(self, session_id: str) -> Session | None:
        """Return a session, or None."""
        ...

    def sessions_by_project(self) -> Mapping[str, int]:
        """Return how many sessions took place in each directory."""
        ...

    def insert_sessions(self, *sessions: Session) -> None:
        """Insert sessions; of those with the same id the last one stays."""
        ...

    def record_source(self, runtime: str, path: str, state: SourceState) -> None:
        """Remember that a source was read."""
        ...

    def mark_source_gone(self, runtime: str, path: str) -> None:
        """Remember that a source was deleted; its session stays, marked."""
        ...

    def mark_replaced(self, session_id: str, path: str) -> None:
        """Mark a session whose source at `path` was replaced by that of another one."""
        ...
