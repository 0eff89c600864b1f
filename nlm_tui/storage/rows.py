"""Rows of `sessions`, `markers` and `session_entities` as `Session` objects, also where columns of ours are missing."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import cast, overload

import orjson

from nlm_tui.core import Session, Turn, storable
from nlm_tui.storage.connection import Connection, Row

_FIELDS = (
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
    "project",
    "branch",
    "model",
    "parent_id",
    "transcript_kind",
    "transcript_path",
    "transcript_offset",
    "transcript_length",
    "source_gone",
    "turns",
)
_DEFAULTS = {"source_gone": "0"}


class StoredTurns(Sequence[Turn]):
    """The turns of a stored session, decoded when somebody looks: a recall reads many, the screen shows one."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _turns(self) -> tuple[Turn, ...]:
        return tuple(Turn(*turn) for turn in orjson.loads(self._text))

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Turn, ...]: ...
    def __getitem__(self, index: int | slice) -> Turn | tuple[Turn, ...]:
        return self._turns[index]

    def __len__(self) -> int:
        return len(self._turns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._turns == tuple(cast("Sequence[object]", other))

    def __hash__(self) -> int:
        return hash(self._turns)


class SessionColumns:
    """Which SQL expression over `sessions AS s` gives each field of a session."""

    def __init__(self, connection: Connection) -> None:
        present = {name for _, name, *_ in connection.rows("PRAGMA table_info(sessions)")}
        self.expressions: Mapping[str, str] = {field: _expression(field, present) for field in _FIELDS}
        self.has_parents = self.expressions["parent_id"] != "NULL"
        self.are_ours = "body_parts" in present
        """Whether this is our own schema, with columns and indexes that other stores lack."""

    @property
    def select(self) -> str:
        """The select list that `read_sessions` expects."""
        return ", ".join(self.expressions[field] for field in _FIELDS)


def read_sessions(connection: Connection, rows: Sequence[Row]) -> list[Session]:
    """Return the sessions of `rows`, in their order, with markers and entities."""
    ids = orjson.dumps([row[0] for row in rows]).decode()
    markers: dict[tuple[str, str], list[str]] = defaultdict(list)
    for session_id, kind, text in connection.rows(
        "SELECT session_id, kind, text FROM markers WHERE session_id IN (SELECT value FROM json_each(?)) "
        "ORDER BY position, id",
        (ids,),
    ):
        markers[session_id, kind].append(text)
    entities: dict[str, list[str]] = defaultdict(list)
    for session_id, canonical in connection.rows(
        "SELECT session_id, entity_canonical FROM session_entities "
        "WHERE session_id IN (SELECT value FROM json_each(?)) ORDER BY rowid",
        (ids,),
    ):
        entities[session_id].append(canonical)
    return [_session(row, markers, entities) for row in rows]


def encode_turns(turns: Sequence[Turn]) -> str | None:
    """Return the JSON text that keeps `turns`."""
    if not turns:
        return None
    try:
        return orjson.dumps([list(turn) for turn in turns]).decode()
    except TypeError:  # a lone surrogate
        return orjson.dumps(
            [[storable(part) if isinstance(part, str) else part for part in turn] for turn in turns]
        ).decode()


def _expression(field: str, present: Collection[str]) -> str:
    return f"s.{field}" if field in present else _DEFAULTS.get(field, "NULL")


def _session(row: Row, markers: Mapping[tuple[str, str], list[str]], entities: Mapping[str, list[str]]) -> Session:
    values = dict(zip(_FIELDS, row, strict=True))
    session_id: str = values["id"]
    values["body"] = values["body"] or ""
    values["summary"] = values["summary"] or ""
    values["source_gone"] = bool(values["source_gone"])
    values["turns"] = StoredTurns(values["turns"]) if values["turns"] else ()
    return Session(
        **values,
        entities=tuple(entities.get(session_id, ())),
        decisions=tuple(markers.get((session_id, "decision"), ())),
        open=tuple(markers.get((session_id, "open"), ())),
    )
