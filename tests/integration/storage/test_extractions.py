"""What models made of sessions: kept with what it was made of, under what users changed."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from support import a_session

from nlm_tui.core import Evidence, Extraction, Message, RecallService, Session, join_messages, parse
from nlm_tui.core.actions import Action, ActionKind, SubjectType, marker_id
from nlm_tui.core.browsing import RowQuery
from nlm_tui.core.model import Details
from nlm_tui.extraction import Meaning
from nlm_tui.extraction.by_model import Fact
from nlm_tui.storage import SqliteSessionStore

BY = Extraction("ollama", "qwen3", 1, "2026-06-01T10:00:00.000Z")
LATER = BY._replace(at="2026-06-01T10:05:00.000Z")
DECIDED = "Three retries instead of five"
MADE = Meaning(
    label="Cap the retries",
    summary="The retries were capped.",
    entities=("SQS", "redis"),
    decisions=(DECIDED,),
    open=("Who reads the queue?",),
    evidence={
        ("decision", DECIDED): Evidence(0, "three retries"),
        ("open", "Who reads the queue?"): Evidence(1, "who"),
    },
)


def session(session_id: str = "cc_1", text: str = "three retries", **fields: object) -> Session:
    """Return a session as rules find it."""
    body, turns = join_messages((Message("user", text, "2026-05-14T10:40:00.000Z"), Message("assistant", "who?")))
    by_rules = {"label": "By rules", "summary": "Rules.", "decisions": ("use redis",), "entities": ("Redis", "pay")}
    return a_session(session_id, **({"body": body, "turns": turns, "project": "/home/a/pay"} | by_rules | fields))


def saved(store: SqliteSessionStore, made: Meaning = MADE, by: Extraction = BY, session_id: str = "cc_1", *facts: Fact):
    read = store.get_by_id(session_id)
    assert read is not None
    return store.extractions.save(read, made, facts, by)


def stored(store: SqliteSessionStore, session_id: str = "cc_1") -> Session:
    found = store.get_by_id(session_id)
    assert found is not None
    return found


def due(store: SqliteSessionStore, by: Extraction = BY, rested: str | None = None) -> list[str]:
    return [one.id for one in store.extractions.due(by, rested)]


def act(store: SqliteSessionStore, number: int, kind: ActionKind, subject: tuple[SubjectType, str], **payload: str):
    store.corrections.act(Action(f"act_{number}", "2026-06-02T00:00:00Z", kind, *subject, payload))


@pytest.fixture
def one(store: SqliteSessionStore) -> SqliteSessionStore:
    store.insert_sessions(session())
    return store


def test_a_result_is_what_the_session_says(one: SqliteSessionStore) -> None:
    assert stored(one).extraction is None
    assert saved(one)
    found = stored(one)
    assert (found.label, found.summary, found.decisions, found.open) == MADE[:2] + MADE[3:5]
    assert found.entities == ("pay", "SQS", "Redis")
    assert found.evidence == MADE.evidence
    assert found.extraction == BY


def test_it_holds_as_long_as_the_messages_are_the_same(one: SqliteSessionStore) -> None:
    saved(one)
    one.insert_sessions(session(label="By other rules", branch="main"))
    assert (stored(one).label, stored(one).branch, due(one)) == (MADE.label, "main", [])
    one.insert_sessions(session(text="four retries"))
    assert (stored(one).label, stored(one).extraction, due(one)) == ("By rules", None, ["cc_1"])


def test_a_result_of_what_is_not_said_any_more_is_not_kept(one: SqliteSessionStore) -> None:
    read = stored(one)
    one.insert_sessions(session(text="four retries"))
    assert not one.extractions.save(read, MADE, (), BY)
    assert (stored(one).label, due(one)) == ("By rules", ["cc_1"])
    assert not one.extractions.save(session("cc_9"), MADE, (), BY)


def test_a_title_of_the_runtime_stays(store: SqliteSessionStore) -> None:
    store.insert_sessions(session(label="Given title", details=Details(titled=True)))
    saved(store)
    assert (stored(store).label, stored(store).summary) == ("Given title", MADE.summary)


def test_what_a_model_leaves_out_stays(one: SqliteSessionStore) -> None:
    saved(one, Meaning("", "", (), (), (), {}))
    found = stored(one)
    assert (found.label, found.summary, found.decisions, found.entities) == ("By rules", "Rules.", (), ("pay",))


def test_what_users_changed_wins(one: SqliteSessionStore) -> None:
    act(one, 1, "retitle", ("session", "cc_1"), to="Mine")
    act(one, 2, "add_decision", ("session", "cc_1"), text="added by hand")
    by_rules = ("decision", marker_id("decision", "cc_1", "use redis"))
    act(one, 3, "revise_decision", by_rules, to="use valkey", original_text="use redis")
    for made in (MADE, replace_label(MADE, "Another label")):
        saved(one, made)
        found = stored(one)
        assert (found.label, set(found.decisions)) == ("Mine", {DECIDED, "added by hand", "use valkey"})
    act(one, 4, "dismiss_decision", ("decision", marker_id("decision", "cc_1", DECIDED)))
    act(one, 5, "undo", ("action", "act_1"))
    found = stored(one)
    assert (found.label, set(found.decisions)) == ("Another label", {"added by hand", "use valkey"})
    saved(one, MADE)
    one.insert_sessions(session())
    assert (stored(one).label, set(stored(one).decisions)) == (MADE.label, {"added by hand", "use valkey"})


def replace_label(made: Meaning, label: str) -> Meaning:
    return made._replace(label=label)


def test_the_newest_come_first_and_subagents_last(store: SqliteSessionStore) -> None:
    store.insert_sessions(
        session("old", started_at="2026-05-01T00:00:00.000Z"),
        session("agent", started_at="2026-05-09T00:00:00.000Z", parent_id="old"),
        session("new", started_at="2026-05-08T00:00:00.000Z"),
        session("empty", body="", turns=()),
    )
    assert due(store) == ["new", "old", "agent"]
    assert all(one.size > 0 for one in store.extractions.due(BY))


def test_who_is_still_talking_is_left_alone(store: SqliteSessionStore) -> None:
    store.insert_sessions(session("rests"), session("talks", ended_at="2026-05-14T10:59:00.000Z"))
    assert due(store, rested="2026-05-14T10:50:00.000Z") == ["rests"]
    assert len(due(store)) == 2


@pytest.mark.parametrize("changed", [{"model": "llama"}, {"provider": "other"}, {"prompt_version": 2}])
def test_another_model_or_prompt_makes_it_anew(one: SqliteSessionStore, changed: dict) -> None:
    saved(one)
    assert due(one) == []
    assert due(one, BY._replace(**changed)) == ["cc_1"]
    assert stored(one).label == MADE.label


def test_all_or_some_are_made_again(store: SqliteSessionStore) -> None:
    store.insert_sessions(session("a"), session("b"))
    saved(store, MADE, BY, "a")
    saved(store, MADE, BY, "b")
    store.extractions.outdate(["a"])
    assert (due(store), stored(store, "a").label) == (["a"], MADE.label)
    store.extractions.outdate()
    assert due(store) == ["a", "b"]
    saved(store, MADE, BY, "a")
    assert due(store) == ["b"]


def test_a_failure_is_tried_again_after_longer_and_longer(one: SqliteSessionStore) -> None:
    before = stored(one)
    pauses = []
    now = BY
    for _ in range(12):
        one.extractions.fail(stored(one), "no answer", now)
        minutes = next(
            minutes
            for minutes in (5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440)
            if due(one, now._replace(at=at(now.at, minutes)))
        )
        pauses.append(minutes)
        now = now._replace(at=at(now.at, minutes))
    assert pauses == [5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440, 1440]
    assert stored(one) == before
    assert due(one, BY._replace(model="another")) == ["cc_1"]


def at(moment: str, minutes: int) -> str:
    later = datetime.fromisoformat(moment) + timedelta(minutes=minutes)
    return later.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_a_failure_leaves_what_was_made_and_ends_with_a_result(one: SqliteSessionStore) -> None:
    saved(one)
    one.extractions.outdate()
    one.extractions.fail(stored(one), "no answer", BY)
    assert (stored(one).label, due(one)) == (MADE.label, [])
    assert due(one, LATER) == ["cc_1"]
    saved(one, MADE, LATER)
    one.extractions.outdate()
    one.extractions.fail(stored(one), "no answer", LATER)
    assert due(one, BY._replace(at="2026-06-01T10:10:00.000Z")) == ["cc_1"]


def test_what_a_model_made_can_be_taken_back(one: SqliteSessionStore) -> None:
    act(one, 1, "add_decision", ("session", "cc_1"), text="added by hand")
    saved(one, MADE, BY, "cc_1", budget("1"))
    assert one.extractions.made() == ["cc_1"]
    one.extractions.discard("cc_1", lambda read: replace(read, label="By rules again", decisions=()))
    found = stored(one)
    assert (found.label, found.decisions, found.extraction) == ("By rules again", ("added by hand",), None)
    assert (one.extractions.made(), due(one), facts(one)) == ([], ["cc_1"], {})
    one.extractions.discard("nobody", lambda read: read)


def test_what_is_forgotten_leaves_no_result(one: SqliteSessionStore, store_path) -> None:
    secret = MADE._replace(summary="the purple submarine", decisions=("buy the purple submarine",), evidence={})
    saved(one, secret, BY, "cc_1", Fact("navy", "has", "a purple submarine", 0, "purple"))
    one.forget(["cc_1"])
    assert b"purple submarine" not in store_path.read_bytes()


# Facts


def facts(store: SqliteSessionStore) -> dict[str, list[str]]:
    rows = store.browsing.fact_rows(RowQuery()).rows
    return {f"{row.subject} {row.predicate}": [row.value, *(older.value for older in row.versions)] for row in rows}


def budget(value: str, **more: str) -> Fact:
    return Fact(
        **({"subject": "pay worker", "predicate": "retry budget", "value": value, "message": 0, "quote": "q"} | more)
    )


def days(store: SqliteSessionStore, *numbers: int) -> None:
    for day in numbers:
        body, turns = join_messages((Message("user", "hi", f"2026-05-{day:02}T08:00:00.000Z"),))
        store.insert_sessions(session(f"day{day}", body=body, turns=turns))


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1), (1, 3, 2)])
def test_a_newer_fact_supersedes_the_older_one_in_whatever_order_they_are_found(
    store: SqliteSessionStore, order: tuple[int, ...]
) -> None:
    days(store, 1, 2, 3)
    for day in order:
        saved(store, MADE, BY, f"day{day}", budget(str(day)))
    assert facts(store) == {"pay worker retry budget": ["3", "2", "1"]}


def test_facts_found_again_replace_those_of_their_session(store: SqliteSessionStore) -> None:
    days(store, 1, 2)
    saved(store, MADE, BY, "day1", budget("1"), budget("eu", predicate="region"))
    saved(store, MADE, BY, "day2", budget("2"))
    saved(store, MADE, BY, "day2", budget("us", predicate="region"))
    assert facts(store) == {"pay worker retry budget": ["1"], "pay worker region": ["us", "eu"]}
    saved(store, MADE, BY, "day2")
    assert facts(store) == {"pay worker retry budget": ["1"], "pay worker region": ["eu"]}
    saved(store, MADE, BY, "day1")
    assert facts(store) == {}


def test_facts_stay_while_their_session_is_looked_at_again(store: SqliteSessionStore) -> None:
    days(store, 1)
    saved(store, MADE, BY, "day1", budget("1"))
    store.insert_sessions(session("day1", text="and more"))
    assert due(store) == ["day1"]
    assert facts(store) == {"pay worker retry budget": ["1"]}


def test_spelling_does_not_make_another_fact(store: SqliteSessionStore) -> None:
    days(store, 1, 2)
    saved(store, MADE, BY, "day1", budget("1"))
    saved(store, MADE, BY, "day2", budget("2", subject="Pay Worker", predicate="Retry Budget"))
    assert facts(store) == {"pay worker retry budget": ["2", "1"]}


def test_facts_of_two_projects_do_not_replace_each_other(store: SqliteSessionStore) -> None:
    store.insert_sessions(session("a"), session("b", project="/home/a/shop"))
    for name in ("a", "b"):
        saved(store, MADE, BY, name, Fact("database", "is", f"db of {name}", 0, "q"))
    assert facts(store) == {"pay: database is": ["db of a"], "shop: database is": ["db of b"]}


def test_the_chain_closes_when_a_session_is_forgotten(store: SqliteSessionStore) -> None:
    days(store, 1, 2, 3)
    for day in (1, 2, 3):
        saved(store, MADE, BY, f"day{day}", budget(str(day)))
    store.forget(["day2"])
    assert facts(store) == {"pay worker retry budget": ["3", "1"]}


def test_hostile_ids_and_texts(store: SqliteSessionStore) -> None:
    store.insert_sessions(session("a'b::\ud800", text="x\ud800\x00y"))
    (found,) = store.list()
    made = MADE._replace(
        label="bad \ud800\x00 label",
        decisions=("d \ud800",),
        evidence={("decision", "d \ud800"): Evidence(0, "\ud800")},
    )
    assert store.extractions.save(found, made, [budget("v\ud800")], BY)
    assert store.list()[0].label == "bad \ufffd\ufffd label"


def test_recall_follows(one: SqliteSessionStore) -> None:
    saved(one)
    (hit,) = RecallService(one, ()).search(parse("capped")).results
    assert (hit.label, hit.decisions) == (MADE.label, (DECIDED,))
