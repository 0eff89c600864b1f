"""Gemini CLI: conversations in `tmp/<project>/chats`, those of subagents in folders named after their parents.

The folder of a project is called after the hash of its directory, since 2026 after its name. A conversation is one
JSON object, since April 2026 a log; one that was resumed then is left beside the log that goes on with it.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript
from nlm_tui.runtimes.gemini_chat import GeminiChat, hash_of
from nlm_tui.runtimes.jsonl import as_dict, as_source, entries, parse_json

_CHATS = "chats"
_LONGEST_LIST = 16 * 1024 * 1024  # bytes of the list of projects
_LONGEST_PATH = 32 * 1024  # bytes
_NO_CHATS = ("logs.", "checkpoint-")
_LEFTOVERS = (".tmp-", ".unreadable-")


class GeminiReader:
    """Reads the sessions of Gemini CLI."""

    runtime: str = "gemini-cli"

    def __init__(self, homes: Sequence[Path]) -> None:
        self.roots: Sequence[Path] = tuple(home / "tmp" for home in homes)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "GeminiReader":
        """Look where Gemini CLI itself would keep its sessions."""
        return cls([Path(environ.get("GEMINI_CLI_HOME") or home) / ".gemini"])

    def discover(self) -> Iterator[Source]:
        """Yield the conversations of every project, each with the project's directory where that is known."""
        for root in self.roots:
            yield from _sources(root)

    def read(self, source: Source) -> Transcript | None:
        """Read a conversation; None if nothing was said in it."""
        path = source.path
        chat = GeminiChat()
        chat.take_all(path)
        native_id = chat.native_id or storable(path.stem)
        parent = one_line(path.parent.name) if path.parent.parent.name == _CHATS else ""
        return chat.complete(
            Transcript(
                session_id=f"gemini_{native_id}",
                runtime=self.runtime,
                native_id=native_id,
                kind=f"gemini-{path.suffix[1:]}",
                messages=(),
                project=strip_control(source.salt or chat.folder) or None,
                parent_id=f"gemini_{parent}" if parent else None,
                is_subagent=bool(parent) or chat.is_subagent,
            )
        )


def _sources(root: Path) -> Iterator[Source]:
    """Yield the conversations below `root`, of copies of one the latest form: a log before an object.

    When the CLI gave the folders of projects their new names, it left the old ones as they were.
    """
    best: dict[tuple[str, str, str], tuple[tuple[bool, ...], Source]] = {}
    for project, directory in _projects(root):
        for parent, source in _chats(root / project, directory):
            key = (directory or project, parent, source.path.stem)
            rank = (source.size > 0, source.path.suffix == ".jsonl", project != hash_of(directory))
            if key not in best or rank > best[key][0]:
                best[key] = (rank, source)
    for _, source in best.values():
        yield source


def _projects(root: Path) -> list[tuple[str, str]]:
    """Return the folders of projects, each with the directory of the project or ''."""
    listed = as_dict(as_dict(parse_json(_beginning(root.parent / "projects.json", _LONGEST_LIST))).get("projects"))
    known = {name: directory for directory, name in listed.items() if isinstance(name, str)}
    names = [entry.name for entry in entries(root) if entry.is_dir()]
    for name in names:
        if name not in known and (directory := _beginning(root / name / ".project_root", _LONGEST_PATH).strip()):
            known[name] = directory.decode("utf-8", "replace")
    hashes = {hash_of(directory): directory for directory in known.values()}
    return [(name, known.get(name) or hashes.get(name, "")) for name in names]


def _chats(project: Path, directory: str) -> Iterator[tuple[str, Source]]:
    """Yield the conversations of a project, each with the id of the one that began it or ''."""
    for entry in entries(project / _CHATS):
        if entry.is_dir(follow_symlinks=False):
            for below in entries(entry.path):
                for source in _chat(below, directory):
                    yield entry.name, source
        else:
            for source in _chat(entry, directory):
                yield "", source


def _chat(entry: os.DirEntry[str], directory: str) -> Iterator[Source]:
    name = entry.name
    if name.endswith((".json", ".jsonl")) and not name.startswith(_NO_CHATS) and not any(map(name.count, _LEFTOVERS)):
        yield from as_source(entry, directory)


def _beginning(path: Path, most: int) -> bytes:
    """Return at most so many bytes of a small file, none where it cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(most)
    return b""
