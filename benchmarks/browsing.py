"""Lists of decisions, open questions, topics and sessions, over synthetic stores: how long a page of them takes."""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter

from corpus import NEWEST
from keyword_recall import interrupts, queries, stored
from measuring import machine, milliseconds, percentile, table

from nlm_tui.core.browsing import BrowseService
from nlm_tui.core.query import parse
from nlm_tui.storage import SqliteSessionStore

_WORDS = ("", "1 rare word", "1 mid", "4 mid", "4 developer words", "4 common")
_FILTERS = ("", "agent:codex", "since:7d")
_TYPED = ("t", "re", "ret")
_STOPPED = ("decisions", "timeline", "days")

Ask = Callable[[str], int]  # lists what a text asks for, and returns how much there is


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="sessions in a store")
    parser.add_argument("--repeats", type=int, default=20, help="different queries of a kind (default: 20)")
    parser.add_argument("--limit", type=int, default=100, help="rows of a page (default: 100)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the stores here, and use those that are here")
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for size in options.sizes:
            with SqliteSessionStore.open(stored(folder, size)) as store:
                print(f"\n{size:,} sessions\n")
                _print_latencies(store, options.repeats, options.limit)


def _print_latencies(store: SqliteSessionStore, repeats: int, limit: int) -> None:
    times = ("p50 ms", "p95 ms", "worst ms")
    first = [(name, _timed(ask, "")[0] * 1000) for name, ask in _lists(store, limit).items()]
    print(table(("first of all", "ms"), first), "\n", flush=True)
    rows = list(_latencies(_lists(store, limit), repeats))
    print(table(("list", "words", "filter", "rows", *times), rows, left=3), "\n", flush=True)
    rows = list(_typed(_lists(store, limit, typing=True), repeats))
    print(table(("list", "typed", "rows", *times), rows, left=2), "\n", flush=True)
    text = queries("4 common", 1)[0]
    asks = _lists(store, limit)
    stopped = [(name, *milliseconds(interrupts(store, partial(asks[name], text), repeats))) for name in _STOPPED]
    print(table(("interrupted", *times), stopped), flush=True)


def _lists(store: SqliteSessionStore, limit: int, *, typing: bool = False) -> Mapping[str, Ask]:
    browse = BrowseService(store.browsing, now=lambda: NEWEST)
    read = partial(parse, limit=limit, typing=typing)
    return {
        "decisions": lambda text: browse.markers("decision", read(text)).total,
        "open": lambda text: browse.markers("open", read(text)).total,
        "topics": lambda text: browse.topics(read(text)).total,
        "timeline": lambda text: browse.timeline(read(text)).total,
        "days": lambda text: sum(sessions for _, sessions in browse.days(read(text))),
    }


def _timed(ask: Ask, text: str) -> tuple[float, int]:
    started = perf_counter()
    total = ask(text)
    return perf_counter() - started, total


def _latencies(lists: Mapping[str, Ask], repeats: int) -> Iterator[tuple[object, ...]]:
    for name, ask in lists.items():
        for kind in _WORDS:
            warm_up, *texts = queries(kind, repeats + 1) if kind else [""] * (repeats + 1)
            for condition in _FILTERS:
                ask(f"{condition} {warm_up}")
                measured = [_timed(ask, f"{condition} {text}") for text in texts]
                seconds, totals = zip(*measured, strict=True)
                yield name, kind or "none", condition or "none", int(percentile(totals, 0.5)), *milliseconds(seconds)


def _typed(lists: Mapping[str, Ask], repeats: int) -> Iterator[tuple[object, ...]]:
    for name, ask in lists.items():
        for text in _TYPED:
            measured = [_timed(ask, text) for _ in range(repeats)]
            yield name, text, measured[0][1], *milliseconds([seconds for seconds, _ in measured])


if __name__ == "__main__":
    main()
