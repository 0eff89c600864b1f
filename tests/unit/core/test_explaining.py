"""Why a hit stands where it does."""

from dataclasses import replace

import pytest
from support import a_session

from nlm_tui.core import RecallHit, RecallResult, Session, Term, explanation
from nlm_tui.core.hits import Words, best_passage, make_hit
from nlm_tui.core.query import RecallQuery
from nlm_tui.core.result import Scores


def told(session: Session, *terms: Term, scores: Scores | None = None, common: tuple[str, ...] = ()) -> str:
    words = Words.of(RecallQuery(), "", terms, common)
    hit = make_hit(session, scores or Scores(0.0), words, best_passage(session, words))
    return explanation(hit, session, answer(hit, terms, common))


def answer(hit: RecallHit, terms: tuple[Term, ...], common: tuple[str, ...] = ()) -> RecallResult:
    return RecallResult(query="", mode="keyword", limit=1, total=1, results=(hit,), terms=terms, common=common)


def typed(text: str) -> Term:
    return Term(text, "word", text)


FIELDS = {
    "label": {"label": "About redis"},
    "decisions": {"decisions": ("no", "keep Redis")},
    "open": {"open": ("Redis?",)},
    "summary": {"summary": "on redis"},
    "topics": {"entities": ("Redis",)},
    "project": {"project": "/srv/redis/api"},
    "branch": {"branch": "fix/redis-again"},
    "conversation": {"body": "so redis it is"},
}


@pytest.mark.parametrize("name", FIELDS)
def test_each_field_is_named(name: str) -> None:
    assert told(a_session(**FIELDS[name]), typed("redis")).startswith(f"redis in {name}")
    assert told(a_session(), typed("redis")) == ""


def test_all_fields_in_their_order() -> None:
    everything = a_session(**{name: value for fields in FIELDS.values() for name, value in fields.items()})
    *others, last = FIELDS
    assert told(everything, typed("redis")).startswith(f"redis in {', '.join(others)} and {last}")


def test_each_word_is_named_as_it_was_typed() -> None:
    session = a_session(label="Retry budget", summary="on Kubernetes", body="budgets")
    line = told(
        session,
        typed("RETRIES"),
        typed("budget"),
        typed("elsewhere"),
        Term("kubernetes", "approximate", "kubernetis"),
    )
    assert line.split("   ")[0] == (
        "RETRIES in label, budget in label and conversation, kubernetis (approximate: kubernetes) in summary"
    )


def test_what_the_score_is_made_of() -> None:
    session = a_session(label="Retry", body="retry the budget", status="superseded")
    line = told(
        session,
        typed("retry"),
        typed("budget"),
        scores=Scores(1.5, 2.25, 0.5, tier=1, approximate=True),
        common=("the",),
    )
    for part in (
        *("keyword 2.25", "meaning 0.50", "one passage holds 100% of the words", "lowered: superseded"),
        *("below all that match as typed", "in nearly every session: the", "score 1.50, near ties newest first"),
    ):
        assert part in line
    plain = told(a_session(label="Retry"), typed("retry"), scores=Scores(1.0, 1.0))
    assert plain == (
        "retry in label   keyword 1.00, one passage holds 100% of the words, score 1.00, near ties newest first"
    )


def test_what_words_and_meaning_count_in_a_hybrid_score() -> None:
    session = a_session(label="Retry")

    def told_of(near: str = "", **scores: float) -> str:
        words = Words.of(RecallQuery())
        hit = make_hit(session, Scores(0.5, **scores), words, best_passage(session, words))
        hit = replace(hit, near=near, snippet_field="open" if near else None)
        return explanation(hit, session, replace(answer(hit, ()), semantic_weight=0.6))

    assert told_of(keyword=2.25, semantic=0.5).startswith("keyword 2.25 (counts 40%), meaning 0.50 of 1 (counts 60%), ")
    assert told_of(keyword=2.25).startswith("keyword 2.25 (counts 40%), not near in meaning (counts 60%), ")
    assert told_of("who?", semantic=0.5).startswith(
        "nearest passage in open   no word found (counts 40%), meaning 0.50 of 1 (counts 60%), "
    )


def test_it_is_safe_to_show() -> None:
    session = a_session(label="red\x1b[31m redis")
    line = told(session, typed("redis\x1b[31m\u202e\n"), typed("redis"), common=("\x1b]0;x\x07",))
    assert line
    assert not any(sign in line for sign in "\x1b\x07\u202e\n")
