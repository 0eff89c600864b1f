"""From a transcript to a session."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import Details, Message, Session
from nlm_tui.extraction.labels import LONGEST_LABEL
from nlm_tui.extraction.summaries import LONGEST_SUMMARY
from nlm_tui.ingest.building import build_session
from nlm_tui.ingest.ports import Source, Transcript

SOURCE = Source(Path("/home/dana/.claude/projects/x/1.jsonl"), 1234, 1_772_442_010_123_456_789)
TRANSCRIPT = Transcript(session_id="cc_1", runtime="claude-code", native_id="0001-abcd", kind="claude", messages=())


def session(*messages: Message, **changes: object) -> Session:
    return build_session(dataclasses.replace(TRANSCRIPT, messages=messages, **changes), SOURCE)


def user(text: str, *, withdrawn: bool = False) -> Message:
    return Message("user", text, withdrawn=withdrawn)


def assistant(text: str, *, withdrawn: bool = False) -> Message:
    return Message("assistant", text, withdrawn=withdrawn)


def test_what_the_transcript_says_is_carried_over():
    messages = (user("Why?"), assistant("Because."))
    found = session(
        *messages,
        title="Reasons",
        project="/home/dana/pay",
        branch="main",
        model="claude-sonnet-4-6",
        parent_id="cc_0",
        is_subagent=True,
        started_at="2026-03-02T09:00:10.000Z",
        ended_at="2026-03-02T10:30:40.000Z",
    )
    assert found == Session(
        id="cc_1",
        runtime="claude-code",
        runtime_session_id="0001-abcd",
        started_at="2026-03-02T09:00:10.000Z",
        ended_at="2026-03-02T10:30:40.000Z",
        duration_min=91,
        label="Reasons",
        summary="Because.",
        body="Why?\n\nBecause.",
        turns=found.turns,
        project="/home/dana/pay",
        branch="main",
        model="claude-sonnet-4-6",
        parent_id="cc_0",
        entities=("pay",),
        transcript_kind="claude",
        transcript_path=str(SOURCE.path),
        transcript_length=1234,
        details=Details(titled=True),
    )
    assert found.messages == messages
    assert found.status == "closed"


def test_without_a_time_it_is_the_time_of_the_file():
    found = session(user("Why?"))
    assert (found.started_at, found.ended_at, found.duration_min) == ("2026-03-02T09:00:10.123Z", None, None)


@pytest.mark.parametrize(
    ("ended_at", "minutes"),
    [
        ("2026-03-02T09:00:00.000Z", 0),
        ("2026-03-02T09:00:59.999Z", 0),
        ("2026-03-02T09:01:29.000Z", 1),
        ("2026-03-02T09:01:30.000Z", 2),
        ("2026-03-03T09:00:00.000Z", 1440),
        ("2026-03-02T08:00:00.000Z", 0),
        ("soon", None),
        ("2026-03-02T09:00:00.000", None),
    ],
)
def test_the_duration_is_in_rounded_minutes(ended_at, minutes):
    assert session(started_at="2026-03-02T09:00:00.000Z", ended_at=ended_at).duration_min == minutes


def test_decisions_questions_and_topics_are_taken_from_what_was_said():
    found = session(
        user("Retries for the worker\n\nUse a budget instead of endless retries."),
        Message("tool", "Decision: none of this is read, redis redis"),
        assistant("Decision: three retries, then RabbitMQ\n\nShould refunds count as well?"),
        project="/home/dana/pay",
    )
    assert found.decisions == ("Use a budget instead of endless retries.", "three retries, then RabbitMQ")
    assert found.open == ("Should refunds count as well?",)
    assert found.entities == ("pay", "RabbitMQ")


def test_what_cannot_be_stored_is_replaced_one_for_one():
    found = session(user("a\x00b \ud800 c"), assistant("d"), project="/x/\ud800", branch="\x00", model="\udfff")
    assert found.body == "a\ufffdb \ufffd c\n\nd"
    assert [message.text for message in found.messages] == ["a\ufffdb \ufffd c", "d"]
    assert (found.project, found.branch, found.model) == ("/x/\ufffd", "\ufffd", "\ufffd")


# The end of a conversation.


def closing(*texts: str) -> tuple[str, ...]:
    roles = ("user", "assistant") * len(texts)
    return session(*(Message(role, text) for role, text in zip(roles, texts, strict=False))).open


def test_a_question_that_nobody_answered_is_open():
    assert closing("hi", "Hello.", "Why is the cart empty after login? See the log.") == (
        "Why is the cart empty after login?",
    )
    assert closing("Why is the cart empty after login?", "It loads late.") == ()
    assert closing("hi", "Hello.", "really now?") == ()


def test_tool_calls_are_no_answer():
    messages = (Message("user", "Why is the cart empty after login?"), Message("tool", "Bash rg cart"))
    assert session(*messages).open == ("Why is the cart empty after login?",)


def test_a_conversation_without_its_middle_has_an_end():
    messages = (Message("note", "cut here"), Message("user", "Why is the cart empty after login?"))
    assert session(*messages).open == ("Why is the cart empty after login?",)


@pytest.mark.parametrize(
    "text",
    [
        "All green. Should the limit also apply to admins?",
        "Should the limit also apply to admins?\n\nLet me know and I will change it.",
        "Two things are unclear:\n\n- Should the limit also apply to admins?\n- Who owns the nightly export?",
        "1. Should the limit also apply to admins? I would say so.\n2. Who owns the nightly export?",
    ],
)
def test_questions_that_close_an_answer_are_open(text):
    found = closing("Add a limit.", text)
    assert found[0] == "Should the limit also apply to admins?"
    assert found[1:] in ((), ("Who owns the nightly export?",))


@pytest.mark.parametrize(
    "text",
    [
        "Done. Would you like me to run the tests as well?",
        "Shall I go on with the second reader then?",
        "Should I also update the documentation of it?",
        "Do you want me to commit these changes now?",
        "Do you want to see the other files as well?",
        "Is there anything else you would like to change?",
        "Anything else that I can do for you today?",
        "Does that look right to you so far?",
        "Is this what you had in mind here?",
        "What would you like to work on next?",
        "What do you think about this approach?",
        "How would you like to proceed with it?",
        "Which approach do you prefer here?",
        "Ready to move on to the next step?",
        "Want me to open a pull request for it?",
        "So, shall we proceed with the plan as it is?",
        "Can you share the log of the failing run?",
        "Soll ich die Tests gleich mit anpassen?",
        "Voulez-vous que je lance les tests aussi ?",
        "¿Quieres que ejecute también las pruebas?",
        "テストも実行しましょうか？",
        "Let me know if the limit should apply to admins.",
        "Why did it fail? The pool was too small. Fixed now.",
    ],
)
def test_closing_courtesy_is_not_open(text):
    assert closing("Add a limit.", text) == ()


def test_ids_are_kept_as_they_are_shown():
    found = session(user("Why?"), session_id="cc_a\x1b[31mb\tc\x07", parent_id="cc_\x1b[0mp\nq", is_subagent=True)
    assert (found.id, found.parent_id) == ("cc_ab c\u2407", "cc_p q")


# Any transcript.

ROLES = st.sampled_from(["user", "assistant", "tool", "command", "summary", "note"])
TEXTS = st.text(st.characters(), max_size=200)
MESSAGES = st.lists(st.builds(Message, ROLES, TEXTS, st.none(), st.booleans()), max_size=8)


@given(MESSAGES, st.none() | TEXTS, st.none() | TEXTS, st.integers(-(2**63), 2**63 - 1))
def test_any_transcript_becomes_a_session(messages, title, project, mtime_ns):
    transcript = dataclasses.replace(TRANSCRIPT, messages=tuple(messages), title=title, project=project)
    source = dataclasses.replace(SOURCE, mtime_ns=mtime_ns)
    found = build_session(transcript, source)
    assert found == build_session(transcript, source)
    assert 0 < len(found.label) <= LONGEST_LABEL
    assert len(found.summary) <= LONGEST_SUMMARY
    for line in (found.label, found.summary, *found.decisions, *found.open, *found.entities):
        assert line == " ".join(line.split())
        line.encode()
    for text in (found.body, found.project or "", found.started_at):
        text.encode()
        assert "\x00" not in text
    assert len(found.messages) == len(messages)
