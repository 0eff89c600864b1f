"""The demo memory: invented sessions of an invented developer."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any

import orjson

from nlm_tui.core import Message, Session, join_messages


def demo_sessions(now: datetime) -> Iterator[Session]:
    """Yield the demo's sessions, newest first, their ages counted back from `now` (UTC)."""
    for entry in orjson.loads(files("nlm_tui.demo").joinpath("sessions.json").read_bytes()):
        yield _session(entry, now)


def _session(entry: dict[str, Any], now: datetime) -> Session:
    started = now - timedelta(hours=entry["hours_ago"])
    step = timedelta(minutes=entry["minutes"]) / max(len(entry["messages"]), 1)
    messages = tuple(
        Message(role, text, _iso(started + place * step)) for place, (role, text) in enumerate(entry["messages"])
    )
    body, turns = join_messages(messages)
    return Session(
        id=entry["id"],
        runtime=entry["runtime"],
        started_at=_iso(started),
        ended_at=_iso(started + timedelta(minutes=entry["minutes"])),
        duration_min=entry["minutes"],
        label=entry["label"],
        summary=entry["summary"],
        body=body,
        turns=turns,
        status=entry["status"],
        project=entry["project"],
        branch=entry["branch"],
        model=entry["model"],
        parent_id=entry.get("parent"),
        entities=tuple(entry["entities"]),
        decisions=tuple(entry["decisions"]),
        open=tuple(entry["open"]),
    )


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
