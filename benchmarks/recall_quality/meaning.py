"""What recall by meaning adds: alone, in hybrid recall, by other fusions and of other passages.

python benchmarks/recall_quality/meaning.py [--half dev|test|all] [--tables kinds fusions passages recipes]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC
from functools import cache
from pathlib import Path
from statistics import fmean
from time import perf_counter
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from legs import FUSIONS, Leg
from measuring import machine, table
from remembered import Remembering, Vectors
from run import ABLATIONS, HERE, Search, by_kind, fill
from scoring import DEPTH, METRICS, Entry, Scores, difference, gains, interval, means

from nlm_tui.core import ALL_CHUNKS, BEST, MAX_LIMIT, Mode, RecallService, Session
from nlm_tui.core import scoring as package_scoring
from nlm_tui.core.hits import Passage, Words
from nlm_tui.core.query import parse
from nlm_tui.embedding import embed_missing
from nlm_tui.embedding.bundled import MODEL
from nlm_tui.storage import SqliteSessionStore

SHOWN = ("nDCG@10", "R@1", "MRR")
WEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
NOISES = (0.0, 0.1, 0.2, 0.25, 0.35, 0.4)
CHARACTERS = (300, 500, 800, 1500)
BUDGETS = (1, 4, 8, 16, ALL_CHUNKS)
KEYWORD, HYBRID, SPECIFIED = "keyword", "hybrid", "hybrid specified"

Results = dict[str, list[Scores]]
"""What each recall scored, question by question."""


class Asking:
    """Asks all questions of one store."""

    def __init__(self, store: SqliteSessionStore, vectors: Vectors, questions: Sequence[Entry]) -> None:
        self.questions = questions
        self._store = store
        self._vectors = vectors

    def embedder(self, setting: str = "", **changes: float) -> Remembering:
        """Return an embedder of queries."""
        return Remembering(self._vectors, setting, **changes)

    def embed(self, characters: int, most: int) -> Remembering:
        """Embed the sessions in that many passages of such a length, and return the embedder of queries."""
        embedder = self.embedder(f"{characters} {most}", chunk_characters=characters)
        embed_missing(self._store, embedder, most=most)
        return embedder

    def embed_as_usual(self) -> None:
        """Embed the sessions as the program does."""
        embed_missing(self._store, self.embedder())

    def recall(self, embedder: Remembering | None = None, **options: object) -> RecallService:
        """Return recall; `options` are those of the service."""
        return RecallService(self._store, embedder or self.embedder(), zone=UTC, **options)

    def scores(self, recall: RecallService, **fields: object) -> list[Scores]:
        """Return what each question scores; `fields` are those of the query."""
        return self.scored(lambda text: [hit.id for hit in recall.search(parse(text, limit=DEPTH, **fields)).results])

    def scored(self, search: Search) -> list[Scores]:
        """Return what each question scores."""
        return [gains(search(question["query"]), question["expect"]) for question in self.questions]

    def of_kind(self, kind: str, scores: Sequence[Scores]) -> list[float]:
        """Return nDCG@10 of the questions of a kind, or of all."""
        return [
            score[-1]
            for question, score in zip(self.questions, scores, strict=True)
            if kind in {question["kind"], "all"}
        ]


def usual(asking: Asking) -> Results:
    """Return the recalls that all else is compared with."""
    recall = asking.recall()
    return {
        KEYWORD: asking.scores(recall),
        "semantic": asking.scores(recall, mode="semantic"),
        HYBRID: asking.scores(recall, mode="hybrid"),
        SPECIFIED: asking.scores(recall, mode="hybrid", fusion="reference"),
    }


def print_kinds(asking: Asking, results: Results) -> None:
    """Print the table by kind of question, and how sure the differences between the recalls are."""
    print(by_kind(asking.questions, results, SHOWN), "\n")
    recall = asking.recall()
    weights = [recall.search(parse(question["query"], mode="hybrid")).semantic_weight for question in asking.questions]
    rows: list[list[object]] = []
    for kind in (*sorted({question["kind"] for question in asking.questions}), "all"):
        hybrid, keyword, specified = (asking.of_kind(kind, results[name]) for name in (HYBRID, KEYWORD, SPECIFIED))
        meant = [
            weight
            for question, weight in zip(asking.questions, weights, strict=True)
            if weight is not None and kind in {question["kind"], "all"}
        ]
        rows.append(
            [
                *(kind, len(hybrid), f"{fmean(meant):.2f}" if meant else ""),
                *(difference(hybrid, keyword), verdict(hybrid, keyword)),
                *(difference(hybrid, specified), verdict(hybrid, specified)),
            ]
        )
    head = ("kind", "questions", "weight of meaning", f"{HYBRID} to {KEYWORD}", "", f"to {SPECIFIED}", "")
    print(table(head, rows))
    for kind in ("paraphrase", "identifier"):
        hybrid, keyword = (asking.of_kind(kind, results[name]) for name in (HYBRID, KEYWORD))
        print(
            f"\n{kind}: {HYBRID} against {KEYWORD}: {verdict(hybrid, keyword)}, {difference(hybrid, keyword)}", end=""
        )
    print("\n")


def verdict(scores: Sequence[float], others: Sequence[float]) -> str:
    """Return whether 95 % of resamples agree that `scores` are better, or worse, than `others`."""
    _, low, high = interval(scores, others)
    return "better" if low > 0.0 else "worse" if high < 0.0 else "not told apart"


def print_fusions(asking: Asking, results: Results) -> None:
    """Print the table of fusions."""
    found = dict(results)
    for weight in WEIGHTS:
        found[f"maximum, {weight}"] = asking.scores(asking.recall(weight=weight), mode="hybrid")
    for noise in NOISES:
        quieter = asking.recall(asking.embedder(noise=noise))
        found[f"hybrid, noise {noise} for {MODEL.noise}"] = asking.scores(quieter, mode="hybrid")
    legs = both_legs(asking.recall())
    for name, fusion in FUSIONS:
        found[name] = asking.scored(lambda text, fusion=fusion: best_of(fusion(*legs(text))))
    rows = [
        [
            name,
            *(f"{fmean(asking.of_kind(kind, scores)):.3f}" for kind in ("all", "paraphrase", "identifier")),
            *(f"{means(scores)[METRICS.index(metric)]:.3f}" for metric in SHOWN[1:]),
            *(
                difference(*(asking.of_kind("all", one) for one in (scores, results[other])))
                for other in (KEYWORD, HYBRID)
            ),
        ]
        for name, scores in found.items()
    ]
    head = ("fusion", "nDCG@10", "paraphrase", "identifier", *SHOWN[1:], f"nDCG@10 to {KEYWORD}", f"to {HYBRID}")
    print(table(head, rows), "\n")


def both_legs(recall: RecallService) -> Callable[[str], tuple[Leg, Leg]]:
    """Return what gives the 100 best of either leg, found once for each text."""

    @cache
    def legs(text: str) -> tuple[Leg, Leg]:
        modes: tuple[Mode, Mode] = ("keyword", "semantic")
        words, meaning = (recall.search(parse(text, limit=MAX_LIMIT, mode=mode)).results for mode in modes)
        return {hit.id: hit.match_score for hit in words}, {hit.id: hit.match_score for hit in meaning}

    return legs


def best_of(scores: Leg) -> list[str]:
    """Return the ids of the best."""
    return sorted(scores, key=lambda name: -scores[name])[:DEPTH]


def remembered(best_passage: Callable[[Session, Words], Passage]) -> Callable[[Session, Words], Passage]:
    """Return a function that looks only once for the same words in the same session: most of a recall is that."""
    known: dict[tuple[str, Words], Passage] = {}

    def best(session: Session, words: Words) -> Passage:
        place = session.id, words
        if place not in known:
            known[place] = best_passage(session, words)
        return known[place]

    return best


def print_passages(asking: Asking, results: Results) -> None:
    """Print the table of lengths and numbers of passages."""
    rows: list[list[object]] = []
    for characters in CHARACTERS:
        for most in BUDGETS:
            recall = asking.recall(asking.embed(characters, most))
            row: list[object] = [characters, "all" if most == ALL_CHUNKS else most]
            for mode in ("semantic", HYBRID):
                scores, others = (
                    asking.of_kind("all", one) for one in (asking.scores(recall, mode=mode), results[mode])
                )
                row += [f"{fmean(scores):.3f}", difference(scores, others)]
            rows.append(row)
    head = ("characters", "passages", "semantic", "to ours", HYBRID, "to ours")
    print(table(head, rows, left=0), "\n")


def print_recipes(asking: Asking, results: Results) -> None:
    """Print what each ingredient of keyword recall is worth where meaning counts too."""
    ours = asking.of_kind("all", results[HYBRID])
    rows = [["ours", f"{fmean(ours):.3f}", "0"]]
    for name, change in ABLATIONS:
        recall = asking.recall(recipe=replace(BEST, **change))
        scores = asking.of_kind("all", asking.scores(recall, mode="hybrid"))
        rows.append([name, f"{fmean(scores):.3f}", difference(scores, ours)])
    print(table((f"recipe, {HYBRID}", "nDCG@10", "to ours"), rows), "\n")


TABLES: dict[str, Callable[[Asking, Results], None]] = {
    "kinds": print_kinds,
    "fusions": print_fusions,
    "passages": print_passages,
    "recipes": print_recipes,
}


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--half", choices=("dev", "test", "all"), default="all", help="of the questions")
    options.add_argument("--tables", choices=tuple(TABLES), nargs="+", default=list(TABLES), help="default: all")
    options.add_argument(
        "--vectors", type=Path, metavar="FILE", help="keep the vectors here, and use those that are here"
    )
    chosen = options.parse_args()
    entries = json.loads((HERE / "corpus.json").read_text(encoding="utf-8"))
    questions = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
    questions = [question for question in questions if chosen.half in {question["half"], "all"}]
    print(machine(), "\n")
    started = perf_counter()
    vectors = Vectors(chosen.vectors)
    with (
        tempfile.TemporaryDirectory() as folder,
        SqliteSessionStore.open(Path(folder) / "quality.sqlite") as store,
        patch.object(package_scoring, "best_passage", remembered(package_scoring.best_passage)),
    ):
        fill(store, entries)
        asking = Asking(store, vectors, questions)
        asking.embed_as_usual()
        results = usual(asking)
        for name in chosen.tables:
            TABLES[name](asking, results)
    print(f"{perf_counter() - started:.0f} s, {vectors.made:,} texts embedded")


if __name__ == "__main__":
    main()
