"""Cursor: the sessions of its editor, in databases, and those of its agent on the command line, in files.

The editor writes transcripts of its sessions too; they say less than its database, so they are passed over.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.cursor_agent import STORE, agent_folders, agent_sources, read_store, read_transcript
from nlm_tui.runtimes.cursor_chats import CHAT, chat_parts, read_chat
from nlm_tui.runtimes.cursor_composers import (
    COMPOSER,
    RUNTIME,
    Header,
    composer_parts,
    inline_parts,
    is_stored,
    listed_headers,
    read_composer,
    read_inline,
    sessions_with_bubbles,
)
from nlm_tui.runtimes.cursor_store import (
    STATE,
    config_folder,
    global_state,
    workspace_folder,
    workspace_states,
    workspaces,
)
from nlm_tui.runtimes.databases import database_source, reading

_T = TypeVar("_T")


class CursorReader:
    """Reads the sessions of Cursor. A home is the folder of the editor, or the one of the agent."""

    runtime: str = RUNTIME

    def __init__(self, homes: Sequence[Path]) -> None:
        self._homes = tuple(homes)
        self.roots: Sequence[Path] = tuple(
            folder for home in homes for folder in (global_state(home).parent, workspaces(home), *agent_folders(home))
        )
        self._listed = _Remembered(_listed)
        self._with_bubbles = _Remembered(_with_bubbles)
        self._unlisted: dict[Path, dict[tuple[str, int], Header | None]] = {}

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path, platform: str = sys.platform) -> "CursorReader":
        """Look where Cursor itself would keep its sessions."""
        return cls([config_folder("Cursor", environ, home, platform), home / ".cursor"])

    def discover(self) -> Iterator[Source]:
        """Yield the databases of the editor, and what the agent wrote of sessions that these do not have."""
        agent = {session: source for home in self._homes for session, source in agent_sources(home).items()}
        for home in self._homes:
            states = list(workspace_states(home))
            yield from states
            changed = max((state.mtime_ns for state in states), default=0)
            for state in database_source(global_state(home), str(changed)):
                yield state
                if agent:
                    stored = self._with_bubbles(state)
                    agent = {session: source for session, source in agent.items() if session not in stored}
        yield from agent.values()

    def parts(self, source: Source) -> Iterator[Source]:
        """Yield the sessions in a database of the editor; any other file is one session."""
        if source.path.name != STATE:
            yield source
            return
        home = next((home for home in self._homes if source.path.is_relative_to(home)), source.path.parent)
        everywhere = global_state(home)
        with reading(source.path) as database:
            folder = workspace_folder(source.path)
            headers = listed_headers(database, folder)
            if source.path == everywhere:
                for state in workspace_states(home):
                    headers |= self._listed(state)
            yield from composer_parts(source, database, headers, self._unlisted.setdefault(source.path, {}))
            yield from chat_parts(source, database, folder)
            whole = list(inline_parts(source, database, folder))
        if whole and everywhere.exists() and source.path != everywhere:
            with reading(everywhere) as database:
                whole = [part for part in whole if not is_stored(database, part.part)]
        yield from whole

    def read(self, source: Source) -> Transcript | None:
        """Read a session; None if nothing was said in it."""
        if source.path.name == STATE:
            transcript = _read_part(source)
        elif source.path.name == STORE:
            transcript = read_store(source)
        else:
            transcript = read_transcript(source)
        return transcript if transcript and transcript.messages else None


class _Remembered(Generic[_T]):
    """Facts from databases, which are asked again when they changed."""

    def __init__(self, ask: Callable[[Source], dict[str, _T]]) -> None:
        self._ask = ask
        self._known: dict[Path, tuple[int, int, dict[str, _T]]] = {}

    def __call__(self, source: Source) -> dict[str, _T]:
        """Return what a database says; nothing where it cannot be read, which its own reading tells of."""
        size, mtime_ns, facts = self._known.get(source.path, (0, 0, dict[str, _T]()))
        if (size, mtime_ns) != (source.size, source.mtime_ns):
            try:
                facts = self._ask(source)
            except (TranscriptError, OSError):
                return {}
            self._known[source.path] = source.size, source.mtime_ns, facts
        return facts


def _listed(source: Source) -> dict[str, Header]:
    with reading(source.path) as database:
        return listed_headers(database, workspace_folder(source.path))


def _with_bubbles(source: Source) -> dict[str, bool]:
    with reading(source.path) as database:
        return dict.fromkeys(sessions_with_bubbles(database), True)


def _read_part(source: Source) -> Transcript | None:
    with reading(source.path) as database:
        if source.part.startswith(COMPOSER):
            return read_composer(database, source)
        if source.part.startswith(CHAT):
            return read_chat(database, source, RUNTIME)
        return read_inline(database, source)
