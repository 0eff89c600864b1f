"""Finds the files of Claude Code and reads them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path

from nlm_tui.core import one_line
from nlm_tui.ingest.ports import Reading, Source, Transcript, TranscriptError
from nlm_tui.runtimes.claude.heads import Heads
from nlm_tui.runtimes.claude.relations import Place, Relations
from nlm_tui.runtimes.claude.session import RUNTIME, Session
from nlm_tui.runtimes.growing import Closed, GrowingFile
from nlm_tui.runtimes.jsonl import (
    JsonLines,
    as_dict,
    as_source,
    as_text,
    entries,
    file_source,
    parse_json,
    read_document,
)

_SUBAGENTS = "subagents"
_EXPORT = b'"loglines"'
_SAMPLE = 64 * 1024


class ClaudeCodeReader:
    """Reads the sessions of Claude Code, each home being one of its configuration folders."""

    runtime: str = RUNTIME

    def __init__(self, homes: Sequence[Path], *, files: Sequence[Path] = ()) -> None:
        """Look into `homes`, and for sessions at `files`."""
        self._folders = tuple(folder / "projects" for folder in homes)
        self._files = tuple(files)
        self.roots: Sequence[Path] = (*self._folders, *self._files)
        self._heads = Heads()
        self._relations = Relations((), self._heads)
        self._exports: dict[Path, tuple[int, int, bool]] = {}

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "ClaudeCodeReader":
        """Look where Claude Code itself would keep its sessions, and where others look that read them."""
        named = environ.get("CLAUDE_CONFIG_DIR", "").split(",")
        for part in environ.get("CLAUDE_CONFIG_DIRS", "").split(","):
            named += part.split(os.pathsep)
        if folders := [_expanded(part.strip(), home) for part in named if part.strip()]:
            return cls(list(dict.fromkeys(folders)))
        folders = [home / ".claude"]
        other = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "claude"
        if other.resolve() != folders[0].resolve():
            folders.append(other)
        return cls(folders)

    @classmethod
    def of_files(cls, files: Sequence[Path]) -> "ClaudeCodeReader":
        """Read sessions that lie anywhere."""
        return cls([], files=files)

    def discover(self) -> Iterator[Source]:
        """Yield the session files of every project, and those of their subagents."""
        places = [place for folder in self._folders for place in self._places(folder)]
        places += [Place(source, path.parent, path.stem) for path in self._files for source in file_source(path)]
        self._relations = Relations(places, self._heads)
        yield from self._relations.sources()

    def read(self, source: Source) -> Transcript | None:
        """Read a session file; None if it holds bookkeeping only.

        Raises:
            TranscriptError: it holds nothing that another file of its session lacks, or no record of Claude Code.
            OSError: it cannot be opened.
        """
        return self.open(source).transcript()

    def open(self, source: Source) -> Reading:
        """Read a file, and keep the state of reading it."""
        path = source.path
        if path not in self._relations:
            for _ in self.discover():
                pass
        relation = self._relations.of(path)
        if relation.copy_of:
            raise TranscriptError(f"a copy of {relation.copy_of}")
        parent = self._relations.session_of(path)
        if path.suffix == ".json":
            session = Session(path.stem, "claude-code-json", relation, parent)
            session.take(read_document(path))
            return Closed(session.transcript(JsonLines(BytesIO())))
        session = Session(path.stem, "claude-code-jsonl", relation, parent, _agent_type(path))
        return GrowingFile(source, session, grows=relation.settled)

    def _places(self, root: Path) -> Iterator[Place]:
        for project in entries(root):
            folder = Path(project.path)
            for entry in entries(folder):
                if entry.name.endswith(".jsonl"):
                    yield from (Place(source, folder, entry.name[:-6]) for source in as_source(entry))
                elif entry.name.endswith(".json"):
                    found = as_source(entry)
                    yield from (Place(source, folder, entry.name[:-5]) for source in found if self._is_export(source))
                elif entry.is_dir(follow_symlinks=False):
                    for source in _subagents(Path(entry.path, _SUBAGENTS)):
                        yield Place(source, folder, source.path.stem, entry.name)

    def _is_export(self, source: Source) -> bool:
        known = self._exports.get(source.path)
        if known is None or known[:2] != (source.size, source.mtime_ns):
            known = (source.size, source.mtime_ns, _EXPORT in _beginning(source.path))
            self._exports[source.path] = known
        return known[2]


def _subagents(folder: Path) -> Iterator[Source]:
    for entry in entries(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from _subagents(Path(entry.path))
        elif entry.name.startswith("agent-") and entry.name.endswith(".jsonl"):
            yield from as_source(entry)


def _agent_type(path: Path) -> str:
    """Return what kind of agent a file is of, as the one beside it says."""
    if not path.name.startswith("agent-"):
        return ""
    about = parse_json(_beginning(path.with_name(f"{path.stem}.meta.json")))
    return one_line(as_text(as_dict(about).get("agentType")))


def _beginning(path: Path) -> bytes:
    with suppress(OSError), path.open("rb") as file:
        return file.read(_SAMPLE)
    return b""


def _expanded(path: str, home: Path) -> Path:
    return home / path[2:] if path.startswith(("~/", "~\\")) else Path(path)
