"""Forgetting: sessions leave the store with all that was made of them, and their text leaves its files."""

from collections.abc import Callable, Sequence
from contextlib import closing

import orjson

from nlm_tui.core import StoreError, storable
from nlm_tui.core.actions import Action
from nlm_tui.storage import action_log, originals
from nlm_tui.storage.connection import Connection, open_writable

_WITH_SUBAGENTS = """
WITH RECURSIVE gone (id) AS (
  SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?))
  UNION SELECT s.id FROM gone JOIN sessions AS s ON s.parent_id = gone.id)
SELECT id FROM gone ORDER BY id
"""
_GONE = "(SELECT value FROM json_each(?1))"
_NEWER_IS_GONE = f"kind IN ('supersede', 'continue') AND json_valid(payload) AND payload ->> '$.by' IN {_GONE}"
_LEFT_BEHIND = (
    "UPDATE adapter_state SET session_id = NULL WHERE session_id IN {gone}",
    "DELETE FROM session_edges WHERE from_session IN {gone} OR to_session IN {gone}",
    "INSERT INTO forgotten (session_id) SELECT value FROM json_each(?1) WHERE 1 ON CONFLICT DO NOTHING",
    "UPDATE entity_variants SET source_session_id = NULL WHERE source_session_id IN {gone}",
    "DELETE FROM sessions WHERE id IN {gone}",
)
_SEEN = "(SELECT session_id FROM session_entities WHERE entity_canonical = canonical ORDER BY started_at {} LIMIT 1)"
_COUNT_TOPICS = f"""
UPDATE entities SET
  session_count = (SELECT count(*) FROM session_entities WHERE entity_canonical = canonical),
  first_seen_session = {_SEEN.format("")}, last_seen_session = {_SEEN.format("DESC")}
WHERE first_seen_session IN {_GONE} OR last_seen_session IN {_GONE}
  OR session_count <> (SELECT count(*) FROM session_entities WHERE entity_canonical = canonical)
"""
_EMPTY_TOPICS = "DELETE FROM entities WHERE canonical NOT IN (SELECT entity_canonical FROM session_entities)"
_INDEXES = ("sessions_fts", "sessions_heads", "markers_fts")


def forget(connection: Connection, session_ids: Sequence[str], follow: Callable[[Sequence[str]], None]) -> list[str]:
    """Delete sessions and their subagents, and note that they are not to be read again; return the ids of all.

    What others were by an action that named them is taken back: these `follow` the log. Their text is then still in the
    files of the store, until `clean`.
    """
    with connection.transaction():
        rows = connection.rows(_WITH_SUBAGENTS, (_json(session_ids),))
        gone = [session_id for (session_id,) in rows]
        if not gone:
            return []
        ids = _json(gone)
        connection.run("PRAGMA defer_foreign_keys = ON")
        older = connection.rows(f"SELECT DISTINCT subject_id FROM actions WHERE {_NEWER_IS_GONE}", (ids,))
        connection.run(f"DELETE FROM actions WHERE {_NEWER_IS_GONE}", (ids,))
        for session_id in gone:
            connection.run(f"DELETE FROM actions AS a WHERE {action_log.ABOUT_SESSION}", (session_id,))
        _forget_facts(connection, ids)
        for statement in _LEFT_BEHIND:
            connection.run(statement.format(gone=_GONE), (ids,))
        _forget_topics(connection)
        connection.run("DELETE FROM actions WHERE kind = 'undo' AND subject_id NOT IN (SELECT id FROM actions)")
        connection.run(_COUNT_TOPICS, (ids,))
        connection.run(_EMPTY_TOPICS)
        follow([session_id for (session_id,) in older])
    return gone


def clean(connection: Connection) -> None:
    """Rewrite the indexes and the file, so that nothing is left in them of what was deleted.

    Raises:
        StoreError: another program holds the store, or there is no room for a copy of it.
    """
    try:
        with closing(open_writable(connection.path)) as beside:
            beside.run("PRAGMA temp_store = FILE")  # the copy may be larger than memory
            for index in _INDEXES:
                beside.run(f"INSERT INTO {index}({index}) VALUES ('optimize')")
            beside.run("VACUUM")
            ((busy, *_),) = beside.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    except StoreError as error:
        raise StoreError(f"{error}; what was forgotten is deleted, but {_TRACES}") from error
    if busy:
        raise StoreError(f"{connection.path}: another program is reading the store: {_TRACES}")


_TRACES = "traces of it stay in the file until sessions are forgotten the next time"


def _forget_facts(connection: Connection, ids: str) -> None:
    """Delete the facts of the sessions with `ids`; those that they replaced are replaced by what replaced them.

    Where nothing did, the newest is current again, and has replaced the others.
    """
    going = dict(connection.rows(f"SELECT id, superseded_by FROM facts WHERE source_session_id IN {_GONE}", (ids,)))
    left = connection.rows(
        "SELECT f.id, f.superseded_by FROM facts AS f JOIN facts AS newer ON newer.id = f.superseded_by "
        f"WHERE newer.source_session_id IN {_GONE} AND f.source_session_id NOT IN {_GONE} "
        "ORDER BY f.created_at DESC, f.id DESC",
        (ids,),
    )
    current: dict[str, str] = {}
    linked: list[tuple[str | None, str]] = []
    for fact, replaced_by in left:
        last, newer = replaced_by, going[replaced_by]
        while newer in going:
            last, newer = newer, going[newer]
        if newer is None:
            newest = current.setdefault(last, fact)
            newer = newest if newest != fact else None
        linked.append((newer, fact))
    # While they go, several of one subject may be replaced by none.
    connection.run(f"UPDATE facts SET predicate = id WHERE source_session_id IN {_GONE}", (ids,))
    connection.run_many("UPDATE facts SET superseded_by = ? WHERE id = ?", linked)
    connection.run(f"DELETE FROM facts WHERE source_session_id IN {_GONE}", (ids,))


def _forget_topics(connection: Connection) -> None:
    """Delete the actions on topics that no session had when it was read, and the names by which they were found."""
    rows = connection.rows(f"SELECT entity_canonical FROM session_entities UNION {originals.TOPICS}")
    known = {name for (name,) in rows}
    before = action_log.names_of_topics(connection)
    unknown: list[Action] = []
    for action in action_log.log(connection):
        if action.subject_type != "entity":
            continue
        if action.subject_id in known:
            known.update(action.payload.values())
        else:
            unknown.append(action)
    connection.run_many("DELETE FROM actions WHERE id = ?", [(action.id,) for action in unknown])
    lost = before.keys() - action_log.names_of_topics(connection).keys()
    connection.run_many("DELETE FROM entity_variants WHERE variant = ?", [(name,) for name in sorted(lost)])


def _json(texts: Sequence[str]) -> str:
    return orjson.dumps([storable(text) for text in texts]).decode()
