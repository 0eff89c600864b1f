"""A session as lines of text, each with its kind."""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from nlm_tui.core import Message, Session, display_safe, one_line
from nlm_tui.display.words import clock_time, counted, duration, home_path, moment, short_runtime

_SPEAKERS = {"user": "You", "tool": "", "command": "You", "summary": "Summary of what came before", "note": ""}


class Kind(StrEnum):
    """What a line is, and so how it is painted."""

    TITLE = "title"
    META = "meta"
    HEADING = "heading"
    TEXT = "text"
    SPEAKER = "speaker"
    TOOL = "tool"
    NOTE = "note"


class Line(NamedTuple):
    """One line of text, and by how much its continuation rows are indented."""

    text: str
    kind: Kind = Kind.TEXT
    indent: int = 0


def session_lines(
    session: Session, *, home: Path, now: datetime, zone: tzinfo | None, parent: str | None = None
) -> tuple[Line, ...]:
    """Return the lines that show a session: header, summary, decisions, open questions, topics, conversation."""
    lines = [Line(one_line(session.label), Kind.TITLE), *_header(session, home, now, zone, parent)]
    for heading, mark, texts in (
        ("Summary", "", display_safe(session.summary).splitlines()),
        ("Decisions", "* ", map(one_line, session.decisions)),
        ("Open", "? ", map(one_line, session.open)),
        ("Topics", "", ["  ".join(map(one_line, session.entities))] if session.entities else []),
    ):
        shown = [Line(mark + text, Kind.TEXT, len(mark)) for text in texts]
        if shown:
            lines += [Line(""), Line(heading, Kind.HEADING), *shown]
    messages = session.messages
    if messages:
        lines += [Line(""), Line(f"Conversation  {counted(len(messages), 'message')}", Kind.HEADING)]
        lines += _conversation(messages, session.runtime, zone)
    return tuple(lines)


def _header(session: Session, home: Path, now: datetime, zone: tzinfo | None, parent: str | None) -> Iterator[Line]:
    where = (session.runtime, home_path(session.project, home), session.branch, session.model)
    when = (moment(session.started_at, zone, now=now), duration(session.duration_min))
    yield Line("  ".join(one_line(part) for part in (*where[:3], *when) if part), Kind.META)
    yield Line("  ".join(one_line(part) for part in (where[3], session.id) if part), Kind.META)
    if session.parent_id:
        yield Line(f"subagent of {one_line(parent or session.parent_id)}", Kind.META)
    if session.status == "superseded":
        yield Line("superseded: a newer session came to other conclusions", Kind.META)
    if session.source_gone:
        yield Line("its transcript was deleted; this is the memory's copy", Kind.META)


def _conversation(messages: tuple[Message, ...], runtime: str, zone: tzinfo | None) -> Iterator[Line]:
    previous = None
    for message in messages:
        speaker = _SPEAKERS.get(message.role, short_runtime(one_line(runtime)))
        if message.role in {"tool", "note", "transcript"}:
            if previous != message.role:
                yield Line("")
            kind = {"tool": Kind.TOOL, "note": Kind.NOTE}.get(message.role, Kind.TEXT)
            yield from (Line("  " + text, kind, 4) for text in display_safe(message.text).split("\n"))
        else:
            yield Line("")
            withdrawn = "(withdrawn)" if message.withdrawn else ""
            parts = (speaker, clock_time(message.at, zone), withdrawn)
            yield Line("  ".join(part for part in parts if part), Kind.SPEAKER)
            yield from (Line(text) for text in display_safe(message.text).split("\n"))
        previous = message.role
