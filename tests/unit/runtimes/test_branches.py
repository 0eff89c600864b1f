from nlm_tui.runtimes.branches import Branches, Copies
from nlm_tui.runtimes.conversation import Conversation


def abandoned(*records, total):
    branches = Branches()
    for start, (key, parent, *leaf) in enumerate(records):
        branches.add(key, parent, start, leaf=not leaf)
    return list(branches.abandoned(total))


def test_of_no_record_nothing_is_abandoned():
    assert abandoned(total=3) == []


def test_what_is_not_on_the_path_from_the_last_record_is_abandoned():
    assert abandoned(("a", None), ("b", "a"), ("c", "b"), ("d", "a"), ("e", "d"), total=5) == [1, 2]
    assert abandoned(("a", None), ("b", None), total=2) == [0]


def test_a_lost_parent_is_the_record_before():
    assert abandoned(("a", None), ("b", "lost"), ("c", "d"), ("d", "c"), total=4) == []


def test_messages_behind_the_last_record_belong_to_it():
    assert abandoned(("a", None), ("b", "a"), ("c", "a"), total=9) == [1]


def test_a_record_that_is_no_leaf_is_beside_the_conversation():
    assert abandoned(("a", None), ("b", "a", "beside"), ("c", "a"), total=3) == [1]
    assert abandoned(("a", None), ("b", "lost", "beside"), total=2) == [1]


def test_what_more_comes_of_a_record_belongs_to_the_one_before():
    assert abandoned(("a", None), ("b", "a"), ("b", None), ("c", "b"), total=4) == []


def test_copies_are_counted_and_marked():
    talk = Conversation()
    copies = Copies(talk)
    talk.prompt("one", None)
    copies.take(copied=True)
    copies.take(copied=True)
    talk.answer("two", None)
    talk.answer("three", None)
    copies.take(copied=False)
    talk.answer("four", None)
    talk.tool_call("Bash", {}, None)
    copies.take(copied=True)
    copies.mark()

    assert (copies.prompts, copies.answers) == (1, 1)
    assert [message.inherited for message in talk.messages.values()] == [True, False, False, True, True]
