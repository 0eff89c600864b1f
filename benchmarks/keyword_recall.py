"""Keyword recall through `RecallService`, over synthetic stores of several sizes."""

import argparse
import random
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter, sleep

from corpus import fill_store, word_bands
from measuring import machine, percentile, table

from nlm_tui.core import RecallQuery, RecallService, SearchInterruptedError
from nlm_tui.storage import SqliteSessionStore

_QUERIES = {
    "1 rare word": {"rare": 1},
    "1 mid": {"mid": 1},
    "4 mid": {"mid": 4},
    "4 developer words": {"developer": 4},
    "2 common + 2 mid": {"common": 2, "mid": 2},
    "4 common": {"common": 4},
}
_FILTERS = {
    "none": RecallQuery,
    "entity": partial(RecallQuery, entity="billing"),
    "kind": partial(RecallQuery, kind="decision"),
}
_SLOWEST = "4 common"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="sessions in a store")
    parser.add_argument("--repeats", type=int, default=30, help="different queries of a kind (default: 30)")
    parser.add_argument("--limit", type=int, default=20, help="hits of a recall (default: 20; the screen asks for 40)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the stores here, and use those that are here")
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for size in options.sizes:
            with SqliteSessionStore.open(_store(folder, size)) as store:
                rows = list(_latencies(store, options.repeats, options.limit))
                stops = _interrupts(store, options.repeats)
            print(f"\n{size:,} sessions\n")
            print(table(("query", "filter", "matches", "p50 ms", "p95 ms", "worst ms"), rows, left=2), "\n")
            print(table(("interrupted", "p50 ms", "p95 ms", "worst ms"), [(_SLOWEST, *_summary(stops))]), flush=True)


def _store(folder: Path, size: int) -> Path:
    """Return the store of that size; it gets its name once it is complete."""
    path = folder / f"keyword-{size}.sqlite"
    if not path.exists():
        partial_path = path.with_suffix(".partial")
        partial_path.unlink(missing_ok=True)
        fill_store(partial_path, size)
        partial_path.rename(path)
    return path


def _queries(kind: str, count: int) -> list[str]:
    rng, bands = random.Random(kind), word_bands()
    return [
        " ".join(word for band, words in _QUERIES[kind].items() for word in rng.sample(bands[band], words))
        for _ in range(count)
    ]


def _latencies(store: SqliteSessionStore, repeats: int, limit: int) -> Iterator[tuple[object, ...]]:
    recall = RecallService(store)
    for kind in _QUERIES:
        warm_up, *texts = _queries(kind, repeats + 1)
        for name, query in _FILTERS.items():
            recall.search(query(warm_up, limit=limit))
            seconds: list[float] = []
            totals: list[float] = []
            for text in texts:
                started = perf_counter()
                result = recall.search(query(text, limit=limit))
                seconds.append(perf_counter() - started)
                totals.append(result.total)
            yield kind, name, int(percentile(totals, 0.5)), *_summary(seconds)


def _interrupts(store: SqliteSessionStore, repeats: int) -> list[float]:
    """Stop the slowest kind of query at different moments; return the seconds until its thread is free."""
    recall = RecallService(store)
    text = _queries(_SLOWEST, 1)[0]
    started = perf_counter()
    recall.search(RecallQuery(text))
    usual = perf_counter() - started

    def search() -> None:
        with suppress(SearchInterruptedError):
            recall.search(RecallQuery(text))

    seconds: list[float] = []
    for repeat in range(repeats):
        thread = threading.Thread(target=search)
        thread.start()
        sleep(usual * repeat / repeats)
        stopped = perf_counter()
        store.interrupt()
        thread.join()
        seconds.append(perf_counter() - stopped)
    return seconds


def _summary(seconds: list[float]) -> tuple[float, float, float]:
    return percentile(seconds, 0.5) * 1000, percentile(seconds, 0.95) * 1000, max(seconds) * 1000


if __name__ == "__main__":
    main()
