"""What stands first, and that it does so whatever part of the answer is asked for."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from support import a_session, rows

from nlm_tui.core import BEST, RANKINGS, Ranking, RecallHit, RecallService, Term, parse
from nlm_tui.storage import SqliteSessionStore


def day(number: int) -> str:
    return (datetime(2025, 1, 1, 8, tzinfo=UTC) + timedelta(days=number)).isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("count", [2, 15, 25, 60, 250])
@pytest.mark.parametrize("text", ["invoice", "invoixe", "in:label invoice", "invoice payments"])
def test_of_equal_sessions_the_newest_are_first(store: SqliteSessionStore, count: int, text: str) -> None:
    with store.batch():
        for number in range(count):
            store.insert_sessions(a_session(f"s{number:03}", label="Retry of the invoice", started_at=day(number)))
        for number in range(3 * count):
            store.insert_sessions(a_session(f"t{number:03}", label="A talk about nothing", started_at=day(number)))
    newest = [f"s{number:03}" for number in reversed(range(count))]
    for limit in (1, 7, 100):
        result = RecallService(store).search(parse(text, limit=limit))
        assert [hit.id for hit in result.results] == newest[:limit]
        assert result.total == count


NOUNS = ("retry", "invoice", "kafka", "cursor", "budget", "voucher")
OTHERS = (
    *("of", "the", "it", "was", "then", "we", "saw", "how", "they", "did", "all"),
    *("that", "for", "so", "on", "at", "as", "in", "by", "or", "no", "up"),
)
MANY = "kafka cursor budget voucher retry"
QUERIES = ("invoice", "retry invoice", MANY, "invoixe kafka", "in:label retry invoice", "status:closed retry bud")


def fill(store: SqliteSessionStore, count: int, seed: int = 1) -> None:
    """Fill a store with sessions of few words, many of which tie or nearly do."""
    random = Random(seed)

    def words(most: int) -> str:
        return " ".join(random.choices((*NOUNS, *OTHERS), k=random.randint(1, most)))

    with store.batch():
        for number in range(count):
            store.insert_sessions(
                a_session(
                    f"s{number:03}",
                    started_at=day(random.randint(0, 300)),
                    label=words(4),
                    summary=words(6),
                    body=words(14),
                    decisions=(words(4),) if random.random() < 0.3 else (),
                    status=random.choice(("closed", "closed", "superseded")),
                )
            )


@pytest.fixture
def filled(store: SqliteSessionStore) -> SqliteSessionStore:
    """A store of four hundred sessions."""
    fill(store, 400)
    return store


def ids(store: SqliteSessionStore, text: str, limit: int = 100, offset: int = 0, **given: object) -> list[str]:
    result = RecallService(store).search(parse(text, limit=limit, offset=offset, **given))
    return [hit.id for hit in result.results]


def all_hits(store: SqliteSessionStore, text: str, limit: int = 100, **given: object) -> list[RecallHit]:
    """Return all hits, page by page."""
    hits: list[RecallHit] = []
    while page := RecallService(store).search(parse(text, limit=limit, offset=len(hits), **given)).results:
        hits += page
    return hits


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("typing", [False, True])
def test_no_limit_and_no_page_changes_the_order(filled: SqliteSessionStore, text: str, *, typing: bool) -> None:
    whole = [hit.id for hit in all_hits(filled, text, typing=typing)]
    total = RecallService(filled).search(parse(text, typing=typing)).total
    assert len(whole) == len(set(whole)) == total > 50
    for limit in (1, 2, 3, 5, 20, 50, 99, 100):
        assert ids(filled, text, limit, typing=typing) == whole[:limit]
    for offset in (1, 19, 43, 150, 195, 199, 200, 201, 299, total - 1, total):
        assert ids(filled, text, 7, offset, typing=typing) == whole[offset : offset + 7]
    for limit in (64, 30):
        assert [hit.id for hit in all_hits(filled, text, limit, typing=typing)] == whole


def test_many_of_them_go_beyond_three_hundred_hits(filled: SqliteSessionStore) -> None:
    result = RecallService(filled).search(parse(MANY))
    assert result.total > 300
    assert result.common == ()


def test_every_limit_has_the_same_winner(filled: SqliteSessionStore) -> None:
    best = ids(filled, MANY)
    assert [ids(filled, MANY, limit) for limit in range(1, 101)] == [best[:limit] for limit in range(1, 101)]


@pytest.mark.parametrize("text", [*QUERIES, "kubernetis invoice"])
@pytest.mark.parametrize("ranking", RANKINGS)
def test_scores_never_rise_down_a_tier(filled: SqliteSessionStore, text: str, ranking: Ranking) -> None:
    filled.insert_sessions(a_session("exact", body="kubernetes " * 3))
    hits = all_hits(filled, text, ranking=ranking)[:200]
    keys = [(hit.approximate, -hit.match_score) for hit in hits]
    assert keys == sorted(keys)


def test_nor_where_the_rest_follows_what_is_ranked(filled: SqliteSessionStore) -> None:
    scores = [hit.match_score for hit in all_hits(filled, MANY)]
    assert len(scores) > 300
    assert min(scores[:200]) >= max(scores[200:])


def test_recency_tells_near_ties_apart_and_no_others(store: SqliteSessionStore) -> None:
    with store.batch():
        for name, started, length in (("a", 1, 400), ("b", 2, 402), ("c", 3, 600)):
            store.insert_sessions(a_session(name, body="x " * length + "invoice", started_at=day(started)))
        for number in range(20):
            store.insert_sessions(a_session(f"z{number}", body="x " * 400))
    score = {hit.session_id: hit.score for hit in store.keyword_search("invoice", 9)}
    assert score["a"] * 0.99 < score["b"] < score["a"]
    assert score["c"] < score["a"] * 0.99
    assert ids(store, "invoice") == ["b", "a", "c"]
    assert RecallService(store, recipe=replace(BEST, near_tie=0.0)).search(parse("invoice")).results[0].id == "a"


@pytest.mark.parametrize("text", ["invoice", "invoice retries", "has:decision invoice", "invoixe"])
def test_a_superseded_session_is_below_its_equals(store: SqliteSessionStore, text: str) -> None:
    for name, started, status in (("old", 1, "closed"), ("new", 3, "superseded"), ("active", 2, "active")):
        fields = {"label": "Retry of the invoice", "decisions": ("keep it",)}
        store.insert_sessions(a_session(name, started_at=day(started), status=status, **fields))
    store.insert_sessions(a_session("worse", started_at=day(0), body="x " * 300 + "invoice", decisions=("x",)))
    assert ids(store, text) == ["active", "old", "new", "worse"]
    for condition in ("before:2030-01-01", "status:active,closed,superseded"):
        assert ids(store, f"{text} {condition}")[:3] == ["new", "active", "old"]
    assert ids(store, f"{text} since:2020-01-01") == ["active", "old", "new", "worse"]


@pytest.mark.parametrize("query", ["retry budget voucher", "how is the retry budget for a voucher"])
def test_a_short_answer_is_above_a_marathon_that_brushes_every_word(store: SqliteSessionStore, query: str) -> None:
    far = " and so on with it" * 200
    with store.batch():
        for number in range(3):
            again = f"the retry{far} of a budget{far} is how{far} a voucher{far} for"
            store.insert_sessions(a_session(f"marathon{number}", body=f"{again} {again} {again}"))
        store.insert_sessions(a_session("answer", body="We talked.\n\nThe retry budget of a voucher is three.\n\nYes."))
        for number in range(20):
            store.insert_sessions(a_session(f"z{number}", body="something else " * 50))
    assert ids(store, query)[0] == "answer"


@pytest.fixture
def crowded(store: SqliteSessionStore) -> SqliteSessionStore:
    """A store of three hundred sessions that nearly all hold the word `common`."""
    with store.batch():
        for number in range(300):
            rare = " rare" if number in {7, 150, 290} else ""
            said = "common" if number % 10 else "other"
            store.insert_sessions(a_session(f"s{number:03}", body=f"a {said} thing{rare}", started_at=day(number)))
    return store


def test_common_words_find_nothing_beside_others(crowded: SqliteSessionStore) -> None:
    service = RecallService(crowded)
    alone = service.search(parse("rare"))
    for text in ("common rare", "rare common", "Common a thing rare"):
        both = service.search(parse(text))
        assert [hit.id for hit in both.results] == [hit.id for hit in alone.results]
        assert both.total == alone.total == 3
        assert "common" in [word.lower() for word in both.common]
        assert "rare" not in both.common
    assert alone.common == ()


def test_common_words_alone_find_the_newest(crowded: SqliteSessionStore) -> None:
    with_it = [f"s{number:03}" for number in reversed(range(300)) if number % 10]
    result = RecallService(crowded).search(parse("common", limit=100))
    assert [hit.id for hit in result.results] == with_it[:100]
    assert (result.total, result.common) == (270, ("common",))
    assert [hit.id for hit in all_hits(crowded, "common", 90)] == with_it
    assert ids(crowded, "common before:2025-02-01", 5) == [name for name in with_it if name < "s031"][:5]


def test_a_phrase_of_common_words_still_counts(crowded: SqliteSessionStore) -> None:
    crowded.insert_sessions(a_session("apart", body="a thing that is common", started_at=day(400)))
    assert RecallService(crowded).search(parse('"common thing" rare')).total == 1
    assert "apart" not in {hit.id for hit in all_hits(crowded, '"common thing"')}
    assert len(all_hits(crowded, '"common thing"')) == 270


@pytest.mark.parametrize("query", ["kubarnetes cafeteria", "cafeteria kubarnetes", "kubarnetes cafeteria nowhere"])
def test_what_was_typed_is_above_what_is_nearly_so(store: SqliteSessionStore, query: str) -> None:
    with store.batch():
        for number in range(30):
            store.insert_sessions(
                a_session(f"near{number}", label="kubernetes " * 3, decisions=("kubernetes",), started_at=day(number))
            )
        store.insert_sessions(a_session("exact", body="x " * 900 + "cafeteria", status="superseded", started_at=day(0)))
        store.insert_sessions(a_session("both", body="x " * 900 + "cafeteria on kubernetes", started_at=day(0)))
    assert ids(store, query)[:2] == ["both", "exact"]
    for limit in (1, 2, 5):
        result = RecallService(store).search(parse(query, limit=limit))
        assert [hit.id for hit in result.results[:2]] == ["both", "exact"][:limit]
        assert [hit.approximate for hit in result.results] == [False, False, True, True, True][:limit]
        assert result.total == 32


def test_a_misspelled_word_beside_a_good_one_is_explained(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("near", body="Kubernetes at last"))
    store.insert_sessions(a_session("exact", body="the cafeteria"))
    result = RecallService(store).search(parse("kubernetis cafeteria"))
    assert [(hit.id, hit.approximate) for hit in result.results] == [("exact", False), ("near", True)]
    assert result.terms == (Term("kubernetes", "approximate", "kubernetis"), Term("cafeteria", "word", "cafeteria"))


@pytest.mark.parametrize("seed", range(3))
def test_the_specified_ranking_is_bm25_alone(store: SqliteSessionStore, store_path: Path, seed: int) -> None:
    fill(store, 230, seed)
    random = Random(seed)
    for _ in range(6):
        words = random.sample(NOUNS, random.randint(1, 3))
        expression = " OR ".join(f'"{word}"' for word in words)
        expected = rows(
            store_path,
            "SELECT s.id, -bm25(sessions_fts, 10, 4, 1) AS score "
            "FROM sessions_fts JOIN sessions s ON s.row = sessions_fts.rowid "
            "WHERE sessions_fts MATCH ? ORDER BY score DESC, s.row",
            [f"{{label summary body}} : ({expression})"],
        )
        for limit in (7, 100):
            hits = all_hits(store, " ".join(words), limit, ranking="reference")
            assert [(hit.id, hit.keyword_score) for hit in hits] == expected
            assert [hit.match_score for hit in hits] == [hit.keyword_score for hit in hits]
