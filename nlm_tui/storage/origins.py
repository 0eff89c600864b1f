"""The sessions that rows of lists come from."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import orjson

from nlm_tui.core.browsing import Origin
from nlm_tui.storage.connection import Connection
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.rows import SessionColumns

# All that supersede a session, and what supersedes those; the newest of them comes last.
_SUCCESSORS = """
WITH RECURSIVE chain (older, newer) AS (
  SELECT value, value FROM json_each(?)
  UNION SELECT older, from_session FROM chain JOIN session_edges ON to_session = newer AND kind = 'supersedes')
SELECT older, s.id, s.label FROM chain CROSS JOIN sessions AS s ON s.id = newer
WHERE newer <> older AND {} ORDER BY s.started_at, s.id
"""


class Origins:
    """Reads them from one store."""

    def __init__(self, connection: Connection, columns: SessionColumns) -> None:
        self._connection = connection
        self._project = columns.expressions["project"]

    def read(self, rows: Iterable[int], visible: Condition) -> Mapping[int, Origin]:
        """Return the sessions of `rows`; their successors are looked for among those that are `visible`."""
        listed = orjson.dumps(sorted(set(rows))).decode()
        found = self._connection.rows(
            f"SELECT s.rowid, s.id, s.label, s.runtime, s.started_at, {self._project}, s.status FROM sessions AS s "
            "WHERE s.rowid IN (SELECT value FROM json_each(?))",
            (listed,),
        )
        ids = orjson.dumps([session_id for _, session_id, *_ in found]).decode()
        topics: dict[str, list[str]] = defaultdict(list)
        for session_id, name in self._connection.rows(
            "SELECT session_id, entity_canonical FROM session_entities "
            "WHERE session_id IN (SELECT value FROM json_each(?)) ORDER BY rowid",
            (ids,),
        ):
            topics[session_id].append(name)
        successors = {
            older: (newer, label)
            for older, newer, label in self._connection.rows(_SUCCESSORS.format(visible.sql("s.rowid")), (ids,))
        }
        return {
            row: Origin(
                session_id=session_id,
                label=label,
                runtime=runtime,
                started_at=started_at,
                project=project,
                status=status,
                topics=tuple(topics[session_id]),
                successor=successors.get(session_id),
            )
            for row, session_id, label, runtime, started_at, project, status in found
        }
