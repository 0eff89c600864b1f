"""Keyword search over FTS5, semantic search over plain vectors."""

import struct
from collections.abc import Sequence

from nlm_tui.core import KeywordNeighbor, Page, SemanticNeighbor, is_telling, tokenize, unfinished_token
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.filters import Condition

_RANK = "bm25(sessions_fts, 10, 4, 1)"
# Each term costs time, and nobody types that many; a file may be pasted.
_MOST_TERMS = 256


def match_expression(text: str, *, typing: bool = False) -> str:
    """Return the FTS5 expression for `text`: its distinct tokens, each a quoted string, joined by OR; '' for none.

    With `typing` the token that is not finished yet stands for all that begin with it.

    Nothing in `text` can act as an operator: a token holds neither quotes nor blanks.
    """
    terms = list(dict.fromkeys(tokenize(text)))[:_MOST_TERMS]
    unfinished = unfinished_token(text) if typing else ""
    return " OR ".join(_beginning(term) if term == unfinished else f'"{term}"' for term in terms)


def _beginning(term: str) -> str:
    """Return what finds words that begin with `term`; of a letter or two only in label and summary, to be quick."""
    return f'"{term}" *' if is_telling(term) else f'({{label summary}} : "{term}" *) OR "{term}"'


def keyword_search(
    connection: Connection, text: str, limit: int, passing: Condition, *, typing: bool = False
) -> Page[KeywordNeighbor]:
    """Return the best `limit` sessions that hold a token of `text`, and how many do."""
    expression = match_expression(text, typing=typing)
    if not expression:
        return Page()
    matches = f"SELECT rowid, {_RANK} FROM sessions_fts WHERE sessions_fts MATCH ?{_restriction(passing)}"
    found, total = _best(connection, matches, (expression, *passing.parameters), limit)
    return Page((KeywordNeighbor(session_id, -rank) for session_id, rank in found), total)


def semantic_search(
    connection: Connection, vector: Sequence[float], limit: int, passing: Condition
) -> Page[SemanticNeighbor]:
    """Return the `limit` sessions with the chunk nearest to `vector`, and how many have a vector of that size."""
    if not has_vectors(connection):
        return Page()
    connection.load_vector_functions()
    matches = (
        "SELECT session_row, min(vec_distance_L2(embedding, ?)) FROM session_vectors "
        f"WHERE dimensions = ?{_restriction(passing, 'session_row')} GROUP BY session_row"
    )
    parameters = (pack_vector(vector), len(vector), *passing.parameters)
    found, total = _best(connection, matches, parameters, limit)
    return Page((SemanticNeighbor(session_id, distance) for session_id, distance in found), total)


def has_vectors(connection: Connection) -> bool:
    """Return whether any session has a vector of ours."""
    if not connection.rows("SELECT 1 FROM sqlite_schema WHERE name = 'session_vectors'"):
        return False
    return bool(connection.rows("SELECT 1 FROM session_vectors LIMIT 1"))


def pack_vector(vector: Sequence[float]) -> bytes:
    """Return a vector as little-endian float32."""
    return struct.pack(f"<{len(vector)}f", *vector)


def _best(
    connection: Connection, matches: str, parameters: Sequence[object], limit: int
) -> tuple[list[tuple[str, float]], int]:
    """Return the id and rank of the best, the lowest first, of `matches`, which selects row and rank; and their count.

    The matches are gone through once for both. Ids are looked up after the cut: that for all would cost most.
    """
    rows = connection.rows(
        f"WITH matches (found, rank) AS MATERIALIZED ({matches}), "
        "best AS (SELECT found, rank FROM matches ORDER BY rank, found LIMIT ?) "
        "SELECT s.id, best.rank, (SELECT count(*) FROM matches) "
        "FROM best JOIN sessions AS s ON s.rowid = best.found ORDER BY best.rank, best.found",
        (*parameters, limit),
    )
    return [(session_id, rank) for session_id, rank, _ in rows], rows[0][2] if rows else 0


def _restriction(passing: Condition, row: str = "rowid") -> str:
    # Without the unary plus SQLite runs the search once for each row that passes.
    return "" if passing.always else f" AND +{row} IN (SELECT s.rowid FROM sessions AS s {passing.where})"
