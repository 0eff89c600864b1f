"""The order of hits: by tier, then by score, near ties newest first."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import BEST, INDEXED_FIELDS, Candidate, Recipe, ordered

SCORES = st.floats(0, 20) | st.sampled_from([1.0, 1.004, 1.009, 1.011, 0.995])
NEAR = st.sampled_from([0.0, 0.01, 0.3])


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    listed = draw(st.lists(st.tuples(SCORES, st.integers(0, 1)), max_size=15))
    days = draw(st.permutations(range(len(listed))))
    return [
        Candidate(f"s{number}", score, tier, f"2026-01-{day:02}")
        for number, ((score, tier), day) in enumerate(zip(listed, days, strict=True))
    ]


def ids(found: list[Candidate]) -> list[str]:
    return [one.session_id for one in found]


@given(candidates(), NEAR)
def test_it_is_a_permutation_by_tier_and_score(listed: list[Candidate], near_tie: float) -> None:
    found = ordered(listed, near_tie)
    assert sorted(ids(found)) == sorted(ids(listed))
    keys = [(one.tier, -one.score) for one in found]
    assert keys == sorted(keys), "scores never rise down a tier"
    given_ones = {one.session_id: one for one in listed}
    for one in found:
        was = given_ones[one.session_id]
        assert replace(one, score=was.score) == was
        assert one.score * (1 - near_tie) <= was.score <= one.score


@given(candidates(), NEAR, st.randoms(use_true_random=False))
def test_it_depends_on_the_candidates_alone(listed: list[Candidate], near_tie: float, random: Random) -> None:
    again = list(listed)
    random.shuffle(again)
    assert ordered(again, near_tie) == ordered(listed, near_tie)


@given(candidates(), NEAR)
def test_only_a_newer_one_that_is_nearly_as_good_goes_before_a_better(listed: list[Candidate], near_tie: float) -> None:
    given_ones = {one.session_id: one for one in listed}
    found = [given_ones[name] for name in ids(ordered(listed, near_tie))]
    for place, first in enumerate(found):
        for second in found[place + 1 :]:
            if first.tier == second.tier and first.score < second.score:
                assert first.started_at > second.started_at
                assert first.score >= second.score * (1 - near_tie)


@given(st.lists(st.integers(1, 28), unique=True, max_size=10), SCORES, NEAR)
def test_ties_are_newest_first(days: list[int], score: float, near_tie: float) -> None:
    found = ordered([Candidate(f"s{day}", score, 0, f"2026-01-{day:02}") for day in days], near_tie)
    assert ids(found) == [f"s{day}" for day in sorted(days, reverse=True)]
    assert {one.score for one in found} <= {score}


@pytest.mark.parametrize(
    ("second", "first"), [(0.995, "new"), (0.9901, "new"), (0.989, "old"), (0.5, "old"), (1.0, "new"), (1.2, "new")]
)
def test_what_a_near_tie_is(second: float, first: str) -> None:
    listed = [Candidate("old", 1.0, 0, "2026-01-01"), Candidate("new", second, 0, "2026-01-02")]
    assert ids(ordered(listed, 0.01))[0] == first
    assert ids(ordered(listed, 0.0))[0] == ("new" if second >= 1 else "old")


def test_near_ties_are_no_chain() -> None:
    listed = [Candidate(f"s{number}", 1.0 - 0.007 * number, 0, f"2026-01-{number + 1:02}") for number in range(4)]
    assert ids(ordered(listed, 0.01)) == ["s1", "s0", "s3", "s2"]


def test_the_tier_comes_before_all() -> None:
    listed = [Candidate("near", 9.0, 1, "2026-02-02"), Candidate("exact", 0.1, 0, "2026-01-01")]
    assert ids(ordered(listed, 0.99)) == ["exact", "near"]


def test_scores_below_zero_are_ordered_too() -> None:
    listed = [Candidate("a", -1.0, 0, "2026-01-01"), Candidate("b", -0.125, 0, "2026-01-01")]
    assert ids(ordered(listed, 0.01)) == ["b", "a"]


@pytest.mark.parametrize(
    ("recipe", "left_out"),
    [
        (BEST, set()),
        (Recipe(markers=False), {"decisions", "open_questions"}),
        (Recipe(names=False), {"names"}),
        (Recipe(parts=False), {"label_parts", "summary_parts", "body_parts"}),
    ],
)
def test_a_recipe_may_leave_out_fields(recipe: Recipe, left_out: set[str]) -> None:
    assert set(INDEXED_FIELDS) - set(recipe.fields) == left_out
    assert len(recipe.weights) == len(INDEXED_FIELDS)
