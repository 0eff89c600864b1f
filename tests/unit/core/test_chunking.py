"""Which passages of a session are embedded."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from support import a_session

from nlm_tui.core import ALL_CHUNKS, Message, Session, chunks, field_text, join_messages

ROLES = st.sampled_from(["user", "assistant", "tool", "command"])
TEXT = st.text(st.sampled_from("ab \n.?検é\U0001f680"), max_size=80)


def conversation(*messages: tuple[str, str], **fields: object) -> Session:
    body, turns = join_messages(tuple(Message(role, text) for role, text in messages))
    return a_session(body=body, turns=turns, **fields)


SESSIONS = st.builds(
    lambda messages, turned, label, summary, decisions, opened: (
        conversation(*messages, label=label, summary=summary, decisions=tuple(decisions), open=tuple(opened))
        if turned
        else a_session(body="\n".join(text for _, text in messages), label=label, summary=summary)
    ),
    st.lists(st.tuples(ROLES, TEXT), max_size=12),
    st.booleans(),
    TEXT,
    TEXT,
    st.lists(TEXT, max_size=4),
    st.lists(TEXT, max_size=2),
)


@given(SESSIONS, st.integers(1, 60), st.sampled_from([1, 2, 5, 16, ALL_CHUNKS]))
def test_passages_are_parts_of_their_fields(session: Session, characters: int, most: int) -> None:
    found = chunks(session, characters, most)
    assert len(found) <= most
    assert found == chunks(session, characters, most)
    for (field, start, end), text in found:
        whole = field_text(session, field)
        assert 0 <= start < end <= len(whole)
        assert 0 < len(text) <= characters
        assert text.strip()
        assert "".join(text.split()) in "".join(whole[start:end].split()) or field == "conversation"
    assert len({place for place, _ in found}) == len(found)


@given(SESSIONS, st.integers(1, 60))
def test_all_passages_hold_all_text(session: Session, characters: int) -> None:
    found = chunks(session, characters, ALL_CHUNKS)
    for field in ("head", "decisions", "open", "conversation"):
        held = "".join(text for place, text in found if place.field == field)
        assert "".join(held.split()) == "".join(field_text(session, field).split())


@given(SESSIONS, st.integers(1, 60), st.integers(1, 16))
def test_fewer_are_the_first_of_more(session: Session, characters: int, most: int) -> None:
    more = {chunk.digest for chunk in chunks(session, characters, most + 1)}
    assert {chunk.digest for chunk in chunks(session, characters, most)} <= more


def test_label_and_summary_come_first_then_markers() -> None:
    session = conversation(
        ("user", "why is the cache stale?"),
        label="Stale cache",
        summary="Found it.",
        decisions=("evict",),
        open=("ttl",),
    )
    assert [text for _, text in chunks(session, 100)] == [
        "Stale cache\nFound it.",
        "evict",
        "ttl",
        "why is the cache stale?",
    ]
    assert [text for _, text in chunks(session, 100, 2)] == ["Stale cache\nFound it.", "evict"]


def test_prompts_and_last_answers_count_and_tools_do_not() -> None:
    session = conversation(
        ("user", "first question"),
        ("assistant", "let me look"),
        ("tool", "cat secrets.py"),
        ("assistant", "it is the lock"),
        ("user", "second question"),
        ("assistant", "done"),
        label="",
    )
    texts = [text for _, text in chunks(session, 1000)]
    assert texts == ["first question\nit is the lock\nsecond question\ndone"]
    assert "cat secrets.py" in chunks(session, 1000, ALL_CHUNKS)[-1].text


def test_of_a_long_message_beginning_and_end_count() -> None:
    session = conversation(("user", "start " + "middle " * 100 + "end"), label="")
    first, last = (text for _, text in chunks(session, 100))
    assert first.startswith("start")
    assert last.endswith("end")


def test_few_passages_of_many_come_from_all_parts() -> None:
    session = conversation(*(("user", f"question number {number:03} about it") for number in range(100)), label="")
    numbers = [int(text.split()[2]) for _, text in chunks(session, 40, 5)]
    assert (numbers[0], numbers[-1], len(numbers)) == (0, 99, 5)
    assert all(15 <= later - earlier <= 35 for earlier, later in pairwise(numbers))


def test_withdrawn_turns_do_not_count() -> None:
    body, turns = join_messages((Message("user", "no", withdrawn=True), Message("user", "yes")))
    assert [text for _, text in chunks(a_session(label="", body=body, turns=turns), 100)] == ["yes"]
