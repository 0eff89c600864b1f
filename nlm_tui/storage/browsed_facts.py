"""Facts as a list. There are few: they are read at once, and their words are looked for in what was read."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import orjson

from nlm_tui.core import Matcher, query_matcher
from nlm_tui.core.browsing import FactRow, Listed, Origin, RowQuery
from nlm_tui.storage.connection import Connection, Row
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.origins import Origins

_FIELDS = "f.id, f.kind, f.subject, f.predicate, f.value, f.confidence, f.created_at, f.source_quote"
_CURRENT = f"""
SELECT s.rowid, {_FIELDS} FROM facts AS f JOIN sessions AS s ON s.id = f.source_session_id
WHERE f.superseded_by IS NULL AND {{}} ORDER BY f.created_at DESC, f.id
"""
# All that a fact replaced, and what that had replaced.
_VERSIONS = f"""
WITH RECURSIVE chain (newer, older) AS (
  SELECT value, value FROM json_each(?)
  UNION SELECT newer, id FROM chain JOIN facts ON superseded_by = older)
SELECT chain.newer, s.rowid, {_FIELDS} FROM chain JOIN facts AS f ON f.id = chain.older
JOIN sessions AS s ON s.id = f.source_session_id
WHERE chain.newer <> chain.older AND {{}} ORDER BY f.created_at DESC, f.id
"""


class BrowsedFacts:
    """Lists the facts of one store."""

    def __init__(self, connection: Connection, origins: Origins) -> None:
        self._connection = connection
        self._origins = origins

    def rows(self, query: RowQuery, passing: Condition, visible: Condition) -> Listed[FactRow]:
        """Return current facts of sessions that pass, the newest first, with the values that they replaced."""
        if not self._connection.rows("PRAGMA table_info(facts)"):
            return Listed((), 0)
        found = _holding(self._connection.rows(_CURRENT.format(passing.sql("s.rowid"))), query)
        page = found[query.offset : query.offset + query.limit]
        ids = orjson.dumps([fact_id for _, fact_id, *_ in page]).decode()
        older = self._connection.rows(_VERSIONS.format(visible.sql("s.rowid")), (ids,))
        origins = self._origins.read([row for row, *_ in page] + [row for _, row, *_ in older], visible)
        versions: dict[str, list[FactRow]] = defaultdict(list)
        for newer, *values in older:
            versions[newer].append(_fact(tuple(values), origins))
        facts = (_fact(values, origins) for values in page)
        return Listed([replace(fact, versions=tuple(versions[fact.id])) for fact in facts], len(found))

    def put(self, fact: FactRow) -> None:
        """Insert a fact and what it replaced."""
        newer: str | None = None
        for one in (fact, *fact.versions):
            self._connection.run(
                "INSERT INTO facts (id, kind, subject, predicate, value, confidence, created_at, source_quote, "
                "source_session_id, superseded_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*_columns(one), one.origin.session_id, newer),
            )
            newer = one.id


def _columns(fact: FactRow) -> Row:
    return (
        *(fact.id, fact.kind, fact.subject, fact.predicate, fact.value),
        *(fact.confidence, fact.created_at, fact.quote or None),
    )


def _holding(rows: Sequence[Row], query: RowQuery) -> Sequence[Row]:
    """Return those of `rows` that hold the words; where any of them will do, those with most of them first."""
    words = [Matcher((wanted,)) for wanted in query_matcher(query.words, typing=query.typing).wanted]
    if not words:
        return rows
    held = [(sum(word.occurs(_text(row)) for word in words), row) for row in rows]
    if query.any_word:
        return [row for count, row in sorted(held, key=lambda one: -one[0]) if count]
    return [row for count, row in held if count == len(words)]


def _text(row: Row) -> str:
    _, _, _, subject, predicate, value, _, _, quote = row
    return "\n".join((subject, predicate, value, quote or ""))


def _fact(values: Row, origins: Mapping[int, Origin]) -> FactRow:
    row, fact_id, kind, subject, predicate, value, confidence, created_at, quote = values
    return FactRow(
        id=fact_id,
        kind=kind,
        subject=subject,
        predicate=predicate,
        value=value,
        confidence=confidence,
        created_at=created_at,
        origin=origins[row],
        quote=quote or "",
    )
