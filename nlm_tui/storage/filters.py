"""A `SessionFilter` as SQL. Every condition is over `sessions AS s`, so that it acts before any cut."""

from dataclasses import dataclass

from nlm_tui.core import SessionFilter
from nlm_tui.storage.rows import SessionColumns

_NAMES_ENTITY = """s.id IN (
  SELECT session_id FROM session_entities WHERE entity_canonical IN (
    SELECT canonical FROM entities WHERE canonical = ? COLLATE NOCASE
    UNION SELECT canonical FROM entity_variants WHERE variant = ? COLLATE NOCASE))"""
_HOLDS_MARKER = "s.id IN (SELECT session_id FROM markers WHERE kind = ?)"


@dataclass(frozen=True, slots=True)
class Condition:
    """SQL that a session passes or not, and its parameters."""

    sql: str
    parameters: tuple[object, ...] = ()

    @property
    def always(self) -> bool:
        """Whether every session passes."""
        return not self.sql

    @property
    def where(self) -> str:
        """A WHERE clause, or nothing."""
        return f"WHERE {self.sql}" if self.sql else ""


def condition(session_filter: SessionFilter | None, columns: SessionColumns) -> Condition:
    """Return the condition that `session_filter` stands for."""
    parts: list[str] = []
    parameters: list[object] = []
    if session_filter is not None:
        if session_filter.entity is not None:
            parts.append(_NAMES_ENTITY)
            parameters += [session_filter.entity, session_filter.entity]
        if session_filter.kind is not None:
            parts.append(_HOLDS_MARKER)
            parameters.append(session_filter.kind)
        if session_filter.top_level and columns.has_parents:
            parent = columns.expressions["parent_id"]
            # A subagent whose parent is not here stands for itself.
            parts.append(f"({parent} IS NULL OR {parent} NOT IN (SELECT id FROM sessions))")
    return Condition(" AND ".join(parts), tuple(parameters))
