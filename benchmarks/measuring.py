"""What all benchmarks share: running the command apart from this user's own history, percentiles, tables."""

import argparse
import math
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from nlm_tui import __version__

NLM_TUI = str(Path(sys.executable).with_name("nlm-tui"))
"""The installed command."""

_CORPUS = Path(__file__).with_name("corpus.py")
_CPU_INFO = Path("/proc/cpuinfo")
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command cost: seconds on the clock, seconds of CPU, its greatest resident memory in bytes."""

    wall: float
    cpu: float
    peak_rss: int


def isolated(home: Path, scratch: Path) -> dict[str, str]:
    """Return an environment in which `home` holds all transcripts, and what the program writes goes to `scratch`."""
    folders = {f"XDG_{name}_HOME": str(scratch / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    return {"PATH": os.environ["PATH"], "HOME": str(home), **folders, **terminal}


def add_history_options(parser: argparse.ArgumentParser) -> None:
    """Let a benchmark be told which transcripts to read."""
    parser.add_argument("--home", type=Path, help="a home folder that holds transcripts; default: a synthetic one")
    parser.add_argument("--sessions", type=int, default=2000, help="in the synthetic history (default: 2000)")
    parser.add_argument("--shortest", type=int, default=10, help="records of its shortest session (default: 10)")
    parser.add_argument("--longest", type=int, default=200, help="records of its longest session (default: 200)")


def history(options: argparse.Namespace, scratch: Path) -> Path:
    """Return the home folder that `add_history_options` named; a synthetic one is written to `scratch`."""
    if options.home is not None:
        return options.home
    # By a process of its own: the peak memory of a command counts that of the process that started it.
    numbers = (options.sessions, options.shortest, options.longest)
    subprocess.run((sys.executable, _CORPUS, scratch / "home", *map(str, numbers)), check=True)
    return scratch / "home"


def run(command: Sequence[str], environ: Mapping[str, str]) -> tuple[Usage, bytes]:
    """Run a command to its end and return what it cost and printed.

    Raises:
        SystemExit: it failed.
    """
    started = perf_counter()
    with subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        output = process.stdout.read() if process.stdout else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return Usage(perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss * _RSS_UNIT), output


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest of `values` that at least `share` of them do not exceed; 0 for none."""
    place = max(math.ceil(share * len(values)) - 1, 0)
    return sorted(values)[place] if values else 0.0


def milliseconds(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, the 95th of a hundred and the greatest."""
    return percentile(seconds, 0.5) * 1000, percentile(seconds, 0.95) * 1000, max(seconds) * 1000


def table(head: Sequence[str], rows: Sequence[Sequence[object]], *, left: int = 1) -> str:
    """Return rows as aligned text: the first `left` columns to the left, numbers to the right."""
    lines = [[_cell(value) for value in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("  ".join(_aligned(cells, widths, left)).rstrip() for cells in lines)


def machine() -> str:
    """Return a line that says where and when something was measured."""
    info = _CPU_INFO.read_text() if _CPU_INFO.exists() else ""
    names = (line.partition(":")[2].strip() for line in info.splitlines() if line.startswith("model name"))
    processor = next(names, platform.machine())
    today = datetime.now(UTC).date().isoformat()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{today}  nlm-tui {__version__}  {python}  {platform.system()}  {os.cpu_count()} x {processor}"


def process_tree(pid: int) -> list[int]:
    """Return a process and all below it. Linux only, as `process_cost`."""
    found = [pid]
    with suppress(OSError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in children.read_text().split():
                found += process_tree(int(child))
    return found


def process_cost(pid: int) -> tuple[float, float]:
    """Return seconds of CPU, with its ended children, and peak resident megabytes of a process; zeros if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0, 0.0
    cpu = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # its own, and that of the children that ended
    peaks = (int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return cpu, next(peaks, 0) / 1000


def _aligned(cells: Sequence[str], widths: Sequence[int], left: int) -> list[str]:
    pairs = enumerate(zip(cells, widths, strict=True))
    return [cell.ljust(width) if place < left else cell.rjust(width) for place, (cell, width) in pairs]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{1 if abs(value) >= 10 else 2}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
