"""Sessions, answers, rows and sources as JSON: cleaned for a terminal, secrets masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from nlm_tui.core import Extraction, Message, RecallResult, Session, display_safe, json_safe, one_line
from nlm_tui.core.corrections import HeldMarker, held_markers
from nlm_tui.core.secrets import mask
from nlm_tui.display.speakers import turn_of

if TYPE_CHECKING:
    from nlm_tui.ingest.listing import RuntimeSources

_TOLD = ("agent_type", "forked_from", "goes_on_from", "archived", "local_time", "titled")


def as_json(value: object) -> str:
    """Return JSON text, indented."""
    import orjson  # noqa: PLC0415 - help and completion need none

    return json_safe(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def session_json(session: Session, *, problem: str | None = None, reveal: bool = False) -> dict[str, Any]:
    """Return all of a session, with its `messages` in place of the turns; secrets are masked unless `reveal`.

    `problem` says why its source could not be read again.
    """
    fields = asdict(session)
    del fields["turns"], fields["evidence"]
    details = fields.pop("details")
    fields |= {name: details.pop(name) for name in _TOLD}
    fields["parent_id"] = session.parent_id or session.details.goes_on_from
    fields["counts"] = details
    state = "deleted" if session.source_gone else "unreadable" if problem else "present"
    fields["source"] = {
        "path": session.transcript_path,
        "kind": session.transcript_kind,
        "state": state if session.transcript_path else None,
        "problem": problem,
    }
    fields["extraction"] = _extraction_json(session.extraction)
    fields["closed"] = [{"text": question.text, "answer": question.answer} for question in session.closed]
    fields["markers"] = [_marker_json(marker, session) for marker in held_markers(session)]
    fields["messages"] = [_message_json(message) for message in session.messages]
    for name in ("entities", "decisions", "open"):
        fields[name] = [one_line(text) for text in fields[name]]
    return _clean({**fields, "label": one_line(session.label)}, reveal=reveal)


def result_json(result: RecallResult, reasons: Mapping[str, str]) -> dict[str, Any]:
    """Return a recall, the reasons with its hits. Its text is safe already."""
    fields = asdict(result)
    for hit in fields["results"]:
        if hit["id"] in reasons:
            hit["why"] = reasons[hit["id"]]
    return fields


def sources_json(sources: Iterable[RuntimeSources]) -> list[dict[str, Any]]:
    """Return what there is to read of each runtime."""
    return [_source_json(one) for one in sources]


def rows_json(rows: Iterable[object], *, reveal: bool = False) -> Iterator[dict[str, Any]]:
    """Yield rows of a list, whatever they are: hits, decisions, questions, topics, facts, sessions in time."""
    for row in rows:
        if is_dataclass(row) and not isinstance(row, type):
            yield _clean(asdict(row), reveal=reveal)


def _source_json(one: RuntimeSources) -> dict[str, Any]:
    newest = None if one.newest_ns is None else datetime.fromtimestamp(one.newest_ns / 1e9, UTC)
    fields = {
        "runtime": one.runtime,
        "enabled": one.enabled,
        "roots": [{"path": str(root.path), "exists": root.exists, "problem": root.problem} for root in one.roots],
        "projects": one.projects,
        **{name: getattr(one, name) for name in ("found", "unread", "excluded", "gone", "sessions", "size")},
        "newest": None if newest is None else newest.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "skipped": [asdict(skipped) for skipped in one.skipped],
        "recovered": [asdict(recovered) for recovered in one.recovered],
    }
    return _clean(fields, reveal=True)


def _extraction_json(by: Extraction | None) -> dict[str, Any]:
    """Return by whom it was found what a session comes to; rules have a version as prompts have."""
    from nlm_tui.ingest.changes import EXTRACTION_VERSION  # noqa: PLC0415 - help and completion need none

    rules = {"provider": "rules", "model": None, "prompt_version": EXTRACTION_VERSION, "at": None}
    return by._asdict() if by else rules


def _message_json(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": message.role, "text": message.text, "at": message.at}
    marks = {"withdrawn": message.withdrawn, "inherited": message.inherited}
    return fields | {name: True for name, is_so in marks.items() if is_so}


def _marker_json(marker: HeldMarker, session: Session) -> dict[str, Any]:
    fields: dict[str, Any] = {"kind": marker.kind, "text": one_line(marker.text), "state": marker.state}
    if marker.answer:
        fields["answer"] = marker.answer
    evidence, turn = marker.evidence, turn_of(session, marker.evidence)
    if evidence is None or turn is None:
        return fields | {"evidence": None}
    said = {"message": evidence.message, "role": turn.role, "at": turn.at, "quote": evidence.quote}
    return fields | {"evidence": said}


def _clean(value: Any, *, reveal: bool) -> Any:  # noqa: ANN401 - JSON has no type
    """Return a value with every text in it as a terminal may show it."""
    if isinstance(value, str):
        shown = display_safe(value)
        return shown if reveal else mask(shown)
    if isinstance(value, dict):
        return {name: _clean(one, reveal=reveal) for name, one in cast("dict[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_clean(one, reveal=reveal) for one in cast("Sequence[object]", value)]
    return value
