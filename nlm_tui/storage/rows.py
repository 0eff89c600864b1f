"""Rows of `sessions`, `markers` and `session_entities` as `Session` objects, also where columns of ours are missing."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import cast, overload

import orjson

from nlm_tui.core import Evidence, Extraction, Session, Turn, storable
from nlm_tui.core.model import ClosedQuestion, Details
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
    "details",
    "turns",
    "pinned",
    "hidden",
    "note",
    "subagents",
    "extraction",
)
_DEFAULTS = {"source_gone": "0", "pinned": "0", "hidden": "0", "subagents": "0"}
_COUNT_SUBAGENTS = "(SELECT count(*) FROM sessions AS child WHERE child.parent_id = s.id)"
_EXTRACTION = (
    "(SELECT json_array(e.provider, e.model, e.prompt_version, e.extracted_at) FROM extractions AS e "
    "WHERE e.session_row = s.row AND e.result IS NOT NULL)"
)
_FLAGS = ("source_gone", "pinned", "hidden")
_NO_DETAILS = Details()
_DETAILS = tuple(field.name for field in fields(Details))
_Lists = Mapping[tuple[str, str], list[str]]  # by the id of a session and what they are


# What the newer session of two holds of the older one, and the other way round. None is newer than itself.
_LINKS = """
SELECT 'newer', kind, from_session, to_session FROM session_edges
  WHERE kind = 'continues' AND from_session <> to_session AND from_session IN (SELECT value FROM json_each(?1))
UNION ALL SELECT 'older', kind, to_session, from_session FROM session_edges
  WHERE kind = 'supersedes' AND from_session <> to_session AND to_session IN (SELECT value FROM json_each(?1))
ORDER BY 3, 4
"""


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
        self.expressions: dict[str, str] = {field: _expression(field, present) for field in _FIELDS}
        self.has_parents = self.expressions["parent_id"] != "NULL"
        self.are_ours = "body_parts" in present
        """Whether this is our own schema, with columns and indexes that other stores lack."""
        if self.are_ours:
            self.expressions["subagents"] = _COUNT_SUBAGENTS
        if connection.rows("SELECT 1 FROM sqlite_schema WHERE name = 'extractions'"):
            self.expressions["extraction"] = _EXTRACTION

    @property
    def select(self) -> str:
        """The select list that `read_sessions` expects."""
        return ", ".join(self.expressions[field] for field in _FIELDS)


def read_sessions(connection: Connection, rows: Sequence[Row]) -> list[Session]:
    """Return the sessions of `rows`, in their order, with markers, entities and what they are linked to."""
    ids = orjson.dumps([row[0] for row in rows]).decode()
    lists: dict[tuple[str, str], list[str]] = defaultdict(list)
    closed: dict[str, list[ClosedQuestion]] = defaultdict(list)
    evidence: dict[str, dict[tuple[str, str], Evidence]] = defaultdict(dict)
    for session_id, kind, text, state, answer, message, quote, *_ in connection.rows(
        # All that orders them stands in the list: else SQLite looks at every marker of another program's store.
        "SELECT session_id, kind, text, state, answer, message, quote, position, id FROM markers "
        "WHERE session_id IN (SELECT value FROM json_each(?)) ORDER BY position, id",
        (ids,),
    ):
        if state == "standing":
            lists[session_id, kind].append(text)
        else:
            closed[session_id].append(ClosedQuestion(text, answer))
        if (told := evidence_of(message, quote)) is not None:
            evidence[session_id][kind, text] = told
    for session_id, canonical in connection.rows(
        "SELECT session_id, entity_canonical FROM session_entities "
        "WHERE session_id IN (SELECT value FROM json_each(?)) ORDER BY rowid",
        (ids,),
    ):
        lists[session_id, "entity"].append(canonical)
    for end, kind, session_id, other in connection.rows(_LINKS, (ids,)):
        lists[session_id, f"{end} {kind}"].append(other)
    return [_session(row, lists, closed, evidence) for row in rows]


def evidence_of(message: int | None, quote: str | None) -> Evidence | None:
    """Return what the columns of a marker say of where it comes from."""
    return None if message is None else Evidence(message, quote or "")


def encode_turns(turns: Sequence[Turn]) -> str | None:
    """Return the JSON text that keeps `turns`."""
    if not turns:
        return None
    try:
        return orjson.dumps([turn[: 6 if turn.inherited else 5] for turn in turns]).decode()
    except TypeError:  # a lone surrogate
        return orjson.dumps(
            [[storable(part) if isinstance(part, str) else part for part in turn] for turn in turns]
        ).decode()


def encode_details(details: Details) -> str | None:
    """Return the JSON text that keeps `details`; None where they say nothing."""
    told = {name: value for name in _DETAILS if (value := getattr(details, name))}
    return orjson.dumps(told).decode() if told else None


def _details(text: str | None) -> Details:
    if not text:
        return _NO_DETAILS
    return Details(**{name: value for name, value in orjson.loads(text).items() if name in _DETAILS})


def _expression(field: str, present: Collection[str]) -> str:
    return f"s.{field}" if field in present else _DEFAULTS.get(field, "NULL")


def _session(
    row: Row,
    lists: _Lists,
    closed: Mapping[str, list[ClosedQuestion]],
    evidence: Mapping[str, Mapping[tuple[str, str], Evidence]],
) -> Session:
    values = dict(zip(_FIELDS, row, strict=True))
    session_id: str = values["id"]
    for name in ("body", "summary", "note"):
        values[name] = values[name] or ""
    for name in _FLAGS:
        values[name] = bool(values[name])
    values["details"] = _details(values["details"])
    values["extraction"] = Extraction(*orjson.loads(values["extraction"])) if values["extraction"] else None
    values["turns"] = StoredTurns(values["turns"]) if values["turns"] else ()

    def listed(kind: str) -> tuple[str, ...]:
        return tuple(lists.get((session_id, kind), ()))

    return Session(
        **values,
        entities=listed("entity"),
        decisions=listed("decision"),
        open=listed("open"),
        closed=tuple(closed.get(session_id, ())),
        evidence=evidence.get(session_id, {}),
        superseded_by=listed("older supersedes"),
        continues=listed("newer continues"),
    )
