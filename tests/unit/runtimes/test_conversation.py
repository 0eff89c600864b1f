import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.conversation import (
    MESSAGE_LIMIT,
    TEXT_LIMIT,
    TOOL_LINE,
    TOOL_OUTPUT,
    Conversation,
    beginning,
    image_mark,
    tool_line,
    utc_time,
)


def complete(talk):
    return talk.complete(Transcript(session_id="s", runtime="r", native_id="n", kind="k", messages=()))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-02T09:00:10.000Z", "2026-03-02T09:00:10.000Z"),
        ("2026-03-02T09:00:10Z", "2026-03-02T09:00:10.000Z"),
        ("2026-03-02T18:00:05+09:00", "2026-03-02T09:00:05.000Z"),
        ("2026-03-02T04:30:30.123456-05:00", "2026-03-02T09:30:30.123Z"),
        ("2026-03-02T09:00:10.123456789Z", "2026-03-02T09:00:10.123Z"),
        ("2026-03-02T09:00:10", "2026-03-02T09:00:10.000Z"),
        ("2026-W10-1T09:00:10.000Z", "2026-03-02T09:00:10.000Z"),
        ("2026-13-02T09:00:10.000Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("not a date", None),
        ("", None),
        (None, None),
        (1772442010, None),
    ],
)
def test_times_are_utc_in_milliseconds(value, expected):
    assert utc_time(value) == expected


@settings(deadline=None)
@given(st.text() | st.datetimes().map(lambda time: time.isoformat()))
def test_no_text_breaks_a_time(value):
    assert utc_time(value) is None or len(utc_time(value)) == len("2026-03-02T09:00:10.000Z")


def test_a_conversation_spans_the_smallest_and_largest_time():
    talk = Conversation()
    for time in ("2026-03-02T09:00:10Z", "2026-03-02T08:00:00Z", "bad", "2026-03-02T10:00:00Z", None):
        talk.see_time(time)
    transcript = complete(talk)
    assert (transcript.started_at, transcript.ended_at) == ("2026-03-02T08:00:00.000Z", "2026-03-02T10:00:00.000Z")


def test_past_the_cap_a_note_tells_what_is_left_out_and_counts_go_on():
    talk = Conversation(limit=10)
    talk.prompt("12345", None)
    talk.answer("1234567", None)
    talk.prompt("more", None)
    talk.tool_call("Bash", {"command": "ls"}, None)
    talk.tool_result("out", None)
    transcript = complete(talk)
    assert [(message.role, message.text) for message in transcript.messages[:-1]] == [
        ("user", "12345"),
        ("assistant", "123"),
    ]
    note = transcript.messages[-1]
    assert (note.role, note.text) == ("note", "… 19 more characters are left out here; the transcript itself has them")
    assert (transcript.prompts, transcript.answers, transcript.tool_calls, transcript.tool_results) == (2, 1, 1, 1)


def test_a_message_that_grows_keeps_to_the_cap():
    talk = Conversation(limit=10)
    talk.answer("1234", None)
    talk.rewrite(0, "12345678", 4)
    talk.rewrite(0, "1234567890", 2)
    transcript = complete(talk)
    assert transcript.messages[0].text == "12345678"
    assert transcript.messages[1].text.startswith("… 2 more")
    assert transcript.answers == 1


def test_blank_messages_are_none():
    talk = Conversation()
    assert not talk.prompt(" \n", None)
    assert not talk.answer("\x1b[0m", None)
    talk.tool_result("", None)
    assert complete(talk).messages == ()


def test_dropped_prompts_take_their_images_along():
    talk = Conversation()
    talk.prompt("one", None, ["[image png]"])
    talk.prompt("two", None)
    talk.drop_prompts([0], 1)
    transcript = complete(talk)
    assert [message.text for message in transcript.messages] == ["two"]
    assert (transcript.prompts, transcript.images) == (1, 0)


def test_text_is_harmless_and_valid():
    talk = Conversation()
    talk.prompt("\x1b[31mred\x1b[0m \ud83d\r\nnext\x07", None)
    assert complete(talk).messages[0].text == "red \ufffd\nnext\u2407"


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("Bash", {"description": "Run the tests", "command": "pytest -q"}, "Bash  pytest -q"),
        ("Edit", {"file_path": "src/a.py", "old_string": "a"}, "Edit  src/a.py"),
        ("Grep", {"pattern": "a\n b", "path": ""}, "Grep  a b"),
        ("shell", {"command": ["bash", "-lc", "ls | wc"]}, "shell  ls | wc"),
        ("shell", {"command": ["ls", "-l"]}, "shell  ls -l"),
        ("mcp__x-y", {"n": 1, "title": "Hello"}, "mcp__x-y  Hello"),
        ("TodoWrite", {"todos": []}, "TodoWrite"),
        ("two\nlines", None, "two lines"),
    ],
)
def test_a_tool_call_is_one_line(name, arguments, line):
    assert tool_line(name, arguments) == line


def test_a_long_tool_call_is_cut():
    line = tool_line("Bash", {"command": "x" * 1000})
    assert len(line) == TOOL_LINE
    assert line.endswith("…")


def test_the_beginning_of_an_output():
    assert beginning("short\n") == "short"
    text = "".join(f"line {number}\n" for number in range(500))
    shown = beginning(text)
    assert shown.endswith("line 37\n… 462 more lines")
    assert len(shown) < TOOL_OUTPUT + 20
    assert beginning("x" * 1300) == "x" * 300 + "\n… 1,000 more characters"
    assert beginning("x" * 1300 + "\ny").endswith("x\n… 1 more line")


@pytest.mark.parametrize(
    ("media_type", "length", "mark"),
    [
        ("image/png", 16_000, "[image png, 12 kB]"),
        ("image/jpeg", 92, "[image jpeg, 69 B]"),
        ("image/png", 5_300_000, "[image png, 4.0 MB]"),
        ("", 92, "[image 69 B]"),
        ("shot.png", 0, "[image shot.png]"),
        ("", 0, "[image]"),
    ],
)
def test_an_image_is_a_mark(media_type, length, mark):
    assert image_mark(media_type, length) == mark


def test_a_huge_message_leaves_room_for_its_answer() -> None:
    conversation = Conversation()
    conversation.prompt("漢" * (2 * TEXT_LIMIT), None)
    conversation.answer("Too long.", None)
    prompt, answer = conversation.messages
    assert len(prompt.text) < MESSAGE_LIMIT + 100
    assert prompt.text.endswith(f"{2 * TEXT_LIMIT - MESSAGE_LIMIT:,} more characters of this message are left out here")
    assert answer.text == "Too long."
