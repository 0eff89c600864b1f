"""Codex CLI: rollouts in `sessions` by date and in `archived_sessions`, plain or compressed with zstd."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nlm_tui.ingest.ports import Reading, Source, Transcript, TranscriptError
from nlm_tui.runtimes.codex_files import Lineage, Page, Rollouts, thread_id
from nlm_tui.runtimes.codex_rollout import RUNTIME, Rollout, session_id
from nlm_tui.runtimes.codex_titles import ThreadTitles
from nlm_tui.runtimes.growing import GrowingFile, LineCounts
from nlm_tui.runtimes.jsonl import JsonLines, Record, read_document, require_known
from nlm_tui.runtimes.zstd import is_compressed, opened

_ARCHIVE = "archived_sessions"


class CodexReader:
    """Reads the rollouts of Codex CLI: those of a thread as one session, whose source is the newest of them."""

    runtime: str = RUNTIME

    def __init__(self, homes: Sequence[Path], databases: Sequence[Path] = (), *, files: Sequence[Path] = ()) -> None:
        """Look into `homes`, into `databases`, folders that have state databases too, and for rollouts at `files`."""
        self._folders = tuple(home / name for home in homes for name in ("sessions", _ARCHIVE))
        self._files = tuple(files)
        self.roots: Sequence[Path] = (*self._folders, *self._files)
        self._archives = tuple(home / _ARCHIVE for home in homes)
        self._titles = ThreadTitles(homes, databases)
        self._rollouts: Rollouts | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "CodexReader":
        """Look where Codex itself would keep its sessions."""
        databases = environ.get("CODEX_SQLITE_HOME")
        return cls([Path(environ.get("CODEX_HOME") or home / ".codex")], [Path(databases)] if databases else [])

    @classmethod
    def of_files(cls, files: Sequence[Path]) -> "CodexReader":
        """Read rollouts that lie anywhere."""
        return cls([], files=files)

    def discover(self) -> Iterator[Source]:
        """Yield the newest rollout of every thread. Its salt says what it is called, and what its other files are."""
        self._rollouts = Rollouts(self._folders, self._files)
        given, kept = self._titles.given(), self._titles.kept()
        for *earlier, newest in self._rollouts.threads():
            thread = thread_id(newest.path)
            files = (f"{source.path.name} {source.size}" for source in earlier)
            salt = "\n".join((given.get(thread, ""), kept.get(thread, ""), *files)).rstrip("\n")
            yield dataclasses.replace(newest, salt=salt)

    def read(self, source: Source) -> Transcript | None:
        """Read the rollouts of a thread; None if nothing was said in them."""
        return self.open(source).transcript()

    def open(self, source: Source) -> Reading:
        """Read the rollouts of a thread, and keep the state of reading it where it is in one plain file."""
        path = source.path
        archived = any(path.is_relative_to(archive) for archive in self._archives)
        lineage = self._found(path).lineage(path)
        thread = _Thread(source, lineage, archived=archived)
        if path.suffix != ".json" and len(lineage.own) == 1 and not is_compressed(path):
            return GrowingFile(source, thread)
        with opened(path) as file:
            lines = JsonLines(file)
            if path.suffix == ".json":
                thread.take_document(read_document(path))
            else:
                for record in lines:
                    thread.take(record)
        return _Whole(thread.transcript(lines))

    def _found(self, path: Path) -> Rollouts:
        """Return the rollouts as `discover` found them, found again if one is not among them."""
        if self._rollouts is None or path not in self._rollouts:
            self._rollouts = Rollouts(self._folders, self._files)
        return self._rollouts


@dataclass(frozen=True, slots=True)
class _Whole:
    """The state of reading what is read from its beginning every time."""

    told: Transcript | None

    def grow(self, source: Source) -> bool:  # noqa: ARG002 - as the protocol has it
        return False

    def transcript(self) -> Transcript | None:
        return self.told


class _Thread:
    """What the rollouts of one thread tell, once the records of the newest are taken."""

    def __init__(self, source: Source, lineage: Lineage, *, archived: bool) -> None:
        """Read all but the newest. Raises what `CodexReader.read` raises."""
        self._path = source.path
        self._given, self._kept, *_ = f"{source.salt}\n\n".split("\n")
        self._origin = lineage.origin
        self._archived = archived
        self._inherited = _counts(lineage.inherited)
        self._rollout = Rollout()
        self._bad_lines = 0  # before the newest
        for page in lineage.own[:-1]:
            self._bad_lines += _take_page(self._rollout, page)
        self._rollout.begin_turn()

    def take(self, record: Record) -> None:
        self._rollout.take(record)

    def take_document(self, document: Record) -> None:
        if document:
            self._rollout.take_document(document)

    def transcript(self, lines: LineCounts) -> Transcript | None:
        rollout = self._rollout
        require_known("no Codex record in it", known=rollout.recognised, bad_lines=lines.bad_lines)
        told = rollout.transcript(self._path, self._given, self._kept)
        if not told.messages:
            return None
        prompts, answers = self._inherited
        return dataclasses.replace(
            told,
            forked_from=told.forked_from or (session_id(self._origin) if self._origin else None),
            archived=self._archived,
            inherited_prompts=told.inherited_prompts + prompts,
            inherited_answers=told.inherited_answers + answers,
            bad_lines=self._bad_lines + lines.bad_lines,
            bad_line=lines.bad_line,
            truncated_tail=lines.truncated_tail,
        )


def _counts(pages: Sequence[Page]) -> tuple[int, int]:
    """Return the numbers of prompts and answers in what a fork begins with, as far as that is there."""
    rollout = Rollout()
    for page in pages:
        with suppress(OSError, TranscriptError), opened(page.path) as file:
            lines = JsonLines(file)
            for record in lines:
                if lines.size > page.end:
                    break
                rollout.take(record)
    told = rollout.transcript(Path())
    return told.prompts, told.answers


def _take_page(rollout: Rollout, page: Page) -> int:
    """Take an earlier file, what follows its end as withdrawn; return the number of bad lines."""
    rollout.begin_turn()
    withdrawn: int | None = None
    with opened(page.path) as file:
        lines = JsonLines(file)
        for record in lines:
            if withdrawn is None and lines.size > page.end:
                withdrawn = rollout.begin_turn()
            rollout.take(record)
    if withdrawn is not None:
        rollout.withdraw_since(withdrawn)
    return lines.bad_lines
