"""How often the right session comes first: recall over invented sessions, by kind of question.

python benchmarks/recall_quality/run.py [--half dev|test] [--typing]
"""

import argparse
import json
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from measuring import machine, table

from nlm_tui.core import Message, RecallQuery, RecallService, Session, join_messages
from nlm_tui.storage import SqliteSessionStore

HERE = Path(__file__).parent
DEPTH = 10


def session(entry: dict[str, Any]) -> Session:
    """Return a session of the corpus."""
    body, turns = join_messages(tuple(Message(role, text) for role, text in entry["messages"]))
    plain = ("id", "runtime", "started_at", "label", "summary", "status", "project", "branch")
    several = ("entities", "decisions", "open")
    fields = {name: entry[name] for name in plain if name in entry}
    return Session(**fields, **{name: tuple(entry[name]) for name in several}, body=body, turns=turns)


def gains(found: Sequence[str], expected: Sequence[str]) -> tuple[float, float, float, float]:
    """Return recall at 1 and at 5 (of any expected session), the reciprocal rank, and nDCG at 10."""
    ranks = [rank for rank, session_id in enumerate(found[:DEPTH], 1) if session_id in expected]
    first = ranks[0] if ranks else math.inf
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(expected), DEPTH) + 1))
    ndcg = sum(1 / math.log2(rank + 1) for rank in ranks) / ideal
    return float(first == 1), float(first <= 5), 1 / first, ndcg


def measured(recall: RecallService, questions: Sequence[dict[str, Any]], *, typing: bool) -> list[list[str]]:
    """Return the rows of the table: each kind of question, and all of them."""
    results: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
    for question in questions:
        result = recall.search(RecallQuery(question["query"], typing=typing))
        scores = gains([hit.id for hit in result.results], question["expect"])
        results[question["kind"]].append(scores)
        results["all"].append(scores)
    order = sorted(results, key=lambda kind: (kind == "all", kind))
    return [
        [kind, str(len(results[kind])), *(f"{fmean(column):.3f}" for column in zip(*results[kind], strict=True))]
        for kind in order
    ]


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--half", choices=("dev", "test"), help="only this half of the questions")
    options.add_argument("--typing", action="store_true", help="the last word counts as a beginning, as on the screen")
    chosen = options.parse_args()
    questions = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
    if chosen.half:
        questions = [question for question in questions if question["half"] == chosen.half]
    print(machine())
    with tempfile.TemporaryDirectory() as folder, SqliteSessionStore.open(Path(folder) / "quality.sqlite") as store:
        with store.batch():
            for entry in json.loads((HERE / "corpus.json").read_text(encoding="utf-8")):
                store.insert_session(session(entry))
        rows = measured(RecallService(store), questions, typing=chosen.typing)
    print(table(["kind", "questions", "R@1", "R@5", "MRR", "nDCG@10"], rows))


if __name__ == "__main__":
    main()
