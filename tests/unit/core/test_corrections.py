from collections.abc import Sequence
from dataclasses import replace

import pytest
from support import a_session

from nlm_tui.core import Evidence, Session
from nlm_tui.core.actions import Action, ActionKind, SubjectType, marker_id, standing
from nlm_tui.core.corrections import HeldMarker, Original, called, corrected, held_markers, topic_names
from nlm_tui.core.model import ClosedQuestion

SESSION = a_session(
    "cc_1",
    label="Retry budget",
    decisions=("three retries", "use a queue"),
    open=("who reads the queue", "what about EU"),
    entities=("SQS", "pay"),
    evidence={
        ("decision", "three retries"): Evidence(3, "Three retries, then stop."),
        ("open", "who reads the queue"): Evidence(4, "Who reads the queue?"),
    },
)


class Log:
    """A log that is written line by line."""

    def __init__(self) -> None:
        self.actions: list[Action] = []

    def add(self, kind: ActionKind, subject_type: SubjectType, subject_id: str, **payload: str) -> str:
        action_id = f"act_{len(self.actions):03}"
        self.actions.append(Action(action_id, "2026-05-01T10:00:00.000Z", kind, subject_type, subject_id, payload))
        return action_id

    def session(self, kind: ActionKind, **payload: str) -> str:
        return self.add(kind, "session", "cc_1", **payload)

    def decision(self, kind: ActionKind, text: str, **payload: str) -> str:
        return self.add(kind, "decision", marker_id("decision", "cc_1", text), **payload)

    def question(self, kind: ActionKind, text: str, **payload: str) -> str:
        return self.add(kind, "open_question", marker_id("open", "cc_1", text), **payload)

    def undo(self, action_id: str) -> str:
        return self.add("undo", "action", action_id)

    def on(self, session: Session = SESSION) -> Session:
        return corrected(session, standing(self.actions)).session


@pytest.fixture
def log() -> Log:
    return Log()


def test_nothing_changes_without_actions(log: Log) -> None:
    assert log.on() == SESSION


def test_the_last_title_and_note_count(log: Log) -> None:
    log.session("retitle", to="First")
    last = log.session("retitle", to="Second")
    log.session("note", text="read this")
    log.session("note", text="read that")
    assert (log.on().label, log.on().note) == ("Second", "read that")
    log.undo(last)
    log.session("note", text="")
    assert (log.on().label, log.on().note) == ("First", "")


def test_an_undo_cannot_be_undone(log: Log) -> None:
    log.undo(log.undo(log.session("hide")))
    assert not log.on().hidden


def test_hidden_and_pinned_hold_as_long_as_any_action_stands(log: Log) -> None:
    log.session("pin")
    first, second = log.session("hide"), log.session("hide")
    log.undo(first)
    assert (log.on().hidden, log.on().pinned) == (True, True)
    log.undo(second)
    assert not log.on().hidden


def test_a_superseded_session_names_its_successors(log: Log) -> None:
    log.session("supersede", by="cc_1")
    assert log.on().status == "closed"
    log.session("supersede", by="cc_9")
    log.session("supersede", by="cc_2")
    assert (log.on().status, log.on().superseded_by) == ("superseded", ("cc_2", "cc_9"))
    assert corrected(SESSION, log.actions).links == (("cc_2", "supersedes"), ("cc_9", "supersedes"))


def test_the_newer_session_continues_the_older_one(log: Log) -> None:
    log.add("continue", "session", "cc_0", by="cc_1")
    log.session("continue", by="cc_2")
    assert log.on().continues == ("cc_0",)
    assert corrected(SESSION, log.actions).links == (("cc_2", "continues"),)


def test_markers_are_revised_dismissed_added(log: Log) -> None:
    log.decision("revise_decision", "three retries", to="five retries", original_text="three retries")
    log.decision("dismiss_decision", "use a queue")
    log.question("dismiss_open", "what about EU")
    log.session("add_decision", text="no queue")
    log.session("add_open", text="and then")
    assert log.on().decisions == ("five retries", "no queue")
    assert log.on().open == ("who reads the queue", "and then")


def test_a_question_is_closed_for_good_or_by_a_decision(log: Log) -> None:
    log.question("resolve_open", "what about EU")
    promoted = log.question(
        "promote_open", "who reads the queue", resolution="the on-call", original_text="who reads the queue"
    )
    assert log.on().open == ()
    assert log.on().closed == (ClosedQuestion("who reads the queue", "the on-call"), ClosedQuestion("what about EU"))
    assert log.on().decisions == (*SESSION.decisions, "the on-call")
    log.undo(promoted)
    assert log.on().open == ("who reads the queue",)
    assert log.on().decisions == SESSION.decisions


def test_what_was_added_or_promoted_is_named_by_the_text_that_brought_it_in(log: Log) -> None:
    log.session("add_decision", text="a")
    log.decision("revise_decision", "a", to="b", original_text="a")
    log.decision("revise_decision", "a", to="c", original_text="a")
    log.question("promote_open", "what about EU", resolution="later", original_text="what about EU")
    log.decision("revise_decision", "later", to="never", original_text="later")
    log.session("add_open", text="q")
    log.question("resolve_open", "q")
    assert log.on().decisions == (*SESSION.decisions, "c", "never")
    assert log.on().closed == (ClosedQuestion("what about EU", "later"), ClosedQuestion("q"))


def test_what_a_user_wrote_outlives_the_marker_that_it_was_about(log: Log) -> None:
    log.decision("revise_decision", "three retries", to="five retries", original_text="three retries")
    log.question("promote_open", "what about EU", resolution="later", original_text="what about EU")
    log.question("resolve_open", "who reads the queue")
    read_again = a_session("cc_1", decisions=("use a queue",))
    assert log.on(read_again).decisions == ("use a queue", "five retries", "later")
    assert log.on(read_again).closed == (ClosedQuestion("what about EU", "later"),)
    read_alike = a_session("cc_1", decisions=("later", "five retries"))
    assert log.on(read_alike).decisions == ("later", "five retries")
    log.decision("dismiss_decision", "three retries")
    assert log.on(read_again).decisions == ("use a queue", "later")


def test_actions_on_other_sessions_have_no_effect_on_markers_that_read_alike(log: Log) -> None:
    twice = a_session("cc_1", decisions=("use a queue", "use a queue"))
    log.add("add_decision", "session", "cc_2", text="x")
    log.add("dismiss_decision", "decision", marker_id("decision", "cc_1::2", "use a queue"))
    assert corrected(twice, standing(log.actions)).session == twice


def test_actions_on_other_sessions_have_no_effect(log: Log) -> None:
    log.add("hide", "session", "cc_2")
    log.add("revise_decision", "decision", marker_id("decision", "cc_2", "x"), to="y", original_text="x")
    log.add("add_decision", "session", "cc_2", text="x")
    assert log.on() == SESSION


@pytest.mark.parametrize(
    ("actions", "names"),
    [
        ([("rename_entity", "a", "b")], {"a": "b"}),
        ([("rename_entity", "a", ""), ("rename_entity", "a", "a"), ("rename_entity", "a", " ")], {}),
        ([("rename_entity", "a", "b"), ("merge_entity", "b", "c")], {"a": "c", "b": "c"}),
        ([("rename_entity", "a", "b"), ("rename_entity", "b", "a")], {"a": "a", "b": "a"}),
        (
            [("merge_entity", "a", "b"), ("merge_entity", "b", "c"), ("merge_entity", "c", "a")],
            dict.fromkeys("abc", "a"),
        ),
        ([("rename_entity", "a", "b"), ("rename_entity", "a", "c")], {"a": "c"}),  # as nlm-memory says it
        ([("retire_entity", "a", "")], {"a": None}),
        ([("rename_entity", "a", "b"), ("retire_entity", "b", "")], {"a": None, "b": None}),
        ([("rename_entity", "a", "b"), ("rename_entity", "c", "a"), ("rename_entity", "a", "d")], {"a": "b", "c": "d"}),
        ([("rename_entity", "redis", "Redis")], {"redis": "Redis"}),
    ],
)
def test_topics_are_called_what_the_last_action_says(
    log: Log, actions: Sequence[tuple[ActionKind, str, str]], names: dict[str, str | None]
) -> None:
    for kind, name, new in actions:
        log.add(kind, "entity", name, **({"into" if kind == "merge_entity" else "to": new} if new else {}))
    assert topic_names(log.actions) == names


def test_a_session_has_each_topic_once_by_its_new_name(log: Log) -> None:
    assert called(("a", "b", "c", "d"), {"a": "b", "c": None}) == ("b", "d")
    log.add("rename_entity", "entity", "SQS", to="Queue")
    assert log.on().entities == ("Queue", "pay")


def test_what_was_read_is_put_back(log: Log) -> None:
    log.session("retitle", to="Other")
    log.session("add_open", text="q")
    log.session("supersede", by="cc_2")
    log.add("retire_entity", "entity", "SQS")
    original = Original.of(SESSION)
    assert Original.of(original.put_into(log.on())) == original


def test_a_marker_that_is_edited_keeps_its_evidence(log: Log) -> None:
    log.decision("revise_decision", "three retries", to="five retries", original_text="three retries")
    log.question("promote_open", "who reads the queue", resolution="on-call", original_text="who reads the queue")
    log.session("add_decision", text="no queue")
    assert log.on().evidence == {
        ("decision", "five retries"): Evidence(3, "Three retries, then stop."),
        ("open", "who reads the queue"): Evidence(4, "Who reads the queue?"),
    }


def test_what_is_dismissed_takes_its_evidence_along_and_back(log: Log) -> None:
    dismissed = log.decision("dismiss_decision", "three retries")
    assert log.on().evidence == {("open", "who reads the queue"): Evidence(4, "Who reads the queue?")}
    log.undo(dismissed)
    assert log.on() == SESSION


def test_what_was_added_has_evidence_once_it_is_read(log: Log) -> None:
    log.session("add_decision", text="three retries")
    assert log.on(replace(SESSION, decisions=(), evidence={})).evidence == {}
    assert log.on().evidence == SESSION.evidence


def test_what_a_session_holds_in_the_order_in_which_it_is_shown(log: Log) -> None:
    log.decision("dismiss_decision", "use a queue")
    log.question("resolve_open", "what about EU")
    log.question("promote_open", "who reads the queue", resolution="on-call", original_text="who reads the queue")
    log.session("add_open", text="and then")
    assert list(held_markers(log.on())) == [
        HeldMarker("decision", "three retries", evidence=Evidence(3, "Three retries, then stop.")),
        HeldMarker("decision", "on-call"),
        HeldMarker("open", "and then"),
        HeldMarker("open", "who reads the queue", "promoted", "on-call", Evidence(4, "Who reads the queue?")),
        HeldMarker("open", "what about EU", "resolved"),
    ]
