"""Windsurf: chats in the databases of its workspaces, and Cascade conversations, which it encrypts."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.cursor_chats import chat_parts, read_chat
from nlm_tui.runtimes.cursor_store import config_folder, workspace_folder, workspace_states, workspaces
from nlm_tui.runtimes.databases import reading
from nlm_tui.runtimes.jsonl import as_source, entries

_CASCADE = ".pb"
_EDITIONS = (("Windsurf", "windsurf"), ("Windsurf - Next", "windsurf-next"))


class WindsurfReader:
    """Reads the chats of Windsurf, and names the conversations that only Windsurf can read.

    A home is the folder of the editor, or the one of Cascade.
    """

    runtime: str = "windsurf"

    def __init__(self, homes: Sequence[Path]) -> None:
        self._homes = tuple(homes)
        self.roots: Sequence[Path] = tuple(folder for home in homes for folder in (workspaces(home), home / "cascade"))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path, platform: str = sys.platform) -> "WindsurfReader":
        """Look where Windsurf itself would keep its chats."""
        editors = [config_folder(editor, environ, home, platform) for editor, _ in _EDITIONS]
        return cls([*editors, *(home / ".codeium" / folder for _, folder in _EDITIONS)])

    def discover(self) -> Iterator[Source]:
        """Yield the databases of the workspaces, and the conversations of Cascade."""
        for home in self._homes:
            yield from workspace_states(home)
            for entry in entries(home / "cascade"):
                if entry.name.endswith(_CASCADE):
                    yield from as_source(entry)

    def parts(self, source: Source) -> Iterator[Source]:
        """Yield the chats in the database of a workspace."""
        if source.path.suffix == _CASCADE:
            yield source
            return
        with reading(source.path) as database:
            yield from chat_parts(source, database, workspace_folder(source.path))

    def read(self, source: Source) -> Transcript | None:
        """Read a chat; None if nothing was said in it."""
        if source.path.suffix == _CASCADE:
            raise TranscriptError("a Cascade conversation, which Windsurf encrypts: only Windsurf can show it")
        with reading(source.path) as database:
            transcript = read_chat(database, source, self.runtime)
        return transcript if transcript and transcript.messages else None
