"""Aider: one Markdown file per repository, to which every run appends.

The only time in it is that of each run's header. What Aider itself writes ends with two blanks, which tells it from
the same signs in an answer, unless an editor took them off.
"""

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

from nlm_tui.core import storable
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.jsonl import LINE_LIMIT, READ_BUFFER, entries
from nlm_tui.runtimes.splitting import Splitter

_KIND = "aider-markdown"
_NAME = ".aider.chat.history.md"
_VARIABLE = "AIDER_CHAT_HISTORY_FILE"
_LEVELS = 2  # of folders below a root: ~/code/group/repository
_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_PROMPT = "####"
_TOOL = ">"
_MARK = "  "
_BLANK = "<blank>"
_COMMAND = re.compile(r"/[a-z][a-z-]*(?:\s|\Z)|!")
_MODEL = re.compile(r"> (?:Main model|Models?): (\S+)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_THINKING = re.compile(
    r"\s*(?:<(think|thinking-content-\w+)>.*?(?:</\1>|\Z)"
    r"|-+\n► \*\*THINKING\*\*.*?(?:-+\n► \*\*ANSWER\*\*|\Z))",
    re.DOTALL,
)


@dataclass(slots=True)
class _Run:
    """Where a run stands in its file: `size` bytes from `start`. `speaks` tells that it holds more than Aider's own."""

    started: datetime
    start: int
    size: int = 0
    speaks: bool = False
    digest: hashlib.blake2b = field(default_factory=partial(hashlib.blake2b, digest_size=16))


class AiderReader:
    """Reads the histories of Aider: files, those in folders and just below them, and those of known projects.

    Its `roots` are files, since what is below such folders is too much to be watched.
    """

    runtime: str = "aider"

    def __init__(
        self,
        homes: Sequence[Path],
        files: Sequence[Path] = (),
        folders: Callable[[], Iterable[Path]] = tuple,
        names: Sequence[str] = (_NAME,),
    ) -> None:
        self.roots: Sequence[Path] = (*files, *(home / name for home in homes for name in names))
        self._files = files
        self._homes = homes
        self._folders = folders
        self._names = names
        self._splitter = Splitter(_runs)

    @classmethod
    def from_environment(
        cls,
        environ: Mapping[str, str],
        home: Path,
        roots: Sequence[Path] = (),
        folders: Callable[[], Iterable[Path]] = tuple,
    ) -> "AiderReader":
        """Look where Aider is told to write, in the home folder or else in `roots`, and in the projects of `folders`.

        These are directories in which somebody worked; their repositories are looked at too.
        """
        named = environ.get(_VARIABLE, "")
        is_file = Path(named).is_absolute()
        names = (_NAME,) if is_file or not named else (_NAME, named)
        files = [Path(named)] if is_file else []
        if not roots:
            files += [home / name for name in names]
        return cls(roots, files, folders, names)

    def discover(self) -> Iterator[Source]:
        """Yield the history files, each once."""
        seen: set[tuple[int, int] | Path] = set()
        for path in dict.fromkeys(self._candidates()):
            try:
                found = path.stat()
            except (OSError, ValueError):
                continue
            file = (found.st_dev, found.st_ino) if found.st_ino else None
            if stat.S_ISREG(found.st_mode) and (file or path) not in seen:
                seen.add(file or path)
                yield Source(path, found.st_size, found.st_mtime_ns, file=file)

    def projects(self) -> list[Path]:
        """Return the directories in which somebody worked."""
        # No host is asked that a transcript names.
        found = dict.fromkeys(self._folders())
        return [folder for folder in found if folder.is_absolute() and not folder.drive.startswith("\\\\")]

    def parts(self, source: Source) -> Iterator[Source]:
        """Yield the runs of a file in which something was said."""
        for name, run in self._splitter.parts(source.path).items():
            if run.speaks:
                yield Source(
                    source.path, run.size, _nanoseconds(run.started), run.digest.hexdigest(), name, source.file
                )

    def read(self, source: Source) -> Transcript | None:
        """Read a run; None if neither a prompt nor an answer is in it."""
        run = self._splitter.parts(source.path).get(source.part)
        if run is None:
            raise TranscriptError("the run is no longer in the file")
        with source.path.open("rb", buffering=0) as file:
            file.seek(run.start)
            data = file.read(min(run.size, LINE_LIMIT))
        chat = _Chat(data.decode("utf-8", "replace"))
        if not chat.talk.messages:
            return None
        native_id = f"{_path_hash(source.path)}-{source.part}"
        return chat.talk.complete(
            Transcript(
                session_id=f"aider_{native_id}",
                runtime=self.runtime,
                native_id=native_id,
                kind=_KIND,
                messages=(),
                project=storable(str(source.path.parent)),
                model=chat.model or None,
                local_start=run.started.isoformat(),
            )
        )

    def _candidates(self) -> Iterator[Path]:
        yield from self._files
        for folder in self._looked_in():
            for name in self._names:
                yield folder / name

    def _looked_in(self) -> Iterator[Path]:
        for home in self._homes:
            yield from _folders_below(home, _LEVELS)
        for folder in self.projects():
            yield folder
            yield from _repository(folder)


def _runs(file: BinaryIO) -> dict[str, _Run]:
    """Return the runs of a file by name: when they began, with a number from the second in one second on.

    Raises:
        TranscriptError: there is text, but no run.
    """
    runs: dict[str, _Run] = {}
    seconds: Counter[str] = Counter()
    run: _Run | None = None
    offset, begins, is_blank = 0, True, True
    for piece in iter(partial(file.readline, READ_BUFFER), b""):
        if begins and (started := _started(piece)):
            run = _Run(started, offset)
            name = f"{started:%Y%m%dT%H%M%S}"
            seconds[name] += 1
            runs[name if seconds[name] == 1 else f"{name}-{seconds[name]}"] = run
        elif not piece.isspace():
            is_blank = False
            if run and not piece.startswith(b">"):
                run.speaks = True
        if run:
            run.size += len(piece)
            run.digest.update(piece)
        offset += len(piece)
        begins = piece.endswith(b"\n")
    if not runs and not is_blank:
        raise TranscriptError("no run of Aider in it")
    return runs


def _started(line: bytes) -> datetime | None:
    """Return when a run began whose header `line` is."""
    if header := _HEADER.fullmatch(line):
        try:
            return datetime.fromisoformat(header[1].decode())
        except ValueError:
            pass
    return None


def _nanoseconds(started: datetime) -> int:
    """Return a time that orders runs; its zone is not known."""
    return int(started.replace(tzinfo=UTC).timestamp()) * 1_000_000_000


def _path_hash(path: Path) -> str:
    return hashlib.blake2b(os.fsencode(os.path.realpath(path)), digest_size=6).hexdigest()


def _folders_below(folder: Path, levels: int) -> Iterator[Path]:
    """Yield a folder and those below it, without hidden ones and what is inside repositories."""
    yield folder
    found = entries(folder) if levels else []
    if any(entry.name == ".git" for entry in found):
        return
    for entry in found:
        if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
            yield from _folders_below(Path(entry.path), levels - 1)


def _repository(folder: Path) -> Iterator[Path]:
    """Yield the folder in or above `folder` that is a Git repository, if there is one."""
    for place in (folder, *folder.parents):
        if os.path.exists(place / ".git"):  # noqa: PTH110 - False where it may not be looked at
            yield place
            return


def _is_prompt(line: str, mark: str) -> bool:
    return (line == _PROMPT or line.startswith(f"{_PROMPT} ")) and line.endswith(mark)


class _Chat:
    """What was said in a run."""

    def __init__(self, text: str) -> None:
        self.talk = Conversation()
        self.model = ""  # that answered last
        self._named = ""
        self._block: list[str] = []  # lines of the prompt or the answer that goes on
        self._is_prompt = False
        self._fence = ""
        _, *lines = (line.removesuffix("\r") for line in text.split("\n"))
        mark = _MARK if any(_is_prompt(line, _MARK) for line in lines) else ""
        for line in lines:
            self._take(line, mark)
        self._end_block()
        self.model = self.model or self._named

    def _take(self, line: str, mark: str) -> None:
        if _is_prompt(line, mark) and (mark or not self._fence):
            if not self._is_prompt:
                self._end_block()
            self._is_prompt = True
            prompt = line.removeprefix(_PROMPT).strip()
            self._block.append("" if prompt == _BLANK else line[len(_PROMPT) + 1 :].rstrip())
        elif self._is_tool(line):
            self._end_block()
            if model := _MODEL.match(line):
                self._named = model[1]
        else:
            if self._is_prompt:
                self._end_block()
            self._block.append(line)
            if fence := _FENCE.match(line):
                self._fence = "" if self._fence == fence[1] else self._fence or fence[1]

    def _is_tool(self, line: str) -> bool:
        """Return whether Aider itself says so; a quote may also stand within an answer."""
        if line != _TOOL and not line.startswith(f"{_TOOL} "):
            return False
        goes_on = bool(self._block and self._block[-1].strip()) and not self._is_prompt
        return line.endswith(_MARK) or not (self._fence or goes_on)

    def _end_block(self) -> None:
        text = "\n".join(self._block)
        if not self._is_prompt:
            if self.talk.answer(text[thinking.end() :] if (thinking := _THINKING.match(text)) else text, None):
                self.model = self._named
        elif _COMMAND.match(text):
            self.talk.command(text, None)
        else:
            self.talk.prompt(text, None)
        self._block, self._is_prompt, self._fence = [], False, ""
