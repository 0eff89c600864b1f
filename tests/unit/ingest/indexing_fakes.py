"""Readers, memories and clocks for tests of indexing."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from nlm_tui.core import Message, Session
from nlm_tui.ingest.ports import Source, SourceState, Transcript

HOUR = 3600 * 10**9


@dataclass
class FakeReader:
    """Reads files of one prompt each, and what else a test wants to happen."""

    folder: Path
    runtime: str = "fake"
    salt: str = ""
    happens: dict[str, Callable[[], Transcript | None]] = field(default_factory=dict)
    was_read: list[str] = field(default_factory=list)

    @property
    def roots(self) -> list[Path]:
        return [self.folder]

    def discover(self) -> Iterator[Source]:
        for path in sorted(self.folder.glob("*.txt")):
            found = path.stat()
            yield Source(path, found.st_size, found.st_mtime_ns, self.salt)

    def read(self, source: Source) -> Transcript | None:
        name = source.path.stem
        self.was_read.append(name)
        if name in self.happens:
            return self.happens[name]()
        text = source.path.read_text(errors="replace")
        return self.transcript(name, text) if text else None

    def transcript(self, name: str, text: str, **more: object) -> Transcript:
        native = name.encode(errors="replace").decode()
        return Transcript(
            session_id=f"{self.runtime}_{native}",
            runtime=self.runtime,
            native_id=native,
            kind="text",
            messages=(Message("user", text),),
            **more,
        )


@dataclass
class LinkingReader(FakeReader):
    """Tells which file a path leads to."""

    def discover(self) -> Iterator[Source]:
        for source in super().discover():
            found = source.path.stat()
            yield replace(source, file=(found.st_dev, found.st_ino))


@dataclass
class FakeWriter:
    """A memory of dictionaries that knows transactions."""

    sessions: dict[str, Session] = field(default_factory=dict)
    states: dict[tuple[str, str], SourceState] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)
    in_batch: bool = False
    also_forgotten: set[str] = field(default_factory=set)

    def source_states(self, runtime: str) -> Mapping[str, SourceState]:
        return {path: state for (name, path), state in self.states.items() if name == runtime}

    @contextmanager
    def batch(self) -> Iterator[None]:
        before = (dict(self.sessions), dict(self.states))
        self.in_batch = True
        self.batches.append(0)
        try:
            yield
        except BaseException:
            self.sessions, self.states = before
            raise
        finally:
            self.in_batch = False

    def forgotten(self) -> Collection[str]:
        return {"fake_forgotten", *self.also_forgotten}

    def forget_also(self, session_ids: Collection[str]) -> None:
        assert self.in_batch
        self.also_forgotten.update(session_ids)

    def get_by_id(self, session_id: str) -> Session | None:
        return self.sessions.get(session_id)

    def sessions_by_project(self) -> Mapping[str, int]:
        return Counter(session.project for session in self.sessions.values() if session.project)

    def insert_sessions(self, *sessions: Session) -> None:
        assert self.in_batch
        self.batches[-1] += len(sessions)
        self.sessions |= {session.id: session for session in sessions}

    def record_source(self, runtime: str, path: str, state: SourceState) -> None:
        assert self.in_batch
        self.states[runtime, path] = state

    def mark_source_gone(self, runtime: str, path: str) -> None:
        assert self.in_batch
        self.states[runtime, path] = replace(self.states[runtime, path], gone=True)
        session = self.sessions.get(self.states[runtime, path].session_id or "")
        if session is not None and session.transcript_path in {path, path.rpartition("#")[0]}:
            self.sessions[session.id] = replace(session, source_gone=True)

    def mark_replaced(self, session_id: str, path: str) -> None:
        assert self.in_batch
        session = self.sessions[session_id]
        if session.transcript_path == path:
            self.sessions[session_id] = replace(session, source_gone=True)


class Clock:
    """A clock that goes on by a step at each look."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def write(folder: Path, name: str, text: str, hours: int = 1) -> Path:
    path = folder / f"{name}.txt"
    path.write_text(text)
    os.utime(path, ns=(hours * HOUR, hours * HOUR))
    return path
