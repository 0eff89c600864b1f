"""The label of a session."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import Message
from nlm_tui.extraction import meaning
from nlm_tui.extraction.labels import LONGEST_LABEL, MOST_WORDS, shortened

COMMIT = 'Bash  cd /x && git add -A && git commit -q -m "{}" && git log --oneline -1'


def user(text: str, *, withdrawn: bool = False) -> Message:
    return Message("user", text, withdrawn=withdrawn)


def assistant(text: str) -> Message:
    return Message("assistant", text)


def tool(text: str) -> Message:
    return Message("tool", text)


def label(*messages: Message, title: str | None = None, project: str | None = None) -> str:
    return meaning(messages, title=title, project=project, fallback="0001-abcd").label


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((user("\n\n  Fix the\tcart  \nplease"),), "Fix the cart"),
        ((user("[image png, 12 kB]\nWhat is wrong in this screenshot?"),), "What is wrong in this screenshot"),
        ((user("[Image jpeg, 3 kB] see here"),), "see here"),
        ((user("[image png, 12 kB]"), assistant("?"), user("Fix the cart")), "Fix the cart"),
        ((user("[image png, 12 kB]"), assistant("I see a cart.")), "[image png, 12 kB]"),
        ((Message("command", "/model sonnet"), user("Fix the cart")), "Fix the cart"),
        ((Message("command", "/review the billing folder"), assistant("Fine.")), "/review the billing folder"),
        ((Message("command", "/review 318"), assistant("There is none."), user("nvm")), "/review 318"),
        ((assistant("Fine."), Message("summary", "old")), "0001-abcd"),
        ((), "0001-abcd"),
        ((user("---\n```\n\nFix the cart"),), "Fix the cart"),
        ((user("---\n```\nx = 1\n```\n\nFix the cart"),), "Fix the cart"),
        ((user("Taken back", withdrawn=True), user("Fix the cart")), "Fix the cart"),
        ((user("Taken back", withdrawn=True),), "Taken back"),
        ((user("\x1b[31mWhy\x1b[0m is the\u202e build red?\x00"),), "Why is the\ufffd build red"),
        ((user("Explain [bold]this[/bold] and [red on"),), "Explain [bold]this[/bold] and [red"),
        ((user("日本語で説明 👩\u200d👦🇯🇵"),), "日本語で説明 👩\u200d👦🇯🇵"),
        ((user("Why\x07 is it \u2407red\u2407?"),), "Why is it red"),
        ((user("x" * 81),), "X" + "x" * 78 + "…"),
        ((user("word " * 40),), "Word" + " word" * 9),
        ((user("hi"), assistant("Hello!")), "hi"),
    ],
)  # fmt: skip
def test_without_a_title_the_label_is_what_was_asked(messages, expected):
    assert label(*messages) == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (
            "hi, can you help me figure out why the ETag changes on every request in shelfmark? thanks!",
            "Why the ETag changes on every request in shelfmark",
        ),
        ("Hello Claude! Could you please add retries to the upload worker for me", "Add retries to the upload worker"),
        ("I want you to rename the invoice table please", "Rename the invoice table"),
        ("let's move our jenkins to buildkite", "Move Jenkins to Buildkite"),
        ("We need to get off Fastly before we renew. It is dear.", "Get off Fastly"),
        ("Good morning! The login page is broken since the update.", "Login page is broken since the update"),
        ("ok so I'd like to work on the third chapter of my thesis", "Third chapter of the thesis"),
        ("just a quick one. which tables does the nightly export lock", "Which tables does the nightly export lock"),
        ("iPad users lose their drafts on every restart", "iPad users lose their drafts on every restart"),
        (
            "Please split the payments module into two packages because nobody can find anything in it any more",
            "Split the payments module into two packages",
        ),
        ("buenas, tengo un problema con los totales de la tienda", "Totales de la tienda"),
        ("Hallo, kannst du bitte den Export beschleunigen, er ist zu lahm?",
         "Den Export beschleunigen, er ist zu lahm"),
        ("予約システムにキャンセル待ちを付けたいです。まずコードを見てください。",
         "予約システムにキャンセル待ちを付けたい"),
        ('Dec 3 deploy\n> quoted words\nTraceback (most recent call last):\n  File "a.py", line 3', "Dec 3 deploy"),
    ],
)  # fmt: skip
def test_a_label_is_a_request_without_courtesy(prompt, expected):
    assert label(user(prompt), assistant("I will look into it, that needs a while."), user("go on")) == expected


def test_a_prompt_that_goes_on_is_named_by_the_part_that_asks():
    prompt = (
        "Right, so I'm dictating this and forgive the rambling, we have a shop and it sells spare parts, the "
        "people there are nice, and I want you to speed up the search of spare parts, and don't write code yet"
    )
    assert (
        label(user(prompt), assistant("The search of spare parts scans all parts."))
        == "Speed up the search of spare parts"
    )


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Importer: rows with a wrong date are left out", "Importer: rows with a wrong date are left out"),
        ("fix(importer): rows with a wrong date are left out.", "Importer: rows with a wrong date are left out"),
        ("refactor: split the importer in two halves", "Split the importer in two halves"),
    ],
)
def test_the_only_commit_tells_what_was_done(subject, expected):
    messages = (user("importer chokes on it"), tool(COMMIT.format(subject)), assistant("The importer is mended."))
    assert label(*messages) == expected


def test_the_message_of_a_commit_may_be_a_document():
    document = (
        "Bash  git commit -m \"$(cat <<'EOF' Importer leaves out rows with a wrong date Such rows made the import "
        'fail. 🤖 Generated with a tool Co-Authored-By: A <a@b.example> EOF )"'
    )
    assert label(user("do it as we said"), tool(document)) == "Importer leaves out rows with a wrong date"


def test_commits_of_parts_do_not_name_the_whole():
    parts = ("Pin the base image by digest", "Write the release notes of 1.9", "Drop the old queue consumer")
    messages = (user("move the billing service to kubernetes"), *(tool(COMMIT.format(part)) for part in parts))
    assert label(*messages) == "Move the billing service to Kubernetes"


def test_a_plan_names_what_is_planned():
    plan = "ExitPlanMode\n# Plan: rolling reserve for risky merchants (second version)\n\n## 1. Ledger\n- accounts"
    messages = (user("ticket 2207 pls, look around first"), tool(plan), assistant("The reserve is planned."))
    assert label(*messages) == "Rolling reserve for risky merchants"


def test_a_short_label_says_on_what_the_work_was():
    messages = (
        user("pagination broken"),
        assistant("Redis forgets. Redis was full. Redis has room. Redis is fine."),
    )
    assert label(*messages, project="/home/dana/shelfmark") == "Pagination broken: Redis"
    assert label(user("pagination broken"), assistant("Mended it all."), project="/home/dana/shelfmark") == (
        "Pagination broken in shelfmark"
    )


def test_a_title_is_the_label_if_it_says_something():
    assert label(user("Fix the cart"), title=" Invoices v2\n [final]\x1b[0m ") == "Invoices v2 [final]"
    assert label(user("Fix the cart"), title=" \n ") == "Fix the cart"
    assert label(user("Fix the cart"), title="word " * 40) == "word " * 14 + "word word…"


@pytest.mark.parametrize(
    "text", ["漢" * 12_000_000, " " * 5_000_000 + "Fix it", "\n" * 5_000_000 + "Fix it", "a b\n" * 2_000_000]
)
def test_a_prompt_of_megabytes_has_a_label(text):
    assert 0 < len(label(user(text))) <= LONGEST_LABEL


ROLES = st.sampled_from(["user", "assistant", "tool", "command", "summary"])
PIECES = st.sampled_from(
    ["hi ", "please ", "I want you to ", ", ", ". ", "\n", "```\n", "# ", "- ", "| a | b |\n", "because ", "漢字",
     "the ", "x", "ExitPlanMode\n# ", 'Bash  git commit -m "', '"', "\x1b[0m", "\u2028", "[image png]",
     "(", ")", ": ", "fails ", "?", "\ud800"]
)  # fmt: skip
TEXTS = st.text(max_size=120) | st.lists(PIECES, max_size=30).map("".join)
MESSAGES = st.lists(st.builds(Message, ROLES, TEXTS, st.none(), st.booleans(), st.booleans()), max_size=8)


@given(MESSAGES, st.none() | TEXTS)
def test_any_session_has_a_label_of_one_line(messages, title):
    found = label(*messages, title=title)
    assert found == label(*messages, title=title)
    assert 0 < len(found) <= LONGEST_LABEL
    assert found == " ".join(found.split())
    assert not any(character < " " for character in found)


@given(TEXTS)
def test_what_is_shortened_has_few_words(text):
    assert len(shortened(" ".join(text.split())).split()) <= MOST_WORDS
