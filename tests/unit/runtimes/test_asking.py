"""Plans, tasks and questions that a tool shows, and the answers to them."""

import pytest

from nlm_tui.runtimes.asking import SHOWN_LIMIT, is_users_answer, shown_to_user
from nlm_tui.runtimes.conversation import Conversation


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"plan": "# Plan\n1. Use SQLite\n"}, "# Plan\n1. Use SQLite\n"),
        (
            {"todos": [{"content": "Write tests", "status": "pending"}, {"content": "Read", "status": "completed"}]},
            "- [ ] Write tests\n- [x] Read",
        ),
        ({"plan": [{"step": "Read", "status": "completed"}], "explanation": "why"}, "- [x] Read"),
        (
            {
                "questions": [
                    {"question": "Which\nstore?", "options": [{"label": "SQLite", "description": "one file"}, "None"]},
                    {"question": "When?"},
                ]
            },
            "Which store?\n- SQLite: one file\n- None\n\nWhen?",
        ),
        ({"question": "Which store?", "options": ["SQLite", "Postgres"]}, "Which store?\n- SQLite\n- Postgres"),
        ({"command": "ls"}, ""),
        ({"todos": "none", "plan": 3, "questions": [None, {"question": ""}]}, ""),
        ({"items": [{"title": "a thing on sale"}]}, ""),
        ("text", ""),
        (None, ""),
    ],
)
def test_what_is_shown(arguments: object, shown: str) -> None:
    assert shown_to_user(arguments) == shown


def test_it_has_an_end() -> None:
    assert len(shown_to_user({"plan": "x" * 10 * SHOWN_LIMIT})) == SHOWN_LIMIT
    tasks = [{"content": "x" * 1000, "status": "pending"}] * 1000
    assert len(shown_to_user({"todos": tasks})) == SHOWN_LIMIT


def test_an_answer_is_kept_whole() -> None:
    said = Conversation()
    answer = 'User has answered your questions: "Which store?"="SQLite' + ", and nothing else" * 100 + '".'
    said.tool_call("AskUserQuestion", {"questions": [{"question": "Which store?"}]}, None)
    said.tool_result(answer, None)
    said.tool_result("line\n" * 1000, None)
    texts = [message.text for message in said.messages.values()]
    assert texts[:2] == ["AskUserQuestion\nWhich store?", answer]
    assert len(texts[2]) < 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User has approved your plan. You can now start coding.", True),
        ("The user doesn't want to proceed with this tool use. The tool use was rejected", True),
        ("Your questions have been answered: ...", True),
        ("user table has 3 rows", False),
        ("total 4", False),
    ],
)
def test_whose_answer_it_is(text: str, *, expected: bool) -> None:
    assert is_users_answer(text) == expected


def test_the_message_of_a_commit_is_kept() -> None:
    said = Conversation()
    said.tool_call("Bash", {"command": 'git commit -m "Round down\n\n' + "because of clause 7.3 " * 20 + '"'}, None)
    said.tool_call("Bash", {"command": "echo " + "x" * 1000}, None)
    lengths = [len(message.text) for message in said.messages.values()]
    assert lengths[0] > 400
    assert lengths[1] == 200
