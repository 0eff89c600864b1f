"""The invented transcripts that measure extraction, and what rules come to on the half that is looked at."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "extraction"))
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from gold import read_all
from run import extracted
from scoring import Scores, score


@pytest.mark.parametrize("half", ["dev", "test"])
def test_each_marker_comes_with_words_of_its_message(half: str) -> None:
    golds = read_all(half)
    assert len(golds) == 30
    for gold, session in extracted(golds):
        for kind, texts in (("decision", session.decisions), ("open", session.open)):
            for text in texts:
                evidence = session.evidence[kind, text]
                words = set(evidence.quote.split())
                said = session.messages[evidence.message].text.replace("*", "")
                assert sum(word.strip("*") in said for word in words) > 0.7 * len(words), (gold.name, text)


def test_rules_are_no_worse_than_they_were() -> None:
    scores = Scores()
    for gold, session in extracted(read_all("dev")):
        score(gold, session, scores)
    assert scores.decisions.precision >= 0.8
    assert scores.decisions.recall >= 0.45
    assert scores.open.precision >= 0.75
    assert scores.open.recall >= 0.7
    assert scores.entities.precision >= 0.9
    assert scores.entities.recall >= 0.8
    assert scores.evidence.value >= 0.9
    assert scores.plain.value == 1
