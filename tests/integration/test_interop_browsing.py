"""Lists over the store that nlm-memory 0.21.0 wrote: as over our own, and nothing of it changes."""

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from foreign_stores import CANONICAL, changed, files, minimal_store
from support import rows

from nlm_tui.core import MarkerKind, SearchInterruptedError, parse, query_matcher
from nlm_tui.core.browsing import BrowseService, RowQuery
from nlm_tui.storage import SqliteSessionStore

KINDS: tuple[MarkerKind, ...] = ("decision", "open")
SHOWN = "SELECT id FROM sessions WHERE status <> 'replaced'"


@pytest.fixture
def canonical(tmp_path: Path) -> Path:
    path = tmp_path / "canonical.sqlite"
    shutil.copyfile(CANONICAL, path)
    return path


@pytest.fixture
def browse(canonical: Path) -> Iterator[BrowseService]:
    before = files(canonical.parent)
    with SqliteSessionStore.open(canonical) as store:
        yield BrowseService(store.browsing)
    assert files(canonical.parent) == before


def test_words_find_markers_as_they_do_in_a_plain_reading(browse: BrowseService) -> None:
    for kind in KINDS:
        everything = browse.markers(kind, parse("", limit=500))
        assert everything.total == len(everything.rows) > 200
        for word in ("docker", "retention", "Typer", "sizes", "orchard"):
            matcher = query_matcher(word)
            wanted = [
                row
                for row in everything.rows
                if any(map(matcher.occurs, (row.text, row.origin.label, *row.origin.topics, row.origin.project or "")))
            ]
            assert list(browse.markers(kind, parse(word, limit=500)).rows) == wanted
            assert wanted


def test_facts_bring_their_versions(browse: BrowseService, canonical: Path) -> None:
    facts = browse.facts(parse("", limit=500))
    current = f"SELECT id FROM facts WHERE superseded_by IS NULL AND source_session_id IN ({SHOWN})"  # noqa: S608
    assert {fact.id for fact in facts.rows} == {fact for (fact,) in rows(canonical, current)}
    replaced = f"SELECT count(*) FROM facts WHERE superseded_by IS NOT NULL AND source_session_id IN ({SHOWN})"  # noqa: S608
    ((older,),) = rows(canonical, replaced)
    assert older
    assert sum(len(fact.versions) for fact in facts.rows) == older


def test_a_timeline_holds_all_that_is_shown(browse: BrowseService, canonical: Path) -> None:
    listed = browse.timeline(parse("", limit=500)).rows
    assert Counter(row.origin.session_id for row in listed) == Counter(one for (one,) in rows(canonical, SHOWN))
    assert sum(count for _, count in browse.days(parse(""))) == len(listed)
    superseded = {older for row in listed for older in row.supersedes}
    assert superseded
    assert all(row.origin.successor for row in listed if row.origin.session_id in superseded)


def test_a_list_that_was_interrupted_while_it_was_made_is_made_the_next_time(canonical: Path) -> None:
    with SqliteSessionStore.open(canonical) as store:
        lists, run = store.browsing, store._connection.run

        def stop(sql: str, parameters: Sequence[object] = ()) -> int:
            if "listed_markers" in sql:
                store._connection.run = run
                run(sql.partition("INSERT")[0], parameters)
                raise SearchInterruptedError
            return run(sql, parameters)

        store._connection.run = stop
        with pytest.raises(SearchInterruptedError):
            lists.marker_rows("open", RowQuery())
        assert lists.marker_rows("open", RowQuery()).total > 200


def test_topics_count_their_sessions(browse: BrowseService) -> None:
    sessions = browse.timeline(parse("", limit=500)).rows
    renamed = {"tidepool": "Tidepool Gateway"}
    wanted = Counter(renamed.get(name, name) for row in sessions for name in row.origin.topics)
    topics = browse.topics(parse("", limit=500)).rows
    assert wanted.keys() - {topic.name for topic in topics} <= {"uv"}
    for topic in topics:
        assert topic.sessions == wanted[topic.name]
    assert [topic.sessions for topic in topics] == sorted((topic.sessions for topic in topics), reverse=True)


def test_the_first_stores_have_lists_too(tmp_path: Path) -> None:
    path = minimal_store(tmp_path / "minimal.sqlite")
    with SqliteSessionStore.open(path) as store:
        browse = BrowseService(store.browsing)
        assert [row.text for row in browse.markers("decision", parse("sigterm")).rows] == ["dead-letter after SIGTERM"]
        assert [(row.name, row.sessions, row.decisions) for row in browse.topics(parse("")).rows] == [
            ("pay-worker", 2, 1),
            ("SQS", 1, 0),
        ]
        assert browse.facts(parse("")).total == 0
        assert browse.timeline(parse("mergeGuestCart")).total == 1
        assert [row.origin.successor for row in browse.timeline(parse("")).rows] == [None, None, None]
        assert len(browse.days(parse(""))) == 3


def test_topics_are_called_what_users_called_them(tmp_path: Path) -> None:
    actions = (
        ("act_1", "rename_entity", "pay-worker", '{"to": "Billing"}'),
        ("act_2", "merge_entity", "SQS", '{"into": "Billing"}'),
    )
    merged = ["INSERT INTO session_entities VALUES ('cc_a', 'SQS')"]
    for action in actions:
        values = (
            "INSERT INTO actions (id, timestamp, subject_type, kind, subject_id, payload) VALUES ('{}', '', 'entity', "
        )
        merged.append(values.format(action[0]) + ", ".join(f"'{value}'" for value in action[1:]) + ")")
    with SqliteSessionStore.open(minimal_store(tmp_path / "minimal.sqlite", *merged)) as store:
        browse = BrowseService(store.browsing)
        assert [(row.name, row.sessions, row.decisions) for row in browse.topics(parse("")).rows] == [("Billing", 3, 1)]
        assert browse.markers("decision", parse("entity:billing")).total == 1


def test_what_the_other_program_writes_meanwhile_is_listed(tmp_path: Path) -> None:
    path = minimal_store(tmp_path / "minimal.sqlite")
    with SqliteSessionStore.open(path) as store:
        browse = BrowseService(store.browsing)
        assert browse.markers("open", parse("")).total == 1
        changed(path, "INSERT INTO markers (session_id, kind, text) VALUES ('cx_c', 'open', 'why not')")
        listed = browse.markers("open", parse(""))
        assert [row.text for row in listed.rows] == ["why not", "who reads the queue at night"]
        assert [row.open for row in browse.topics(parse("sqs")).rows] == [1]


@pytest.mark.parametrize("table", ["facts", "session_edges", "session_entities", "entities", "markers"])
def test_a_table_may_be_missing(canonical: Path, table: str) -> None:
    changed(canonical, "PRAGMA foreign_keys = OFF", f"DROP TABLE {table}")
    with SqliteSessionStore.open(canonical) as store:
        browse = BrowseService(store.browsing)
        for kind in KINDS:
            browse.markers(kind, parse("docker"))
        browse.topics(parse("docker"))
        browse.facts(parse("docker"))
        browse.timeline(parse("docker"))
        browse.days(parse("docker"))
