"""A model looks at a memory, session by session: what it makes is kept at once, and what fails is tried again later."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from scripted_extraction import ScriptedChat, an_answer
from support import a_session

from nlm_tui.core import Message, StoreError, join_messages
from nlm_tui.extraction.by_model import PROMPT_VERSION, ModelFailedError, ModelUnavailableError
from nlm_tui.ingest.extracting import Wanted, extract_due
from nlm_tui.ingest.report import ExtractionProgress, ExtractionReport
from nlm_tui.storage import SqliteSessionStore

ALL = Wanted()
NOW = datetime(2026, 6, 1, 10, 0, tzinfo=UTC)


def talks(store: SqliteSessionStore, *names: str, **fields: Any) -> None:
    """Store sessions, the first one the newest; what they say is in their names."""
    for place, name in enumerate(names):
        body, turns = join_messages((Message("user", f"we take {name} for the queue " * (place + 1)),))
        started = f"2026-05-{28 - place:02}T08:00:00.000Z"
        store.insert_sessions(a_session(name, **({"body": body, "turns": turns, "started_at": started} | fields)))


def label(asked: str) -> dict[str, Any]:
    name = asked.partition("we take ")[2].partition(" ")[0]
    note = {"text": f"Take {name} for the queue", "msg": 0, "quote": f"we take {name} for the queue"}
    fact = {"subject": "queue", "predicate": "is", "value": name, "msg": 0, "quote": f"we take {name}"}
    return an_answer(label=f"Take {name} for the queue", decisions=[note], facts=[fact])


def labels(store: SqliteSessionStore) -> list[str]:
    return [session.label for session in store.list()]


def run(store: SqliteSessionStore, model: ScriptedChat, wanted: Wanted = ALL, **more: Any) -> ExtractionReport:
    return extract_due(store, model, wanted, **({"now": lambda: NOW, "clock": lambda: 0.0} | more))


def test_all_are_looked_at_newest_first(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka", "redis")
    told: list[ExtractionProgress] = []
    ticks = iter(range(100))
    report = run(store, ScriptedChat(label), on_progress=told.append, clock=lambda: float(next(ticks)))
    assert (report.extracted, report.failed, report.waiting, report.problems) == (3, 0, 0, [])
    assert labels(store) == ["Take nats for the queue", "Take kafka for the queue", "Take redis for the queue"]
    assert [(one.done, one.total) for one in told] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert told[0].seconds_left is None
    assert told[1].seconds_left
    assert told[-1].seconds_left == 0
    by = store.list()[0].extraction
    assert by == ("scripted", "model", PROMPT_VERSION, "2026-06-01T10:00:00.000Z")


def test_what_is_done_is_not_done_again(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka")
    model = ScriptedChat(label)
    run(store, model)
    assert run(store, model).extracted == 0
    assert len(model.asked) == 2
    talks(store, "kafka", "redis")  # kafka says more now
    assert run(store, model).extracted == 2


def test_a_run_that_is_cancelled_keeps_what_is_done(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka", "redis")

    def until(asked: str) -> dict[str, Any]:
        if "kafka" in asked:
            raise KeyboardInterrupt
        return label(asked)

    report = run(store, ScriptedChat(until))
    assert (report.extracted, report.interrupted) == (1, True)
    assert labels(store) == ["Take nats for the queue", "A session", "A session"]
    assert run(store, ScriptedChat(label)).extracted == 2


def test_a_failure_keeps_what_is_there_and_is_tried_again_later(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka", "redis", label="By rules")

    def fails(asked: str) -> dict[str, Any] | str:
        return "no JSON" if "kafka" in asked else label(asked)

    report = run(store, ScriptedChat(fails))
    assert (report.extracted, report.failed, report.waiting) == (2, 1, 1)
    assert report.problems == ["kafka: the answer of the model cannot be used: it was no complete JSON object"]
    assert labels(store)[1] == "By rules"
    model = ScriptedChat(label)
    again = run(store, model)
    assert (again.extracted, again.waiting, again.problems, model.asked) == (0, 1, [], [])
    assert run(store, model, now=lambda: NOW + timedelta(minutes=5)).extracted == 1
    assert labels(store)[1] == "Take kafka for the queue"


def test_a_named_session_does_not_wait(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka")
    run(store, ScriptedChat(lambda _: "no JSON"))
    report = run(store, ScriptedChat(label), Wanted(session_id="kafka"))
    assert report.extracted == 1
    assert labels(store) == ["A session", "Take kafka for the queue"]


def test_a_model_that_always_fails_is_left(store: SqliteSessionStore) -> None:
    talks(store, "a", "b", "c", "d", "e")
    model = ScriptedChat(ModelFailedError("out of memory"))
    report = run(store, model)
    assert (report.failed, report.waiting, len(model.asked)) == (3, 3, 3)
    assert report.problems[-1] == "model failed 3 times in a row: left for now"
    assert run(store, ScriptedChat(label)).extracted == 2


def test_a_model_that_is_away_fails_nothing(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka")
    report = run(store, ScriptedChat(label, away="Ollama is not running"))
    assert (report.extracted, report.failed, report.waiting, report.problems) == (0, 0, 0, ["Ollama is not running"])

    def goes(asked: str) -> dict[str, Any]:
        if "kafka" in asked:
            raise ModelUnavailableError("gone")
        return label(asked)

    report = run(store, ScriptedChat(goes))
    assert (report.extracted, report.failed, report.waiting, report.problems) == (1, 0, 0, ["gone"])


def test_where_there_is_nothing_to_do_nobody_is_asked(store: SqliteSessionStore) -> None:
    assert run(store, ScriptedChat(label, away="not running")) == ExtractionReport()


def test_a_fault_of_ours_stops_nothing_else(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka")

    def breaks(asked: str) -> dict[str, Any]:
        if "nats" in asked:
            raise ZeroDivisionError
        return label(asked)

    report = run(store, ScriptedChat(breaks))
    assert (report.extracted, report.failed) == (1, 1)
    assert report.problems == ["nats: internal error (ZeroDivisionError)"]


def test_a_store_that_fails_ends_it(store: SqliteSessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    talks(store, "nats")

    def save(*_: object) -> bool:
        raise StoreError("the disk is full")

    monkeypatch.setattr(store.extractions, "save", save)
    with pytest.raises(StoreError, match="the disk is full"):
        run(store, ScriptedChat(label))


def test_a_limit_and_doing_it_again(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka", "redis")
    model = ScriptedChat(label)
    assert run(store, model, Wanted(limit=2)).extracted == 2
    assert run(store, model, Wanted(session_id="nats")).extracted == 0
    assert run(store, model, Wanted(session_id="nats", redo=True)).extracted == 1
    assert run(store, model, Wanted(redo=True, limit=1)).extracted == 1
    assert run(store, model).extracted == 2  # goes on where the limit was


def test_who_is_still_talking_is_left_alone(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka")
    talks(store, "redis", ended_at="2026-06-01T09:51:00.000Z")
    assert run(store, ScriptedChat(label), Wanted(rested=True)).extracted == 2
    later = NOW + timedelta(minutes=2)
    assert run(store, ScriptedChat(label), Wanted(rested=True), now=lambda: later).extracted == 1


def test_a_session_that_changes_meanwhile_stays_due(store: SqliteSessionStore) -> None:
    talks(store, "nats")

    def meanwhile(asked: str) -> dict[str, Any]:
        talks(store, "nats", body="", turns=())
        talks(
            store, "nats", label="By rules", started_at="2026-05-29T00:00:00.000Z", ended_at="2026-05-29T01:00:00.000Z"
        )
        body, turns = join_messages((Message("user", "something else"),))
        store.insert_sessions(a_session("nats", body=body, turns=turns, label="By rules"))
        return label(asked)

    assert run(store, ScriptedChat(meanwhile)).extracted == 0
    assert labels(store) == ["By rules"]
    assert run(store, ScriptedChat(lambda _: json.dumps(an_answer(label="something else")))).extracted == 1


def test_a_session_that_is_forgotten_meanwhile(store: SqliteSessionStore) -> None:
    talks(store, "nats", "kafka")

    def forgets(asked: str) -> dict[str, Any]:
        store.forget(["nats", "kafka"])
        return label(asked)

    report = run(store, ScriptedChat(forgets))
    assert (report.extracted, report.failed, store.count()) == (0, 0, 0)
