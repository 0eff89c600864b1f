"""Keyword search: any text is a query, and the specified ranking is BM25's; filters act before the cut."""

import unicodedata
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import ENTITIES, WORDS, a_session, random_session, rows

from nlm_tui.core import RANKINGS, Ranking, Session, SessionFilter, tokenize
from nlm_tui.storage import SqliteSessionStore

HOSTILE = [
    'redis OR (kafka) NEAR "x"',
    *('"', '""', '"redis', "*", "redis*", "a AND", "AND", "NOT redis", "NEAR(redis kafka, 2)", "label:redis", "^redis"),
    *(
        "{label summary}: redis",
        "redis + kafka",
        "-redis",
        "redis) OR (1=1",
        "'; DROP TABLE sessions; --",
        "%",
        "_",
        "\\",
    ),
    *("\x00", "redis\x00kafka", "\ud800", "redis\udfff", "\x1b[31mredis", "\u202eredis", "🙂", "½ ² ⅷ", "\U000e0041"),
    *(".", "-", "...---...", "a.", "-a-", "a.b-c_d.", "redis\u0301"),
]
LONG = {
    "one word": "a" * 1_000_000,
    "many words": " ".join(f"w{number}" for number in range(140_000)),
    "one word again and again": "redis " * 170_000,
    "one compound": "a." * 500_000,
    "quotes": '"' * 1_000_000,
    "no separators": "検索" * 500_000,
}


@pytest.fixture
def filled(store: SqliteSessionStore) -> SqliteSessionStore:
    """A store of sixty random sessions."""
    random = Random(7)
    with store.batch():
        for number in range(60):
            store.insert_sessions(random_session(random, number))
    return store


@pytest.mark.parametrize("query", HOSTILE)
def test_no_query_is_an_error(filled: SqliteSessionStore, query: str) -> None:
    found = filled.keyword_search(query, 100, ranking="reference")
    assert {hit.session_id for hit in found} == {session.id for session in filled.list() if holds(session, query)}
    assert found.total == len(found)


@pytest.mark.parametrize("query", HOSTILE)
@pytest.mark.parametrize("ranking", RANKINGS)
@pytest.mark.parametrize("typing", [False, True])
def test_nor_where_it_is_half_typed(filled: SqliteSessionStore, query: str, ranking: Ranking, *, typing: bool) -> None:
    found = filled.keyword_search(query, 100, typing=typing, ranking=ranking)
    assert found.total == len({hit.session_id for hit in found}) == len(found)
    assert filled.keyword_search(query, 1, typing=typing, ranking=ranking).total == found.total
    asked_plainly = plain(query).split()
    holding = {session.id for session in filled.list() if "redis" in words(session)}
    assert "redis" not in asked_plainly or {hit.session_id for hit in found} >= holding > set()


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("ranking", RANKINGS)
def test_nor_is_a_megabyte(filled: SqliteSessionStore, name: str, ranking: Ranking) -> None:
    found = filled.keyword_search(LONG[name], 100, ranking=ranking)
    known = {"one word again and again": "redis", **({"no separators": "検索"} if ranking == "best" else {})}
    holding = {
        session.id
        for session in filled.list()
        if known.get(name, "nothing") in words(session, everything=ranking == "best")
    }
    assert {hit.session_id for hit in found} == holding
    assert found.total == len(found)
    assert filled.keyword_search(LONG[name], 100, ranking=ranking, typing=True).total >= len(found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(
    text=st.text(st.characters()), limit=st.integers(1, 100), ranking=st.sampled_from(RANKINGS), typing=st.booleans()
)
def test_whatever_is_typed(
    filled: SqliteSessionStore, text: str, limit: int, ranking: Ranking, *, typing: bool
) -> None:
    found = filled.keyword_search(text, limit, ranking=ranking, typing=typing)
    assert len(found) == min(limit, found.total)


@pytest.mark.parametrize("text", ["", "  ", "...", '"*"', "\x00"])
@pytest.mark.parametrize("ranking", RANKINGS)
def test_no_token_finds_nothing(filled: SqliteSessionStore, text: str, ranking: Ranking) -> None:
    found = filled.keyword_search(text, 20, ranking=ranking)
    assert (found, found.total) == ([], 0)


def test_scores_are_those_of_bm25_best_first(filled: SqliteSessionStore, store_path: Path) -> None:
    for query, expression in (
        ("redis", '"redis"'),
        ("Redis kafka, retry!", '"redis" OR "kafka" OR "retry"'),
        ("redis redis", '"redis"'),
        ("café OR 検索", '"café" OR "or" OR "検索"'),
    ):
        expected = rows(
            store_path,
            "SELECT s.id, -bm25(sessions_fts, 10, 4, 1) AS score "
            "FROM sessions_fts JOIN sessions s ON s.row = sessions_fts.rowid "
            "WHERE sessions_fts MATCH ? ORDER BY score DESC, s.row",
            [f"{{label summary body}} : ({expression})"],
        )
        found = filled.keyword_search(query, 100, ranking="reference")
        assert [(hit.session_id, hit.score) for hit in found] == expected
        assert all(hit.score > 0 for hit in found)
        assert filled.keyword_search(query, 5, ranking="reference") == found[:5]
        assert filled.keyword_search(query, 5, ranking="reference").total == len(found) == found.total > 5


def test_a_label_weighs_more_than_a_summary_and_that_more_than_the_conversation(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("body", label="x y z", summary="x y z", body="x retry z"))
    store.insert_sessions(a_session("summary", label="x y z", summary="x retry z", body="x y z"))
    store.insert_sessions(a_session("label", label="x retry z", summary="x y z", body="x y z"))
    store.insert_sessions(a_session("none", label="x y z", summary="x y z", body="x y z"))
    for ranking in RANKINGS:
        found = store.keyword_search("retry", 5, ranking=ranking)
        assert [hit.session_id for hit in found] == ["label", "summary", "body"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Straße", "an der straße"),
        ("cafe", "das Café"),
        ("café", "cafe\u0301"),
        ("rate-limiter", "a Rate-Limiter"),
        ("v1.2", "since v1.2."),
        ("snake_case", "in snake_case"),
        ("検索", "全文 検索"),
    ],
)
def test_words_of_all_kinds_are_found(store: SqliteSessionStore, query: str, text: str) -> None:
    store.insert_sessions(a_session(body=text))
    store.insert_sessions(a_session("other", body="limiter of the rate, 2 in 1"))
    for ranking in RANKINGS:
        assert [hit.session_id for hit in store.keyword_search(query, 5, ranking=ranking)] == ["cc_1"]


def test_the_specified_ranking_knows_no_other_fields(store: SqliteSessionStore) -> None:
    store.insert_sessions(
        a_session(entities=("Redis",), decisions=("use kafka",), open=("why kafka?",), project="/src/pay", branch="fix")
    )
    for word in ("redis", "kafka", "pay", "fix"):
        assert store.keyword_search(word, 5, ranking="reference") == []
        assert [hit.session_id for hit in store.keyword_search(word, 5)] == ["cc_1"]


def holds(session: Session, query: str) -> bool:
    """Whether a session of `support.WORDS` holds a token of the query; accents do not count."""
    return any(plain(token) in words(session) for token in tokenize(query))


def words(session: Session, *, everything: bool = False) -> list[str]:
    others = (*session.decisions, *session.open, *session.entities) if everything else ()
    return plain(" ".join((session.label, session.summary, session.body, *others))).split()


def plain(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(sign))


def passes(session: Session, wanted: SessionFilter, ids: set[str]) -> bool:
    """Whether a session passes, said plainly."""
    names_it = wanted.entity is None or wanted.entity.lower() in {name.lower() for name in session.entities}
    markers = {None: ("any",), "decision": session.decisions, "open": session.open}[wanted.kind]
    top = not wanted.top_level or session.parent_id not in ids
    return names_it and bool(markers) and top


@pytest.mark.parametrize("seed", range(5))
def test_filters_act_before_the_cut(store: SqliteSessionStore, seed: int) -> None:
    random = Random(seed)
    sessions = [random_session(random, number) for number in range(80)]
    with store.batch():
        for session in sessions:
            store.insert_sessions(session)
    ids = {session.id for session in sessions}
    for entity in (None, "redis", *ENTITIES, "Unknown", "", "O'Auth \" ; --", "\ud800"):
        for kind in (None, "decision", "open"):
            for top_level in (False, True):
                wanted = SessionFilter(entity, kind, top_level)
                passing = {session.id for session in sessions if passes(session, wanted, ids)}
                assert store.count(wanted) == len(passing)
                assert {session.id for session in store.list(None, wanted)} == passing
                query = " ".join(random.sample(WORDS, 2))
                for ranking in RANKINGS:
                    unfiltered = store.keyword_search(query, 1000, ranking=ranking)
                    every = [hit for hit in unfiltered if hit.session_id in passing]
                    for limit in (1, 3, 1000):
                        found = store.keyword_search(query, limit, wanted, ranking=ranking)
                        assert found == every[:limit]
                        assert found.total == len(every)


def test_an_entity_goes_by_its_other_names(store: SqliteSessionStore, store_path: Path) -> None:
    store.insert_sessions(a_session(entities=("PostgreSQL",), label="redis"))
    store.insert_sessions(a_session("other", label="redis"))
    rows(store_path, "INSERT INTO entity_variants (variant, canonical) VALUES ('postgres', 'PostgreSQL')")
    for name in ("PostgreSQL", "postgresql", "postgres", "POSTGRES"):
        for ranking in RANKINGS:
            found = store.keyword_search("redis", 5, SessionFilter(entity=name), ranking=ranking)
            assert [hit.session_id for hit in found] == ["cc_1"]


def test_the_word_being_typed_counts_as_a_beginning(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("cc_1", label="Retry budget"))
    store.insert_sessions(a_session("cc_2", label="A dead-letter queue"))
    found = {
        text: [hit.session_id for hit in store.keyword_search(text, 10, typing=True, ranking="reference")]
        for text in ("b", "budg", "budg ", "dead-let", "queue budg", '"', "bu*", "x NEAR(")
    }
    assert found["b"] == found["budg"] == found["bu*"] == ["cc_1"]
    assert found["budg "] == found['"'] == found["x NEAR("] == []
    assert found["dead-let"] == ["cc_2"]
    assert sorted(found["queue budg"]) == ["cc_1", "cc_2"]
    assert store.keyword_search("budg", 10, ranking="reference") == []
    store.insert_sessions(a_session("cc_3", label="Statistics", body="written in R, by Bob"))
    assert {hit.session_id for hit in store.keyword_search("r", 10, typing=True, ranking="reference")} == {
        "cc_1",
        "cc_3",
    }
    assert [hit.session_id for hit in store.keyword_search("b", 10, typing=True, ranking="reference")] == ["cc_1"]
    assert [hit.session_id for hit in store.keyword_search("bob", 10, typing=True, ranking="reference")] == ["cc_3"]


@pytest.mark.parametrize("ranking", ["best", "reference"])
@pytest.mark.parametrize(
    ("query", "typing", "held"),
    [
        ("redis", False, {"a", "c"}),
        ("redis kafka", False, {"a", "b", "c"}),
        ("red", True, {"a", "c"}),
        ("kafka postgres", True, {"b", "d"}),
        ("nothing", False, set()),
    ],
)
def test_a_page_tells_of_any_session_whether_it_is_in_the_whole_answer(
    store: SqliteSessionStore,
    query: str,
    typing: bool,  # noqa: FBT001
    held: set[str],
    ranking: Ranking,
) -> None:
    for name, label in (("a", "redis one"), ("b", "kafka two"), ("c", "redis three"), ("d", "postgres four")):
        store.insert_sessions(a_session(name, label=label))
    page = store.keyword_search(query, 1, typing=typing, ranking=ranking)
    assert page.holding is not None
    assert set(page.holding(["a", "b", "c", "d", "unknown"])) == held
    assert page.total == len(held)
