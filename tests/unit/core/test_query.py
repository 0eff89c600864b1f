"""What can be asked, and what an answer is made of."""

import math

import pytest

from nlm_tui.core import MODES, Page, RecallQuery, SemanticNeighbor, SessionFilter


def test_a_query_is_a_keyword_query_for_twenty_hits() -> None:
    query = RecallQuery()
    assert (query.query, query.mode, query.limit, query.entity, query.kind) == ("", "keyword", 20, None, None)


def test_fields_may_be_given_by_place() -> None:
    query = RecallQuery("redis", "hybrid", 5, "Postgres", "open")
    assert query.session_filter == SessionFilter(entity="Postgres", kind="open")


@pytest.mark.parametrize("mode", MODES)
def test_modes(mode: str) -> None:
    assert RecallQuery("x", mode=mode).mode == mode


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mode": "fuzzy"}, "unknown mode 'fuzzy': use one of keyword, semantic, hybrid"),
        ({"mode": ""}, "unknown mode ''"),
        ({"kind": "decisions"}, "unknown kind 'decisions': use one of decision, open"),
        ({"kind": ""}, "unknown kind ''"),
    ],
)
def test_unknown_modes_and_kinds_are_refused(fields: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RecallQuery("x", **fields)


@pytest.mark.parametrize(
    ("session_filter", "can_reject"),
    [
        (SessionFilter(), False),
        (SessionFilter(entity=""), True),
        (SessionFilter(entity="x"), True),
        (SessionFilter(kind="open"), True),
        (SessionFilter(top_level=True), True),
    ],
)
def test_a_filter_is_true_when_it_can_reject(session_filter: SessionFilter, *, can_reject: bool) -> None:
    assert bool(session_filter) is can_reject


@pytest.mark.parametrize(("distance", "cosine"), [(0.0, 1.0), (math.sqrt(2), 0.0), (2.0, -1.0)])
def test_a_distance_of_unit_vectors_is_a_cosine(distance: float, cosine: float) -> None:
    assert SemanticNeighbor("x", distance).score == pytest.approx(cosine)


def test_a_page_is_complete_unless_it_says_otherwise() -> None:
    assert Page([1, 2]).total == 2
    assert Page([1, 2], 7).total == 7
    assert Page() == []
