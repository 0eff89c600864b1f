"""From a parsed transcript to a session: what it tells of itself, and what its messages come to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, tzinfo

from nlm_tui.core import Details, Message, Session, join_messages, one_line, storable
from nlm_tui.extraction import meaning
from nlm_tui.ingest.ports import Source, Transcript

_COUNTS = tuple(
    field.name for field in fields(Details) if isinstance(field.default, int) and field.default is not False
)


def build_session(
    transcript: Transcript, source: Source, zone: tzinfo | None = UTC, *, outputs: bool = True
) -> Session:
    """Return the session that a transcript tells of. Pure: the same input gives the same session.

    Times without a zone are those of `zone`, None being that of this machine. Without `outputs` what tools put out is
    left out.
    """
    messages = tuple(_kept(transcript.messages, outputs=outputs))
    body, turns = join_messages(messages)
    started_at = transcript.started_at or _with_zone(transcript.local_start, zone)
    ended_at = transcript.ended_at or _with_zone(transcript.local_end, zone)
    told = Session(
        id=one_line(transcript.session_id),  # as it is shown, so that it can be typed
        runtime=transcript.runtime,
        runtime_session_id=storable(transcript.native_id),
        started_at=started_at or _file_time(source.mtime_ns),
        ended_at=ended_at,
        duration_min=_minutes(started_at, ended_at),
        label="",
        body=storable(body),
        turns=turns,
        project=_storable(transcript.project),
        branch=_storable(transcript.branch),
        model=_storable(transcript.model),
        parent_id=_id(transcript.parent_id) if transcript.is_subagent else None,
        details=_details(transcript),
        transcript_kind=transcript.kind,
        transcript_path=storable(str(source.path)),
        transcript_length=source.size,
    )
    return _with_meaning(told, messages, transcript.title)


def found_by_rules(session: Session) -> Session:
    """Return a session, as it is stored, with what its messages come to by rules."""
    return _with_meaning(session, session.messages, session.label if session.details.titled else None)


def _with_meaning(told: Session, messages: Sequence[Message], title: str | None) -> Session:
    """Return a session with what its messages come to: label, summary, topics, decisions and open questions."""
    fallback = one_line(told.runtime_session_id or "") or told.id
    found = meaning(messages, title=title, project=told.project, fallback=fallback)
    return replace(told, **found._asdict())


def _kept(messages: Iterable[Message], *, outputs: bool) -> Iterator[Message]:
    for message in messages:
        if message.role != "output":
            yield message
        elif outputs:
            yield message._replace(role="tool")


def _details(transcript: Transcript) -> Details:
    told = {name: getattr(transcript, name) for name in _COUNTS}
    return Details(
        **told,
        agent_type=None if transcript.agent_type is None else one_line(transcript.agent_type),
        forked_from=_id(transcript.forked_from),
        goes_on_from=None if transcript.is_subagent else _id(transcript.parent_id),
        archived=transcript.archived,
        titled=bool(one_line(transcript.title or "")),
        local_time=not transcript.started_at and transcript.local_start is not None,
    )


def _id(text: str | None) -> str | None:
    return None if text is None else one_line(text)


def _with_zone(local: str | None, zone: tzinfo | None) -> str | None:
    """Return a time that names no zone as one in UTC, None for what is no time."""
    if local is None:
        return None
    try:
        moment = datetime.fromisoformat(local).replace(tzinfo=zone).astimezone(UTC)  # without a zone: the machine's
    except (ValueError, OverflowError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _storable(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _file_time(mtime_ns: int) -> str:
    moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=mtime_ns // 1000)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _minutes(started_at: str | None, ended_at: str | None) -> int | None:
    if started_at is None or ended_at is None:
        return None
    try:
        minutes = (datetime.fromisoformat(ended_at) - datetime.fromisoformat(started_at)) / timedelta(minutes=1)
    except (ValueError, TypeError):
        return None
    return int(minutes + 0.5) if minutes >= 1 else 0
