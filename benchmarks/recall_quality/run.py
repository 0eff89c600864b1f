"""How often the right session comes first: recall over invented sessions, by kind of question and by ingredient.

python benchmarks/recall_quality/run.py [--half dev|test|all] [--typing]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from measuring import machine, table
from scoring import DEPTH, METRICS, Entry, Scores, SpecifiedTable, difference, gains, means

from nlm_tui.core import Message, RecallService, Session, join_messages
from nlm_tui.core.query import parse
from nlm_tui.core.ranking import BEST, INDEXED_FIELDS
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.storage.migrations import migrations_folder

HERE = Path(__file__).parent


def weights(**fields: float) -> tuple[float, ...]:
    """Return weights of all indexed fields: 1 for those not given, and for the parts of a field as for the field."""
    return tuple(fields.get(field.removesuffix("_parts"), 1.0) for field in INDEXED_FIELDS)


# What is taken away from, or changed in, the best recipe.
ABLATIONS: tuple[tuple[str, dict[str, object]], ...] = (
    ("all weights 1", {"weights": weights()}),
    ("weights 10/4/1", {"weights": weights(label=10.0, summary=4.0)}),
    ("without markers", {"markers": False}),
    ("without names", {"names": False}),
    ("without parts", {"parts": False}),
    ("common words kept", {"common": 1.0}),
    ("without beginnings", {"beginnings": False}),
    ("without corrections", {"corrections": False}),
    ("without passages", {"passages": 0.0}),
    ("superseded as others", {"superseded": 1.0}),
    ("no near ties", {"near_tie": 0.0}),
)
# The same, for the table of typing.
TYPED: tuple[tuple[str, dict[str, object]], ...] = (
    ("ours", {}),
    ("beginnings do not lift", {"typed": 1.0}),
    ("beginnings lift threefold", {"typed": 3.0}),
    ("without beginnings", {"beginnings": False}),
    ("without corrections", {"corrections": False}),
    ("common words kept", {"common": 1.0}),
)
FIRST_KEY = 3  # the number of characters with which typing begins to count

Search = Callable[[str], list[str]]
"""From the text of a question to the ids of what it finds, the best first."""


def session(entry: Entry) -> Session:
    """Return a session of the corpus."""
    body, turns = join_messages(tuple(Message(role, text) for role, text in entry["messages"]))
    plain = ("id", "runtime", "started_at", "label", "summary", "status", "project", "branch")
    several = ("entities", "decisions", "open")
    fields = {name: entry[name] for name in plain if name in entry}
    return Session(**fields, **{name: tuple(entry[name]) for name in several}, body=body, turns=turns)


def fill(store: SqliteSessionStore, entries: Sequence[Entry]) -> None:
    """Write the corpus to a store."""
    with store.batch():
        for entry in entries:
            store.insert_sessions(session(entry))


def unstemmed_migrations(folder: Path) -> Path:
    """Write the migrations to `folder`, with an index of words as they are, and return it."""
    folder.mkdir()
    for migration in migrations_folder().glob("*.sql"):
        text = migration.read_text(encoding="utf-8").replace("tokenize='porter unicode61", "tokenize='unicode61")
        (folder / migration.name).write_text(text, encoding="utf-8")
    return folder


def searching(store: SqliteSessionStore, change: dict[str, object], **fields: object) -> Search:
    """Return recall by the best recipe with a change; `fields` are those of the query."""
    recall = RecallService(store, recipe=replace(BEST, **change), zone=UTC)
    return lambda text: [hit.id for hit in recall.search(parse(text, limit=DEPTH, **fields)).results]


def by_kind(questions: Sequence[Entry], columns: dict[str, list[Scores]], metrics: Sequence[str] = METRICS) -> str:
    """Return the table of each kind of question, and of all: these metrics of every recall."""
    kinds = {question["kind"] for question in questions}
    rows: list[list[object]] = []
    for kind in (*sorted(kinds), "all"):
        chosen = [number for number, question in enumerate(questions) if kind in {question["kind"], "all"}]
        mean = [means([scores[number] for number in chosen]) for scores in columns.values()]
        numbers = (f"{scores[place]:.3f}" for place in map(METRICS.index, metrics) for scores in mean)
        rows.append([kind, len(chosen), *numbers])
    first, *others = columns
    head = [name for metric in metrics for name in (f"{metric} {first}", *others)]
    return table(["kind", "questions", *head], rows)


def by_recipe(results: dict[str, list[Scores]], specified: str, ours: str) -> str:
    """Return the table of recipes, with the differences in the last metric."""
    ends = {name: [scores[-1] for scores in result] for name, result in results.items()}
    rows = [
        [
            name,
            *(f"{value:.3f}" for value in means(result)),
            *(difference(ends[name], ends[other]) for other in (specified, ours)),
        ]
        for name, result in results.items()
    ]
    return table(["recipe", *METRICS, f"{METRICS[-1]} to {specified}", f"to {ours}"], rows)


def keystrokes(search: Search, question: Entry) -> Scores:
    """Return what typing a question scores: the means over its keys of MRR and R@1, and the share of keys needed.

    That is the share after which the right session is first for the first time, 1 where it never is.
    """
    text = question["query"]
    lengths = range(min(FIRST_KEY, len(text)), len(text) + 1)
    scores = [gains(search(text[:length]), question["expect"]) for length in lengths]
    needed = next((length for length, score in zip(lengths, scores, strict=True) if score[0]), len(text))
    at_one, _, reciprocal, _ = means(scores)
    return reciprocal, at_one, needed / len(text)


def by_typing(results: dict[str, list[Scores]], ours: str) -> str:
    """Return the table of typing, with the differences in mean MRR."""
    reciprocals = {name: [scores[0] for scores in result] for name, result in results.items()}
    rows = [
        [name, *(f"{value:.3f}" for value in means(result)), difference(reciprocals[name], reciprocals[ours])]
        for name, result in results.items()
    ]
    return table(["typed", "MRR", "R@1", "keys until first", f"MRR to {ours}"], rows)


def print_finished(
    store: SqliteSessionStore, unstemmed: SqliteSessionStore, entries: Sequence[Entry], questions: Sequence[Entry]
) -> None:
    """Ask every question as a whole, and print the tables by kind and by recipe."""
    specified = SpecifiedTable(entries, {entry["id"]: session(entry).body for entry in entries})
    searches: dict[str, Search] = {
        "specified": lambda text: specified.search(parse(text)),
        "reference": searching(store, {}, ranking="reference"),
        "ours": searching(store, {}),
        "without stems": searching(unstemmed, {}),
        **{name: searching(store, change) for name, change in ABLATIONS},
    }
    results = {
        name: [gains(search(question["query"]), question["expect"]) for question in questions]
        for name, search in searches.items()
    }
    print(by_kind(questions, {name: results[name] for name in ("specified", "reference", "ours")}), "\n")
    print(by_recipe(results, "specified", "ours"))


def print_typing(store: SqliteSessionStore, questions: Sequence[Entry]) -> None:
    """Type every question key by key, and print the table."""
    keys = fmean(len(question["query"]) for question in questions)
    print(f"{len(questions)} questions of {keys:.0f} keys\n")
    searches = {"reference": searching(store, {}, ranking="reference", typing=True)}
    searches |= {name: searching(store, change, typing=True) for name, change in TYPED}
    results = {name: [keystrokes(search, question) for question in questions] for name, search in searches.items()}
    print(by_typing(results, "ours"))


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--half", choices=("dev", "test", "all"), default="all", help="of the questions")
    options.add_argument("--typing", action="store_true", help="type the questions key by key instead")
    chosen = options.parse_args()
    entries = json.loads((HERE / "corpus.json").read_text(encoding="utf-8"))
    questions = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
    questions = [question for question in questions if chosen.half in {question["half"], "all"}]
    print(machine())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = stack.enter_context(SqliteSessionStore.open(folder / "quality.sqlite"))
        fill(store, entries)
        if chosen.typing:
            print_typing(store, questions)
            return
        path, migrations = folder / "unstemmed.sqlite", unstemmed_migrations(folder / "migrations")
        unstemmed = stack.enter_context(SqliteSessionStore.open(path, migrations=migrations))
        fill(unstemmed, entries)
        print_finished(store, unstemmed, entries, questions)


if __name__ == "__main__":
    main()
