"""Lists beside sessions: what a plain reading of all sessions gives, page by page."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from random import Random

import pytest
from support import ENTITIES, WORDS, a_session, random_session, rows

from nlm_tui.core import (
    MarkerKind,
    Matcher,
    RecallService,
    SearchInterruptedError,
    Session,
    SessionFilter,
    parse,
    project_words,
    query_matcher,
)
from nlm_tui.core.browsing import BrowseService, MarkerRow, RowQuery
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.storage.filters import Condition
from nlm_tui.storage.migrations import migrations_folder, read_migrations

Run = Callable[[str], None]
PROJECTS = (None, "/home/sam/src/pay", "/home/sam/src/retry-lab")
MARKERS: tuple[MarkerKind, ...] = ("decision", "open")


@pytest.fixture
def run(store: SqliteSessionStore) -> Run:
    """Run SQL on the store itself."""

    def run(sql: str) -> None:
        with store.batch():
            store._connection.run(sql)

    return run


def put(store: SqliteSessionStore, sessions: Sequence[Session]) -> None:
    with store.batch():
        for session in sessions:
            store.insert_sessions(session)


def some_sessions(random: Random, count: int) -> list[Session]:
    sessions = [random_session(random, number) for number in range(count)]
    return [
        replace(
            session,
            project=random.choice(PROJECTS),
            runtime=random.choice(("claude-code", "codex")),
            parent_id=None,
            decisions=tuple(text or "nothing" for text in session.decisions),
            open=tuple(text or "nothing" for text in session.open),
        )
        for session in sessions
    ]


def newest_first(sessions: Sequence[Session]) -> list[Session]:
    return sorted(sorted(sessions, key=lambda one: one.id), key=lambda one: one.started_at, reverse=True)


def words_of(text: str) -> list[Matcher]:
    return [Matcher((wanted,)) for wanted in query_matcher(text).wanted]


def expected_markers(
    sessions: Sequence[Session], kind: MarkerKind, text: str
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return session and text of what holds all words, and of what holds any, most of them first."""
    words = words_of(text)
    every: list[tuple[str, str]] = []
    some: list[tuple[int, tuple[str, str]]] = []
    for session in newest_first(sessions):
        about = (session.label, *session.entities, project_words(session.project) or "")
        for marker in session.decisions if kind == "decision" else session.open:
            held = sum(any(map(word.occurs, (marker, *about))) for word in words)
            if held == len(words):
                every.append((session.id, marker))
            if held:
                some.append((held, (session.id, marker)))
    return every, [marker for _, marker in sorted(some, key=lambda one: -one[0])]


def found(listed: Sequence[MarkerRow]) -> list[tuple[str, str]]:
    return [(row.origin.session_id, row.text) for row in listed]


@pytest.mark.parametrize("seed", range(4))
def test_markers_are_those_of_a_plain_reading(store: SqliteSessionStore, seed: int) -> None:
    random = Random(seed)
    sessions = some_sessions(random, 60)
    put(store, sessions)
    for session in random.sample(sessions, 20):  # read again, changed
        sessions[sessions.index(session)] = again = replace(session, label="retry again", decisions=("token", "café"))
        store.insert_sessions(again)
    browse = BrowseService(store.browsing)
    for _ in range(40):
        text = " ".join(random.choices((*WORDS, *ENTITIES, "pay", "lab"), k=random.randint(0, 3)))
        passing = random.choice(("", "agent:codex ", "project:pay "))
        passed = [
            session
            for session in sessions
            if not passing
            or ("codex" in passing and session.runtime == "codex")
            or ("pay" in (session.project or "") and "pay" in passing)
        ]
        for kind in MARKERS:
            every, some = expected_markers(passed, kind, text)
            wanted = every or some
            whole = browse.markers(kind, parse(passing + text, limit=500))
            assert (found(whole.rows), whole.total) == (wanted, len(wanted)), (passing, text)
            assert whole.loosened == bool(some and not every)
            start = random.randint(0, 5)
            page = browse.markers(kind, parse(passing + text, limit=3, offset=start))
            assert (found(page.rows), page.total) == (wanted[start : start + 3], len(wanted))
            if kind == "open" and wanted:
                assert whole.oldest is not None
                assert whole.oldest.origin.started_at == min(row.origin.started_at for row in whole.rows)


def test_a_marker_is_found_by_what_its_session_is_about(store: SqliteSessionStore) -> None:
    session = a_session(
        label="Cap the retries",
        entities=("SQS",),
        project="/home/sam/src/billing-worker",
        decisions=("Use a dead-letter queue for mergeGuestCart", "東京の検索"),
        body="unicorn",
    )
    put(store, [session])
    browse = BrowseService(store.browsing)

    def total(text: str, *, typing: bool = False) -> int:
        return browse.markers("decision", parse(text, typing=typing)).total

    both = ("retry", "sqs", "billing", "worker", "retry sqs billing", "retrying")
    assert {text: total(text) for text in both} == dict.fromkeys(both, 2)
    one = ("queue retry", "guest", "letter", "dead-letter", "検索", "検索 sqs", "mergeguestcart")
    assert {text: total(text) for text in one} == dict.fromkeys(one, 1)
    none = ("unicorn", "claude", "kind", "decision", "home", "gues", '"')
    assert {text: total(text) for text in none} == dict.fromkeys((*none[:-1],), 0) | {'"': 2}
    typed = ("gues", "retry gu", "bill", "検", "qu", "m", "dead-let")
    assert [text for text in typed if not total(text, typing=True)] == []


@pytest.mark.parametrize(
    "text", ['"', "'", "*", "a* b", "kind:open", "NEAR(a b)", "{text} : a", "AND OR NOT", "\0", "^a"]
)
def test_no_text_is_an_operator(store: SqliteSessionStore, text: str) -> None:
    put(store, [a_session(decisions=("one",), entities=("Redis",))])
    browse = BrowseService(store.browsing)
    for typing in (False, True):
        query = parse(text, typing=typing)
        browse.markers("decision", query)
        browse.topics(query)
        browse.facts(query)
        browse.timeline(query)
        browse.days(query)


def test_what_superseded_a_session_is_the_newest_of_all_that_did(store: SqliteSessionStore, run: Run) -> None:
    put(
        store,
        [
            a_session(name, started_at=f"2026-05-0{day}T10:00:00.000Z", label=f"Session {name}", decisions=(name,))
            for day, name in enumerate("abcde", 1)
        ],
    )
    run(
        "INSERT INTO session_edges VALUES ('b', 'a', 'supersedes'), ('d', 'b', 'supersedes'), ('c', 'a', 'supersedes'),"
        " ('a', 'd', 'supersedes'), ('e', 'd', 'continues')"
    )
    listed = BrowseService(store.browsing).markers("decision", parse("")).rows
    assert {row.text: row.origin.successor for row in listed} == {
        "a": ("d", "Session d"),
        "b": ("d", "Session d"),
        "c": None,
        "d": ("c", "Session c"),
        "e": None,
    }


def test_questions_that_stand_come_before_those_that_are_closed(store: SqliteSessionStore, run: Run) -> None:
    put(
        store,
        [
            a_session("a", started_at="2026-05-01T10:00:00.000Z", open=("who", "when")),
            a_session("b", started_at="2026-05-02T10:00:00.000Z", open=("what", "why")),
        ],
    )
    run("UPDATE markers SET state = 'resolved' WHERE text IN ('what', 'who')")
    run("UPDATE markers SET state = 'promoted', answer = 'soon' WHERE text = 'when'")
    browse = BrowseService(store.browsing)
    listed = browse.markers("open", parse(""))
    assert [(row.text, row.state, row.answer) for row in listed.rows] == [
        ("why", "standing", ""),
        ("what", "resolved", ""),
        ("who", "resolved", ""),
        ("when", "promoted", "soon"),
    ]
    assert listed.oldest is not None
    assert listed.oldest.text == "why"
    assert browse.markers("open", parse("who")).oldest is None


def test_topics_count_what_passes(store: SqliteSessionStore, run: Run) -> None:
    random = Random(8)
    sessions = some_sessions(random, 50)
    put(store, sessions)
    put(store, [replace(session, label="Again") for session in sessions[:10]])
    run("UPDATE markers SET state = 'resolved' WHERE id % 5 = 0")
    closed = {(session, text) for session, text in rows(store._connection.path, _CLOSED)}
    browse = BrowseService(store.browsing)
    for passing in ("", "agent:codex"):
        passed = [session for session in sessions if not passing or session.runtime == "codex"]
        wanted = Counter(name for session in passed for name in session.entities)
        listed = browse.topics(parse(passing)).rows
        assert [(row.name, row.sessions) for row in listed] == sorted(wanted.items(), key=lambda one: (-one[1], one[0]))
        for row in listed:
            own = [session for session in passed if row.name in session.entities]
            assert row.decisions == sum(len(session.decisions) for session in own)
            assert row.open == sum((session.id, text) not in closed for session in own for text in session.open)
            assert row.last_seen == max(session.started_at for session in own)


_CLOSED = "SELECT session_id, text FROM markers WHERE kind = 'open' AND state <> 'standing'"


def test_topics_are_found_by_beginnings_and_parts_of_their_names(store: SqliteSessionStore, run: Run) -> None:
    names = ("billing-worker", "Café Zoë", "mergeGuestCart", "worker", "old")
    put(store, [a_session("a", entities=names), a_session("b", entities=("worker",))])
    run("UPDATE entities SET status = 'retired' WHERE canonical = 'old'")
    browse = BrowseService(store.browsing)

    def topics(text: str) -> list[str]:
        return [row.name for row in browse.topics(parse(text)).rows]

    assert topics("") == ["worker", "Café Zoë", "billing-worker", "mergeGuestCart"]
    assert topics("work") == ["worker", "billing-worker"]
    assert topics("worker bill") == ["billing-worker"]
    assert topics("cafe zoe") == ["Café Zoë"]
    assert topics("guest") == ["mergeGuestCart"]
    assert topics("old") == []
    assert topics("worker guest") == ["worker", "billing-worker", "mergeGuestCart"]
    put(store, [a_session("c", entities=("workers",))])
    assert topics("work") == ["worker", "billing-worker", "workers"]


def test_topics_that_are_counted_while_sessions_are_hidden_are_counted_anew(
    store: SqliteSessionStore, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, [a_session("a", entities=("secret",)), a_session("b", entities=("plain",))])
    condition = store._filters.condition

    def hidden_meanwhile(*given: SessionFilter | None) -> Condition:
        passing = condition(*given)
        run("UPDATE sessions SET hidden = 1 WHERE id = 'a'")
        return passing

    monkeypatch.setattr(store._filters, "condition", hidden_meanwhile)
    store.browsing.topic_rows(RowQuery())
    monkeypatch.undo()
    assert [row.name for row in store.browsing.topic_rows(RowQuery()).rows] == ["plain"]


def test_a_topic_counts_no_session_twice_and_follows_what_is_deleted(store: SqliteSessionStore, run: Run) -> None:
    put(store, [a_session("a", entities=("Redis",), decisions=("one", "two"), open=("three",))])
    put(store, [a_session("b", entities=("Redis",), decisions=("four",), started_at="2026-06-01T10:00:00.000Z")])
    browse = BrowseService(store.browsing)
    run("UPDATE sessions SET started_at = '2026-07-01T10:00:00.000Z' WHERE id = 'a'")
    (row,) = browse.topics(parse("")).rows
    assert (row.sessions, row.decisions, row.open, row.last_seen) == (2, 3, 1, "2026-07-01T10:00:00.000Z")
    assert [one.text for one in browse.markers("decision", parse("")).rows] == ["one", "two", "four"]
    run("DELETE FROM session_entities WHERE session_id = 'a'; DELETE FROM markers WHERE session_id = 'a'")
    (row,) = browse.topics(parse("")).rows
    assert (row.sessions, row.decisions, row.open, row.last_seen) == (1, 1, 0, "2026-06-01T10:00:00.000Z")


def test_nothing_is_left_of_a_session_that_is_deleted(store: SqliteSessionStore, store_path: Path, run: Run) -> None:
    put(store, [a_session("a", decisions=("one",)), a_session("b", decisions=("two",))])
    run("DELETE FROM sessions WHERE id = 'a'")
    assert [row.text for row in BrowseService(store.browsing).markers("decision", parse("")).rows] == ["two"]
    assert rows(store_path, "SELECT rowid FROM markers_fts") == rows(store_path, "SELECT id FROM markers")


def test_facts_bring_what_they_replaced(store: SqliteSessionStore, run: Run) -> None:
    put(store, [a_session("a"), a_session("b", runtime="codex", label="Newer")])
    run(
        "INSERT INTO facts (id, kind, subject, predicate, value, source_session_id, source_quote, created_at, "
        "superseded_by, confidence) VALUES "
        "('f3', 'decision', 'pay', 'retries', 'three', 'b', 'We retry thrice', '2026-05-03', NULL, 0.9), "
        "('f2', 'decision', 'pay', 'retries', 'ten', 'a', NULL, '2026-05-02', 'f3', 0.8), "
        "('f1', 'decision', 'pay', 'retries', 'endless', 'a', NULL, '2026-05-01', 'f2', 0.7), "
        "('g1', 'attribute', 'finder', 'index', 'Tantivy', 'a', NULL, '2026-05-04', NULL, 1.0)"
    )
    browse = BrowseService(store.browsing)
    first, second = browse.facts(parse("")).rows
    assert (first.id, first.versions, first.quote) == ("g1", (), "")
    assert (second.id, second.value, second.quote, second.origin.label) == ("f3", "three", "We retry thrice", "Newer")
    assert [(old.id, old.value, old.origin.session_id) for old in second.versions] == [
        ("f2", "ten", "a"),
        ("f1", "endless", "a"),
    ]

    def facts(text: str) -> list[str]:
        return [row.id for row in browse.facts(parse(text)).rows]

    assert [facts(text) for text in ("pay", "thrice pay", "index pay thrice", "agent:codex", "zebra")] == [
        ["f3"],
        ["f3"],
        ["f3", "g1"],
        ["f3"],
        [],
    ]
    page = browse.facts(parse("", limit=1, offset=1))
    assert ([row.id for row in page.rows], page.total) == (["f3"], 2)


def test_a_timeline_holds_sessions_and_how_they_follow(store: SqliteSessionStore, run: Run) -> None:
    put(
        store,
        [
            a_session(
                "a", started_at="2026-05-01T10:00:00.000Z", body="retry forever", decisions=("one",), open=("?",)
            ),
            a_session("b", started_at="2026-05-02T10:00:00.000Z", body="a queue", entities=("SQS",)),
            a_session("c", started_at="2026-05-03T10:00:00.000Z", body="retry with a queue", entities=("Kafka",)),
        ],
    )
    run("INSERT INTO session_edges VALUES ('c', 'a', 'supersedes'), ('c', 'b', 'continues'), ('b', 'a', 'merged_from')")
    browse = BrowseService(store.browsing)

    def ids(text: str) -> list[str]:
        return [row.origin.session_id for row in browse.timeline(parse(text, typing=True)).rows]

    last, middle, first = browse.timeline(parse("")).rows
    assert (last.supersedes, last.continues, last.decisions) == (("a",), ("b",), ())
    assert (last.labels, middle.labels) == ({"a": "A session", "b": "A session"}, {})
    assert (middle.origin.topics, middle.supersedes, middle.continues) == (("SQS",), (), ())
    assert (first.decisions, first.open, first.origin.successor) == (("one",), ("?",), ("c", "A session"))
    assert [ids(text) for text in ("retry", "retry queue", "retry zebra", "retry kaf", "zebra", "sq")] == [
        ["c", "a"],
        ["c"],
        ["c", "a"],
        ["c"],
        [],
        ["b"],
    ]
    page = browse.timeline(parse("", limit=1, offset=1))
    assert ([row.origin.session_id for row in page.rows], page.total) == (["b"], 3)


@pytest.mark.parametrize("seed", range(3))
def test_days_count_what_recall_finds(store: SqliteSessionStore, seed: int) -> None:
    random = Random(seed)
    put(store, some_sessions(random, 300))
    browse, recall = BrowseService(store.browsing, zone=UTC), RecallService(store)
    for _ in range(30):
        words = " ".join(random.choices((*WORDS, "retrieve", "tokne", "ca", "red"), k=random.randint(1, 3)))
        text = random.choice(("", "agent:codex ", "in:label ", "has:decision ")) + words
        typing = random.random() < 0.5
        wanted: Counter[str] = Counter()
        total = recall.search(parse(text, typing=typing)).total
        for start in range(0, total, 100):
            hits = recall.search(parse(text, typing=typing, limit=100, offset=start)).results
            wanted.update(hit.started_at[:10] for hit in hits)
        days = browse.days(parse(text, typing=typing))
        assert [(str(day), count) for day, count in days] == sorted(wanted.items()), (text, typing)


def test_hidden_sessions_are_in_no_list(store: SqliteSessionStore, run: Run) -> None:
    hidden = a_session("b", decisions=("two",), open=("?",), entities=("Redis",), started_at="2026-06-01T10:00:00.000Z")
    put(store, [a_session("a", decisions=("one",), entities=("Redis",)), hidden])
    run("INSERT INTO session_edges VALUES ('b', 'a', 'supersedes')")
    run("UPDATE sessions SET hidden = 1 WHERE id = 'b'")
    browse = BrowseService(store.browsing, zone=UTC)
    (decision,) = browse.markers("decision", parse("")).rows
    assert (decision.text, decision.origin.successor) == ("one", None)
    assert browse.markers("decision", parse("redis")).total == 1
    assert (browse.markers("open", parse("")).total, browse.markers("open", parse("")).oldest) == (0, None)
    assert [row.sessions for row in browse.topics(parse("")).rows] == [1]
    assert browse.timeline(parse("")).total == 1
    assert [str(day) for day, _ in browse.days(parse(""))] == ["2026-05-14"]
    assert browse.markers("decision", parse("is:hidden")).total == 1


def test_a_store_of_before_is_brought_up_to_date(tmp_path: Path) -> None:
    folder = tmp_path / "before"
    folder.mkdir()
    for migration in read_migrations(migrations_folder()):
        if migration.version < 105:
            (folder / f"{migration.version:03}_{migration.name}.sql").write_text(migration.sql, encoding="utf-8")
    random = Random(3)
    sessions = some_sessions(random, 20)
    path = tmp_path / "memory.sqlite"
    with SqliteSessionStore.open(path, migrations=folder) as before, before.batch():
        for session in sessions:
            _insert_as_before(before, session)
    with SqliteSessionStore.open(path) as migrated, SqliteSessionStore.open(tmp_path / "new.sqlite") as fresh:
        put(fresh, sessions)
        for text in ("", "retry", "pay cache", "redis", "検索"):
            query = parse(text, limit=500)
            old, new = BrowseService(migrated.browsing), BrowseService(fresh.browsing)
            for kind in MARKERS:
                assert found(old.markers(kind, query).rows) == found(new.markers(kind, query).rows)
            assert old.topics(query).rows == new.topics(query).rows


def _insert_as_before(store: SqliteSessionStore, session: Session) -> None:
    run = store._connection.run
    values = (session.id, session.runtime, session.started_at, session.label, session.summary, session.body)
    run(
        "INSERT INTO sessions (id, runtime, started_at, label, summary, body, status, project) "
        "VALUES (?, ?, ?, ?, ?, ?, 'closed', ?)",
        (*values, session.project),
    )
    for name in session.entities:
        run("INSERT OR IGNORE INTO entities (canonical, type, status) VALUES (?, 'candidate', 'candidate')", (name,))
        run("INSERT INTO session_entities (session_id, entity_canonical) VALUES (?, ?)", (session.id, name))
    for kind, texts in (("decision", session.decisions), ("open", session.open)):
        for position, text in enumerate(texts):
            run(
                "INSERT INTO markers (session_id, kind, text, position) VALUES (?, ?, ?, ?)",
                (session.id, kind, text, position),
            )


def test_lists_are_served_by_indexes(store: SqliteSessionStore) -> None:
    put(store, some_sessions(Random(1), 5))

    def plan(sql: str) -> str:
        return json.dumps(store._connection.rows(f"EXPLAIN QUERY PLAN {sql}"))

    order = "m.state <> 'standing', m.started_at DESC, m.session_id, m.position, m.id"
    page = plan(f"SELECT m.id FROM markers AS m WHERE m.kind = 'open' ORDER BY {order} LIMIT 5")  # noqa: S608
    assert "idx_markers_listed" in page
    assert "LAST 3 TERMS" in page
    counts = plan("SELECT entity_canonical, count(*), max(started_at) FROM session_entities GROUP BY entity_canonical")
    assert "COVERING INDEX idx_session_entities_entity" in counts


def test_an_interrupt_stops_a_list(store: SqliteSessionStore) -> None:
    put(store, some_sessions(Random(1), 5))
    with store.browsing.searching():
        store.interrupt()
        with pytest.raises(SearchInterruptedError):
            store.browsing.marker_rows("decision", RowQuery("retry"))
