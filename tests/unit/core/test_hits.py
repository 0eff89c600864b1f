"""Sessions as hits: where the words stand, the best passage, and what an approximate term is shown as."""

import pytest
from support import a_session

from nlm_tui.core import RecallHit, RecallQuery, Term
from nlm_tui.core.hits import Words, as_written, best_passage, make_hit
from nlm_tui.core.result import Scores


def words_of(*terms: Term, common: tuple[str, ...] = ()) -> Words:
    return Words.of(RecallQuery(), "", terms, common)


def typed(text: str) -> Term:
    return Term(text, "word", text)


def hit(**fields: object) -> RecallHit:
    words = words_of(typed("nothing"))
    session = a_session(**fields)
    return make_hit(session, Scores(1.0), words, best_passage(session, words))


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"decisions": ("no", "keep redis"), "open": ("redis?",), "summary": "redis", "body": "redis"}, "decisions"),
        ({"open": ("redis?",), "summary": "redis", "body": "redis"}, "open"),
        ({"summary": "redis", "body": "redis"}, "summary"),
        ({"summary": "s", "body": "redis"}, "conversation"),
        ({"summary": "redis", "body": "a redis cache"}, "conversation"),
        ({"label": "redis", "summary": "s"}, None),
    ],
)
def test_the_best_passage_holds_most_words_and_decisions_come_first(fields: dict[str, object], place: str) -> None:
    passage = best_passage(a_session(**fields), words_of(typed("redis"), typed("cache")))
    assert passage.field == place
    assert passage.text == fields["summary"] if place is None else "redis" in passage.text


def test_common_words_choose_a_passage_only_where_there_are_no_others() -> None:
    words = words_of(typed("the"), typed("redis"), common=("the",))
    passage = best_passage(a_session(decisions=("the the",), body="redis"), words)
    assert (passage.field, passage.share) == ("conversation", 1.0)
    assert best_passage(a_session(decisions=("the the",)), words).field == "decisions"
    assert best_passage(a_session(body="the"), words_of(typed("the"), common=("the",))).share == 1.0


@pytest.mark.parametrize(
    ("fields", "share"),
    [
        ({"body": "retry the budget"}, 1.0),
        ({"body": "retries of budgets"}, 2 / 3),
        ({"body": "retry of budgets"}, 2.5 / 3),
        ({"body": "retry"}, 0.5),
        ({"body": "retry" + " x" * 300 + " budget"}, 0.5),
        ({"label": "retry the budget", "body": "retry"}, 1.0),
        ({"label": "retry", "body": "budget"}, 0.5),
        ({}, 0.0),
    ],
)
def test_which_share_of_the_words_one_passage_holds(fields: dict[str, object], share: float) -> None:
    passage = best_passage(a_session(**fields), words_of(typed("retry"), typed("budget")))
    assert passage.share == pytest.approx(share)


def test_where_a_hit_matched_as_the_index_matches() -> None:
    session = a_session(
        label="mergeGuestCart", decisions=("x", "retries"), open=("C#?",), summary="登录超时", body="redis"
    )
    for text, fields in (
        ("guest", ("label",)), ("retry", ("decisions",)), ("csharp", ("open",)), ("超时", ("summary",)), ("redis", ()),
        ("guest 超时", ("label", "summary")),
    ):  # fmt: skip
        words = words_of(*map(typed, text.split()))
        found = make_hit(session, Scores(1.0, semantic=0.5), words, best_passage(session, words))
        assert found.matched_in == (*fields, "semantic")


def test_where_nobody_knows_what_was_looked_for_whole_tokens_match() -> None:
    session = a_session(label="Retries", summary="retry budgets")
    words = Words.of(RecallQuery("retry budg", typing=True), "retry budg")
    assert make_hit(session, Scores(1.0), words, best_passage(session, words)).matched_in == ("summary",)
    assert words.fields(a_session(label="budgets")) == ("label",)


def test_a_hit_tells_its_tier_and_scores() -> None:
    session = a_session(project="/srv/pay", branch="main", model="m", status="superseded")
    words = words_of(typed("session"))
    found = make_hit(session, Scores(3.0, 2.0, 0.5, tier=1, approximate=True), words, best_passage(session, words))
    assert (found.match_score, found.keyword_score, found.semantic_score, found.approximate) == (3.0, 2.0, 0.5, True)
    assert (found.project, found.branch, found.model, found.status) == ("/srv/pay", "main", "m", "superseded")
    assert found.passage == 1.0
    assert not make_hit(session, Scores(3.0), words, best_passage(session, words)).approximate


def test_an_approximate_term_is_shown_as_the_hits_write_it() -> None:
    term = Term("kubernets", "approximate", "kubernetis")
    hits = [hit(label="Kubernetes again"), hit(summary="s", decisions=("kubernetes",)), hit(label="a Kubernete")]
    assert as_written(term, hits) == Term("kubernetes", "approximate", "kubernetis")
    assert as_written(term, []) == term
    assert as_written(term, [hit(label="nothing of it")]) == term


def test_the_nearest_of_several_forms_is_shown_then_the_most_frequent() -> None:
    term = Term("migration", "approximate", "migratoins")
    assert as_written(term, [hit(label="migration migration"), hit(label="Migrations")]).text == "migrations"
    near = Term("retri", "approximate", "retrx")
    assert as_written(near, [hit(label="retry retried"), hit(label="retry")]).text == "retry"
