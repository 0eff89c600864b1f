"""What an exported page says, whatever the format: all text clean, secrets masked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from types import MappingProxyType

from nlm_tui.core import RecallHit, Session, display_safe, one_line
from nlm_tui.core.browsing import FactRow, MarkerRow, Origin, TimelineRow, TopicRow
from nlm_tui.core.corrections import HeldMarker, held_markers
from nlm_tui.core.secrets import mask
from nlm_tui.display.speakers import said_by, speaker_line
from nlm_tui.display.words import clock_time, counted, day_of, duration, home_path

Row = RecallHit | MarkerRow | TopicRow | FactRow | TimelineRow

_NO_LABELS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Section:
    """A list of single lines under a heading; `struck` where it holds no more, `is_text` where it is prose.

    `sources` says of each line who said it, if it is a list of markers.
    """

    heading: str
    lines: tuple[str, ...]
    struck: bool = False
    is_text: bool = False
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What was said by one speaker; tools and notes have none."""

    role: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """A session: its title, facts as (name, value), sections and conversation."""

    title: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    conversation: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a list: its title, what belongs to it in few words, and lines below it."""

    title: str
    facts: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is made: paths and times read differently elsewhere (`zone` None: the machine's)."""

    home: Path
    zone: tzinfo | None = None


def session_page(
    session: Session, place: Place, labels: Mapping[str, str] = _NO_LABELS, *, reveal: bool = False
) -> Page:
    """Return the page of a session. `labels` holds those of other sessions by their ids."""
    shown = _shows(reveal=reveal)
    superseded = session.status == "superseded" or bool(session.superseded_by)
    sections = (
        Section("Note", _lines(session.note, shown), is_text=True),
        Section("Summary", _lines(session.summary, shown), is_text=True),
        *_marked(session, place.zone, shown, superseded=superseded),
        Section("Topics", _each(session.entities, shown)),
    )
    return Page(
        shown(one_line(session.label)),
        tuple((name, shown(value)) for name, value in _facts(session, place, labels) if value),
        tuple(section for section in sections if section.lines),
        tuple(_said(session, place.zone, shown)),
    )


def _marked(
    session: Session, zone: tzinfo | None, shown: Callable[[str], str], *, superseded: bool
) -> Iterator[Section]:
    markers = tuple(held_markers(session))
    for heading, kind, is_closed in (
        ("Decisions", "decision", False),
        ("Open questions", "open", False),
        ("Closed questions", "open", True),
    ):
        those = [one for one in markers if one.kind == kind and (one.state != "standing") == is_closed]
        lines = _each((_answered(one) for one in those), shown)
        sources = tuple(said_by(session, one.evidence, zone) for one in those)
        yield Section(heading, lines, struck=superseded and kind == "decision", sources=sources)


def entry(row: Row, place: Place, *, reveal: bool = False) -> Entry:
    """Return a row as an entry of a list."""
    shown = _shows(reveal=reveal)
    found = _entry(row, place)
    return Entry(
        shown(one_line(found.title)),
        tuple(shown(one_line(fact)) for fact in found.facts if fact),
        tuple(shown(one_line(line)) for line in found.lines if line),
        found.struck,
    )


def _entry(row: Row, place: Place) -> Entry:
    if isinstance(row, RecallHit):
        facts = (day_of(row.started_at, place.zone), row.runtime, home_path(row.project, place.home), row.id)
        lines = (row.snippet, *(f"Decision: {text}" for text in row.decisions), *(f"Open: {text}" for text in row.open))
        return Entry(row.label, facts, lines, row.status == "superseded")
    if isinstance(row, MarkerRow):
        closed = () if row.state == "standing" else (f"{row.state}: {row.answer}" if row.answer else row.state,)
        return Entry(row.text, _origin(row.origin, place), (*closed, *_successor(row.origin)), _is_over(row.origin))
    if isinstance(row, TopicRow):
        counts = (counted(row.sessions, "session"), counted(row.decisions, "decision"))
        opened = counted(row.open, "open question")
        return Entry(row.name, (*counts, opened, f"last seen {day_of(row.last_seen, place.zone)}"))
    if isinstance(row, FactRow):
        older = (f"before: {one.value} ({day_of(one.created_at, place.zone)})" for one in row.versions)
        return Entry(f"{row.subject} {row.predicate}: {row.value}", _origin(row.origin, place), (row.quote, *older))
    decided = (f"Decision: {text}" for text in row.decisions)
    lines = (*_successor(row.origin), *decided, *(f"Open: {text}" for text in row.open))
    return Entry(row.origin.label, _origin(row.origin, place)[1:], lines, _is_over(row.origin))


def _origin(origin: Origin, place: Place) -> tuple[str, ...]:
    day = day_of(origin.started_at, place.zone)
    return (origin.label, day, origin.runtime, home_path(origin.project, place.home), origin.session_id)


def _successor(origin: Origin) -> Iterator[str]:
    if origin.successor is not None:
        yield f"superseded by {origin.successor[1]} ({origin.successor[0]})"


def _is_over(origin: Origin) -> bool:
    return origin.status == "superseded" or origin.successor is not None


def _facts(session: Session, place: Place, labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    started = f"{day_of(session.started_at, place.zone)} {clock_time(session.started_at, place.zone)}".strip()
    yield "Agent", one_line(session.runtime)
    yield "Project", one_line(home_path(session.project, place.home))
    yield "Branch", one_line(session.branch or "")
    yield "Model", one_line(session.model or "")
    yield "Started", started
    yield "Length", duration(session.duration_min)
    yield "Session", one_line(session.id)
    others = (
        ("Subagent of", (session.parent_id,) if session.parent_id else ()),
        ("Continues", session.continues),
        ("Superseded by", session.superseded_by),
    )
    for name, ids in others:
        yield name, ", ".join(one_line(labels.get(one, one)) for one in ids)


def _said(session: Session, zone: tzinfo | None, shown: Callable[[str], str]) -> Iterator[Said]:
    """Yield the conversation; what tools did between two messages is one block."""
    tools: list[str] = []
    for message in session.messages:
        text = shown(display_safe(message.text))
        if message.role == "tool":
            tools.append(text)
            continue
        if tools:
            yield Said("tool", "", "\n".join(tools))
            tools = []
        yield Said(message.role, speaker_line(message, session.runtime, zone), text)
    if tools:
        yield Said("tool", "", "\n".join(tools))


def _answered(marker: HeldMarker) -> str:
    return f"{marker.text} -> {marker.answer}" if marker.answer else marker.text


def _each(texts: Sequence[str] | Iterator[str], shown: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(shown(one_line(text)) for text in texts)


def _lines(text: str, shown: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(shown(display_safe(text)).strip().splitlines())


def _shows(*, reveal: bool) -> Callable[[str], str]:
    return str if reveal else mask
