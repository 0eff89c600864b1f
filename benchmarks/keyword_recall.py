"""Keyword recall through `RecallService`, over synthetic stores of several sizes: how long it takes, and how large."""

import argparse
import random
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from time import perf_counter, sleep

import apsw
from corpus import fill_store, word_bands
from measuring import machine, milliseconds, percentile, table

from nlm_tui.core import RecallQuery, RecallService, SearchInterruptedError
from nlm_tui.core.query import parse
from nlm_tui.core.ranking import INDEXED_FIELDS
from nlm_tui.storage import SqliteSessionStore

KINDS = {
    "1 rare word": {"rare": 1},
    "1 mid": {"mid": 1},
    "4 mid": {"mid": 4},
    "4 developer words": {"developer": 4},
    "2 common + 2 mid": {"common": 2, "mid": 2},
    "4 common": {"common": 4},
}
_FILTERS = (
    "",
    "entity:billing",
    "has:decision",
    "agent:codex",
    "project:billing",
    "since:2025-12-25",
    "agent:claude project:billing has:decision since:2025-12-01",
)
_TYPED = (
    "invoice retry ledger",
    "why does the webhook time out",
    "refresh token lifetime",
    "cache stampede after the eviction",
    "canary rollout rollback",
    "retry_ledger",
    "src/session/cookie.py",
    "entity:queue backoff jitter",
    "has:decision idempotency",
    "project:database agent:codex deadlock",
    "since:2025-12-20 latnecy histogram",
    '"session cookie" login -oauth',
    "what did we decide about the replica lag",
)
_SLOWEST = "4 common"
_MB = 1_000_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="sessions in a store")
    parser.add_argument("--repeats", type=int, default=30, help="different queries of a kind (default: 30)")
    parser.add_argument("--limit", type=int, default=20, help="hits of a recall (default: 20; the screen asks for 40)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the stores here, and use those that are here")
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for size in options.sizes:
            path = stored(folder, size)
            print(f"\n{size:,} sessions\n")
            print(table(("part", "MB", "of the text"), list(_sizes(path))), "\n", flush=True)
            with SqliteSessionStore.open(path) as store:
                _print_latencies(store, options.repeats, options.limit)


def _print_latencies(store: SqliteSessionStore, repeats: int, limit: int) -> None:
    times = ("p50 ms", "p95 ms", "worst ms")
    first = _timed(RecallService(store), parse(queries("4 mid", 1)[0], limit=limit))[0]
    print(table(("first recall", "ms"), [("4 mid", first * 1000)]), "\n", flush=True)
    rows = list(_keystrokes(store, limit))
    print(table(("typed key by key", "slowest at", "keys", *times), rows, left=2), "\n", flush=True)
    rows = list(_latencies(store, repeats, limit))
    print(table(("query", "filter", "matches", *times), rows, left=2), "\n", flush=True)
    recall = RecallService(store)
    stopping = {
        _SLOWEST: parse(queries(_SLOWEST, 1)[0]),
        "1 letter, typed": parse("t", typing=True),
        "3 letters, typed": parse("res", typing=True),
    }
    rows = [
        (name, *milliseconds(interrupts(store, partial(recall.search, query), repeats)))
        for name, query in stopping.items()
    ]
    print(table(("interrupted", *times), rows), flush=True)


def stored(folder: Path, size: int) -> Path:
    """Return the store of that size; it gets its name once it is complete."""
    path = folder / f"keyword-{size}.sqlite"
    if not path.exists():
        partial_path = path.with_suffix(".partial")
        partial_path.unlink(missing_ok=True)
        fill_store(partial_path, size)
        partial_path.rename(path)
    return path


def _sizes(path: Path) -> Iterator[tuple[object, ...]]:
    """Yield the text of each indexed field, that of label, summary and body together, and the pages of the file.

    The pages are those of each full-text table, and of all else: the sessions themselves, and what filters look at.
    """
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        lengths = ", ".join(f"total(length(CAST({field} AS BLOB)))" for field in INDEXED_FIELDS)
        (texts,) = connection.execute(f"SELECT {lengths} FROM sessions")  # noqa: S608
        found = connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5(%'")
        tables = [name for (name,) in found]
        pages: dict[str, int] = defaultdict(int)
        for name, size in connection.execute("SELECT name, pgsize FROM dbstat WHERE aggregate = 1"):
            owner = next((owner for owner in tables if name.startswith(f"{owner}_")), "other tables and indexes")
            pages[owner] += size
    rows = list(zip(INDEXED_FIELDS, texts, strict=True))
    text = sum(size for field, size in rows if field in {"label", "summary", "body"})
    for name, size in (*rows, ("text", text), *sorted(pages.items()), ("file", sum(pages.values()))):
        yield name, size / _MB, size / max(text, 1)


def queries(kind: str, count: int) -> list[str]:
    """Return `count` queries of one of the `KINDS`, the same for every store."""
    rng, bands = random.Random(kind), word_bands()
    return [
        " ".join(word for band, words in KINDS[kind].items() for word in rng.sample(bands[band], words))
        for _ in range(count)
    ]


def _timed(recall: RecallService, query: RecallQuery) -> tuple[float, int]:
    """Return the seconds that a recall takes, and how many sessions match."""
    started = perf_counter()
    total = recall.search(query).total
    return perf_counter() - started, total


def _keystrokes(store: SqliteSessionStore, limit: int) -> Iterator[tuple[object, ...]]:
    """Type each query key by key; yield a row for each, with the text that took longest, and one for all."""
    recall = RecallService(store)
    seconds: dict[str, float] = {}  # by what is typed
    for text in _TYPED:
        beginnings = [text[: length + 1] for length in range(len(text))]
        for typed in beginnings:
            started = perf_counter()
            recall.search(parse(typed, limit=limit, typing=True))
            seconds[typed] = perf_counter() - started
        yield _typed_row(text, beginnings, seconds)
    yield _typed_row("all", list(seconds), seconds)


def _typed_row(name: str, typed: Sequence[str], seconds: dict[str, float]) -> tuple[object, ...]:
    return name, max(typed, key=seconds.__getitem__), len(typed), *milliseconds([seconds[text] for text in typed])


def _latencies(store: SqliteSessionStore, repeats: int, limit: int) -> Iterator[tuple[object, ...]]:
    recall = RecallService(store)
    for kind in KINDS:
        warm_up, *texts = queries(kind, repeats + 1)
        for condition in _FILTERS:
            recall.search(parse(f"{condition} {warm_up}", limit=limit))
            measured = [_timed(recall, parse(f"{condition} {text}", limit=limit)) for text in texts]
            seconds, totals = zip(*measured, strict=True)
            yield kind, condition or "none", int(percentile(totals, 0.5)), *milliseconds(seconds)


def interrupts(store: SqliteSessionStore, search: Callable[[], object], repeats: int) -> list[float]:
    """Stop a search at moments spread over its duration; return the seconds until its thread is free."""
    search()
    started = perf_counter()
    search()
    usual = perf_counter() - started
    return [stopped(store, search, usual * repeat / repeats) for repeat in range(repeats)]


def stopped(store: SqliteSessionStore, search: Callable[[], object], after: float) -> float:
    """Start a search, stop it `after` some seconds; return how long it takes from then on until its thread is free."""

    def run() -> None:
        with suppress(SearchInterruptedError):
            search()

    thread = threading.Thread(target=run)
    thread.start()
    sleep(after)
    at = perf_counter()
    store.interrupt()
    thread.join()
    return perf_counter() - at


if __name__ == "__main__":
    main()
