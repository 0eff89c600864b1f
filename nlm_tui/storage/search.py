"""Keyword search over FTS5, semantic search over plain vectors."""

import struct
from collections.abc import Sequence

from nlm_tui.core import KeywordNeighbor, Page, SemanticNeighbor, tokenize, unfinished_token
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.filters import Condition

_SCORE = "bm25(sessions_fts, 10, 4, 1)"
# Each term costs time, and nobody types that many; a file may be pasted.
_MOST_TERMS = 256


def match_expression(text: str, *, typing: bool = False) -> str:
    """Return the FTS5 expression for `text`: its distinct tokens, each a quoted string, joined by OR; '' for none.

    With `typing` the token that is not finished yet stands for all that begin with it.

    Nothing in `text` can act as an operator: a token holds neither quotes nor blanks.
    """
    terms = list(dict.fromkeys(tokenize(text)))[:_MOST_TERMS]
    unfinished = unfinished_token(text) if typing else ""
    return " OR ".join(f'"{term}" *' if term == unfinished else f'"{term}"' for term in terms)


def keyword_search(
    connection: Connection, text: str, limit: int, passing: Condition, *, typing: bool = False
) -> Page[KeywordNeighbor]:
    """Return the best `limit` sessions that hold a token of `text`, and how many do."""
    expression = match_expression(text, typing=typing)
    if not expression:
        return Page()
    matching = f"sessions_fts MATCH ?{_restriction(passing)}"
    parameters = (expression, *passing.parameters)
    # The ids are looked up after the cut: a row lookup for every match would cost more than the ranking.
    found = connection.rows(
        "SELECT s.id, best.score FROM ("
        f"SELECT rowid AS found, -{_SCORE} AS score FROM sessions_fts WHERE {matching} ORDER BY {_SCORE}, rowid LIMIT ?"
        ") AS best JOIN sessions AS s ON s.rowid = best.found ORDER BY best.score DESC, best.found",
        (*parameters, limit),
    )
    neighbors = [KeywordNeighbor(session_id, score) for session_id, score in found]
    if len(neighbors) < limit:
        return Page(neighbors)
    ((total,),) = connection.rows(f"SELECT count(*) FROM sessions_fts WHERE {matching}", parameters)
    return Page(neighbors, total)


def semantic_search(
    connection: Connection, vector: Sequence[float], limit: int, passing: Condition
) -> Page[SemanticNeighbor]:
    """Return the `limit` sessions with the chunk nearest to `vector`, and how many have a vector of that size."""
    if not has_vectors(connection):
        return Page()
    connection.load_vector_functions()
    having = f"dimensions = ?{_restriction(passing, 'session_row')}"
    parameters = (len(vector), *passing.parameters)
    found = connection.rows(
        "SELECT s.id, min(vec_distance_L2(embedding, ?)) AS distance "
        f"FROM session_vectors JOIN sessions AS s ON s.rowid = session_row WHERE {having} "
        "GROUP BY session_row ORDER BY distance, session_row LIMIT ?",
        (pack_vector(vector), *parameters, limit),
    )
    ((total,),) = connection.rows(f"SELECT count(DISTINCT session_row) FROM session_vectors WHERE {having}", parameters)
    return Page((SemanticNeighbor(session_id, distance) for session_id, distance in found), total)


def has_vectors(connection: Connection) -> bool:
    """Return whether any session has a vector of ours."""
    if not connection.rows("SELECT 1 FROM sqlite_schema WHERE name = 'session_vectors'"):
        return False
    return bool(connection.rows("SELECT 1 FROM session_vectors LIMIT 1"))


def pack_vector(vector: Sequence[float]) -> bytes:
    """Return a vector as little-endian float32."""
    return struct.pack(f"<{len(vector)}f", *vector)


def _restriction(passing: Condition, row: str = "rowid") -> str:
    # Without the unary plus SQLite runs the search once for each row that passes.
    return "" if passing.always else f" AND +{row} IN (SELECT s.rowid FROM sessions AS s {passing.where})"
