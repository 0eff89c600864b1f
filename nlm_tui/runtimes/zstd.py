"""Files that may be compressed with zstd, read as a stream of what they hold."""

import io
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes.jsonl import READ_BUFFER

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MAGIC = b"\x28\xb5\x2f\xfd"
_PACKED = 1024  # bytes unpacked at a time: what is whole before damage is got to within so many
_MOST_TIMES = 100  # text shrinks to a tenth, as a rule
_LEAST_LIMIT = 16 * 1024 * 1024
_DAMAGED = b"?\n"


def is_compressed(path: Path) -> bool:
    """Return whether a file is, whatever its name says. Raises OSError if it cannot be opened."""
    with path.open("rb", buffering=0) as file:
        return file.read(len(_MAGIC)) == _MAGIC


@contextmanager
def opened(path: Path) -> Generator[BinaryIO]:
    """Open a file of lines at what it holds.

    A stream that is damaged, or that holds far more than text would, ends there in a line that is no JSON.

    Raises:
        TranscriptError: this Python cannot read zstd.
        OSError: the file cannot be opened.
    """
    if not is_compressed(path):
        with path.open("rb", buffering=READ_BUFFER) as file:
            yield file
        return
    with path.open("rb", buffering=READ_BUFFER) as file:
        limit = max(_LEAST_LIMIT, path.stat().st_size * _MOST_TIMES)
        with io.BufferedReader(_Unpacked(_pieces(file, limit)), READ_BUFFER) as unpacked:
            yield cast("BinaryIO", unpacked)


class _Unpacked(io.RawIOBase):
    """What is made in pieces, as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        room = memoryview(buffer)
        if not self._rest:
            self._rest = next(self._pieces, b"")
        taken = self._rest[: len(room)]
        room[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)


def _pieces(file: BinaryIO, limit: int) -> Iterator[bytes]:
    """Yield what a compressed file holds, in pieces that are not empty, as far as it is whole."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd  # noqa: PLC0415 - few files are compressed
        else:
            from backports import zstd  # noqa: PLC0415
    except ImportError:
        raise TranscriptError("compressed with zstd, which this Python was built without") from None
    unpacker = zstd.ZstdDecompressor()
    packed = b""
    try:
        while limit > 0:
            if unpacker.eof:
                if not (packed := unpacker.unused_data or file.read(_PACKED)):
                    return
                unpacker = zstd.ZstdDecompressor()
            elif unpacker.needs_input and not (packed := file.read(_PACKED)):
                break
            piece = unpacker.decompress(packed, READ_BUFFER)
            packed = b""
            limit -= len(piece)
            if piece:
                yield piece
    except zstd.ZstdError:
        pass  # what is not whole is told by the last line
    yield _DAMAGED
