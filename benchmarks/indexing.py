"""Index a history, then index it again unchanged: what `nlm-tui index` costs, measured from outside."""

import argparse
import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from measuring import NLM_TUI, Usage, add_history_options, history, isolated, machine, run, table

_MB = 1_000_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_history_options(parser)
    parser.add_argument("--repeats", type=int, default=3, help="runs without a change; the median counts (default: 3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as folder:
        scratch = Path(folder)
        home = history(options, scratch)
        print(machine(), "\n")
        _measure(home, scratch, options.repeats)


def _measure(home: Path, scratch: Path, repeats: int) -> None:
    files = [path.stat().st_size for path in home.rglob("*.jsonl")]
    store = scratch / "memory.sqlite"
    command = (NLM_TUI, "--db", str(store), "index", "--no-embed", "--json")
    environ = isolated(home, scratch)
    rows = [_row("first index", len(files), sum(files), *_index(command, environ))]
    again = sorted((_index(command, environ) for _ in range(repeats)), key=lambda run: run[0].wall)
    rows.append(_row("unchanged", len(files), sum(files), *again[len(again) // 2]))
    head = ("run", "sessions", "files", "MB", "CPU s", "wall s", "inside s", "MB/s", "sessions/s", "peak RSS MB")
    print(table(head, rows), "\n")
    text, size = _text_bytes(store), sum(path.stat().st_size for path in scratch.glob(f"{store.name}*"))
    print(table(("store", "text MB", "size MB", "size/text"), [("", text / _MB, size / _MB, size / max(text, 1))]))


def _index(command: tuple[str, ...], environ: dict[str, str]) -> tuple[Usage, dict[str, float]]:
    usage, output = run(command, environ)
    return usage, json.loads(output)


def _row(name: str, files: int, size: int, usage: Usage, report: dict[str, float]) -> tuple[object, ...]:
    inside = float(report["seconds"])
    rates = (size / _MB / usage.wall, report["sessions"] / usage.wall)
    return (
        *(name, int(report["sessions"]), files, size / _MB, usage.cpu, usage.wall, inside),
        *(*rates, usage.peak_rss / _MB),
    )


def _text_bytes(store: Path) -> int:
    """Return how much text the store keeps, in UTF-8."""
    with closing(sqlite3.connect(store)) as connection:
        texts = connection.execute("SELECT label || summary || coalesce(body, '') FROM sessions")
        return sum(len(text.encode()) for (text,) in texts)


if __name__ == "__main__":
    main()
