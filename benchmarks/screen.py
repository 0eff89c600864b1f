"""The real command on a pseudo-terminal: when it paints, and what a key costs."""

import argparse
import re
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from corpus import fill_store
from measuring import NLM_TUI, isolated, machine, percentile, table
from terminal import Terminal

from nlm_tui.core import MODES
from nlm_tui.ui.views.names import VIEW_NAMES

_ROWS = re.compile(r"[1-9][\d,]* of [\d,]+")  # in the first line, once hits are shown
_ESCAPE, _QUIT = "\x1b", "\x11"
_VIEWS = {name: f"{_ESCAPE}{number}" for number, name in enumerate(VIEW_NAMES, 1)}


@dataclass(frozen=True, slots=True)
class _Run:
    """What one run of the app took: milliseconds, bytes and megabytes."""

    first_paint: float
    rows_visible: float
    idle: float
    start_cpu: float
    keys: list[float]
    key_cpu: float
    key_bytes: list[int]
    burst: float
    rss: float
    screen: str


@dataclass(frozen=True, slots=True)
class _Typing:
    """What is typed in which view, and how many seconds without a change mean that the screen is still."""

    text: str
    view_key: str
    quiet: float
    gap: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, help="the store to search; default: a synthetic one")
    parser.add_argument("--home", type=Path, help="where indexing in the background looks; default: an empty folder")
    parser.add_argument("--sessions", type=int, default=2000, help="in the synthetic store (default: 2000)")
    parser.add_argument("--text", default="cache retry token index", help="what is typed")
    parser.add_argument("--view", choices=VIEW_NAMES, default=VIEW_NAMES[0], help="where it is typed")
    parser.add_argument("--mode", choices=MODES, default="hybrid", help="how sessions are recalled")
    parser.add_argument("--cols", type=int, default=120)
    parser.add_argument("--rows", type=int, default=36)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quiet", type=float, default=0.4, help="seconds without a change that mean: still")
    parser.add_argument("--gap", type=float, default=0.05, help="seconds between the keys of fast typing")
    parser.add_argument("--show", action="store_true", help="print the last screen")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as folder:
        scratch = Path(folder)
        home = (options.home or scratch / "home").resolve()
        home.mkdir(exist_ok=True)
        store = options.db or scratch / "memory.sqlite"
        if options.db is None:
            fill_store(store, options.sessions)
        environ = isolated(home, scratch)
        if options.mode == "keyword":
            environ = {**environ, "NLM_EMBEDDER": "off"}  # no vectors are needed, and making them would be measured too
        start = partial(
            *(Terminal, (NLM_TUI, "--db", str(store), "--mode", options.mode), environ),
            columns=options.cols,
            rows=options.rows,
        )
        typing = _Typing(options.text, _VIEWS[options.view], options.quiet, options.gap)
        runs = [_measure(start(), typing) for _ in range(options.runs)]
    print(f"{machine()}  {options.cols}x{options.rows}  {options.view}  {len(runs)} runs\n")
    _print(runs, options.text)
    if options.show:
        print(f"\n{runs[-1].screen}")


def _measure(terminal: Terminal, typing: _Typing) -> _Run:
    text, quiet = typing.text, typing.quiet
    with terminal:
        painted = terminal.wait_until(lambda: bool(terminal.text.strip()))
        shown = terminal.wait_until(lambda: _ROWS.search(terminal.first_line) is not None)
        idle = terminal.still(terminal.started, quiet)
        terminal.still(terminal.send(typing.view_key), quiet)
        start_cpu, _ = terminal.cost()
        keys, key_bytes = [], []
        for key in text:
            before = terminal.received
            keys.append(terminal.still(terminal.send(key), quiet))
            key_bytes.append(terminal.received - before)
        cpu, _ = terminal.cost()
        burst = _type_fast(terminal, text, quiet, typing.gap)
        _, rss = terminal.cost()
        screen = terminal.text
        terminal.leave(_QUIT)
    return _Run(
        first_paint=(painted - terminal.started) * 1000,
        rows_visible=(shown - terminal.started) * 1000,
        idle=idle * 1000,
        start_cpu=start_cpu * 1000,
        keys=[seconds * 1000 for seconds in keys],
        key_cpu=(cpu - start_cpu) * 1000 / len(text),
        key_bytes=key_bytes,
        burst=burst * 1000,
        rss=rss,
        screen=screen,
    )


def _type_fast(terminal: Terminal, text: str, quiet: float, gap: float) -> float:
    """Clear the box and type again without waiting; return how long after the last key the screen was still."""
    terminal.still(terminal.send(_ESCAPE), quiet)
    for key in text[:-1]:
        terminal.send(key)
        terminal.rest(gap)
    return terminal.still(terminal.send(text[-1]), quiet)


def _print(runs: list[_Run], text: str) -> None:
    figures = {
        "first paint ms": [run.first_paint for run in runs],
        "rows visible ms": [run.rows_visible for run in runs],
        "idle ms": [run.idle for run in runs],
        "CPU until idle ms": [run.start_cpu for run in runs],
        "key to still screen ms": [key for run in runs for key in run.keys],
        "CPU per key ms": [run.key_cpu for run in runs],
        "bytes per key": [float(number) for run in runs for number in run.key_bytes],
        "fast typing, last key ms": [run.burst for run in runs],
        "peak RSS MB": [run.rss for run in runs],
    }
    rows = [(name, *_summary(values)) for name, values in figures.items()]
    print(table(("", "median", "p95", "worst"), rows), "\n")
    by_key = zip(*(run.keys for run in runs), strict=True)
    typed = [(repr(text[: place + 1]), *_summary(list(times))) for place, times in enumerate(by_key)]
    print(table(("typed so far", "median ms", "p95 ms", "worst ms"), typed))


def _summary(values: list[float]) -> tuple[float, float, float]:
    return percentile(values, 0.5), percentile(values, 0.95), max(values)


if __name__ == "__main__":
    main()
