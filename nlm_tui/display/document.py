"""A session as lines of text, each with its kind."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from nlm_tui.core import MarkerKind, Message, Session, display_safe, one_line
from nlm_tui.core.corrections import held_markers
from nlm_tui.core.secrets import mask
from nlm_tui.display.markdown import Fence, closes, fence
from nlm_tui.display.speakers import said_by, speaker_line
from nlm_tui.display.words import counted, duration, home_path, moment

_PIECE = 65_536  # characters that are cleaned at once: no thread may keep all others waiting
_NO_LABELS: Mapping[str, str] = MappingProxyType({})


class Kind(StrEnum):
    """What a line is, and so how it is painted."""

    TITLE = "title"
    META = "meta"
    HEADING = "heading"
    TEXT = "text"
    STRUCK = "struck"
    SPEAKER = "speaker"
    PROMPT = "prompt"
    FENCE = "fence"
    CODE = "block"
    TOOL = "tool"
    NOTE = "note"


class Line(NamedTuple):
    """One line of text, by how much its continuation rows are indented, and the number of its message (-1: none)."""

    text: str
    kind: Kind = Kind.TEXT
    indent: int = 0
    message: int = -1


def session_lines(  # noqa: PLR0913 - all that would make two runs differ
    session: Session,
    *,
    home: Path,
    now: datetime,
    zone: tzinfo | None,
    labels: Mapping[str, str] = _NO_LABELS,
    reveal: bool = False,
    sources: bool = False,
) -> Iterator[Line]:
    """Yield the lines that show a session: header, note, summary, decisions, open questions, topics, conversation.

    `labels` holds those of other sessions, by their ids. Secrets are masked unless `reveal`. With `sources` each
    decision and each question says who said it, and when.
    """
    shown = _revealed if reveal else mask
    yield Line(shown(one_line(session.label)), Kind.TITLE)
    yield from (Line(shown(text), Kind.META) for text in _header(session, home, now, zone, labels))
    superseded = session.status == "superseded" or bool(session.superseded_by)
    decided = Kind.STRUCK if superseded else Kind.TEXT
    for heading, indent, kind, texts in (
        ("Note", 0, Kind.TEXT, shown(display_safe(session.note)).splitlines()),
        ("Summary", 0, Kind.TEXT, shown(display_safe(session.summary)).splitlines()),
        (
            "Decisions  superseded" if superseded else "Decisions",
            2,
            decided,
            _markers(session, "decision", zone, sources=sources),
        ),
        ("Open", 2, Kind.TEXT, _markers(session, "open", zone, sources=sources)),
        ("Topics", 0, Kind.TEXT, ["  ".join(map(one_line, session.entities))] if session.entities else []),
    ):
        lines = [Line(shown(text), kind, indent) for text in texts]
        if lines:
            yield from (Line(""), Line(heading, Kind.HEADING), *lines)
    if session.turns or session.body:
        yield from (Line(""), Line(f"Conversation  {counted(len(session.turns) or 1, 'message')}", Kind.HEADING))
        yield from _conversation(session, zone, shown)


def _header(
    session: Session, home: Path, now: datetime, zone: tzinfo | None, labels: Mapping[str, str]
) -> Iterator[str]:
    def named(session_id: str) -> str:
        return "  ".join(dict.fromkeys((one_line(labels.get(session_id, session_id)), one_line(session_id))))

    where = (session.runtime, home_path(session.project, home), session.branch, session.model)
    when = (moment(session.started_at, zone, now=now), duration(session.duration_min))
    marks = ("pinned" if session.pinned else "", "hidden: no list shows it" if session.hidden else "")
    said = [
        "  ".join(one_line(part) for part in (*where[:3], *when) if part),
        "  ".join(one_line(part) for part in (where[3], session.id) if part),
        "  ".join(filter(None, marks)),
        f"subagent of {one_line(labels.get(session.parent_id, session.parent_id))}" if session.parent_id else "",
        counted(session.subagents, "subagent") if session.subagents else "",
        *(f"continues {named(other)}" for other in session.continues),
        *(f"superseded by {named(other)}" for other in session.superseded_by),
    ]
    if session.status == "superseded" and not session.superseded_by:
        said.append("superseded: a newer session came to other conclusions")
    if session.source_gone:
        said.append("its transcript was deleted; this is the memory's copy")
    yield from filter(None, said)


def _markers(session: Session, kind: MarkerKind, zone: tzinfo | None, *, sources: bool) -> Iterator[str]:
    for marker in held_markers(session):
        if marker.kind == kind:
            sign = "x" if marker.state != "standing" else "*" if kind == "decision" else "?"
            answer = f" -> {one_line(marker.answer)}" if marker.answer else ""
            source = said_by(session, marker.evidence, zone) if sources else ""
            yield f"{sign} {one_line(marker.text)}{answer}{source}"


def _conversation(session: Session, zone: tzinfo | None, shown: Callable[[str], str]) -> Iterator[Line]:
    previous = None
    for number, message in enumerate(_messages(session)):
        texts = _cleaned(message.text, shown)
        if message.role in {"tool", "note", "transcript"}:
            if previous != message.role:
                yield Line("")
            if message.role == "transcript":
                yield from _markdown(texts, number, "  ", 4)
            else:
                kind = Kind.TOOL if message.role == "tool" else Kind.NOTE
                yield from (Line("  " + text, kind, 4, number) for text in texts)
        else:
            yield from (Line(""), _speaker(message, number, session.runtime, zone))
            yield from _markdown(texts, number)
        previous = message.role


def _messages(session: Session) -> Iterator[Message]:
    """Yield the conversation, message by message: all of it at once would be a second copy."""
    if not session.turns and session.body:
        yield Message("transcript", session.body)
    for turn in session.turns:
        yield Message(turn.role, session.body[turn.start : turn.end], *turn[3:])


def _speaker(message: Message, number: int, runtime: str, zone: tzinfo | None) -> Line:
    kind = Kind.PROMPT if message.role == "user" else Kind.SPEAKER
    return Line(speaker_line(message, runtime, zone), kind, 0, number)


def _markdown(texts: Iterator[str], number: int, margin: str = "", indent: int = 0) -> Iterator[Line]:
    """Yield the lines of a message, blocks of code told from prose."""
    opened: Fence | None = None
    for text in texts:
        if opened is None:
            opened = fence(text)
            kind = Kind.TEXT if opened is None else Kind.FENCE
        elif closes(text, opened):
            opened, kind = None, Kind.FENCE
        else:
            kind = Kind.CODE
        yield Line(margin + text, kind, indent, number)


def _cleaned(text: str, shown: Callable[[str], str]) -> Iterator[str]:
    """Yield the lines of a text, cleaned, as they are shown."""
    start = 0
    while len(text) - start > _PIECE:
        cut = text.rfind("\n", start, start + _PIECE)
        if cut < 0:
            cut = text.find("\n", start + _PIECE)
        if cut < 0:
            break
        yield from shown(_clean(text[start:cut].removesuffix("\r"))).split("\n")
        start = cut + 1
    yield from shown(_clean(text[start:])).split("\n")


def _clean(text: str) -> str:
    if len(text) <= _PIECE:
        return display_safe(text)
    return "".join(display_safe(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE))


def _revealed(text: str) -> str:
    return text
