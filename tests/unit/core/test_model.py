"""Sessions and their messages."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import a_session

from nlm_tui.core import Message, Session, join_messages

MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "tool", "note"]),
    text=st.text(st.characters()),
    at=st.none() | st.just("2026-05-14T10:32:00.000Z"),
    withdrawn=st.booleans(),
)


def test_four_fields_make_a_session() -> None:
    session = Session(id="cc_1", runtime="claude-code", started_at="2026-05-14T10:32:00Z", label="x")
    assert session.status == "closed"
    assert session.entities == session.decisions == session.open == session.messages == ()
    with pytest.raises(TypeError):
        Session(id="cc_1", runtime="claude-code", started_at="2026-05-14T10:32:00Z")  # type: ignore[call-arg]


def test_a_session_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        a_session().label = "other"  # type: ignore[misc]


@given(st.lists(MESSAGES))
def test_messages_come_back_out_of_the_body(messages: list[Message]) -> None:
    body, turns = join_messages(tuple(messages))
    assert body == "\n\n".join(message.text for message in messages)
    if messages:
        assert a_session(body=body, turns=turns).messages == tuple(messages)


def test_a_body_without_turns_is_one_message() -> None:
    assert a_session(body="so it was").messages == (Message("transcript", "so it was"),)
