"""What users changed with the other program, applied to what is read of its store."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from nlm_tui.core import Session
from nlm_tui.core.actions import Action, SubjectType, session_of, standing
from nlm_tui.core.corrections import Marker, corrected, topic_names
from nlm_tui.storage.action_log import payload_of
from nlm_tui.storage.connection import Row

Execute = Callable[..., Sequence[Row]]

NEEDED: Final = frozenset({"id", "kind", "subject_id", "payload"})
"""Columns without which the log is none."""

_SUBJECTS: Final[dict[str, SubjectType]] = {
    "resolve_open": "open_question",
    "promote_open": "open_question",
    "dismiss_decision": "decision",
    "revise_decision": "decision",
    "rename_entity": "entity",
    "merge_entity": "entity",
    "retire_entity": "entity",
    "undo": "action",
}
_KINDS = ", ".join(f"'{kind}'" for kind in _SUBJECTS)
_FIRST_ADDED = 1 << 40  # ids of markers that the file has not

TABLES: Final = """
CREATE TEMP TABLE IF NOT EXISTS retired_entities (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS called_entities (name TEXT PRIMARY KEY, now TEXT NOT NULL) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS edited_sessions (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS edited_markers (
  id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, position INTEGER NOT NULL,
  state TEXT NOT NULL, answer TEXT NOT NULL, original_text TEXT);
CREATE INDEX IF NOT EXISTS temp.edited_markers_session ON edited_markers (session_id);
"""
"""The markers of sessions of which any were edited, topics that are none any more, and what others are called now."""


def apply_actions(execute: Execute, columns: frozenset[str]) -> None:
    """Fill the tables from the log of the attached file, which has these columns."""
    for table in ("retired_entities", "called_entities", "edited_sessions", "edited_markers"):
        execute(f"DELETE FROM temp.{table}")
    if not columns >= NEEDED:
        return
    reverted = "reverted_by IS NULL" if "reverted_by" in columns else "1"
    actions = standing(_actions(execute, reverted))
    for name, now in topic_names(actions).items():
        if now is None:
            execute("INSERT INTO temp.retired_entities VALUES (?)", (name,))
        else:
            execute("INSERT INTO temp.called_entities VALUES (?, ?)", (name, now))
    by_session: defaultdict[str, list[Action]] = defaultdict(list)
    for action in actions:
        if action.subject_type != "entity":
            by_session[session_of(action)].append(action)
    for session_id, about in sorted(by_session.items()):
        _edit(execute, session_id, about)


def _actions(execute: Execute, condition: str) -> Iterator[Action]:
    rows = execute(
        f"SELECT id, kind, subject_id, payload FROM other.actions WHERE kind IN ({_KINDS}) AND {condition} ORDER BY id"
    )
    for action_id, kind, subject_id, payload in rows:
        yield Action(str(action_id), "", kind, _SUBJECTS[kind], str(subject_id), payload_of(payload))


def _edit(execute: Execute, session_id: str, actions: Sequence[Action]) -> None:
    """Write down the markers of a session as the actions say."""
    rows = execute("SELECT id, kind, text FROM read_markers WHERE session_id = ? ORDER BY position, id", (session_id,))
    known = {(kind, text): row for row, kind, text in reversed(rows)}
    texts = {kind: tuple(text for _, found, text in rows if found == kind) for kind in ("decision", "open")}
    read = Session(id=session_id, runtime="", started_at="", label="", decisions=texts["decision"], open=texts["open"])
    execute("INSERT INTO temp.edited_sessions VALUES (?)", (session_id,))
    ((added,),) = execute("SELECT max(coalesce(max(id) + 1, 0), ?) FROM temp.edited_markers", (_FIRST_ADDED,))
    for position, marker in enumerate(corrected(read, actions, {}).markers):
        row = known.pop((marker.kind, marker.first_text), None)
        if row is None:
            row, added = added, added + 1
        execute(
            "INSERT INTO temp.edited_markers VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            _values(marker, session_id, row, position),
        )


def _values(marker: Marker, session_id: str, row: int, position: int) -> tuple[object, ...]:
    first_text = marker.first_text if marker.first_text != marker.text else None
    return row, session_id, marker.kind, marker.text, position, marker.state, marker.answer, first_text
