"""Keyword search as it is specified: any token, weights 10, 4 and 1 for label, summary and body."""

from functools import partial

from nlm_tui.core import KeywordNeighbor, Page, is_telling, tokenize, unfinished_token
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.index import Index, held

_MOST_TERMS = 256  # each costs time, and nobody types that many; a file may be pasted
_COLUMNS = "{label summary body}"


def match_expression(text: str, *, typing: bool = False) -> str:
    """Return the FTS5 expression for `text`: its distinct tokens, each a quoted string, joined by OR; '' for none.

    With `typing` the token that is not finished yet stands for all that begin with it. Nothing in `text` can act as an
    operator: a token holds neither quotes nor blanks.
    """
    terms = list(dict.fromkeys(tokenize(text)))[:_MOST_TERMS]
    unfinished = unfinished_token(text) if typing else ""
    return " OR ".join(_beginning(term) if term == unfinished else f'"{term}"' for term in terms)


def reference_search(  # noqa: PLR0913 - the last two are options, by name
    connection: Connection, text: str, limit: int, passing: Condition, *, typing: bool = False, index: Index
) -> Page[KeywordNeighbor]:
    """Return the best `limit` sessions that hold a token of `text`, and how many do."""
    expression = match_expression(text, typing=typing)
    if not expression:
        return Page()
    expression = f"{_COLUMNS} : ({expression})"
    matching = f"FROM {index.name} WHERE sessions_fts MATCH ?"
    rows = connection.rows(
        f"WITH matches (found, rank) AS MATERIALIZED (SELECT rowid, bm25(sessions_fts, {index.weights}) {matching} "
        f"AND {passing.sql('rowid')}), "
        "best AS (SELECT found, rank FROM matches ORDER BY rank, found LIMIT ?) "
        "SELECT s.id, best.rank, (SELECT count(*) FROM matches) "
        "FROM best JOIN sessions AS s ON s.rowid = best.found ORDER BY best.rank, best.found",
        (expression, limit),
    )
    return Page(
        (KeywordNeighbor(session_id, -rank) for session_id, rank, _ in rows),
        rows[0][2] if rows else 0,
        holding=partial(held, connection, f"(SELECT rowid {matching})", expression),
    )


def _beginning(term: str) -> str:
    """Return what finds words that begin with `term`; of a letter or two only in label and summary, to be quick."""
    return f'"{term}" *' if is_telling(term) else f'({{label summary}} : "{term}" *) OR "{term}"'
