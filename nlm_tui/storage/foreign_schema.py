"""What a store of another program lacks, or has by other names, as views over it: it is then read like one of ours."""

from collections.abc import Mapping

from nlm_tui.core import StoreError
from nlm_tui.core.parts import GAP
from nlm_tui.storage.foreign_actions import NEEDED, TABLES, Execute

# The status of sessions that a newer reading of the same transcript stands for: they are never shown.
_REPLACED = "replaced"
_NEEDED = frozenset({"id", "started_at"})
# Columns of ours that the file may have, what others are called there, and what must never be missing.
_SAME = (
    "id",
    "runtime",
    "started_at",
    "label",
    "summary",
    "body",
    "status",
    "runtime_session_id",
    "ended_at",
    "duration_min",
    "transcript_kind",
    "transcript_path",
    "transcript_offset",
    "transcript_length",
)
_CALLED: Mapping[str, str] = {"project": "scope", "model": "primary_model"}
_WITHOUT: Mapping[str, str] = {
    "runtime": "'unknown'",
    "label": "s.id",
    "summary": "''",
    "body": "NULL",
    "status": "'closed'",
    "ended_at": "NULL",
}
_TABLES: Mapping[str, Mapping[str, str]] = {
    "read_markers": {"id": "rowid", "session_id": "NULL", "kind": "NULL", "text": "''", "position": "0"},
    "session_edges": {"from_session": "NULL", "to_session": "NULL", "kind": "NULL"},
    "read_session_entities": {"session_id": "NULL", "entity_canonical": "NULL"},
    "entities": {"canonical": "NULL", "status": "'active'"},
}
_READ_FROM = {"read_markers": "markers", "read_session_entities": "session_entities"}
_IN_ORDER = f"group_concat(text, '{GAP}' ORDER BY position, id)"
# By the session: nearly every marker is of one kind or of the other. What is edited is looked for apart, since SQLite
# would go through both tables for each session.
_TEXTS_OF = f"""CASE WHEN s.id IN (SELECT id FROM temp.edited_sessions)
  THEN (SELECT {_IN_ORDER} FROM temp.edited_markers WHERE session_id = s.id AND +kind = '{{0}}' AND state = 'standing')
  ELSE (SELECT {_IN_ORDER} FROM read_markers WHERE session_id = s.id AND +kind = '{{0}}') END"""
_MARKERS = """
CREATE TEMP VIEW markers AS
SELECT id, session_id, kind, text, position, 'standing' AS state, '' AS answer, NULL AS original_text,
  NULL AS message, NULL AS quote
FROM read_markers WHERE session_id NOT IN (SELECT id FROM temp.edited_sessions)
UNION ALL SELECT id, session_id, kind, text, position, state, answer, original_text, NULL, NULL
FROM temp.edited_markers
"""
_ENTITIES_OF = f"(SELECT group_concat(entity_canonical, '{GAP}') FROM session_entities WHERE session_id = s.id)"
_NOT_UNDONE = "id NOT IN (SELECT subject_id FROM other.actions WHERE kind = 'undo' AND subject_id IS NOT NULL)"
_RENAMES = """
SELECT subject_id AS old, trim(payload ->> '$.to') AS new, max(id) FROM other.actions
WHERE kind = 'rename_entity' AND json_valid(payload) AND {standing} GROUP BY subject_id
"""
_MERGES = """
SELECT subject_id AS old, trim(payload ->> '$.into') AS new, max(id) FROM other.actions
WHERE kind = 'merge_entity' AND json_valid(payload) AND {standing} GROUP BY subject_id
"""
_SESSION_ENTITIES = """
CREATE TEMP VIEW session_entities AS SELECT rowid AS rowid, session_id, entity_canonical FROM read_session_entities
WHERE entity_canonical NOT IN (SELECT name FROM temp.retired_entities)
"""
# What a renamed entity is called now stands for it; of two that were merged each stands for the other as well.
_VARIANTS = """
CREATE TEMP VIEW entity_variants AS
WITH RECURSIVE renamed (old, new, newest) AS ({renames}), merged (old, new, newest) AS ({merges}),
  called (name, canonical) AS (
    {variants}
    UNION SELECT new, old FROM renamed
    UNION SELECT new, old FROM merged
    UNION SELECT old, new FROM merged),
  every (name, canonical) AS (
    SELECT name, canonical FROM called
    UNION SELECT called.name, every.canonical FROM called JOIN every ON every.name = called.canonical)
SELECT name AS variant, canonical FROM every WHERE name <> '' AND canonical <> '' AND name <> canonical
"""


def make_up(execute: Execute) -> None:
    """Make the views over the attached file anew.

    Raises:
        StoreError: it holds no sessions; the text names no file.
    """
    found = columns(execute, "sessions")
    if not found >= _NEEDED:
        raise StoreError("this database is no session memory; choose another with --db")
    for name in ("sessions", "entity_variants", "markers", "session_entities", *_TABLES):
        execute(f"DROP VIEW IF EXISTS temp.{name}")
    for table in filter(str.strip, TABLES.split(";")):
        execute(table)
    execute("CREATE TEMP TABLE IF NOT EXISTS parents (row INTEGER PRIMARY KEY, id TEXT NOT NULL)")
    for name, wanted in _TABLES.items():
        _make_table(execute, name, wanted)
    execute(_MARKERS)
    execute(_SESSION_ENTITIES)
    execute(_variants(execute))
    execute(_sessions_view(found))


def find_parents(execute: Execute) -> None:
    """Find whose subagent each session is: that program often names the parent by the id that its runtime gave it."""
    found = columns(execute, "sessions")
    execute("DELETE FROM temp.parents")
    if "parent_session_id" not in found:
        return
    children = "FROM other.sessions AS s WHERE s.parent_session_id IS NOT NULL"
    if not execute(f"SELECT 1 {children} LIMIT 1"):
        return
    execute(f"INSERT INTO temp.parents SELECT s.rowid, s.parent_session_id {children}")
    if "runtime_session_id" not in found:
        return
    execute(
        "WITH called (name, id) AS MATERIALIZED ("
        "SELECT runtime_session_id, max(id) FROM sessions WHERE runtime_session_id IS NOT NULL GROUP BY 1) "
        "UPDATE temp.parents SET id = called.id FROM called "
        "WHERE called.name = parents.id AND parents.id NOT IN (SELECT id FROM other.sessions)"
    )


def _sessions_view(found: frozenset[str]) -> str:
    listed = ["s.rowid AS rowid"]
    listed += [f"s.{column} AS {column}" for column in _SAME if column in found]
    listed += [f"s.{theirs} AS {ours}" for ours, theirs in _CALLED.items() if theirs in found]
    listed += [f"{value} AS {column}" for column, value in _WITHOUT.items() if column not in found]
    if "parent_session_id" in found:
        listed.append("(SELECT id FROM temp.parents WHERE row = s.rowid) AS parent_id")
    listed += [
        f"{_TEXTS_OF.format('decision')} AS decisions",
        f"{_TEXTS_OF.format('open')} AS open_questions",
        f"{_ENTITIES_OF} AS names",
    ]
    # By row numbers, of which there are few: the status itself stands behind the body.
    shown = f"s.rowid NOT IN (SELECT rowid FROM other.sessions WHERE status = '{_REPLACED}')"
    view = f"CREATE TEMP VIEW sessions AS SELECT {', '.join(listed)} FROM other.sessions AS s"
    return f"{view} WHERE {shown}" if "status" in found else view


def _make_table(execute: Execute, name: str, wanted: Mapping[str, str]) -> None:
    """Make a view of a table of which the file has not all columns, or which is looked at through another view."""
    table = _READ_FROM.get(name, name)
    found = columns(execute, table)
    if name == table and found >= set(wanted):
        return
    listed = ", ".join(f"{column if column in found else default} AS {column}" for column, default in wanted.items())
    if found:
        execute(f"CREATE TEMP VIEW {name} AS SELECT rowid AS rowid, {listed} FROM other.{table}")
    else:
        listed = ", ".join(f"NULL AS {column}" for column in ("rowid", *wanted))
        execute(f"CREATE TEMP VIEW {name} AS SELECT {listed} WHERE 0")


def _variants(execute: Execute) -> str:
    nothing = "SELECT NULL, NULL, NULL WHERE 0"
    actions = columns(execute, "actions")
    renames = merges = nothing
    if actions >= NEEDED:
        standing = f"{_NOT_UNDONE}{' AND reverted_by IS NULL' if 'reverted_by' in actions else ''}"
        renames, merges = _RENAMES.format(standing=standing), _MERGES.format(standing=standing)
    known = columns(execute, "entity_variants") >= {"variant", "canonical"}
    variants = "SELECT variant, canonical FROM other.entity_variants" if known else "SELECT NULL, NULL WHERE 0"
    return _VARIANTS.format(renames=renames, merges=merges, variants=variants)


def columns(execute: Execute, table: str) -> frozenset[str]:
    """Return the columns that a table of the attached file has; none where there is no such table."""
    return frozenset(name for _, name, *_ in execute(f"PRAGMA other.table_info({table})"))
