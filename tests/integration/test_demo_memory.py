"""The demo memory shows every list at its best."""

from datetime import UTC, datetime

from nlm_tui.core import parse
from nlm_tui.core.browsing import BrowseService
from nlm_tui.core.corrections import held_markers
from nlm_tui.demo import demo_sessions, fill
from nlm_tui.storage import SqliteSessionStore

NOW = datetime(2026, 5, 14, 12, tzinfo=UTC)


def test_sessions_are_those_that_were_written(store: SqliteSessionStore) -> None:
    fill(store, NOW)
    written = {session.id: session for session in demo_sessions(NOW)}
    assert [session.id for session in store.list()] == list(written)
    for session in store.list():
        assert (session.label, session.status) == (written[session.id].label, written[session.id].status)


def test_markers_stand_where_they_were_said(store: SqliteSessionStore) -> None:
    fill(store, NOW)
    for session in store.list():
        said = [marker.evidence for marker in held_markers(session)]
        assert all(one and one.quote and one.quote in session.messages[one.message].text for one in said)


def test_what_was_superseded_names_its_successor_and_sessions_go_on(store: SqliteSessionStore) -> None:
    fill(store, NOW)
    browse = BrowseService(store.browsing)
    rows = browse.timeline(parse("", limit=100)).rows
    superseded = [row for row in rows if row.origin.status == "superseded"]
    assert superseded
    assert all(row.origin.successor for row in superseded)
    assert {older for row in rows for older in row.supersedes} == {row.origin.session_id for row in superseded}
    assert sum(bool(row.continues) for row in rows) > 2


def test_facts_stand_in_their_sessions(store: SqliteSessionStore) -> None:
    fill(store, NOW)
    facts = BrowseService(store.browsing).facts(parse("")).rows
    assert len(facts) > 4
    assert any(fact.versions for fact in facts)
    for version in (one for fact in facts for one in (fact, *fact.versions)):
        session = store.get_by_id(version.origin.session_id)
        assert session
        assert version.quote in session.decisions


def test_topics_and_questions_reach_far_back(store: SqliteSessionStore) -> None:
    fill(store, NOW)
    browse = BrowseService(store.browsing)
    assert browse.topics(parse("")).rows[0].sessions > 5
    questions = browse.markers("open", parse(""))
    assert questions.total > 20
    assert questions.oldest is not None
    assert questions.oldest.origin.started_at < "2025-06"
