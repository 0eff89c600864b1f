"""The demo memory: invented sessions of an invented developer."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any, Protocol

import orjson

from nlm_tui.core import Evidence, Message, Session, join_messages
from nlm_tui.core.actions import Action
from nlm_tui.core.browsing import FactRow, Origin


class _Corrections(Protocol):
    def act(self, action: Action) -> None: ...


class _Facts(Protocol):
    def put_fact(self, fact: FactRow) -> None: ...


class DemoStore(Protocol):
    """A store that the demo memory can be written to."""

    @property
    def corrections(self) -> _Corrections:
        """What takes the developer's actions."""
        ...

    @property
    def browsing(self) -> _Facts:
        """What takes facts."""
        ...

    def insert_sessions(self, *sessions: Session) -> None:
        """Insert sessions."""
        ...

    def batch(self) -> AbstractContextManager[None]:
        """One transaction."""
        ...


def fill(store: DemoStore, now: datetime) -> None:
    """Write the demo memory, its ages counted back from `now` (UTC), to an empty store."""
    sessions = {session.id: session for session in demo_sessions(now)}
    with store.batch():
        store.insert_sessions(*sessions.values())
        for action in demo_actions(now):
            store.corrections.act(action)
        for fact in demo_facts(now):
            store.browsing.put_fact(fact)


def demo_sessions(now: datetime) -> Iterator[Session]:
    """Yield the demo's sessions, newest first, their ages counted back from `now` (UTC)."""
    for entry in orjson.loads(files("nlm_tui.demo").joinpath("sessions.json").read_bytes()):
        yield _session(entry, now)


def demo_actions(now: datetime) -> Iterator[Action]:
    """Yield what the developer said of the sessions, oldest first: which superseded or continued others."""
    sessions = {session.id: session for session in demo_sessions(now)}
    links = sorted(_beside()["links"], key=lambda link: sessions[link["newer"]].started_at)
    for place, link in enumerate(links):
        at = sessions[link["newer"]].ended_at or ""
        yield Action(f"act_{at}_{place:08}", at, link["kind"], "session", link["older"], {"by": link["newer"]})


def demo_facts(now: datetime) -> Iterator[FactRow]:
    """Yield what the sessions established, with what it replaced."""
    sessions = {session.id: session for session in demo_sessions(now)}
    for entry in _beside()["facts"]:
        current, *older = (
            _fact(entry, version, place, sessions[version["session"]])
            for place, version in enumerate(entry["versions"])
        )
        yield replace(current, versions=tuple(older))


def _fact(entry: Mapping[str, Any], version: Mapping[str, Any], place: int, session: Session) -> FactRow:
    return FactRow(
        id=f"{entry['id']}_{place}",
        kind=entry["kind"],
        subject=entry["subject"],
        predicate=entry["predicate"],
        value=version["value"],
        confidence=version["confidence"],
        created_at=session.ended_at or session.started_at,
        origin=Origin(
            session_id=session.id, label=session.label, runtime=session.runtime, started_at=session.started_at
        ),
        quote=version["quote"],
    )


def _beside() -> dict[str, Any]:
    return orjson.loads(files("nlm_tui.demo").joinpath("memory.json").read_bytes())


def _evidence(entry: Mapping[str, Any]) -> dict[tuple[str, str], Evidence]:
    """Return where the markers come from: `said` has message and words of each, decisions first."""
    markers = [(kind, text) for kind, name in (("decision", "decisions"), ("open", "open")) for text in entry[name]]
    return {marker: Evidence(*said) for marker, said in zip(markers, entry["said"], strict=True)}


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
        evidence=_evidence(entry),
    )


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
