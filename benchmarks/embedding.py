"""Index a history and make it findable by meaning: how soon there is something to find, and what that costs."""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import apsw
from measuring import NLM_TUI, add_history_options, history, isolated, machine, process_cost, process_tree, table

from nlm_tui.core import DEFAULT_CHUNKS
from nlm_tui.settings import EMBEDDER

_WORKER = "nlm_tui.embedding.worker"
_LOOK_SECONDS = 0.05
_STATE = """SELECT (SELECT count(*) FROM sessions), total(passages > 0), total(passages >= ?) FROM embedded_sessions"""
_FIRST, _LABELS, _ALL = _MARKS = ("first s", "labels s", "all s")


@dataclass(slots=True)
class _Run:
    """One run of the command: its report, seconds until it came how far, and (CPU seconds, peak MB) of processes."""

    report: dict[str, Any] = field(default_factory=dict)
    reached: dict[str, float] = field(default_factory=dict)
    index: tuple[float, float] = (0.0, 0.0)
    worker: tuple[float, float] = (0.0, 0.0)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_history_options(parser)
    options = parser.parse_args()
    if not Path("/proc/self/stat").exists():
        raise SystemExit("what a process costs is read from /proc, which only Linux has")
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as folder:
        scratch = Path(folder)
        home = history(options, scratch)
        print(machine(), "\n")
        store = scratch / "memory.sqlite"
        _print(_index(store, {**isolated(home, scratch), EMBEDDER.variable: "bundled"}), store)


def _index(store: Path, environ: Mapping[str, str]) -> _Run:
    """Index, and look from outside how far it is."""
    run = _Run()
    started = perf_counter()
    command = (NLM_TUI, "--db", str(store), "index", "--json")
    with subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        ended, status = 0, 0
        while not ended:
            sleep(_LOOK_SECONDS)
            _look(run, process.pid, store, started)
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
        process.returncode = os.waitstatus_to_exitcode(status)
        _look(run, process.pid, store, started)
        run.index = used.ru_utime + used.ru_stime - run.worker[0], run.index[1]
        run.report = json.loads(process.stdout.read() if process.stdout else b"{}")
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return run


def _look(run: _Run, pid: int, store: Path, started: float) -> None:
    """Remember what the processes cost so far, and what was reached for the first time."""
    for number in process_tree(pid):
        cost = process_cost(number)
        if number == pid:
            run.index = max(run.index[0], cost[0]), max(run.index[1], cost[1])
        elif _is_worker(number):
            run.worker = max(run.worker[0], cost[0]), max(run.worker[1], cost[1])
    with suppress(apsw.Error), closing(apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        ((sessions, begun, complete),) = connection.execute(_STATE, (DEFAULT_CHUNKS,))
        marks = (begun > 0, 0 < sessions == begun, 0 < sessions == complete)
        for mark, reached in zip(_MARKS, marks, strict=True):
            if reached:
                run.reached.setdefault(mark, perf_counter() - started)


def _is_worker(pid: int) -> bool:
    with suppress(OSError):
        return _WORKER in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    return False


def _print(run: _Run, store: Path) -> None:
    problems = run.report["embedding"]["problems"]
    if problems:
        raise SystemExit("; ".join(problems))
    with closing(apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        ((passages, characters),) = connection.execute("SELECT count(*), total(end - start) FROM vectors")
    seconds = float(run.report["embedding"]["seconds"])
    sessions = int(run.report["sessions"])
    reached = [run.reached.get(mark, "") for mark in _MARKS]
    row = (sessions, passages, float(run.report["seconds"]), *reached, passages / seconds, characters / seconds / 1000)
    head = ("sessions", "passages", "reading s", *_MARKS, "passages/s", "1,000 characters/s")
    print(table(head, [row], left=0), "\n")
    rows = [("index", *run.index), ("embedding", *run.worker)]
    print(table(("process", "CPU s", "peak RSS MB"), rows))


if __name__ == "__main__":
    main()
