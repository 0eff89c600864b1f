"""What a store of another program lacks, or has by other names, as views over it: it is then read like one of ours."""

from collections.abc import Callable, Mapping

from nlm_tui.core import StoreError
from nlm_tui.core.parts import GAP
from nlm_tui.storage.connection import Row

Execute = Callable[[str], list[Row]]

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
    "markers": {
        "id": "rowid",
        "session_id": "NULL",
        "kind": "NULL",
        "text": "''",
        "position": "0",
        "state": "'standing'",
        "answer": "''",
        "original_text": "NULL",
    },
    "session_edges": {"from_session": "NULL", "to_session": "NULL", "kind": "NULL"},
    "session_entities": {"session_id": "NULL", "entity_canonical": "NULL"},
    "entities": {"canonical": "NULL", "status": "'active'"},
}
_IN_ORDER = f"group_concat(text, '{GAP}' ORDER BY position, id)"
# By the session: nearly every marker is of one kind or of the other.
_TEXTS_OF = f"(SELECT {_IN_ORDER} FROM markers WHERE session_id = s.id AND +kind = '{{}}')"
_ENTITIES_OF = f"(SELECT group_concat(entity_canonical, '{GAP}') FROM session_entities WHERE session_id = s.id)"
_RENAMES = """
SELECT subject_id AS old, trim(payload ->> '$.to') AS new, max(id) FROM other.actions
WHERE kind = 'rename_entity' AND json_valid(payload) AND {standing} GROUP BY subject_id
"""
_MERGES = """
SELECT subject_id AS old, trim(payload ->> '$.into') AS new, max(id) FROM other.actions
WHERE kind = 'merge_entity' AND json_valid(payload) AND {standing} GROUP BY subject_id
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
    columns = _columns(execute, "sessions")
    if not columns >= _NEEDED:
        raise StoreError("this database is no session memory; choose another with --db")
    for name in ("sessions", "entity_variants", *_TABLES):
        execute(f"DROP VIEW IF EXISTS temp.{name}")
    execute("CREATE TEMP TABLE IF NOT EXISTS parents (row INTEGER PRIMARY KEY, id TEXT NOT NULL)")
    for name, wanted in _TABLES.items():
        _make_table(execute, name, wanted)
    execute(_variants(execute))
    execute(_sessions_view(columns))


def find_parents(execute: Execute) -> None:
    """Find whose subagent each session is: that program often names the parent by the id that its runtime gave it."""
    columns = _columns(execute, "sessions")
    execute("DELETE FROM temp.parents")
    if "parent_session_id" not in columns:
        return
    children = "FROM other.sessions AS s WHERE s.parent_session_id IS NOT NULL"
    if not execute(f"SELECT 1 {children} LIMIT 1"):
        return
    execute(f"INSERT INTO temp.parents SELECT s.rowid, s.parent_session_id {children}")
    if "runtime_session_id" not in columns:
        return
    execute(
        "WITH called (name, id) AS MATERIALIZED ("
        "SELECT runtime_session_id, max(id) FROM sessions WHERE runtime_session_id IS NOT NULL GROUP BY 1) "
        "UPDATE temp.parents SET id = called.id FROM called "
        "WHERE called.name = parents.id AND parents.id NOT IN (SELECT id FROM other.sessions)"
    )


def _sessions_view(columns: frozenset[str]) -> str:
    listed = ["s.rowid AS rowid"]
    listed += [f"s.{column} AS {column}" for column in _SAME if column in columns]
    listed += [f"s.{theirs} AS {ours}" for ours, theirs in _CALLED.items() if theirs in columns]
    listed += [f"{value} AS {column}" for column, value in _WITHOUT.items() if column not in columns]
    if "parent_session_id" in columns:
        listed.append("(SELECT id FROM temp.parents WHERE row = s.rowid) AS parent_id")
    listed += [
        f"{_TEXTS_OF.format('decision')} AS decisions",
        f"{_TEXTS_OF.format('open')} AS open_questions",
        f"{_ENTITIES_OF} AS names",
    ]
    # By row numbers, of which there are few: the status itself stands behind the body.
    shown = f"s.rowid NOT IN (SELECT rowid FROM other.sessions WHERE status = '{_REPLACED}')"
    view = f"CREATE TEMP VIEW sessions AS SELECT {', '.join(listed)} FROM other.sessions AS s"
    return f"{view} WHERE {shown}" if "status" in columns else view


def _make_table(execute: Execute, name: str, wanted: Mapping[str, str]) -> None:
    """Make a view of a table that the file has not, or not with all columns."""
    columns = _columns(execute, name)
    if columns >= set(wanted):
        return
    listed = ", ".join(f"{column if column in columns else default} AS {column}" for column, default in wanted.items())
    if columns:
        execute(f"CREATE TEMP VIEW {name} AS SELECT rowid AS rowid, {listed} FROM other.{name}")
    else:
        listed = ", ".join(f"NULL AS {column}" for column in ("rowid", *wanted))
        execute(f"CREATE TEMP VIEW {name} AS SELECT {listed} WHERE 0")


def _variants(execute: Execute) -> str:
    nothing = "SELECT NULL, NULL, NULL WHERE 0"
    actions = _columns(execute, "actions")
    renames = merges = nothing
    if actions >= {"id", "kind", "subject_id", "payload"}:
        standing = "reverted_by IS NULL" if "reverted_by" in actions else "1"
        renames, merges = _RENAMES.format(standing=standing), _MERGES.format(standing=standing)
    known = _columns(execute, "entity_variants") >= {"variant", "canonical"}
    variants = "SELECT variant, canonical FROM other.entity_variants" if known else "SELECT NULL, NULL WHERE 0"
    return _VARIANTS.format(renames=renames, merges=merges, variants=variants)


def _columns(execute: Execute, table: str) -> frozenset[str]:
    return frozenset(name for _, name, *_ in execute(f"PRAGMA other.table_info({table})"))
