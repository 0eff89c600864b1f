"""Read the transcripts of each runtime: what its reader alone costs, without extraction and without a store."""

import argparse
import json
import multiprocessing
import resource
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

from measuring import machine, table

from nlm_tui.ingest.ports import PartsReader, Reader, Source, TranscriptError
from nlm_tui.runtimes import READERS

_FIXTURES = Path(__file__).parent.parent / "tests" / "transcripts"
_FOLDERS = {"claude-code": "claude", "gemini-cli": "gemini", "copilot-cli": "copilot", "qwen-code": "qwen"}
_LEFT_OUT = {"aider"}  # it looks into projects, not into a folder of its own
_IDS = ("uuid", "parentUuid", "id", "parentId", "messageId")
_MB = 1_000_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=20, help="of each transcript (default: 20)")
    parser.add_argument("--longer", type=int, default=200, help="times that each is repeated within (default: 200)")
    parser.add_argument("--runtime", help="only this one")
    options = parser.parse_args()
    print(machine(), "\n")
    rows = [
        _measured(place, options.copies, options.longer)
        for place, kind in enumerate(READERS)
        if kind.runtime not in _LEFT_OUT and options.runtime in {None, kind.runtime}
    ]
    print(table(("runtime", "sources", "sessions", "MB", "discover ms", "CPU s", "MB/s", "sessions/s", "RSS MB"), rows))


def _measured(place: int, copies: int, longer: int) -> tuple[object, ...]:
    """Measure in a process of its own, whose peak memory is that of one runtime."""
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as folder:
        homes = list(_homes(READERS[place].runtime, Path(folder), copies, longer))
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return pool.apply(_read, (place, homes))


def _homes(runtime: str, folder: Path, copies: int, longer: int) -> Iterator[Path]:
    """Yield folders like those of the runtime, with its fixtures, made longer, as often as is wanted."""
    for fixture in sorted((_FIXTURES / _FOLDERS.get(runtime, runtime)).iterdir()):
        for number in range(copies):
            home = folder / f"{fixture.name}-{number}"
            shutil.copytree(fixture, home)
            for path in home.rglob("*.jsonl"):
                if path.is_file():
                    _lengthen(path, longer)
            yield home


def _lengthen(path: Path, times: int) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    records = [record for line in lines[1:] if isinstance(record := _parsed(line), dict)]
    with path.open("ab") as file:
        if lines and not lines[-1].endswith(b"\n"):
            file.write(b"\n")
        for number in range(1, times):
            file.writelines(json.dumps(_renamed(record, number)).encode() + b"\n" for record in records)


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _renamed(record: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a record under ids of its own, those of its message too."""
    ids = {name: f"{value}-{number}" for name in _IDS if isinstance(value := record.get(name), str)}
    message = record.get("message")
    if isinstance(message, dict):
        ids["message"] = _renamed(message, number)
    return {**record, **ids}


def _read(place: int, homes: list[Path]) -> tuple[object, ...]:
    readers = [READERS[place]([home]) for home in homes]  # apart: the same sessions below one would be read once
    before = process_time()
    found = [(reader, source) for reader in readers for source in reader.discover()]
    discovered = process_time()
    sessions = sum(_is_session(reader, part) for reader, source in found for part in _parts(reader, source))
    seconds = process_time() - discovered
    size = sum(source.path.stat().st_size for _, source in found)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / _MB
    return (
        *(readers[0].runtime, len(found), sessions, size / _MB, (discovered - before) * 1000, seconds),
        *(size / _MB / seconds, sessions / seconds, peak),
    )


def _is_session(reader: Reader, part: Source) -> bool:
    try:
        return reader.read(part) is not None
    except TranscriptError:
        return False


def _parts(reader: Reader, source: Source) -> Iterable[Source]:
    if not isinstance(reader, PartsReader):
        return (source,)
    try:
        return list(reader.parts(source))
    except TranscriptError:
        return ()


if __name__ == "__main__":
    main()
