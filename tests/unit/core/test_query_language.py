"""The text of a query: what it says, and that nothing is lost on the way to text and back."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlm_tui.core.query import (
    FILTER_NAMES,
    Filter,
    RecallQuery,
    format,  # noqa: A004 - the one under test
    parse,
    pieces,
    without,
)

NAMES = ("agent:", "AGENT:", "entity:", "has:", "decision", "in", "ſince:", "-agent:", '""', '"a"', "memo:", "x y")
HOSTILE = st.lists(st.sampled_from([*'"“”„-\\:：,，、 \n\u3000\x00\ud800a5!é🎉', *NAMES]), max_size=14).map("".join)
TEXTS = (
    st.text(max_size=40)
    | HOSTILE
    | st.text(st.characters(codec=None, categories=("Cs", "Zs", "Po", "Pd")), max_size=12)
)
FILTERS = st.builds(
    Filter,
    st.sampled_from(FILTER_NAMES),
    st.lists(TEXTS.filter(bool) | st.sampled_from(("decision", "open")), min_size=1, max_size=3).map(tuple),
    st.booleans(),
)
QUERIES = st.builds(
    RecallQuery,
    TEXTS,
    entity=st.none() | TEXTS,
    kind=st.sampled_from((None, "decision", "open")),
    phrases=st.lists(TEXTS, max_size=3).map(tuple),
    excluded=st.lists(TEXTS, max_size=3).map(tuple),
    filters=st.lists(FILTERS, max_size=3).map(tuple),
)


def condition(name: str, *values: str, negated: bool = False) -> Filter:
    return Filter(name, values, negated)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", RecallQuery()),
        ("redis retry", RecallQuery("redis retry")),
        ("  two  blanks\t", RecallQuery("  two  blanks\t")),
        ('"retry budget"', RecallQuery(phrases=("retry budget",))),
        ('"a" b "c d" e', RecallQuery("b e", phrases=("a", "c d"))),
        ('"  retry\n budget "', RecallQuery(phrases=("retry budget",))),
        ("-kafka redis", RecallQuery("redis", excluded=("kafka",))),
        ('redis -"dead letter"', RecallQuery("redis ", excluded=("dead letter",))),
        ("agent:claude", RecallQuery(filters=(condition("agent", "claude"),))),
        ("Agent:Claude", RecallQuery(filters=(condition("agent", "Claude"),))),
        ("a agent:x b", RecallQuery("a b", filters=(condition("agent", "x"),))),
        ("a agent:x  b", RecallQuery("a  b", filters=(condition("agent", "x"),))),
        ("-agent:codex", RecallQuery(filters=(condition("agent", "codex", negated=True),))),
        ("branch:feat/x,main", RecallQuery(filters=(condition("branch", "feat/x", "main"),))),
        ("since:2026-05-01T10:00", RecallQuery(filters=(condition("since", "2026-05-01T10:00"),))),
        ("model:gpt-5 has:plan", RecallQuery(filters=(condition("model", "gpt-5"), condition("has", "plan")))),
        ("entity:Postgres", RecallQuery(entity="Postgres")),
        ('entity:"GitHub Actions",Redis', RecallQuery(filters=(condition("entity", "GitHub Actions", "Redis"),))),
        ('entity:"GitHub Actions"', RecallQuery(entity="GitHub Actions")),
        ('entity:"a ""b"" c"', RecallQuery(entity='a "b" c')),
        ('entity:""', RecallQuery(entity="")),
        ('project:"a,b"', RecallQuery(filters=(condition("project", "a,b"),))),
        ("has:open", RecallQuery(kind="open")),
        ("-has:open", RecallQuery(filters=(condition("has", "open", negated=True),))),
        ("has:Open", RecallQuery(filters=(condition("has", "Open"),))),
        ("has:open,decision", RecallQuery(filters=(condition("has", "open", "decision"),))),
        ("has:open has:decision", RecallQuery(kind="open", filters=(condition("has", "decision"),))),
        ("entity:a,b entity:c", RecallQuery(entity="c", filters=(condition("entity", "a", "b"),))),
        ("agent:claude, redis", RecallQuery("redis", filters=(condition("agent", "claude"),))),
        ("agent:,claude", RecallQuery(filters=(condition("agent", "claude"),))),
        ('agent:"",claude', RecallQuery(filters=(condition("agent", "claude"),))),
    ],
)
def test_what_a_text_says(text: str, query: RecallQuery) -> None:
    assert parse(text) == query


@pytest.mark.parametrize(
    "text",
    [
        "memo:harbour",
        "TODO:",
        "http://x",
        "agent:",
        "agent:,",
        "agent:，",
        'agent:""',
        'agent:"GitHub Act',
        'agent:a,"b',
        'agent:a"b"',
        'agent:"a"b',
        "agents:x",
        "x-agent:y",
        "(agent:x",
        "agent :x",
        "ſince:7d",
        "-agent:",
        '-agent:"a',
        "--flag",
        "-5",
        "-1x",
        "-٣",
        "-",
        "- x",
        "->",
        "--->",
        '"retry bud',
        '-"retry bud',
        '"foo"bar',
        'foo"bar"',
        '""',
        '" "',
        '-""',
        '-" "',
        '"',
        "a-b",
        "\\d+",
        "\\\\server\\share",
        "\\",
        "C:\\x",
    ],
)
def test_what_is_unfinished_or_unknown_is_words(text: str) -> None:
    assert parse(text) == RecallQuery(text)
    assert format(RecallQuery(text)) == text


def test_an_unknown_name_may_be_negated() -> None:
    assert parse("-memo:x") == RecallQuery(excluded=("memo:x",))


def test_what_stands_between_the_quotes_of_no_filter_is_read_by_itself() -> None:
    assert parse('agent:x" -kafka "y') == RecallQuery('agent:x" "y', excluded=("kafka",))


@pytest.mark.parametrize(
    ("text", "ascii_text"),
    [
        ("“retry budget”", '"retry budget"'),
        ("„retry budget“", '"retry budget"'),
        ('„retry budget"', '"retry budget"'),
        ("-＂retry budget＂", '-"retry budget"'),
        ("agent：claude，codex、pi", "agent:claude,codex,pi"),
        ("-agent：claude", "-agent:claude"),
        ("entity:“GitHub Actions”", 'entity:"GitHub Actions"'),
        ("redis\u3000agent:x", "agent:x redis\u3000"),
    ],
)
def test_full_width_and_typographic_forms(text: str, ascii_text: str) -> None:
    assert parse(text) == parse(ascii_text)
    assert format(parse(text)) == ascii_text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\\agent:x", "agent:x"),
        ("\\\\agent:x", "\\agent:x"),
        ('a \\"b  c" d', 'a "b  c" d'),
        ("\\-a", "-a"),
        ('\\-"a b"', '-"a b"'),
        ("\\memo:x", "\\memo:x"),
        ("\\agent:", "\\agent:"),
        ('\\""', '\\""'),
        ("\\--flag", "\\--flag"),
    ],
)
def test_behind_a_backslash_a_condition_is_words(text: str, words: str) -> None:
    assert parse(text) == RecallQuery(words)
    assert format(RecallQuery(words)) == text


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (RecallQuery(), ""),
        (RecallQuery("a b "), "a b "),
        (RecallQuery(entity="x"), "entity:x"),
        (RecallQuery(" a", entity="x"), "entity:x  a"),
        (RecallQuery(entity='5" disk'), 'entity:"5"" disk"'),
        (
            RecallQuery(excluded=("agent:x", "-a", "5", "a b", "!", "memo:x")),
            '-"agent:x" -"-a" -"5" -"a b" -"!" -memo:x',
        ),
        (
            RecallQuery(
                "words",
                entity="e",
                kind="open",
                phrases=("p q",),
                excluded=("n",),
                filters=(condition("agent", "b", "c d", negated=True), condition("project", "a,b")),
            ),
            'entity:e has:open -agent:b,"c d" project:"a,b" "p q" -n words',
        ),
        (RecallQuery('agent:x "a" -b \\ '), '\\agent:x \\"a" \\-b \\ '),
    ],
)
def test_how_a_query_is_written(query: RecallQuery, text: str) -> None:
    assert format(query) == text
    assert parse(text) == query


def test_mode_limit_and_such_are_no_text() -> None:
    query = parse("a", mode="hybrid", limit=5, typing=True, ranking="reference", offset=20)
    assert query == RecallQuery("a", "hybrid", 5, typing=True, ranking="reference", offset=20)
    assert format(query) == "a"


def test_given_filters_take_their_fields() -> None:
    query = parse("entity:a has:open x", entity="b", kind="decision")
    assert query == RecallQuery(
        "x", entity="b", kind="decision", filters=(condition("entity", "a"), condition("has", "open"))
    )
    assert format(query) == "entity:b has:decision entity:a has:open x"


@given(TEXTS)
@example('" " foo"')
@example('\\" " foo" ')
@example('"x "y" z" ')
@example('agent:"x y"z" -b ')
def test_every_text_comes_back_the_same(text: str) -> None:
    query = parse(text)
    written = format(query)
    assert parse(written) == query
    assert format(parse(written)) == written


@given(QUERIES)
@example(RecallQuery('agent:x "a" -b \\ '))
@example(RecallQuery(entity=""))
@example(RecallQuery(filters=(Filter("entity", ("", '"')), Filter("entity", ("",), negated=True))))
def test_every_query_comes_back_the_same(query: RecallQuery) -> None:
    assert parse(format(query)) == query


@given(st.lists(st.text(st.characters(exclude_characters='"“”„‟＂-\\:：'), max_size=9), max_size=5).map(" ".join))
def test_words_alone_are_kept_to_the_last_blank(text: str) -> None:
    assert parse(text) == RecallQuery(text)


@given(TEXTS)
def test_pieces_are_the_conditions_of_a_text(text: str) -> None:
    found = pieces(text)
    assert [piece.text for piece in found] == [text[piece.start : piece.end] for piece in found]
    assert all(before.end < after.start for before, after in pairwise(found))
    query = parse(text)
    assert (
        RecallQuery(
            query.query,
            phrases=tuple(piece.value for piece in found if piece.kind == "phrase"),
            excluded=tuple(piece.value for piece in found if piece.kind == "excluded"),
            filters=tuple(piece.value for piece in found if piece.kind == "filter"),
        )
        == query
    )


def test_pieces_stand_in_the_order_of_the_text() -> None:
    found = pieces('a -b agent:x,y \\-c "d e" memo:f')
    assert [(piece.kind, piece.text, piece.value) for piece in found] == [
        ("excluded", "-b", "b"),
        ("filter", "agent:x,y", condition("agent", "x", "y")),
        ("phrase", '"d e"', "d e"),
    ]


@pytest.mark.parametrize(
    ("text", "number", "rest"),
    [
        ("a agent:x b", 0, "a b"),
        ("a agent:x", 0, "a "),
        ("agent:x", 0, ""),
        ("-a -b -c", 1, "-a -c"),
        ('-a agent:x "b c" d', 1, '-a "b c" d'),  # all else keeps its place
        ('"x "y" z" a', 0, '\\"x z" a'),  # the quotes that remain would come together to a phrase
    ],
)
def test_a_text_without_a_piece(text: str, number: int, rest: str) -> None:
    assert without(text, pieces(text)[number]) == rest


@given(TEXTS)
def test_without_a_piece_all_else_is_asked(text: str) -> None:
    found = pieces(text)
    for piece in found:
        rest = parse(without(text, piece))
        kept = [other.value for other in found if other != piece]
        assert rest == RecallQuery(
            parse(text).query,
            phrases=tuple(other.value for other in found if other.kind == "phrase" and other != piece),
            excluded=tuple(other.value for other in found if other.kind == "excluded" and other != piece),
            filters=tuple(value for value in kept if isinstance(value, Filter)),
        )


def test_a_piece_of_another_text_changes_nothing() -> None:
    assert without("redis -kafka", pieces("-kafka")[0]) == "redis -kafka"


UNITS = (
    '"',
    '" ',
    '"a ',
    '"a" ',
    '-"a ',
    "-",
    "- ",
    "-a ",
    "-!",
    "\\",
    "\\ ",
    "\\-a ",
    "agent:",
    'agent:"a ',
    'agent:x" ',
)
MORE_UNITS = ("agent:a ", 'agent:"x agent:","', "a ", " ", "“", 'agent:"""', '\\agent:"a ,')


@pytest.mark.parametrize("unit", UNITS + MORE_UNITS)
@pytest.mark.parametrize("head", ["", 'agent:"'])
def test_a_long_text_takes_no_longer_for_each_letter(unit: str, head: str) -> None:
    text = head + unit * (100_000 // len(unit))  # a quadratic step would take minutes
    query = parse(text)
    assert parse(format(query)) == query


@pytest.mark.parametrize("unit", [",", "a,", '"a",', '""', '"a""b",'])
def test_a_long_list_of_values_takes_no_longer_for_each_letter(unit: str) -> None:
    text = "agent:" + unit * (100_000 // len(unit))
    for ending in ("", '"', '"x', " y"):
        query = parse(text + ending)
        assert parse(format(query)) == query
