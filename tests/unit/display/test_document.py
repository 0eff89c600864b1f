"""A session as lines of text."""

import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import a_session

from nlm_tui.core import Evidence, Message, Session, join_messages
from nlm_tui.core.model import ClosedQuestion
from nlm_tui.display.document import Kind, Line, session_lines

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def lines(session: Session, **given: object) -> tuple[Line, ...]:
    return tuple(session_lines(session, **({"home": Path("/home/sam"), "now": NOW, "zone": UTC} | given)))


def texts(session: Session, **given: object) -> list[str]:
    return [line.text for line in lines(session, **given)]


def test_a_session_from_top_to_bottom() -> None:
    body, turns = join_messages(
        (
            Message("user", "Fix it.\nNow.", "2026-05-14T10:32:00.000Z"),
            Message("tool", "Bash  make test"),
            Message("tool", "ok"),
            Message("assistant", "Done.", "2026-05-14T10:40:00.000Z", withdrawn=True),
            Message("note", "cut here"),
        )
    )
    session = a_session(
        label="Fix the retries", summary="Retries are fixed.", body=body, turns=turns, duration_min=48, model="opus",
        project="/home/sam/src/pay", branch="main", decisions=("three retries",), open=("who reads the queue?",),
        entities=("SQS", "pay-worker"),
    )  # fmt: skip
    assert texts(session) == [
        "Fix the retries",
        "claude-code  ~/src/pay  main  14 May 10:32  48 min",
        "opus  cc_1",
        *("", "Summary", "Retries are fixed."),
        *("", "Decisions", "* three retries"),
        *("", "Open", "? who reads the queue?"),
        *("", "Topics", "SQS  pay-worker"),
        *("", "Conversation  5 messages"),
        *("", "You  10:32", "Fix it.", "Now."),
        *("", "  Bash  make test", "  ok"),
        *("", "claude  10:40  (withdrawn)", "Done."),
        *("", "  cut here"),
    ]


def test_markers_say_who_said_them_where_that_is_wanted() -> None:
    body, turns = join_messages((Message("user", "Three.", "2026-05-14T10:32:00.000Z"), Message("assistant", "Why?")))
    session = a_session(
        decisions=("three", "four"), open=("why",), closed=(ClosedQuestion("how", "so"),), body=body, turns=turns,
        evidence={
            ("decision", "three"): Evidence(0, "Three."), ("open", "why"): Evidence(1, "Why?"),
            ("open", "how"): Evidence(0, ""), ("decision", "four"): Evidence(2, ""),
        },
    )  # fmt: skip
    plain = ["* three", "* four", "? why", "x how -> so"]
    said = ["* three (You, 10:32)", "* four", "? why (claude)", "x how -> so (You, 10:32)"]
    for options, expected in (({"sources": True}, said), ({}, plain)):
        assert [line.text for line in lines(session, **options) if line.indent == 2] == expected


def test_what_is_missing_has_no_heading() -> None:
    assert texts(a_session()) == ["A session", "claude-code  14 May 10:32", "cc_1"]


def test_what_a_reader_must_know() -> None:
    session = a_session(parent_id="cc_0", status="superseded", source_gone=True)
    assert texts(session)[3:] == [
        "subagent of cc_0",
        "superseded: a newer session came to other conclusions",
        "its transcript was deleted; this is the memory's copy",
    ]
    assert texts(session, labels={"cc_0": "The whole\nplan"})[3] == "subagent of The whole plan"


def test_marks_hang_out_of_wrapped_text() -> None:
    marked = [line for line in lines(a_session(decisions=("x",), open=("y",))) if line.indent]
    assert [(line.text, line.kind, line.indent) for line in marked] == [("* x", Kind.TEXT, 2), ("? y", Kind.TEXT, 2)]


@given(st.text(st.characters()), st.sampled_from(["user", "assistant", "tool", "command", "summary", "note", "?\x1b"]))
def test_no_line_can_steer_a_terminal(text: str, role: str) -> None:
    body, turns = join_messages((Message(role, text, text), Message("user", text)))
    session = Session(
        id=text, runtime=text, started_at=text, label=text, summary=text, body=body, turns=turns, project=text,
        branch=text, model=text, parent_id=text, entities=(text,), decisions=(text,), open=(text,), status=text,
    )  # fmt: skip
    for line in lines(session, labels={text: text}):
        assert not {unicodedata.category(character) for character in line.text} & {"Cc", "Cs"}, ascii(line.text)


def test_what_users_made_of_a_session() -> None:
    session = a_session(
        status="superseded", pinned=True, hidden=True, note="ask\nSam", decisions=("three retries",),
        open=("who reads it?",), closed=(ClosedQuestion("when?", "on Monday"), ClosedQuestion("why?")),
        superseded_by=("cc_2",), continues=("cc_0", "gone"),
    )  # fmt: skip
    assert texts(session, labels={"cc_2": "A better plan", "cc_0": "The first plan"})[3:] == [
        "pinned  hidden: no list shows it",
        "continues The first plan  cc_0",
        "continues gone",
        "superseded by A better plan  cc_2",
        *("", "Note", "ask", "Sam"),
        *("", "Decisions  superseded", "* three retries"),
        *("", "Open", "? who reads it?", "x when? -> on Monday", "x why?"),
    ]
    (struck,) = [line for line in lines(session) if line.kind is Kind.STRUCK]
    assert struck.text == "* three retries"


def test_blocks_of_code_are_told_from_prose_message_by_message() -> None:
    body, turns = join_messages(
        (
            Message("user", "So:\n```py\nx = 1\n```\nand\n~~~\n```\nopen"),
            Message("tool", "```"),
            Message("user", "prose"),
        )
    )
    kinds = [line.kind for line in lines(a_session(body=body, turns=turns))[5:]]
    assert kinds == [
        *(Kind.TEXT, Kind.PROMPT, Kind.TEXT, Kind.FENCE, Kind.CODE, Kind.FENCE, Kind.TEXT),
        *(Kind.FENCE, Kind.CODE, Kind.CODE),
        *(Kind.TEXT, Kind.TOOL),
        *(Kind.TEXT, Kind.PROMPT, Kind.TEXT),
    ]


def test_lines_know_their_message() -> None:
    body, turns = join_messages((Message("user", "a\nb"), Message("tool", "c"), Message("tool", "d")))
    numbered = [(line.text, line.message) for line in lines(a_session(body=body, turns=turns))[6:]]
    assert numbered == [("You", 0), ("a", 0), ("b", 0), ("", -1), ("  c", 1), ("  d", 2)]


SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


def test_secrets_are_masked_unless_they_are_to_be_seen() -> None:
    body, turns = join_messages((Message("user", f"use {SECRET}"), Message("tool", f"export T={SECRET}")))
    session = a_session(
        label=SECRET, summary=f"with {SECRET}", note=SECRET, body=body, turns=turns, decisions=(SECRET,),
        open=(SECRET,),
        closed=(ClosedQuestion(SECRET, SECRET),),
    )  # fmt: skip
    assert not [text for text in texts(session) if SECRET in text]
    assert sum(text.count(SECRET) for text in texts(session, reveal=True)) == 9


@pytest.mark.parametrize("size", [10, 70_000, 200_000])
def test_long_messages_are_cleaned_piece_by_piece(size: int) -> None:
    text = "\r\n".join(f"row {number} \x1b[31mred\x1b[0m" for number in range(size // 20))
    body, turns = join_messages((Message("user", text), Message("tool", "x" * size)))
    shown = texts(a_session(body=body, turns=turns))
    assert shown[7:-2] == [f"row {number} red" for number in range(size // 20)] or size < 20
    assert shown[-1] == "  " + "x" * size
