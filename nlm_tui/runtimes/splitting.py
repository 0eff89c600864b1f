"""Files that hold many transcripts: where each stands in its file."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from nlm_tui.runtimes.jsonl import READ_BUFFER

T = TypeVar("T")


class Splitter(Generic[T]):
    """Splits files by `split`, and keeps what it said of the last one: its parts are read one after the other."""

    def __init__(self, split: Callable[[BinaryIO], Mapping[str, T]]) -> None:
        self._split = split
        self._key: object = None
        self._last: Mapping[str, T] = {}

    def parts(self, path: Path) -> Mapping[str, T]:
        """Return what is known of each part of a file, by name.

        Raises:
            OSError: the file cannot be opened.
        """
        with path.open("rb", buffering=READ_BUFFER) as file:
            found = os.fstat(file.fileno())
            key = (path, found.st_size, found.st_mtime_ns)
            if self._key != key:
                self._last = self._split(file)
                self._key = key
        return self._last
