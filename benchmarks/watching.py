"""Append to a transcript while `nlm-tui index --watch` runs: how soon the memory has it, and what watching costs."""

import argparse
import json
import os
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path
from time import perf_counter, sleep

from measuring import NLM_TUI, add_history_options, history, isolated, machine, percentile, process_cost, table

_LOOK_SECONDS = 0.02
_IDLE_SECONDS = 10.0
_PATIENCE_SECONDS = 60.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_history_options(parser)
    parser.add_argument("--lines", type=int, default=10, help="that are appended (default: 10)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as folder:
        scratch = Path(folder)
        home = history(options, scratch)
        print(machine(), "\n")
        _measure(home, scratch, options.lines)


def _measure(home: Path, scratch: Path, lines: int) -> None:
    path = max(home.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    store = scratch / "memory.sqlite"
    command = (NLM_TUI, "--db", str(store), "index", "--watch", "--no-embed")
    with subprocess.Popen(command, env=isolated(home, scratch), stdout=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stdout or ():
                if line.startswith("watching"):
                    break
            sleep(_IDLE_SECONDS)  # what changed before the watch was set up is looked for once
            before, _ = process_cost(process.pid)
            sleep(_IDLE_SECONDS)
            idle = process_cost(process.pid)[0] - before
            before, _ = process_cost(process.pid)
            seen = [_seconds_until_seen(path, store, number) for number in range(lines)]
            cpu = process_cost(process.pid)[0] - before
        finally:
            process.kill()
    size = path.stat().st_size / 1e6
    head = ("transcript MB", "lines", "seen s: median", "p95", "worst", "CPU ms a line", "idle CPU %")
    times = (percentile(seen, 0.5), percentile(seen, 0.95), max(seen))
    print(table(head, [(size, lines, *times, cpu * 1000 / lines, 100 * idle / _IDLE_SECONDS)]))


def _seconds_until_seen(path: Path, store: Path, number: int) -> float:
    """Append a prompt and wait until the store has it.

    Raises:
        SystemExit: it never came.
    """
    text = f"appended prompt {number} of the benchmark {os.getpid()}"
    record = {"type": "user", "uuid": text, "sessionId": path.stem, "message": {"role": "user", "content": text}}
    started = perf_counter()
    with path.open("ab") as file:
        file.write(json.dumps(record).encode() + b"\n")
    with closing(sqlite3.connect(store)) as connection:
        while not connection.execute(
            "SELECT 1 FROM sessions WHERE transcript_path = ? AND instr(body, ?)", (str(path), text)
        ).fetchall():
            if perf_counter() - started > _PATIENCE_SECONDS:
                raise SystemExit(f"the memory never had line {number}")
            sleep(_LOOK_SECONDS)
    return perf_counter() - started


if __name__ == "__main__":
    main()
