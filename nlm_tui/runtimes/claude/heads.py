"""What tells the files of Claude Code apart without reading all of each: its first record, and the ids of all."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from nlm_tui.ingest.ports import Source
from nlm_tui.runtimes.blocks import texts
from nlm_tui.runtimes.conversation import utc_time
from nlm_tui.runtimes.jsonl import READ_BUFFER, JsonLines, Record, as_dict, as_text

_HEAD_LIMIT = 16 * 1024 * 1024  # bytes; the first record may have an image
_OPENING = 120  # characters of what is said first
_MOST_IDS = 400_000  # kept of all files together
_SPOKEN = {"user", "assistant"}

Trail: TypeAlias = dict[str, str]
"""The ids of a file's records in order, each with its time."""


@dataclass(frozen=True, slots=True)
class Head:
    """The first record that somebody speaks in: its time, and whether it says itself that it is a copy.

    Files that begin with the same one have the same `key`; it is empty where a record has no id.
    """

    key: str
    at: str
    is_copy: bool


class Heads:
    """Reads heads and trails, and keeps them for as long as size and time of a file stay the same."""

    def __init__(self) -> None:
        self._heads: dict[Path, tuple[int, int, Head | None]] = {}
        self._trails: OrderedDict[Path, tuple[int, int, Trail]] = OrderedDict()

    def head(self, source: Source) -> Head | None:
        """Return the head of a file; None for one that holds no conversation, or cannot be read."""
        known = self._heads.get(source.path)
        if known is None or known[:2] != (source.size, source.mtime_ns):
            known = (source.size, source.mtime_ns, _read_head(source.path))
            self._heads[source.path] = known
        return known[2]

    def trail(self, path: Path) -> Trail:
        """Return the trail of a file, nothing for one that cannot be read."""
        try:
            stat = path.stat()
            known = self._trails.get(path)
            if known is None or known[:2] != (stat.st_size, stat.st_mtime_ns):
                known = (stat.st_size, stat.st_mtime_ns, _read_trail(path))
        except OSError:
            return {}
        self._trails[path] = known
        self._trails.move_to_end(path)
        total = sum(len(trail) for _, _, trail in self._trails.values())
        while total > _MOST_IDS and len(self._trails) > 1:
            total -= len(self._trails.popitem(last=False)[1][2])
        return known[2]


def origin(record: Record) -> str:
    """Return the session that a record says it was copied from."""
    return as_text(as_dict(record.get("forkedFrom")).get("sessionId"))


def _read_head(path: Path) -> Head | None:
    try:
        with path.open("rb") as file:
            return next(_heads(file, path.stem), None)
    except OSError:
        return None


def _heads(file: BinaryIO, stem: str) -> Iterator[Head]:
    for record in JsonLines(file, _HEAD_LIMIT):
        if as_text(record.get("type")) in _SPOKEN:
            uuid = as_text(record.get("uuid"))
            at = utc_time(record.get("timestamp")) or ""
            text = "\n".join(texts(as_dict(record.get("message")).get("content")))[:_OPENING]
            yield Head(f"{uuid} {at} {text}" if uuid else "", at, origin(record) not in {"", stem})
        elif file.tell() > _HEAD_LIMIT:
            return


def _read_trail(path: Path) -> Trail:
    trail: Trail = {}
    with path.open("rb", buffering=READ_BUFFER) as file:
        for record in JsonLines(file):
            if uuid := as_text(record.get("uuid")):
                trail.setdefault(uuid, utc_time(record.get("timestamp")) or "")
    return trail
