"""A conversation of any length reaches the model: all that a person says, in windows that fit."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_extraction import ScriptedChat, a_note, an_answer

from nlm_tui.core import Message
from nlm_tui.extraction.by_model import ModelFailedError, QuestionTooLongError, extract
from nlm_tui.extraction.by_model.prompt import LATER_SCHEMA, SCHEMA
from nlm_tui.extraction.by_model.speakers import Part, spoken_parts
from nlm_tui.extraction.by_model.windows import LEAST_TOKENS, halved, tokens, windows

ROLES = ("user", "assistant", "tool", "command", "summary", "note")
MESSAGES = st.lists(
    st.builds(Message, st.sampled_from(ROLES), st.text(alphabet="ab é語\n`", max_size=3_000)), max_size=25
)


def shown(part: Part) -> int:
    return tokens(part.text) + 8


@given(MESSAGES, st.integers(0, 3_000))
def test_windows_fit_and_leave_out_nothing_that_a_person_says(messages: list[Message], budget: int) -> None:
    parts = spoken_parts(messages)
    found = windows(parts, budget)
    most = max(budget, LEAST_TOKENS)
    assert all(sum(map(shown, window)) <= most for window in found)
    for part in parts:
        if part.speaker == "USER":
            said = "".join(one.text for window in found for one in window if one.number == part.number)
            assert re.sub(r"\s", "", said) == re.sub(r"\s", "", part.text)
    assert {part.number for part in parts if part.speaker != "TOOL"} <= {p.number for w in found for p in w}


@given(MESSAGES)
def test_halves_hold_what_the_whole_holds(messages: list[Message]) -> None:
    for window in windows(spoken_parts(messages), 2_000):
        if halves := halved(window):
            joined = "".join(part.text for half in halves for part in half)
            assert re.sub(r"\s", "", joined) == re.sub(r"\s", "", "".join(part.text for part in window))
            assert all(sum(map(shown, half)) < sum(map(shown, window)) for half in halves)
        else:
            assert sum(map(shown, window)) <= LEAST_TOKENS + 8 * len(window)


def test_what_fits_is_shown_as_it_is() -> None:
    talk = (Message("user", "a" * 300), Message("tool", "b" * 3_000), Message("assistant", "c" * 300))
    assert [[part.text for part in window] for window in windows(spoken_parts(talk), 4_000)] == [
        [message.text for message in talk]
    ]


def test_output_of_tools_is_shortened_first() -> None:
    code = "```\n" + "line\n" * 100 + "```"
    talk = [Message("user", "please " * 40), Message("assistant", f"prose\n{code}\n\n{code}")]
    talk += [Message("tool", f"Bash  ls\n{'x' * 2_000}")] * 30
    (window,) = windows(spoken_parts(talk), 1_000)
    assert window[0].text == talk[0].text.strip()
    assert len([part for part in window if part.speaker == "TOOL"]) == 7
    assert window[-1].text == "(24 more)"
    assert max(len(part.text) for part in window if part.speaker == "TOOL") <= 160
    assert "more lines" in window[1].text
    assert window[1].text.startswith("prose\n```")


def test_a_window_begins_with_what_is_answered_in_it() -> None:
    talk = [
        message
        for number in range(30)
        for message in (Message("user", f"yes {number}"), Message("assistant", f"{'talk ' * 120} shall I do {number}?"))
    ]
    first, second, *_ = windows(spoken_parts(talk), 2_000)
    assert first[-1].speaker == "AGENT"
    assert (second[0].speaker, second[0].number) == ("AGENT", first[-1].number)
    assert second[0].text.endswith(f"shall I do {first[-1].number // 2}?")
    assert second[1].speaker == "USER"


def test_what_was_taken_back_or_inherited_is_not_read() -> None:
    talk = (
        Message("user", "old", inherited=True),
        Message("user", "back", withdrawn=True),
        Message("user", "now"),
    )
    assert [part.text for part in spoken_parts(talk)] == ["now"]
    assert [part.text for part in spoken_parts(talk[:2])] == ["old"]
    assert [part.text for part in spoken_parts(talk[1:2])] == ["back"]


LONG = tuple(
    message
    for number in range(40)
    for message in (
        Message("user", f"Point {number}: use engine{number} for table{number}, please. " + "why " * 150),
        Message("assistant", f"I use engine{number} for table{number}. Is {number} enough?"),
    )
)


def numbers(asked: str) -> list[int]:
    return sorted({int(number) for number in re.findall(r"^\[(\d+) USER\]", asked, re.MULTILINE)})


def test_the_windows_of_a_long_conversation_become_one() -> None:
    def answer(asked: str) -> dict:
        first, *_, last = numbers(asked)
        return an_answer(
            label=f"Engines up to {last}",
            entities=[f"engine{first // 2}"],
            decisions=[a_note(f"Use engine{first // 2} for table{first // 2}", first, f"Point {first // 2}: use")],
            open=[a_note(f"Is {last // 2} enough?", last + 1, f"Is {last // 2} enough?")],
            gone=[],
        )  # fmt: skip

    model = ScriptedChat(answer, context_tokens=6_000)
    meaning, _ = extract(LONG, model)
    assert len(model.asked) > 3
    assert {number for asked in model.asked for number in numbers(asked)} == set(range(0, 80, 2))
    assert len(meaning.decisions) == len(meaning.open) == len(model.asked)
    assert meaning.label == "Engines up to 78"
    assert "engine0" in meaning.entities
    assert model.schemas == [SCHEMA, *[LATER_SCHEMA] * (len(model.asked) - 1)]
    assert "D1: Use engine0 for table0" in model.asked[1]
    assert "Q1: Is " in model.asked[1]
    assert all(tokens(asked) < 6_000 for asked in model.asked)


def test_later_reversals_win_and_answered_questions_drop() -> None:
    def answer(asked: str) -> dict:
        first, *_ = numbers(asked)
        if first == 0:
            decided = [a_note("Use engine0 for table0", 0, "use engine0 for table0")]
            return an_answer(decisions=decided, open=[a_note("Is 0 enough?", 1, "Is 0 enough?")])
        ended = {"msg": first, "quote": f"use engine{first // 2} for table"}
        return an_answer(
            decisions=[a_note(f"Use engine{first // 2} instead for everything", first, ended["quote"])],
            gone=[{"id": "D1", **ended}, {"id": "q1", **ended}, {"id": "D9", **ended}, {"id": 3}, "D1"],
        )

    meaning, _ = extract(LONG[:20], ScriptedChat(answer, context_tokens=4_600))
    assert len(meaning.decisions) == 1
    assert "instead for everything" in meaning.decisions[0]
    assert meaning.open == ()


def test_what_nobody_said_ends_nothing() -> None:
    def answer(asked: str) -> dict:
        if numbers(asked)[0] == 0:
            return an_answer(decisions=[a_note("Use engine0 for table0", 0, "use engine0 for table0")])
        return an_answer(gone=[{"id": "D1", "msg": 20, "quote": "forget about everything before"}])

    meaning, _ = extract(LONG[:20], ScriptedChat(answer, context_tokens=4_600))
    assert meaning.decisions == ("Use engine0 for table0",)


def test_a_window_that_is_too_long_for_the_model_is_halved() -> None:
    def answer(asked: str) -> dict | Exception:
        if len(numbers(asked)) > 4:
            return QuestionTooLongError("8000 tokens")
        first = numbers(asked)[0]
        return an_answer(decisions=[a_note(f"Use engine{first // 2}", first, f"use engine{first // 2} for table")])

    meaning, _ = extract(LONG[:24], ScriptedChat(answer))
    assert len(meaning.decisions) == 4


def test_a_model_that_takes_nothing_fails_soon() -> None:
    model = ScriptedChat([QuestionTooLongError("400 tokens")])
    with pytest.raises(ModelFailedError, match="takes too little text: 400 tokens"):
        extract(LONG, model)
    assert len(model.asked) < 12
