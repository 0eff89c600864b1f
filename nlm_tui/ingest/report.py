"""What a run of indexing says of itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that gave no session, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """A file that was read but for some of its lines: how many, and the number of the first, where they are lines."""

    path: str
    bad_lines: int
    bad_line: int | None = None


@dataclass(frozen=True, slots=True)
class Unwanted:
    """Sessions that the memory has although the settings exclude them now: those in `project`, or those with `ids`."""

    sessions: int
    project: str | None = None
    ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexProgress:
    """How far a run is. `total` counts the sources to read, `changed` the sessions that are new or updated by now."""

    done: int
    total: int
    changed: int
    path: str


@dataclass(slots=True, kw_only=True)
class IndexReport:
    """What a run did. `unchanged` counts sessions whose sources were not read again, `excluded` sources.

    `skipped` and `recovered` hold what earlier runs found as well; `bad_lines` are those of all that is recovered.
    """

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    gone: int = 0
    excluded: int = 0
    bad_lines: int = 0
    interrupted: bool = False
    seconds: float = 0.0
    skipped: list[Skipped] = field(default_factory=list["Skipped"])
    recovered: list[Recovered] = field(default_factory=list["Recovered"])
    unwanted: list[Unwanted] = field(default_factory=list["Unwanted"])


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProgress:
    """How far sessions are embedded, in passages; `seconds_left` is None as long as nothing can be said."""

    model: str
    done: int
    total: int
    seconds_left: float | None


@dataclass(slots=True, kw_only=True)
class EmbeddingReport:
    """What a run of embedding did: how many sessions got vectors, and why others did not.

    `elsewhere` says that nothing was done, since another process is at it.
    """

    embedded: int = 0
    interrupted: bool = False
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list[str])
    elsewhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionProgress:
    """How many sessions a language model has looked at; `seconds_left` is None as long as nothing can be said."""

    model: str
    done: int
    total: int
    seconds_left: float | None


@dataclass(slots=True, kw_only=True)
class ExtractionReport:
    """What a run of a language model over sessions did, and why it failed with others.

    `waiting` are sessions with which it failed, now or before, and which it tries again after a pause. `elsewhere` says
    that nothing was done, since another process is at it.
    """

    extracted: int = 0
    failed: int = 0
    waiting: int = 0
    interrupted: bool = False
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list[str])
    elsewhere: bool = False
