"""What a conversation leaves open when it ends."""

import pytest

from nlm_tui.core import Message
from nlm_tui.extraction import Meaning, meaning


def heard(*said: Message) -> Meaning:
    work = (
        Message("user", "The importer of the ledger reads bank files, and I want it to read the new form as well."),
    )
    return meaning((*work, *said), title=None, project="/home/ines/src/ledger", fallback="x")


def left(
    reply: str, answer: str = "The importer reads the new form. Currencies are taken from the header of the file."
) -> tuple[str, ...]:
    return heard(Message("assistant", answer), Message("user", reply), Message("assistant", "Understood.")).open


@pytest.mark.parametrize(
    "reply",
    [
        "rounding of currencies is for another day",
        "I need to ask Mira whether the header may lack the currency",
        "no idea yet if the old files have to be imported",
        "the header of the bank waits for Mira, she is away until Tuesday",
        "splitting of fees we do after the audit is through, not in this branch",
    ],
)
def test_what_is_put_off_awaited_or_not_known(reply: str) -> None:
    (open_item,) = left(reply)
    assert reply[3:20] in open_item


@pytest.mark.parametrize(
    "reply",
    [
        "thanks, see you tomorrow",
        "run the importer on the second file",
        "looks good, merged",
        "what does the header hold?",
    ],
)
def test_what_leaves_nothing_open(reply: str) -> None:
    assert left(reply) == ()


def test_what_is_settled_later_is_not_open() -> None:
    found = heard(
        Message("assistant", "Currencies are taken from the header of the file."),
        Message("user", "I need to ask Mira whether the header may lack the currency"),
        Message("assistant", "I leave it."),
        Message("user", "Mira says the header always has the currency, so it is done"),
        Message("assistant", "Good."),
    )
    assert found.open == ()


def test_what_the_last_answer_says_is_not_done() -> None:
    closing = "The new form is read, with tests.\n\n**Not done yet**\n- files with two currencies\n\n"
    closing += "**Ideas**\n- a progress bar for long files"
    found = heard(Message("assistant", closing), Message("user", "fine, thanks"))
    assert found.open == ("files with two currencies",)
    assert found.evidence["open", "files with two currencies"].message == 1


def test_tasks_that_are_left() -> None:
    tasks = "TodoWrite\n- [x] Read the header\n- [ ] Document the new form in the manual"
    found = heard(Message("assistant", "I begin."), Message("tool", tasks), Message("user", "stop here for now"))
    assert found.open == ("Document the new form in the manual",)


def test_a_last_question_about_the_work() -> None:
    found = heard(Message("assistant", "The form is read. Which currency holds for files whose header names none?"))
    assert found.open == ("Which currency holds for files whose header names none?",)
