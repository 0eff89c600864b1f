"""What the threads of Codex are called: in the index of names, and in the state database of newer versions."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from nlm_tui.core import one_line
from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes.databases import database_source, reading
from nlm_tui.runtimes.jsonl import JsonLines, as_text, entries

Titles: TypeAlias = dict[str, str]
_State: TypeAlias = tuple[int, int]

_DATABASE = re.compile(r"state_(\d+)\.sqlite")
_LONGEST = 1_000  # characters that are read of a title, or of the prompt that may stand for it


class ThreadTitles:
    """The titles by thread, read again when their file changed. A file that cannot be read leaves those it had."""

    def __init__(self, homes: Sequence[Path], databases: Sequence[Path] = ()) -> None:
        self._homes = homes
        self._folders = (*homes, *(home / "sqlite" for home in homes), *databases)
        self._read: dict[Path, tuple[_State, Titles]] = {}

    def given(self) -> Titles:
        """Return the names in the index."""
        titles: Titles = {}
        for home in self._homes:
            titles.update(self._current(home / "session_index.jsonl", _indexed))
        return titles

    def kept(self) -> Titles:
        """Return what the database has, which may be names or made from what was said."""
        titles: Titles = {}
        for folder in self._folders:
            if database := _newest(folder):
                titles.update(self._current(database, _in_database))
        return titles

    def _current(self, path: Path, read: Callable[[Path], Titles]) -> Titles:
        nothing: Titles = {}
        before, titles = self._read.get(path, (None, nothing))
        for source in database_source(path):
            state = (source.size, source.mtime_ns)
            if state != before:
                with suppress(OSError, TranscriptError):
                    titles = read(path)
                self._read[path] = (state, titles)
        return titles


def _newest(folder: Path) -> Path | None:
    found = [(int(name[1]), entry.path) for entry in entries(folder) if (name := _DATABASE.fullmatch(entry.name))]
    return Path(max(found)[1]) if found else None


def _indexed(path: Path) -> Titles:
    with path.open("rb") as file:
        return {as_text(line.get("id")): one_line(as_text(line.get("thread_name"))) for line in JsonLines(file)}


def _in_database(path: Path) -> Titles:
    with reading(path) as database:
        columns = database.columns("threads")
        if not {"id", "title"} <= columns:
            return {}
        name, title, prompt = (
            f"substr({column}, 1, {_LONGEST})" if column in columns else "''"
            for column in ("name", "title", "first_user_message")
        )
        return {
            as_text(thread): one_line(as_text(name)) or _title(as_text(title), as_text(prompt))
            for thread, name, title, prompt in database.rows(f"SELECT id, {name}, {title}, {prompt} FROM threads")
        }


def _title(title: str, prompt: str) -> str:
    """Return a title, unless it is only the first prompt again."""
    title = one_line(title)
    return "" if one_line(prompt).startswith(title) else title
