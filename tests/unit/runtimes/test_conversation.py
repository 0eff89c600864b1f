import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlm_tui.core import Message
from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.conversation import (
    MESSAGE_LIMIT,
    TEXT_LIMIT,
    TOOL_LINE,
    TOOL_OUTPUT,
    Conversation,
    beginning,
    epoch_ns,
    image_at,
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
        (1772442010, "2026-03-02T09:00:10.000Z"),
        (1772442010.5, "2026-03-02T09:00:10.500Z"),
        (1772442010123, "2026-03-02T09:00:10.123Z"),
        (1772442010123456, "2026-03-02T09:00:10.123Z"),
        (0, None),
        (12, None),
        (True, None),
        (10**40, None),
        (float("nan"), None),
        (float("inf"), None),
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


def test_past_the_cap_the_middle_is_left_out_with_a_note_and_counts_go_on():
    talk = Conversation(limit=65, tail=30)
    talk.prompt("Keep the beginning.", None)
    for _ in range(5):
        talk.tool_call("Bash", {"command": "ls"}, None)
        talk.tool_result("out", None)
    talk.prompt("more", None)
    talk.answer("We decided.", None)
    transcript = complete(talk)
    assert [(message.role, message.text) for message in transcript.messages] == [
        ("user", "Keep the beginning."),
        ("tool", "Bash  ls"),
        (
            "note",
            "… 36 characters of 7 messages in the middle are left out here; the transcript itself has them",
        ),
        ("tool", "Bash  ls"),
        ("output", "out"),
        ("user", "more"),
        ("assistant", "We decided."),
    ]
    assert (transcript.prompts, transcript.answers, transcript.tool_calls, transcript.tool_results) == (2, 1, 5, 5)


def test_there_is_no_note_where_nothing_is_left_out():
    talk = Conversation(limit=60, tail=30)
    for _ in range(5):
        talk.answer("0123456789", None)
    assert [message.role for message in complete(talk).messages] == ["assistant"] * 5


def test_a_message_that_grows_stays_in_its_place_and_pushes_others_out():
    talk = Conversation(limit=40, tail=20)
    for text in ("first", "second", "third", "fourth", "fifth"):
        talk.answer(text, None)
    talk.rewrite(1, "second, longer")
    texts = [message.text for message in complete(talk).messages]
    assert texts[:2] == ["first", "second, longer"]
    assert texts[2].startswith("… 5 characters of 1 message in the middle are left out here")
    assert texts[3:] == ["fourth", "fifth"]


def test_numbers_of_messages_stay_right_whatever_is_left_out():
    talk = Conversation(limit=40, tail=20)
    for number in range(10):
        talk.prompt(f"prompt {number}", None)
    assert talk.total == 10
    talk.rewrite(5, "left out anyway")
    talk.rewrite(8, "PROMPT 8")
    talk.withdraw(range(1, 9))
    talk.drop_prompts([0, 4], 0)
    transcript = complete(talk)
    assert [(message.text, message.withdrawn) for message in transcript.messages if message.role != "note"] == [
        ("prompt 1", True),
        ("PROMPT 8", True),
        ("prompt 9", False),
    ]
    assert transcript.prompts == 8


WORK = st.sampled_from(["prompt", "answer", "rewrite", "withdraw", "drop"])


@given(st.lists(st.tuples(WORK, st.text("ab \n", max_size=60), st.integers(0, 30)), max_size=60))
def test_a_conversation_keeps_to_its_cap_and_ends_with_its_last_message(steps):
    talk = Conversation(limit=200, tail=100)
    texts: dict[int, str] = {}
    for kind, text, number in steps:
        before = talk.total
        if kind in {"prompt", "answer"}:
            if getattr(talk, kind)(text, None):
                texts[before] = text.strip()
            assert talk.total - before == bool(text.strip())
        elif kind == "rewrite" and number == talk.total - 1 and text.strip():
            talk.rewrite(number, text)
            texts[number] = text.strip()
        elif kind == "withdraw":
            talk.withdraw([number])
        elif kind == "drop" and number in texts:
            talk.drop_prompts([number], 0)
            del texts[number]
    messages = complete(talk).messages
    kept = [message.text for message in messages if message.role != "note"]
    assert len("\n\n".join(kept)) <= 200
    head = next((index for index, message in enumerate(messages) if message.role == "note"), len(kept))
    expected = list(texts.values())
    assert kept[:head] == expected[:head]
    assert kept[head:] == expected[len(expected) - len(kept) + head :]


def test_a_long_conversation_keeps_its_beginning_and_its_end():
    talk = Conversation()
    for number in range(30_000):
        talk.answer(f"{number} " + "x" * 200, None)
    messages = complete(talk).messages
    assert messages[0].text.startswith("0 ")
    assert messages[-1].text.startswith("29999 ")
    assert 1_999_000 < sum(len(message.text) + 2 for message in messages if message.role != "note") <= TEXT_LIMIT
    assert len(talk.messages) < 10_000


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
    prompt, answer = complete(conversation).messages
    assert len(prompt.text) < MESSAGE_LIMIT + 100
    assert prompt.text.endswith(f"{2 * TEXT_LIMIT - MESSAGE_LIMIT:,} more characters of this message are left out here")
    assert answer.text == "Too long."


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1970-01-12T13:46:40.001Z", 10**15 + 10**6),
        (1772442010, 1772442010 * 10**9),
        *((value, 0) for value in ("no time", None, "1969-12-31", "2300-01-01", 2**63)),
    ],
)
def test_times_are_told_in_nanoseconds(value, expected):
    assert epoch_ns(value) == expected


@pytest.mark.parametrize(
    ("address", "mark"),
    [
        ("data:image/png;base64," + "A" * 400, "[image png, 300 B]"),
        ("/home/dana/lamp.png", "[image lamp.png]"),
        ("https://example.org/a/b.jpg", "[image b.jpg]"),
        ("", "[image]"),
    ],
)
def test_an_image_at_an_address_has_a_mark(address, mark):
    assert image_at(address) == mark


def test_a_conversation_behind_another():
    talk = Conversation()
    talk.prompt("one", None, ["[image]"])
    turn = Conversation()
    turn.answer("two", "2026-03-02T09:00:00.000Z")
    turn.tool_call("Bash", {"command": "ls"}, None)
    turn.tool_result("a b", None)
    turn.summary("so far", None)
    turn.use_tokens(3, 4)
    talk.append(turn)

    assert [message.role for message in talk.messages.values()] == ["user", "assistant", "tool", "output", "summary"]
    assert talk.messages[1] == Message("assistant", "two", "2026-03-02T09:00:00.000Z")
    assert (talk.total, talk.prompts, talk.answers, talk.tool_calls, talk.tool_results) == (5, 1, 1, 1, 1)
    assert (talk.images, talk.summaries, talk.input_tokens, talk.output_tokens) == (1, 1, 3, 4)
