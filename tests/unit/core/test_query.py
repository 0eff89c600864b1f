"""What can be asked, and what an answer is made of."""

import math

import pytest

from nlm_tui.core import MODES, Page, RecallQuery, SemanticNeighbor, SessionFilter
from nlm_tui.core.query import Filter


def test_a_query_is_a_keyword_query_for_twenty_hits() -> None:
    query = RecallQuery()
    assert (query.query, query.mode, query.limit, query.entity, query.kind) == ("", "keyword", 20, None, None)


def test_fields_may_be_given_by_place() -> None:
    query = RecallQuery("redis", "hybrid", 5, "Postgres", "open")
    assert query.conditions == (Filter("entity", ("Postgres",)), Filter("has", ("open",)))


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
        ({"ranking": "worst"}, "unknown ranking 'worst': use one of best, reference"),
    ],
)
def test_unknown_modes_kinds_and_rankings_are_refused(fields: dict[str, str], message: str) -> None:
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


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("memo", ("x",), "unknown filter 'memo': use one of agent, project, entity"),
        ("agent", (), "agent: a filter needs a value"),
        ("agent", ("x", ""), "agent: a filter needs a value"),
        ("entity", (), "entity: a filter needs a value"),
    ],
)
def test_unknown_and_empty_filters_are_refused(name: str, values: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Filter(name, values)


@pytest.mark.parametrize(
    ("filters", "entity", "kind", "kept"),
    [
        ((Filter("entity", ("a",)), Filter("has", ("open",))), "a", "open", ()),
        ((Filter("entity", ("a", "b")), Filter("entity", ("c",)), Filter("entity", ("d",))), "c", None, (0, 2)),
        ((Filter("entity", ("a",), negated=True), Filter("has", ("open",), negated=True)), None, None, (0, 1)),
        (
            (Filter("has", ("dec",)), Filter("has", ("decision", "open")), Filter("in", ("open",))),
            None,
            None,
            (0, 1, 2),
        ),
        ((Filter("entity", ("",)),), "", None, ()),
    ],
)
def test_a_filter_moves_to_the_field_that_it_stands_for(
    filters: tuple[Filter, ...], entity: str | None, kind: str | None, kept: tuple[int, ...]
) -> None:
    query = RecallQuery(filters=filters)
    assert query == RecallQuery(entity=entity, kind=kind, filters=tuple(filters[number] for number in kept))
    assert (query.entity, query.kind) == (entity, kind)


def test_a_field_that_is_taken_keeps_its_value() -> None:
    filters = (Filter("entity", ("a",)), Filter("has", ("open",)))
    query = RecallQuery(entity="", kind="decision", filters=filters)
    assert (query.entity, query.kind, query.filters) == ("", "decision", filters)
    assert query.conditions == (Filter("entity", ("",)), Filter("has", ("decision",)), *filters)


def test_phrases_and_excluded_text_are_plain() -> None:
    query = RecallQuery(phrases=('  a "b"\tc', "", '"'), excluded=(" ", "x\n\ny", "“z”"))
    assert (query.phrases, query.excluded) == (("a b c",), ("x y", "z"))


@pytest.mark.parametrize(("distance", "cosine"), [(0.0, 1.0), (math.sqrt(2), 0.0), (2.0, -1.0)])
def test_a_distance_of_unit_vectors_is_a_cosine(distance: float, cosine: float) -> None:
    assert SemanticNeighbor("x", distance).score == pytest.approx(cosine)


def test_a_page_is_complete_unless_it_says_otherwise() -> None:
    assert Page([1, 2]).total == 2
    assert Page([1, 2], 7).total == 7
    assert Page() == []
