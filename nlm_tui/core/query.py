"""What is asked of the memory, and what it answers."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

Mode = Literal["keyword", "semantic", "hybrid"]
MarkerKind = Literal["decision", "open"]

MODES: Final[tuple[Mode, ...]] = get_args(Mode)
MARKER_KINDS: Final[tuple[MarkerKind, ...]] = get_args(MarkerKind)
DEFAULT_LIMIT: Final = 20
MAX_LIMIT: Final = 100


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Which sessions may be found: those that name `entity`, and hold a marker of `kind`.

    `top_level` leaves out subagents, whose work belongs to the session that started them.
    """

    entity: str | None = None
    kind: MarkerKind | None = None
    top_level: bool = False

    def __bool__(self) -> bool:
        """Whether it can reject a session at all."""
        return self != SessionFilter()


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A search of the memory. `limit` is clamped to 1..100 when it runs.

    With `typing` the last word of `query` may be unfinished: until a blank follows, it matches as a beginning too.

    Raises:
        ValueError: `mode` or `kind` is none of the known ones.
    """

    query: str = ""
    mode: Mode = "keyword"
    limit: int = DEFAULT_LIMIT
    entity: str | None = None
    kind: MarkerKind | None = None
    typing: bool = False

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"unknown mode {self.mode!r}: use one of {', '.join(MODES)}")
        if self.kind is not None and self.kind not in MARKER_KINDS:
            raise ValueError(f"unknown kind {self.kind!r}: use one of {', '.join(MARKER_KINDS)}")

    @property
    def session_filter(self) -> SessionFilter:
        """The part of the query that sessions pass or not."""
        return SessionFilter(entity=self.entity, kind=self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallHit:
    """A session that a recall returned. All text is safe to show.

    `match_score` orders the hits; `keyword_score` (-bm25) and `semantic_score` (cosine) are its parts, None where that
    leg did not find the session. `snippet` is the passage that matched best, `snippet_field` where it stands.
    """

    id: str
    runtime: str
    started_at: str
    label: str
    summary: str
    entities: tuple[str, ...]
    decisions: tuple[str, ...]
    open: tuple[str, ...]
    status: str
    match_score: float
    matched_in: tuple[str, ...]
    keyword_score: float | None
    semantic_score: float | None
    ended_at: str | None
    duration_min: int | None
    project: str | None
    branch: str | None
    model: str | None
    parent_id: str | None
    source_gone: bool
    snippet: str
    snippet_field: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The answer to a recall. `total` counts all matching sessions, `results` holds the first `limit` of them.

    `mode_unavailable` says why the semantic part of `mode` is missing, if it is.
    """

    query: str
    mode: Mode
    limit: int
    total: int
    results: tuple[RecallHit, ...]
    mode_unavailable: str | None = None
