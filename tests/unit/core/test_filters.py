"""What filters mean to a store."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core.filters import CLOSED_VALUES, MAX_CONDITIONS, Understood, understood
from nlm_tui.core.query import FILTER_NAMES, Filter, RecallQuery, SessionFilter, TextFilter, parse
from nlm_tui.core.safe import one_line

NOW = datetime(2026, 5, 14, 10, 30, 15, 250, UTC)
DAYS = "use 2026-05-01, 2026-05, 7d, 2w, 3mo, today, yesterday or monday"
LABEL = ("label",)


def reading(text: str) -> Understood:
    return understood(parse(text), NOW, UTC)


def filters(text: str) -> tuple[Filter, ...]:
    found = reading(text)
    assert found.notes == ()
    return found.session_filter.filters


def texts(text: str) -> tuple[TextFilter, ...]:
    found = reading(text)
    assert found.notes == ()
    return found.session_filter.texts


def test_words_alone_reject_no_session() -> None:
    assert reading("redis retry") == Understood(SessionFilter())
    assert not reading("redis retry").session_filter


def test_entity_and_kind_are_the_querys() -> None:
    found = reading('entity:" Postgres " has:open')
    assert found == Understood(SessionFilter(entity="Postgres", kind="open"))
    assert reading('entity:""').session_filter == SessionFilter(entity="")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("agent:claude", Filter("agent", ("claude",))),
        ("-agent:Claude,codex", Filter("agent", ("Claude", "codex"), negated=True)),
        ('project:" ~/src/pay ",nlm', Filter("project", ("~/src/pay", "nlm"))),
        ("entity:a,b", Filter("entity", ("a", "b"))),
        ("branch:main", Filter("branch", ("main",))),
        ("model:Opus", Filter("model", ("Opus",))),
        ('agent:" ",pi,pi', Filter("agent", ("pi",))),
    ],
)
def test_values_of_the_store_are_handed_over_trimmed(text: str, known: Filter) -> None:
    assert understood(parse(text), NOW, UTC).session_filter.filters == (known,)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("has:dec", ("has", "decision")),
        ("has:decisions", ("has", "decision")),
        ("has:Decision", ("has", "decision")),
        ("has:o", ("has", "open")),
        ("has:opens,dec", ("has", "open", "decision")),
        ("has:dec,decisions", ("has", "decision")),
        ("status:sup", ("status", "superseded")),
        ("status:A,c", ("status", "active", "closed")),
        ("is:hid,p,Note", ("is", "hidden", "pinned", "noted")),
    ],
)
def test_beginnings_and_plurals_of_closed_values(text: str, known: tuple[str, ...]) -> None:
    assert filters(text) == (Filter(known[0], known[1:]),)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("in:label", ("label",)),
        ("in:LABELS", ("label",)),
        ("in:d", ("decision",)),
        ("in:summarie", ("summary",)),
        ("in:summaries,opens", ("summary", "open")),
    ],
)
def test_places_may_be_plural_or_cut_short(text: str, fields: tuple[str, ...]) -> None:
    assert texts(f"{text} redis") == (TextFilter("redis", fields, any_word=True),)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("has:foo", "has:foo is not known: use decision or open"),
        ("-has:foo", "-has:foo is not known: use decision or open"),
        ("in:body x", "in:body is not known: use label, decision, open or summary"),
        ("status:foo,bar", "status:foo,bar is not known: use active, closed or superseded"),
        ("is:secret", "is:secret is not known: use pinned, hidden or noted"),
        ("status:closedish", "status:closedish is not known: use active, closed or superseded"),
        ('has:" "', 'has:" " is not known: use decision or open'),
        ("since:soon", f"since:soon is no day: {DAYS}"),
        ("-before:99999999999d", f"-before:99999999999d is no day: {DAYS}"),
        ('agent:" "', 'agent:" " holds no value'),
        ('entity:"",""', 'entity:"" holds no value'),
        ('"!!"', '"!!" holds no word'),
        ('-"!!"', '-"!!" holds no word'),
    ],
)
def test_what_is_not_understood_is_left_out_and_noted(text: str, note: str) -> None:
    found = reading(text)
    assert found == Understood(SessionFilter(), (note,), asks=text.endswith("x"))


def test_known_values_count_beside_unknown_ones() -> None:
    assert reading("has:foo,dec since:7d,soon") == Understood(
        SessionFilter(filters=(Filter("has", ("decision",)), Filter("since", ("2026-05-07T00:00:00",)))),
        ("has:foo is not known: use decision or open", f"since:soon is no day: {DAYS}"),
    )


def test_a_note_is_short_safe_and_said_once() -> None:
    (note,) = reading(f"has:\x1b]0;{'x' * 500} has:\x1b]0;{'x' * 500}").notes
    assert note == one_line(note)
    assert len(note) < 120


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("since:2026-05-01", "2026-05-01T00:00:00"),
        ("since:12h", "2026-05-13T22:30:15"),
        ("since:0999-01-01", "0999-01-01T00:00:00"),
        ("since:2026-05-01T10:00+02:00", "2026-05-01T08:00:00"),
    ],
)
def test_days_become_text_that_sorts_among_stored_times(text: str, value: str) -> None:
    assert filters(text) == (Filter("since", (value,)),)


def test_days_are_those_of_the_zone() -> None:
    found = understood(parse("before:today,monday"), NOW, timezone(timedelta(hours=2)))
    assert found.session_filter.filters == (Filter("before", ("2026-05-13T22:00:00", "2026-05-10T22:00:00")),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"retry budget"', [TextFilter("retry budget")]),
        ('-kafka redis -"a b"', [TextFilter("kafka", negated=True), TextFilter("a b", negated=True)]),
        ("redis retry in:label", [TextFilter("redis retry", LABEL, any_word=True)]),
        ("redis in:label,open", [TextFilter("redis", ("label", "open"), any_word=True)]),
        ('"a b" in:label', [TextFilter("a b", LABEL)]),
        ('"a b" x in:label', [TextFilter("a b", LABEL), TextFilter("x", LABEL, any_word=True)]),
        (
            "x in:label in:open",
            [TextFilter("x", LABEL, any_word=True), TextFilter("x", ("open",), any_word=True)],
        ),
        ("x -in:label", [TextFilter("x", LABEL, any_word=True, negated=True)]),
        ('"a b" -in:label', [TextFilter("a b"), TextFilter("a b", LABEL, negated=True)]),
        ("x -y in:label", [TextFilter("x", LABEL, any_word=True), TextFilter("y", negated=True)]),
        ('"🎉"', [TextFilter("🎉")]),
        ('"a" "a"', [TextFilter("a")]),
    ],
)
def test_what_must_stand_where(text: str, expected: list[TextFilter]) -> None:
    assert texts(text) == tuple(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in:decision", [Filter("has", ("decision",))]),
        ("in:open", [Filter("has", ("open",))]),
        ("in:open,dec", [Filter("has", ("open", "decision"))]),
        ("-in:open", [Filter("has", ("open",), negated=True)]),
        ("in:label", []),
        ("in:summary", []),
        ("in:label,decision", []),
        ("-in:label", []),
        ("-in:label,decision", [Filter("has", ("decision",), negated=True)]),
        ("in:decision -kafka", [Filter("has", ("decision",))]),
        ("in:decision !!", [Filter("has", ("decision",))]),
    ],
)
def test_a_place_without_words(text: str, expected: list[Filter]) -> None:
    assert filters(text) == tuple(expected)


def test_pasted_text_asks_no_more_than_a_store_can_answer() -> None:
    many = range(MAX_CONDITIONS + 5)
    found = reading(" ".join(f"-w{n} agent:a{n}" for n in many) + " model:" + ",".join(f"m{n}" for n in many))
    assert len(found.session_filter.filters) == MAX_CONDITIONS
    assert len(found.session_filter.texts) == MAX_CONDITIONS
    assert found.notes == ("only the first 100 conditions count", "only the first 100 words count")
    found = reading("model:" + ",".join(f"m{n}" for n in many))
    assert len(found.session_filter.filters[0].values) == MAX_CONDITIONS
    assert found.notes == ("only the first 100 values of model count",)


VALUES = st.text(max_size=8) | st.sampled_from(("dec", "7d", "2026-13", "\ud800", "\x00", " ", "label", "mon"))


@given(
    st.builds(
        RecallQuery,
        st.text(max_size=9),
        phrases=st.lists(st.text(max_size=9), max_size=3).map(tuple),
        excluded=st.lists(st.text(max_size=9), max_size=3).map(tuple),
        filters=st.lists(
            st.builds(
                Filter,
                st.sampled_from(FILTER_NAMES),
                st.lists(VALUES.filter(bool), min_size=1, max_size=3).map(tuple),
                st.booleans(),
            ),
            max_size=5,
        ).map(tuple),
    )
)
def test_whatever_is_asked_a_store_gets_what_it_knows(query: RecallQuery) -> None:
    found = understood(query, NOW)
    for condition in found.session_filter.filters:
        assert condition.name != "in"
        assert all(value == value.strip() != "" for value in condition.values)
        assert set(condition.values) <= set(CLOSED_VALUES.get(condition.name, condition.values))
    assert all(set(text.fields) <= set(CLOSED_VALUES["in"]) for text in found.session_filter.texts)
    assert all(note == one_line(note) for note in found.notes)
