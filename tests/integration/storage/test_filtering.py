"""Filters: what passes is what a plain reading of each says, whatever is combined, and before any cut."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest
from support import a_session, put_vectors, rows

from nlm_tui.core import (
    RANKINGS,
    Filter,
    FilterName,
    RecallQuery,
    RecallService,
    SearchInterruptedError,
    Session,
    SessionFilter,
    TextFilter,
    parse,
    understood,
)
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.storage.connection import Connection

NOUNS = ("redis", "kafka", "retry", "invoice", "cursor", "queue", "café", "straße", "検索", "token")
PLAIN = [noun for noun in NOUNS if noun not in {"検索", "straße"}]  # that are indexed by nothing but themselves
NAMES = ("Redis", "PostgreSQL", "billing-worker", "OAuth", "")
VARIANTS = {"PostgreSQL": ("postgres", "pg"), "billing-worker": ("Billing",)}
RUNTIMES = ("claude-code", "claude-desktop", "codex", "opencode", "pi")
PROJECTS = (
    *(None, "/home/sam/src/nlm", "/home/sam/src/nlm-tui", "/home/kim/work/pay/api", "/srv/pay", "/Users/sam/Pay/Web"),
    *(r"C:\Users\sam\code\pay\api", r"D:\work\NLM", "/srv/pay/", ""),
)
BRANCHES = (None, "main", "fix/retry", "fix/retry-again", "Fix/Retry/two", "feature/main", "")
MODELS = (None, "claude-opus-4-1", "claude-sonnet-4", "gpt-5-codex", "")
FIELDS = ("label", "summary", "decision", "open")
VALUES: dict[FilterName, tuple[str, ...]] = {
    "agent": ("claude", "Codex", "pi", "claude-code", "c", "none", "%", "laude"),
    "project": ("nlm", "NLM", "pay", "pay/api", r"pay\api", "~/src/nlm", "sam", "/srv/pay/", "ay", "none", "%", "/"),
    "entity": ("redis", "PG", "postgres", "OAUTH", "billing", "none", "", "%", "'"),
    "has": ("decision", "open"),
    "status": ("active", "closed", "superseded"),
    "branch": ("main", "fix", "FIX/retry", "fix/", "feature", "retry", "none", "_"),
    "model": ("claude", "OPUS", "4", "gpt-5", "none", "%"),
    "since": ("2026-02-27T22:30:00", "2026-03-01T00:00:00", "2026-03-02T10:00:00", "1999-01-01T00:00:00"),
    "before": ("2026-02-28T00:00:00", "2026-03-01T00:00:00", "2026-03-02T10:00:00", "2999-01-01T00:00:00"),
}  # fmt: skip


def some_sessions(random: Random, count: int) -> list[Session]:
    """Return sessions of few words, names and days, so that all filters find some and leave out some."""
    return [_some_session(random, number) for number in range(count)]


def _some_session(random: Random, number: int) -> Session:
    def words(most: int) -> str:
        return " ".join(random.choices(NOUNS, k=random.randint(1, most)))

    start = datetime(2026, 2, 27, 20, tzinfo=UTC) + timedelta(minutes=30 * random.randint(0, 200))
    end = random.choice((None, start, start + timedelta(minutes=random.randint(1, 900))))
    return a_session(
        f"s{number:03}",
        runtime=random.choice(RUNTIMES),
        started_at=stored(start),
        ended_at=None if end is None else stored(end),
        label=words(4),
        summary=random.choice(("", words(6))),
        body=words(20),
        status=random.choice(VALUES["status"]),
        project=random.choice(PROJECTS),
        branch=random.choice(BRANCHES),
        model=random.choice(MODELS),
        parent_id=random.choice((None, None, f"s{random.randint(0, 60):03}", "elsewhere")),
        entities=tuple(random.sample(NAMES, k=random.randint(0, 3))),
        decisions=tuple(words(4) for _ in range(random.choice((0, 0, 1, 2)))),
        open=tuple(words(4) for _ in range(random.choice((0, 0, 1)))),
    )


def stored(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def fill(store: SqliteSessionStore, store_path: Path, random: Random, count: int = 70) -> list[Session]:
    """Fill a store; return what it holds, newest first."""
    sessions = some_sessions(random, count)
    with store.batch():
        for session in sessions:
            store.insert_sessions(session)
    for canonical, variants in VARIANTS.items():
        for variant in variants:
            rows(store_path, "INSERT INTO entity_variants (variant, canonical) VALUES (?, ?)", [variant, canonical])
    sessions.sort(key=lambda session: session.id)
    return sorted(sessions, key=lambda session: session.started_at, reverse=True)


def folders(path: str) -> list[str]:
    return [part for part in path.lower().replace("\\", "/").split("/") if part not in {"", "~"}]


def project_holds(session: Session, value: str) -> bool:
    wanted, path = folders(value), folders(session.project or "")
    return any(wanted == path[at : at + len(wanted)] for at in range(len(path))) if wanted else False


def names_entity(session: Session, value: str) -> bool:
    canonical = {known for known, variants in VARIANTS.items() if value.lower() in map(str.lower, variants)}
    return any(name in canonical or name.lower() == value.lower() for name in session.entities)


def in_branch(session: Session, value: str) -> bool:
    branch = session.branch
    return branch is not None and (branch.lower() == value.lower() or branch.lower().startswith(value.lower() + "/"))


PASSES: dict[FilterName, Callable[[Session, str], bool]] = {
    "agent": lambda session, value: session.runtime.lower().startswith(value.lower()),
    "project": project_holds,
    "entity": names_entity,
    "has": lambda session, value: bool(session.decisions if value == "decision" else session.open),
    "status": lambda session, value: session.status == value,
    "branch": in_branch,
    "model": lambda session, value: session.model is not None and value.lower() in session.model.lower(),
    "since": lambda session, value: moment(session.ended_at or session.started_at) >= moment(value),
    "before": lambda session, value: moment(session.started_at) < moment(value),
}


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)


def holds_text(session: Session, text: TextFilter) -> bool:
    """Whether a text of the session holds the words; no phrase goes on from one text to the next."""
    texts = {
        "label": [session.label], "summary": [session.summary], "decision": session.decisions, "open": session.open,
        "body": [session.body],
        "names": [*session.entities, session.branch or "", " ".join(folders(session.project or ""))],
    }  # fmt: skip
    wanted = text.text.split()
    runs = [[word] for word in wanted] if text.any_word else [wanted]
    for field, held in texts.items():
        if text.fields and field not in text.fields:
            continue
        for one in held:
            # Words of NOUNS have no other inflections here.
            words = one.lower().replace("/", " ").replace("-", " ").split()
            if any(run == words[at : at + len(run)] for run in runs for at in range(len(words))):
                return True
    return False


def passes(session: Session, wanted: SessionFilter, ids: set[str]) -> bool:
    """Whether a session passes, said plainly."""
    filters = [*wanted.filters]
    if wanted.entity is not None:
        filters.append(Filter("entity", (wanted.entity,)))
    if wanted.kind is not None:
        filters.append(Filter("has", (wanted.kind,)))
    return (
        not (wanted.top_level and session.parent_id in ids)
        and all(any(PASSES[one.name](session, value) for value in one.values) is not one.negated for one in filters)
        and all(holds_text(session, text) is not text.negated for text in wanted.texts)
    )


def random_filter(random: Random) -> SessionFilter:
    names = random.sample(list(VALUES), k=random.choice((0, 1, 1, 2, 3)))
    filters = tuple(
        Filter(name, tuple(random.sample(VALUES[name], k=random.randint(1, 2))), negated=random.random() < 0.3)
        for name in names
    )
    texts = tuple(random_text(random) for _ in range(random.choice((0, 0, 1, 2))))
    return SessionFilter(
        entity=random.choice((None, None, None, random.choice(VALUES["entity"]))),
        kind=random.choice((None, None, None, "decision", "open")),
        top_level=random.random() < 0.3,
        filters=filters,
        texts=texts,
    )


def random_text(random: Random) -> TextFilter:
    """Return a phrase or excluded words; words that must stand in a field are part of a query, and not here."""
    fields = tuple(random.sample(FIELDS, k=random.choice((0, 0, 1, 2))))
    text = " ".join(random.sample(PLAIN, k=2)) if random.random() < 0.6 else random.choice(NOUNS)
    negated = random.random() < 0.5
    return TextFilter(text, fields, any_word=negated and random.random() < 0.5, negated=negated)


def check(store: SqliteSessionStore, sessions: Sequence[Session], wanted: SessionFilter, query: str) -> int:
    """Check count, list and search by one filter; return how many pass."""
    ids = {session.id for session in sessions}
    passing = [session.id for session in sessions if passes(session, wanted, ids)]
    assert store.count(wanted) == len(passing)
    assert [session.id for session in store.list(None, wanted)] == passing
    assert [session.id for session in store.list(3, wanted, 2)] == passing[2:5]
    for ranking in RANKINGS:
        unfiltered = store.keyword_search(query, 1000, ranking=ranking)
        every = [hit for hit in unfiltered if hit.session_id in passing]
        for limit in (1, 3, 1000):
            found = store.keyword_search(query, limit, wanted, ranking=ranking)
            assert found == every[:limit]
            assert found.total == len(every)
    return len(passing)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", VALUES)
def test_each_value_of_each_filter(store: SqliteSessionStore, store_path: Path, name: FilterName, seed: int) -> None:
    random = Random(seed)
    sessions = fill(store, store_path, random)
    passed = set()
    for value in VALUES[name]:
        for negated in (False, True):
            wanted = SessionFilter(filters=(Filter(name, (value,), negated=negated),))
            passed.add(check(store, sessions, wanted, " ".join(random.sample(NOUNS, 2))))
    assert len(passed - {0, len(sessions)}) > 1, "the filters tell sessions apart"


@pytest.mark.parametrize("seed", range(6))
def test_many_combinations(store: SqliteSessionStore, store_path: Path, seed: int) -> None:
    random = Random(seed)
    sessions = fill(store, store_path, random)
    passed = [
        check(store, sessions, random_filter(random), " ".join(random.sample(NOUNS, random.randint(1, 3))))
        for _ in range(60)
    ]
    assert sum(0 < count < len(sessions) for count in passed) > 15


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("query", ["redis", "kaf", "検", "retry inv", "redis xyzzy", "tokne", "kafka redi"])
def test_the_same_while_typing(store: SqliteSessionStore, store_path: Path, seed: int, query: str) -> None:
    random = Random(seed)
    sessions = fill(store, store_path, random)
    every = store.keyword_search(query, 1000, typing=True)
    assert len({hit.session_id for hit in every}) == every.total > 0
    for _ in range(15):
        wanted = random_filter(random)
        passing = {session.id for session in sessions if passes(session, wanted, {one.id for one in sessions})}
        kept = [hit for hit in every if hit.session_id in passing]
        for limit in (1, 3, 1000):
            found = store.keyword_search(query, limit, wanted, typing=True)
            assert found == kept[:limit]
            assert found.total == len(kept)


@pytest.mark.parametrize(
    ("phrase", "texts", "holds"),
    [
        ("redis kafka", {"body": "a redis kafka b"}, True),
        ("redis kafka", {"body": "a Redis, KAFKA b"}, True),
        ("redis kafka", {"body": "a kafka redis b"}, False),
        ("redis kafka", {"label": "a redis", "summary": "kafka b"}, False),
        ("token 検索", {"body": "a token 検索 b"}, True),
        ("token 検索", {"body": "検索 a token b"}, False),
        ("token 検索", {"label": "token", "body": "検索"}, False),
        ("登录 超时", {"body": "登录 很 超时"}, False),
        ("count merge", {"body": "my retryCount and mergeCart"}, False),
        ("cart retry", {"body": "my retryCount and mergeCart"}, False),
        ("server 1", {"body": "an HTTPServer since v1.2.3"}, False),
        ("cart merge", {"decisions": ("mergeCart, or any cart",)}, False),
        ("redis kafka", {"decisions": ("we keep redis", "kafka goes")}, False),
        ("redis kafka", {"entities": ("Redis", "Kafka")}, False),
        ("retry count", {"body": "my retryCount"}, True),
    ],
)
def test_phrases_are_words_in_sequence(
    store: SqliteSessionStore, phrase: str, texts: dict[str, object], *, holds: bool
) -> None:
    store.insert_sessions(a_session(**({"label": "Monday"} | texts)))
    assert store.count(SessionFilter(texts=(TextFilter(phrase),))) == holds
    assert RecallService(store).search(parse(f'"{phrase}"')).total == holds


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fields", [("label",), ("summary",), ("decision",), ("open",), ("label", "open"), FIELDS])
def test_words_in_fields_alone(store: SqliteSessionStore, store_path: Path, seed: int, fields: tuple[str, ...]) -> None:
    random = Random(seed)
    sessions = fill(store, store_path, random)
    for query in ("redis", "kafka retry", "invoice cursor queue"):
        words = TextFilter(query, fields, any_word=True)
        every = store.keyword_search(query, 1000, SessionFilter(texts=(words,)))
        assert {hit.session_id for hit in every} == {session.id for session in sessions if holds_text(session, words)}
        assert every.total == len(every)
        assert [-hit.score for hit in every] == sorted(-hit.score for hit in every)
        for _ in range(10):
            others = random_filter(random)
            passing = {session.id for session in sessions if passes(session, others, {one.id for one in sessions})}
            kept = [hit for hit in every if hit.session_id in passing]
            for limit in (1, 3, 1000):
                found = store.keyword_search(query, limit, replace(others, texts=(*others.texts, words)))
                assert found == kept[:limit]
                assert found.total == len(kept)


TEXTS = [
    "redis", "redis kafka -retry", "kafka agent:claude", "retry -agent:claude,pi", "token project:nlm", "redis has:dec",
    'has:open "redis kafka"', 'queue -"invoice cursor"', "in:label redis kafka", "in:decision redis -status:closed",
    "status:active,closed", "entity:pg redis", "-entity:redis", "branch:fix kafka", "-model:claude retry",
    "since:2026-03-01 redis", "before:2026-03-01 redis kafka", "since:2026-02-28 before:2026-03-02", "-in:label redis",
    "検索 café", "straße -検索",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("limit", [1, 7, 20])
@pytest.mark.parametrize("top_level", [False, True])
def test_pages_hold_each_hit_once(
    store: SqliteSessionStore, store_path: Path, text: str, limit: int, *, top_level: bool
) -> None:
    sessions = fill(store, store_path, Random(3), 100)
    service = RecallService(store, now=lambda: datetime(2026, 3, 3, tzinfo=UTC), zone=UTC)
    whole = service.search(parse(text, limit=100), top_level=top_level)
    query = parse(text)
    meant = understood(query, datetime(2026, 3, 3, tzinfo=UTC), UTC)
    wanted = replace(meant.session_filter, top_level=top_level)
    ids = {session.id for session in sessions}
    asked = " ".join((*query.phrases, query.query)).split()
    expected = {
        session.id
        for session in sessions
        if passes(session, wanted, ids) and (not asked or any(holds_text(session, TextFilter(word)) for word in asked))
    }
    assert 0 < len(expected) < len(sessions)
    assert {hit.id for hit in whole.results} == expected
    assert whole.total == len(expected) == len(whole.results)
    paged = [
        hit
        for offset in range(0, len(expected) + limit, limit)
        for hit in service.search(parse(text, limit=limit, offset=offset), top_level=top_level).results
    ]
    assert paged == list(whole.results)
    assert service.search(parse(text, limit=limit, offset=10**6), top_level=top_level).total == len(expected)


@pytest.mark.parametrize("text", ["retry", "retry invoice", "status:active retry", "ret"])
@pytest.mark.parametrize("typing", [False, True])
def test_so_do_pages_of_hundreds_of_hits(store: SqliteSessionStore, text: str, *, typing: bool) -> None:
    random = Random(5)
    with store.batch():
        for number in range(330):
            started = stored(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=random.randint(0, 5000)))
            words = " ".join(random.choices(("retry", "invoice", "of", "the"), k=random.randint(1, 6)))
            store.insert_sessions(
                a_session(
                    f"s{number:03}", label=words, started_at=started, status=random.choice(("active", "superseded"))
                )
            )
    service = RecallService(store)
    first = service.search(parse(text, limit=40, typing=typing))
    pages = [
        service.search(parse(text, limit=40, offset=offset, typing=typing)) for offset in range(0, first.total + 40, 40)
    ]
    ids = [hit.id for page in pages for hit in page.results]
    assert len(ids) == len(set(ids)) == first.total
    assert {page.total for page in pages} == {first.total}


ZONES = ["UTC", "Asia/Kolkata", "America/New_York", "Pacific/Kiritimati", "Europe/Berlin"]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    "now", [datetime(2026, 3, 10, 3, 30, tzinfo=UTC), datetime(2026, 11, 3, 20, tzinfo=UTC)], ids=["spring", "autumn"]
)
def test_days_are_those_of_the_zone(store: SqliteSessionStore, zone: str, now: datetime) -> None:
    local = ZoneInfo(zone)
    random = Random(zone)
    spans: dict[str, tuple[datetime, datetime | None]] = {}
    with store.batch():
        for hour in range(24 * 8):
            start = now - timedelta(hours=hour, minutes=random.choice((0, 1, 29, 30, 31, 59)))
            end = random.choice((None, start + timedelta(minutes=random.choice((1, 60, 1500)))))
            spans[f"s{hour:03}"] = (start, end)
            store.insert_sessions(
                a_session(f"s{hour:03}", started_at=stored(start), ended_at=None if end is None else stored(end))
            )
    service = RecallService(store, now=lambda: now, zone=local)
    today = now.astimezone(local).date()
    weekdays = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    for back in range(7):
        day = today - timedelta(days=back)
        names = [day.isoformat(), f"{back}d", weekdays[day.weekday()]]
        names += {0: ["today"], 1: ["yesterday"]}.get(back, [])
        since = {name for name, (start, end) in spans.items() if (end or start).astimezone(local).date() >= day}
        before = {name for name, (start, _) in spans.items() if start.astimezone(local).date() < day}
        assert since
        assert before
        for name in names:
            for text, expected in (
                (f"since:{name}", since),
                (f"before:{name}", before),
                (f"-since:{name}", spans.keys() - since),
                (f"-before:{name}", spans.keys() - before),
                (f"since:{name} before:{name}", since & before),
                (f"session since:{name}", since),
            ):
                seen = [
                    hit.id
                    for offset in (0, 100)
                    for hit in service.search(parse(text, limit=100, offset=offset)).results
                ]
                assert sorted(seen) == sorted(expected), text


def test_a_filter_sees_what_another_program_changed(store: SqliteSessionStore, store_path: Path) -> None:
    wanted = {
        "status": SessionFilter(filters=(Filter("status", ("superseded",)),)),
        "project": SessionFilter(filters=(Filter("project", ("pay",)),)),
        "phrase": SessionFilter(texts=(TextFilter("redis cache"),)),
        "has": SessionFilter(kind="decision"),
        "entity": SessionFilter(entity="redis"),
        "top": SessionFilter(top_level=True),
    }

    def found() -> dict[str, tuple[str, ...]]:
        answers = {}
        for name, passing in wanted.items():
            ids = tuple(sorted(hit.session_id for hit in store.keyword_search("session", 10, passing)))
            assert tuple(sorted(session.id for session in store.list(None, passing))) == ids
            assert store.count(passing) == len(ids)
            answers[name] = ids
        return answers

    store.insert_sessions(a_session("a"))
    assert found() == dict.fromkeys(wanted, ()) | {"top": ("a",)}
    full = a_session(
        "b", status="superseded", project="/srv/pay", summary="a redis cache", decisions=("x",), entities=("Redis",),
        parent_id="a",
    )  # fmt: skip
    with SqliteSessionStore.open(store_path) as other:
        other.insert_sessions(full)
        assert found() == dict.fromkeys(wanted, ("b",)) | {"top": ("a",)}
        other.update_status("b", "closed")
        assert found() == dict.fromkeys(wanted, ("b",)) | {"top": ("a",), "status": ()}
        other.update_status("a", "superseded")
        other.insert_sessions(a_session("b", label="Another session"))
        assert found() == dict.fromkeys(wanted, ()) | {"top": ("a", "b"), "status": ("a",)}
    rows(store_path, "UPDATE sessions SET project = '/srv/pay'")
    assert found()["project"] == ("a", "b")
    rows(store_path, "DELETE FROM sessions WHERE id = 'b'")
    assert found() == dict.fromkeys(wanted, ()) | {"top": ("a",), "status": ("a",), "project": ("a",)}
    store.insert_sessions(replace(full, status="active"))
    assert found() == dict.fromkeys(wanted, ("b",)) | {"top": ("a",), "status": ("a",), "project": ("a", "b")}


def test_a_filter_sees_what_its_own_transaction_has_written(store: SqliteSessionStore) -> None:
    wanted = SessionFilter(filters=(Filter("status", ("superseded",)),))
    with store.batch():
        store.insert_sessions(a_session("a", status="superseded"))
        assert store.count(wanted) == 1
        store.insert_sessions(a_session("b", status="superseded"))
        assert store.count(wanted) == len(store.keyword_search("session", 5, wanted)) == 2
    assert store.count(wanted) == 2


def test_a_transaction_that_came_to_nothing_leaves_filters_sound(store: SqliteSessionStore) -> None:
    wanted = SessionFilter(filters=(Filter("status", ("superseded",)),))

    def written() -> int:
        with store.batch():
            store.insert_sessions(a_session("a", status="superseded"))
            if store.count(wanted):
                raise KeyError
        return store.count()

    with pytest.raises(KeyError):
        written()
    assert store.count(wanted) == 0
    store.insert_sessions(a_session("b", status="superseded"))
    assert [session.id for session in store.list(None, wanted)] == ["b"]


def test_more_filters_than_are_kept(store: SqliteSessionStore, store_path: Path) -> None:
    random = Random(1)
    sessions = fill(store, store_path, random)
    filters = [random_filter(random) for _ in range(25)]
    for _ in range(2):
        for wanted in random.sample(filters, len(filters)):
            check(store, sessions, wanted, "redis kafka")


@pytest.mark.parametrize("statement", ["DROP TABLE", "CREATE TABLE", "WITH first"])
def test_an_interruption_leaves_filters_sound(
    store: SqliteSessionStore, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    store.insert_sessions(a_session(status="superseded"))
    filters = [SessionFilter(filters=(Filter("status", ("superseded", f"x{number}")),)) for number in range(20)]
    for wanted in filters[:-1]:
        assert store.count(wanted) == 1
    run = Connection.run

    def interrupted(connection: Connection, sql: str, parameters: Sequence[object] = ()) -> int:
        if sql.startswith(statement):
            store.interrupt()
        return run(connection, sql, parameters)

    monkeypatch.setattr(Connection, "run", interrupted)
    with store.searching(), pytest.raises(SearchInterruptedError):
        store.count(filters[-1])
    monkeypatch.undo()
    assert [store.count(wanted) for wanted in reversed(filters[:-1])] == [1] * (len(filters) - 1)
    assert store.count(filters[-1]) == 1


@pytest.mark.parametrize("seed", range(3))
def test_meaning_is_filtered_before_the_cut(store: SqliteSessionStore, store_path: Path, seed: int) -> None:
    random = Random(seed)

    def unit_vector() -> list[float]:
        vector = [random.gauss(0, 1) for _ in range(8)]
        return [value / math.hypot(*vector) for value in vector]

    sessions = fill(store, store_path, random)
    for session in sessions:
        if random.random() < 0.8:
            put_vectors(store, session.id, [unit_vector() for _ in range(random.randint(1, 3))])
    ids = {session.id for session in sessions}
    for _ in range(30):
        question, wanted = unit_vector(), random_filter(random)
        passing = {session.id for session in sessions if passes(session, wanted, ids)}
        every = [hit for hit in store.semantic_search(question, 1000) if hit.session_id in passing]
        for limit in (1, 3, 1000):
            found = store.semantic_search(question, limit, wanted)
            assert found == every[:limit]
            assert found.total == len(every)


def test_meaning_sees_what_another_program_changed(store: SqliteSessionStore, store_path: Path) -> None:
    wanted = SessionFilter(filters=(Filter("status", ("superseded",)),))
    for name in "ab":
        store.insert_sessions(a_session(name))
        put_vectors(store, name, [[1.0, 0.0]])
    assert store.semantic_search([1.0, 0.0], 5, wanted) == []
    with SqliteSessionStore.open(store_path) as other:
        other.update_status("b", "superseded")
        assert [hit.session_id for hit in store.semantic_search([1.0, 0.0], 5, wanted)] == ["b"]
        rows(store_path, "DELETE FROM sessions WHERE id = 'b'")
    assert store.semantic_search([1.0, 0.0], 5, wanted) == []


@pytest.mark.parametrize("text", ["agent:zed", "project:zed redis", "branch:zed", "model:zed redis", "entity:zed,yed"])
def test_a_value_that_no_session_has_is_noted(store: SqliteSessionStore, text: str) -> None:
    store.insert_sessions(a_session(body="redis"))
    result = RecallService(store).search(parse(text))
    name = text.partition(":")[0]
    assert (result.total, result.results) == (0, ())
    assert result.notes[0] == f"no session has {name}:zed"
    assert RecallService(store).search(RecallQuery("redis", filters=(Filter("agent", ("claude",)),))).notes == ()


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("redis agent:claude,zed", ("no session has agent:zed",)),
        ("agent:zed,claude,yed", ("no session has agent:zed", "no session has agent:yed")),
        ("redis entity:Redis,zed project:pay,zed", ("no session has entity:zed", "no session has project:zed")),
        ("branch:main,zed", ("no session has branch:zed",)),
        ("redis -agent:zed,yed", ()),
    ],
)
def test_of_several_values_those_that_no_session_has_are_noted(
    store: SqliteSessionStore, text: str, notes: tuple[str, ...]
) -> None:
    store.insert_sessions(
        a_session(body="redis", entities=("Redis",), project="/src/pay", branch="main", runtime="claude-code/1")
    )
    result = RecallService(store).search(parse(text))
    assert (result.total, result.notes) == (1, notes)


def test_what_may_be_half_typed_is_not_said_to_be_unknown(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session(branch="main"))
    assert RecallService(store).search(parse("branch:main,ma", typing=True)).notes == ()
    assert RecallService(store).search(parse("branch:main,mo", typing=True)).notes == ("no session has branch:mo",)
