"""The summary of a session."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import Message
from nlm_tui.extraction import meaning
from nlm_tui.extraction.summaries import LONGEST_SUMMARY, summary_of
from nlm_tui.extraction.work import work_of


def user(text: str) -> Message:
    return Message("user", text)


def assistant(text: str, *, withdrawn: bool = False) -> Message:
    return Message("assistant", text, withdrawn=withdrawn)


def summary(*messages: Message) -> str:
    return meaning(messages, title=None, project=None, fallback="x").summary


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((user("Fix the cart"),), ""),
        ((user("Fix the cart"), assistant("It loads late now.")), "It loads late now."),
        ((user("Fix it"), assistant("An answer."), Message("tool", "ls"), assistant("Last answer.")),
         "Last answer."),
        ((user("Fix it"), assistant("Good answer."), assistant("Bad answer.", withdrawn=True)), "Good answer."),
        ((user("Fix it"), assistant("Done.")), "Done."),
        ((user("Fix it"), assistant("Perfect! You're absolutely right. It is lazy.")), "It is lazy."),
        ((user("Fix it"), assistant("## Result\n\n```py\nx = 1\n```\n- **Cart**: loads [late](x.md)\n- no cache")),
         "Cart: loads late. No cache."),
        ((user("[image png, 12 kB]\nWhat is wrong?"), assistant("The margin.")), "The margin."),
        ((user("Fix it"), assistant("```\nonly code\n```")), ""),
        ((), ""),
    ],
)  # fmt: skip
def test_the_summary_is_what_the_answers_state(messages, expected):
    assert summary(*messages) == expected


CLOSING = """\
Committed as `4be91d0`.

## Summary

**Root cause**: the importer read dates in the zone of the machine.

| | before | after |
|---|---|---|
| rows lost per night | 412 | 0 |

- dates are read as UTC, rows without a date are left out

## Next steps

- The importer could be rewritten in Rust
- Add a metric for the importer's lost rows

Let me know if the importer needs anything else!
"""


def test_a_summary_says_what_was_wrong_and_what_was_done():
    found = summary(
        user("hi! the importer loses rows every night, no idea why"),
        assistant("I'll look at the importer. Let me read the log of the rows."),
        user("ok go"),
        assistant(CLOSING),
    )
    assert "Root cause: the importer read dates in the zone of the machine." in found
    assert "Dates are read as UTC" in found or "Rows lost per night: 412 → 0." in found
    for courtesy in ("Rust", "metric", "Let me", "`", "|", "#", "**", "Summary", "Committed as", "hi!"):
        assert courtesy not in found


def test_what_is_not_solved_is_said():
    found = summary(
        user("the price test fails now and then, find out why"),
        assistant(
            "### What I found\n- The booking test shared its consumer group and is fixed.\n"
            "- The price test could not be explained, so it can come back.\n\n### Ideas\n- raise the timeout"
        ),
    )
    assert "The price test could not be explained, so it can come back." in found
    assert "timeout" not in found


def test_what_is_left_over_is_said_as_such():
    answer = "The reserve is built and switched on.\n\n## Before going live\n- answer of finance about fees"
    assert summary(user("build the reserve"), assistant(answer)).endswith(
        "Before going live: answer of finance about fees."
    )


def test_a_plan_without_code_is_told_by_its_parts():
    plan = Message("tool", "ExitPlanMode\n# Search exit\n## Phase 1: Cluster (week 1)\n- x\n## 2. Shadow reads\n- y")
    found = summary(user("plan how we leave the search vendor"), plan, assistant("Approved plan is in docs."))
    assert found.startswith("Plan for Search exit: Cluster, Shadow reads.")


def test_questions_and_offers_are_left_out():
    found = summary(
        user("make the export faster"),
        assistant("The export takes 3 s instead of 40 s. Should I also do the import? I could look at the mailer."),
    )
    assert found == "The export takes 3 s instead of 40 s."


def test_decisions_are_told_plainly_where_there_is_room():
    work = work_of((user("compare the pitch libraries"), assistant("Written.")))
    decisions = (
        "Take pYIN of librosa (not CREPE) [no compiler there]",
        "Queue: Redis: fast (not Kafka): ok. and so on",
    )
    assert summary_of(work, (), "Compare the pitch libraries", decisions) == "Take pYIN of librosa. Written."


def test_a_summary_has_whole_sentences():
    found = summary(
        user("make the export faster"), assistant("One thing about the export is said here. " * 30 + "And " * 200)
    )
    assert found == "One thing about the export is said here."


ROLES = st.sampled_from(["user", "assistant", "tool", "command", "summary"])
PIECES = st.sampled_from(
    ["Done. ", "## Summary\n", "## Next\n", "- ", "| a | before | after |\n", "|---|---|---|\n", "cause: ", "not yet ",
     "漢字。", "。",
     "```\n", "**", "x ", "it works ", "\x1b[0m", "\u2028", "\u061c", "\n", ". ", "word " * 80, "ExitPlanMode\n# "]
)  # fmt: skip
TEXTS = st.text(max_size=120) | st.lists(PIECES, max_size=30).map("".join)
MESSAGES = st.lists(st.builds(Message, ROLES, TEXTS, st.none(), st.booleans(), st.booleans()), max_size=8)


@given(MESSAGES)
def test_any_session_has_a_summary_of_one_line(messages):
    found = summary(*messages)
    assert found == summary(*messages)
    assert len(found) <= LONGEST_SUMMARY
    assert found == " ".join(found.split())
    assert not any(character < " " for character in found)
