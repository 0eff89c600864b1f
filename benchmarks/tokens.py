"""Developer's tokens among 2,000 sessions: is each found, and how far up? Indexed by the command, searched as it does.

`needles.tsv` holds a kind, a query and the sentence that carries what is asked for. Each sentence is put into the
middle of a session of its own; what a query consists of also stands in sessions of the noise, apart, so that order
matters.
"""

import argparse
import csv
import json
import os
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus import write_transcripts
from measuring import NLM_TUI, isolated, machine, run, table

from nlm_tui.core import RecallService
from nlm_tui.core.query import parse
from nlm_tui.storage import SqliteSessionStore

_NEEDLES = Path(__file__).with_name("needles.tsv")
_DEPTH = 20
_DECOYS = 3  # sessions of the noise that hold a part of a query
# How kinds of needle begin: the last word is still being typed; a sign tells the word from others; no word is meant.
_UNFINISHED = ("beginning", "prefix")
_SIGNS = ("sign word", "issue", "percentage")
_WHOLE = ("contraction",)
_WIDEST = 44
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Needle:
    """A query of some kind, and the session that it should find: the one that carries `text`, or whose id ends so."""

    kind: str
    query: str
    text: str

    @property
    def bare(self) -> str:
        """The query without signs and case."""
        return " ".join(_WORD.findall(self.query)).casefold()

    @property
    def parts(self) -> list[str]:
        """The words that the query consists of, where they are less than the query."""
        words = list(dict.fromkeys(_WORD.findall(self.query)))
        if self.kind.startswith(_SIGNS):
            return words
        return [word for word in words if len(word) > 1] if len(words) > 1 and self.kind not in _WHOLE else []


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=2000, help="of noise in the synthetic history (default: 2000)")
    parser.add_argument("--typing", action="store_true", help="the last word of every query is still being typed")
    parser.add_argument("--home", type=Path, help="a home folder that holds transcripts; default: a synthetic one")
    parser.add_argument("--needles", type=Path, help="its lines of kind, query and id of a session, tabs between them")
    options = parser.parse_args()
    if (options.home is None) != (options.needles is None):
        parser.error("--home and --needles belong together")
    needles = read_needles(options.needles or _NEEDLES)
    print(machine(), "\n")
    with tempfile.TemporaryDirectory(prefix="nlm-bench-") as folder:
        scratch = Path(folder)
        home = options.home or scratch / "home"
        if options.home is None:
            needles = hide(home, options.sessions, needles)
        store_path = scratch / "memory.sqlite"
        run((NLM_TUI, "--db", str(store_path), "index", "--no-embed", "--json"), isolated(home, scratch))
        with SqliteSessionStore.open(store_path) as store:
            print_ranks(store, needles, typing=options.typing)


def read_needles(path: Path) -> list[Needle]:
    """Return the needles of a file."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [Needle(*row) for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if row]


def hide(home: Path, count: int, needles: Sequence[Needle]) -> list[Needle]:
    """Write `count` sessions and those that carry the needles below `home`; return the needles with ids for texts."""
    texts = list(dict.fromkeys(needle.text for needle in needles))
    write_transcripts(home, count + len(texts))
    rng = random.Random(11)
    paths = rng.sample(sorted(home.rglob("*.jsonl")), count + len(texts))
    carriers, noise = dict(zip(texts, paths, strict=False)), paths[len(texts) :]
    for text, path in carriers.items():
        plant(path, text)
    for words in decoys(needles):
        for number, path in enumerate(rng.sample(noise, min(_DECOYS * len(words), len(noise)))):
            plant(path, f"We looked at {words[number % len(words)]} for a while, that was not it.")
    return [Needle(needle.kind, needle.query, carriers[needle.text].stem) for needle in needles]


def decoys(needles: Sequence[Needle]) -> Iterator[list[str]]:
    """Yield what the noise may hold, each word in other sessions: parts of queries, unless asked for themselves."""
    bare = (needle.bare for needle in needles if not needle.kind.startswith(_SIGNS))
    used = {query for query in bare if len(query) > 1}
    for needle in needles:
        words = [part for part in needle.parts if not part.casefold().startswith(tuple(used))]
        used.update(map(str.casefold, words))
        if words:
            yield words


def plant(path: Path, text: str) -> None:
    """Add `text` to the prompt in the middle of a transcript, whose age stays."""
    status = path.stat()
    lines = path.read_text(encoding="utf-8").splitlines()
    prompts = [number for number, line in enumerate(lines) if isinstance(_content(line), str)]
    middle = prompts[len(prompts) // 2]
    record = json.loads(lines[middle])
    record["message"]["content"] += f"\n\n{text}"
    lines[middle] = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _content(line: str) -> object:
    return json.loads(line).get("message", {}).get("content")


def print_ranks(store: SqliteSessionStore, needles: Sequence[Needle], *, typing: bool) -> None:
    """Search every needle, and print its rank and total, by the specified recall too."""
    recall = RecallService(store)
    rows: list[tuple[object, ...]] = []
    ranks: dict[str, list[int | None]] = {"best": [], "reference": []}
    for needle in needles:
        typed = typing or needle.kind.startswith(_UNFINISHED)
        totals: dict[str, int] = {}
        for ranking, found in ranks.items():
            result = recall.search(parse(needle.query, limit=_DEPTH, typing=typed, ranking=ranking))
            ids = (hit.id for hit in result.results)
            found.append(next((rank for rank, hit in enumerate(ids, 1) if hit.endswith(needle.text)), None))
            totals[ranking] = result.total
        numbers = (value for ranking, found in ranks.items() for value in (found[-1] or "-", totals[ranking]))
        rows.append((needle.kind, needle.query[:_WIDEST], *numbers))
    print(table(("kind", "query", "rank", "total", "reference", "total"), rows, left=2), "\n")
    head = ("ranking", "needles", f"found in {_DEPTH}", "first", "share found", "share first")
    print(table(head, [_summary(ranking, found) for ranking, found in ranks.items()]))


def _summary(ranking: str, ranks: Sequence[int | None]) -> tuple[object, ...]:
    found, first = sum(rank is not None for rank in ranks), sum(rank == 1 for rank in ranks)
    return ranking, len(ranks), found, first, found / max(len(ranks), 1), first / max(len(ranks), 1)


if __name__ == "__main__":
    main()
