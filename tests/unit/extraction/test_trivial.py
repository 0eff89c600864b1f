"""Sessions of nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import Message
from nlm_tui.extraction import meaning
from nlm_tui.extraction.trivial import is_trivial


def talk(*texts: str) -> tuple[Message, ...]:
    """Return messages: `/x` is a command, `$ x` a call, the others are said in turn."""
    said, messages = 0, []
    for text in texts:
        if text[0] in "/$":
            messages.append(Message("command" if text[0] == "/" else "tool", text.removeprefix("$ ")))
        else:
            messages.append(Message(("user", "assistant")[said % 2], text))
            said += 1
    return tuple(messages)


@pytest.mark.parametrize(
    "messages",
    [
        talk("hi"),
        talk("hey Claude, are you there?", "Yes! What are we working on?"),
        talk("hi", "Hello! How can I help?", "nvm, wrong window", "No problem."),
        talk("/clear"),
        talk("/review 318", "$ Bash  gh pr view 318"),
        talk("[image png, 12 kB]", "I see nothing but a blank page.", "oops, sorry"),
        talk("what does -z do in tar", "It sends the archive through gzip.", "k thx"),
        talk("hey", "Hi!", "just a quick one. grep only the file names, which letter was it again", "`-l`.", "ta"),
        talk(
            "fix the typo in README.md, 'recieve'",
            "$ Read  README.md",
            "$ Edit  README.md",
            "Fixed in line 12.",
            "thanks",
        ),
        talk("rewrite the importer in go", "[Request interrupted by user]"),
        talk("¿qué hace la opción -r de sort?", "Invierte el orden.", "gracias"),
    ],
)
def test_a_session_of_nothing_has_but_a_label(messages):
    if messages[0].text.startswith("rewrite"):
        messages = (messages[0], Message("user", messages[1].text))
    found = meaning(messages, title=None, project="/home/dana/pay", fallback="x")
    assert is_trivial(messages)
    assert found.label
    assert found[1:] == ("", (), (), (), {})


@pytest.mark.parametrize(
    "messages",
    [
        (),
        talk("Fix the cart", "It loads late now."),
        talk("Why is the cart empty after login?", "It loads late."),
        talk("Why is the cart empty after login?"),
        talk("should we keep sqlite?", "Yes.", "ok"),
        talk("hi", "Hello!", "Use Postgres instead of SQLite for the queue.", "Fine."),
        talk("what does the scheduler do when a job is late", "It " + "waits and tries once more, then " * 30),
        talk("what does -z do in tar", "gzip.", "then use zstd for the backups from now on", "Done."),
        talk("fix the typo in the parser that loses rows", *["$ Edit  parser.py"] * 9, "Found a bug."),
        talk("is the replica healthy", *["$ Bash  psql -c x"] * 4, "No, it lags by an hour."),
    ],
)
def test_short_is_not_nothing(messages):
    assert not is_trivial(messages)


TEXTS = st.text(max_size=200) | st.sampled_from(["hi ", "y", "ok! "]).map(lambda text: text * 60)


@given(st.lists(st.builds(Message, st.sampled_from(["user", "assistant", "tool", "command"]), TEXTS), max_size=5))
def test_any_session_is_judged(messages):
    assert is_trivial(messages) in {True, False}
