"""What the memory answers."""

from dataclasses import dataclass
from typing import Literal

from nlm_tui.core.query import Mode

How = Literal["word", "beginning", "piece", "approximate"]


@dataclass(frozen=True, slots=True)
class Term:
    """Something that a recall looked for: `text` as it is found, `typed` as it stood in the query.

    `how` says whether whole words match, all that begin so, or, since nothing did, a piece of what was typed or words
    that are spelled nearly so.
    """

    text: str
    how: How = "word"
    typed: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """What a session scored: `match` orders the hits of a tier, `keyword` and `semantic` are its parts.

    Words and meaning together know no tiers; that only an approximation of the words was found still holds.
    """

    match: float
    keyword: float | None = None
    semantic: float | None = None
    tier: int = 0
    approximate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallHit:
    """A session that a recall returned. All text is safe to show.

    `match_score` orders the hits of a recall; `keyword_score` (-bm25) and `semantic_score` (cosine) are its parts, None
    where that leg did not find the session. `snippet` is the passage that matched best, `snippet_field` its place,
    `passage` the share of the query's words that it holds. `approximate` says that no word of the query itself was
    found, only pieces of words or what is spelled nearly so. `near` is the passage whose meaning is closest, as it
    stands in the session, '' where that is not known. `note` is what a user wrote on the session.
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
    approximate: bool = False
    passage: float = 0.0
    near: str = ""
    pinned: bool = False
    hidden: bool = False
    note: str = ""
    subagents: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The answer to a recall. `total` counts all matching sessions, `results` holds the first `limit` of them.

    `mode_unavailable` says why the semantic part of `mode` is missing, if it is. `terms` is what was looked for,
    `common` the words that stand in too many sessions to tell any apart, `notes` says which parts of the query were
    not understood or can match nothing. `semantic_weight` is what meaning counts of 1 in a hybrid score.
    """

    query: str
    mode: Mode
    limit: int
    total: int
    results: tuple[RecallHit, ...]
    mode_unavailable: str | None = None
    terms: tuple[Term, ...] = ()
    common: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    semantic_weight: float | None = None
