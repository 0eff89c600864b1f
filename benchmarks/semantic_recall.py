"""Recall by meaning, over synthetic stores of several sizes: how long it takes, how large it is, what it misses."""

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import fmean
from time import perf_counter
from unittest.mock import patch

import apsw
from corpus import NEWEST
from keyword_recall import KINDS, interrupts, queries, stopped
from measuring import machine, milliseconds, percentile, run, table
from remembered import Vectors
from semantic_stores import questions, store_with_vectors

from nlm_tui.core import EmbedderUnavailable, Filter, RecallService, SemanticNeighbor, SessionFilter, understood
from nlm_tui.core.query import parse
from nlm_tui.core.scoring import NEAR, POOL
from nlm_tui.embedding import BundledEmbedder, ProcessEmbedder
from nlm_tui.embedding.bundled import MODEL
from nlm_tui.storage import SqliteSessionStore, vectors

_FILTERS = (
    "",
    "has:decision",
    "agent:codex",
    "project:billing",
    "entity:ledger",
    "agent:codex project:billing",
    "newest 1 in 100",
    "newest 1 in 1,000",
)
_WHOLE_FILTERS = ("", "has:decision", "project:billing")
_MISSED_FILTERS = ("", "has:decision", "project:billing")
_RESCORED = (100, 200, 400, 800, 1600, 3200)
_DEPTHS = (1, 10, 100)
_MODES = ("keyword", "semantic", "hybrid")
_TIMES = ("p50 ms", "p95 ms", "worst ms")
_MB = 1_000_000
_MEMORY = ("VmRSS", "RssAnon", "VmHWM")
_NO_LIMIT = 1 << 40

Vector = Sequence[float]
Search = Callable[[Vector], Sequence[SemanticNeighbor]]


class Prepared:
    """An embedder that returns vectors prepared before, one after the other, whatever the text."""

    model = MODEL

    def __init__(self, prepared: Iterable[Vector]) -> None:
        self._prepared = cycle(prepared)

    def embed(self, texts: Sequence[str], query: bool = False) -> list[Vector]:  # noqa: ARG002, FBT001, FBT002 - the port
        """Return as many vectors as there are texts."""
        return [next(self._prepared) for _ in texts]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="sessions in a store")
    parser.add_argument("--repeats", type=int, default=30, help="different questions of each kind (default: 30)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the stores here, and use those that are here")
    parser.add_argument("--probe", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--without-numpy", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        with patch.object(vectors, "loaded_numpy", (lambda: None) if options.without_numpy else vectors.loaded_numpy):
            print(json.dumps(_probed(options.probe)))
        return
    print(machine(), "\n")
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        known = Vectors(folder / "vectors.sqlite")
        asked = questions(known)
        _print_embedding(options.repeats)
        for size in options.sizes:
            path = store_with_vectors(folder, size, known)
            print(f"\n{size:,} sessions\n")
            _print_store(path, asked[: options.repeats + 1])


def _print_store(path: Path, asked: Sequence[Vector]) -> None:
    repeats = len(asked) - 1
    print(table(("part", "MB", "bytes a passage"), list(_sizes(path))), "\n", flush=True)
    rows = [(name, *_probe(path, *more)) for name, more in (("", ()), ("without numpy", ("--without-numpy",)))]
    head = ("first search", "open ms", "first ms", "second ms", "RSS MB opened", "after first", "but for files", "peak")
    print(table(head, rows), "\n", flush=True)
    rows = [(name, *milliseconds(seconds)) for name, seconds in _interrupted(path, asked, repeats)]
    print(table(("interrupted", *_TIMES), rows), "\n", flush=True)
    with SqliteSessionStore.open(path) as store:
        rows = list(_latencies(store, asked))
        print(table(("by meaning, filter", "sessions", *_TIMES), rows), "\n", flush=True)
        rows = list(_whole(store, asked))
        print(table(("recall", "filter", "mode", *_TIMES), rows, left=3), "\n", flush=True)
        rows = list(_missed(store, asked[1:]))
        head = ("filter", "compared in full", *(f"recall@{depth}" for depth in _DEPTHS), "worst@10", "p50 ms")
        print(table(head, rows, left=2), "\n", flush=True)
    with patch.object(vectors, "loaded_numpy", lambda: None), SqliteSessionStore.open(path) as store:
        rows = list(_latencies(store, asked))
        print(table(("without numpy, filter", "sessions", *_TIMES), rows), "\n", flush=True)
        search = partial(RecallService(store, Prepared(asked)).search, parse("x", mode="semantic"))
        rows = [("semantic recall", *milliseconds(interrupts(store, search, repeats)))]
        print(table(("without numpy, interrupted", *_TIMES), rows), flush=True)


def _print_embedding(repeats: int) -> None:
    """Print how long questions take to embed, here and in a process of their own, the first one apart."""
    texts = [text for kind in KINDS for text in queries(kind, repeats)]
    rows: list[tuple[object, ...]] = []
    for name, embedder in (("in this process", BundledEmbedder()), ("in its own process", ProcessEmbedder())):
        try:
            with closing(embedder):
                first, *others = [_seconds(partial(embedder.embed, [text], query=True)) for text in texts]
        except EmbedderUnavailable as error:
            raise SystemExit(str(error)) from error
        rows.append((name, first * 1000, *milliseconds(others)))
    print(table(("a question embedded", "first ms", *_TIMES), rows), flush=True)


def _sizes(path: Path) -> Iterator[tuple[object, ...]]:
    """Yield the pages of each part of the file."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        ((passages,),) = connection.execute("SELECT count(*) FROM vector_codes")
        pages: dict[str, int] = defaultdict(int)
        for name, size in connection.execute("SELECT name, pgsize FROM dbstat WHERE aggregate = 1"):
            pages[name if name.startswith(("vector", "embedded_")) else "all else"] += size
    for name, size in (*sorted(pages.items()), ("file", sum(pages.values()))):
        yield name, size / _MB, "" if name in {"all else", "file"} else size / max(passages, 1)
    yield "passages", f"{passages:,}", ""


def _probe(path: Path, *more: str) -> list[float]:
    """Return what a process of its own says of the first search of a store."""
    _, output = run((sys.executable, __file__, "--probe", str(path), *more), {"PATH": ""})
    return json.loads(output)


def _probed(path: Path) -> list[float]:
    """Search a store for the first time and again; return milliseconds, and megabytes of memory."""
    started = perf_counter()
    with SqliteSessionStore.open(path) as store:
        opened = perf_counter() - started
        memory = _memory()["VmRSS"]
        seconds = [_seconds(partial(store.semantic_search, [384**-0.5] * 384, NEAR, model=MODEL)) for _ in range(2)]
        after = _memory()
    return [opened * 1000, *(took * 1000 for took in seconds), memory, *(after[name] for name in _MEMORY)]


def _memory() -> dict[str, float]:
    """Return the resident memory of this process, now, without pages of files, and at its peak, in megabytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = (line.split() for line in status if line.startswith(_MEMORY))
    return {name.rstrip(":"): int(kilobytes) * 1024 / _MB for name, kilobytes, _ in fields}


def _session_filter(store: SqliteSessionStore, text: str) -> SessionFilter:
    """Return the filter that `text` stands for."""
    if text.startswith("newest"):
        share = int(text.rpartition(" ")[2].replace(",", ""))
        (oldest,) = store.list(1, offset=store.count() // share - 1)
        return SessionFilter(filters=(Filter("since", (oldest.started_at.rstrip("Z"),)),))
    return understood(parse(text), NEWEST).session_filter


def _search(store: SqliteSessionStore, text: str, limit: int = NEAR) -> Search:
    """Return the search by meaning with a filter, as hybrid recall does it."""
    passing = _session_filter(store, text)
    return lambda vector: store.semantic_search(vector, limit, passing, model=MODEL)


def _latencies(store: SqliteSessionStore, asked: Sequence[Vector]) -> Iterator[tuple[object, ...]]:
    for text in _FILTERS:
        search = _search(store, text)
        for warm_up in asked[:1] * 2:
            search(warm_up)
        seconds = [_seconds(partial(search, vector)) for vector in asked[1:]]
        yield text or "none", store.count(_session_filter(store, text)), *milliseconds(seconds)


def _whole(store: SqliteSessionStore, asked: Sequence[Vector]) -> Iterator[tuple[object, ...]]:
    """Yield how long whole recalls take, but for the embedding of what is asked."""
    for kind in KINDS:
        texts = queries(kind, len(asked))
        for condition in _WHOLE_FILTERS:
            for mode in _MODES:
                recall = RecallService(store, Prepared(asked))
                seconds = [_seconds(partial(recall.search, parse(f"{condition} {text}", mode=mode))) for text in texts]
                yield kind, condition or "none", mode, *milliseconds(seconds[1:])


def _interrupted(path: Path, asked: Sequence[Vector], repeats: int) -> Iterator[tuple[str, list[float]]]:
    """Yield how long after an interrupt at any moment of a recall its thread is free."""
    (text,) = queries("4 mid", 1)
    for mode in _MODES[1:]:
        with SqliteSessionStore.open(path) as store:
            recall = RecallService(store, Prepared(asked))
            yield f"{mode} recall", interrupts(store, partial(recall.search, parse(text, mode=mode)), repeats)
    usual = _first(path, asked, None)
    yield "first recall", [_first(path, asked, usual * repeat / repeats) for repeat in range(repeats)]


def _first(path: Path, asked: Sequence[Vector], stop: float | None) -> float:
    """Return how long the first recall of a store takes or, stopped after `stop` seconds, until its thread is free."""
    with SqliteSessionStore.open(path) as store:
        search = partial(RecallService(store, Prepared(asked)).search, parse("x", mode="semantic"))
        return _seconds(search) if stop is None else stopped(store, search, stop)


def _missed(store: SqliteSessionStore, asked: Sequence[Vector]) -> Iterator[tuple[object, ...]]:
    """Yield which share of the nearest sessions is found, by how many passages are compared in full."""
    for text in _MISSED_FILTERS:
        with patch.object(vectors, "_FEW", _NO_LIMIT):
            nearest = [_ids(found) for found in map(_search(store, text), asked)]
        search = _search(store, text)
        yield text or "none", "ours, hybrid", *_shares(search, asked, nearest)
        yield text or "none", "ours, semantic", *_shares(_search(store, text, POOL), asked, nearest)
        for count in _RESCORED:
            with patch.object(vectors, "_LEAST_RESCORED", count), patch.object(vectors, "_PER_SESSION", 0):
                yield text or "none", f"{count:,}", *_shares(search, asked, nearest)


def _shares(search: Search, asked: Sequence[Vector], nearest: Sequence[Sequence[str]]) -> Iterator[object]:
    seconds: list[float] = []
    found: list[Sequence[str]] = []
    for vector in asked:
        started = perf_counter()
        neighbors = search(vector)
        seconds.append(perf_counter() - started)
        found.append(_ids(neighbors))
    pairs = list(zip(found, nearest, strict=True))
    for depth in _DEPTHS:
        yield f"{fmean(_share(own[:depth], exact[:depth]) for own, exact in pairs):.4f}"
    yield f"{min(_share(own[:10], exact[:10]) for own, exact in pairs):.2f}"
    yield percentile(seconds, 0.5) * 1000


def _share(found: Sequence[str], wanted: Sequence[str]) -> float:
    return len(set(found).intersection(wanted)) / len(wanted) if wanted else 1.0


def _ids(neighbors: Sequence[SemanticNeighbor]) -> list[str]:
    return [neighbor.session_id for neighbor in neighbors]


def _seconds(run_once: Callable[[], object]) -> float:
    started = perf_counter()
    run_once()
    return perf_counter() - started


if __name__ == "__main__":
    main()
