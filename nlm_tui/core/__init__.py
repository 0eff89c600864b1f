"""What recall means: pure Python, no I/O, no framework."""

from nlm_tui.core.matching import Matcher, Span, matcher, query_matcher
from nlm_tui.core.model import MESSAGE_GAP, Message, Session, Turn, join_messages
from nlm_tui.core.ports import (
    Embedder,
    EmbedderUnavailable,
    KeywordNeighbor,
    Page,
    SearchInterruptedError,
    SemanticNeighbor,
    SessionStore,
    StoreError,
)
from nlm_tui.core.query import (
    DEFAULT_LIMIT,
    MARKER_KINDS,
    MAX_LIMIT,
    MODES,
    MarkerKind,
    Mode,
    RecallHit,
    RecallQuery,
    RecallResult,
    SessionFilter,
)
from nlm_tui.core.recall import RecallService
from nlm_tui.core.safe import display_safe, json_safe, one_line, storable, strip_control
from nlm_tui.core.tokens import is_telling, keyword_match_fields, token_set, tokenize, unfinished_token

__all__ = [
    "DEFAULT_LIMIT",
    "MARKER_KINDS",
    "MAX_LIMIT",
    "MESSAGE_GAP",
    "MODES",
    "Embedder",
    "EmbedderUnavailable",
    "KeywordNeighbor",
    "MarkerKind",
    "Matcher",
    "Message",
    "Mode",
    "Page",
    "RecallHit",
    "RecallQuery",
    "RecallResult",
    "RecallService",
    "SearchInterruptedError",
    "SemanticNeighbor",
    "Session",
    "SessionFilter",
    "SessionStore",
    "Span",
    "StoreError",
    "Turn",
    "display_safe",
    "is_telling",
    "join_messages",
    "json_safe",
    "keyword_match_fields",
    "matcher",
    "one_line",
    "query_matcher",
    "storable",
    "strip_control",
    "token_set",
    "tokenize",
    "unfinished_token",
]
