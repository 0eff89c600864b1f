"""What counts as a decision or an open question, and what only looks like one."""

import re
import time
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import Message
from nlm_tui.extraction.entities import lowered_words
from nlm_tui.extraction.found import texts
from nlm_tui.extraction.markers import _KINDS, CUE_WORDS, MAX_MARKERS, find_markers
from nlm_tui.extraction.prose import plain, prose_lines, sentences


class Texts(NamedTuple):
    decisions: tuple[str, ...]
    open: tuple[str, ...]


def markers(*messages: Message) -> Texts:
    prose = "\n".join(message.text for message in messages)
    known = CUE_WORDS.intersection(lowered_words(prose).split())
    found = find_markers(messages, prose, known)
    for one in (*found.decisions, *found.open):
        assert one.quote in plain(messages[one.message].text)
    return Texts(texts(found.decisions), texts(found.open))


def said(text: str, role: str = "assistant") -> Texts:
    return markers(Message("user", "hello there"), Message(role, text), Message("assistant", "Fine."))


DECISIONS = [
    ("Decision: three retries, then the dead-letter queue", "three retries, then the dead-letter queue"),
    ("**Decision:** keep SQLite as the only store", "keep SQLite as the only store"),
    ("**Decision**: keep SQLite as the only store", "keep SQLite as the only store"),
    ("Decision - one file per runtime, no plug-ins", "one file per runtime, no plug-ins"),
    ("- Decision: the worker owns the retry budget", "the worker owns the retry budget"),
    ("* **Decided:** no server, no account, no model", "no server, no account, no model"),
    ("1. Decision: ship the read-only mode first", "ship the read-only mode first"),
    ("Decided: we read the folder once per minute", "we read the folder once per minute"),
    ("### Decision 2: drop the `legacy` endpoint in May", "drop the `legacy` endpoint in May"),
    ("Final decision: idempotency keys live for a day", "idempotency keys live for a day"),
    ("✅ Decision: cap the page size at 200 items", "cap the page size at 200 items"),
    ("decision: keep the old API until autumn", "keep the old API until autumn"),
    ("Decision (14 May): invoices are rounded per line", "invoices are rounded per line"),
    ("Decision: see [the ADR](docs/adr/7.md) for the queue", "see the ADR for the queue"),
    ("Decision: no retries on client errors", "no retries on client errors"),
    ("Entscheidung: wir bleiben bei SQLite", "wir bleiben bei SQLite"),
    ("Décision : on garde SQLite pour la version 1", "on garde SQLite pour la version 1"),
    ("Decisión: mantenemos la API antigua hasta otoño", "mantenemos la API antigua hasta otoño"),
    ("決定: 再試行は三回までにする", "再試行は三回までにする"),
    ("决定：重试次数限制为三次", "重试次数限制为三次"),
    ("We decided to keep the queue in Postgres.", "We decided to keep the queue in Postgres."),
    ("The old pool leaked, so we decided to open one per worker.", None),
    ("After the review we've decided against a second index.", None),
    ("In the end we decided that the client retries.", None),
    ("I decided to split the reader from the parser.", None),
    ("I've deliberately chosen a ring buffer because it never grows.", None),
    ("We agreed on one retry budget per invoice.", None),
    ("We settled on UUIDs for the public identifiers.", None),
    ("We opted for advisory locks since they need no table.", None),
    ("I went with a small state machine, which is easier to test.", None),
    ("Redis is not durable, so we went with Postgres.", None),
    ("Let's go with the outbox table and a poller.", None),
    ("OK, let's stick with cursor pagination everywhere.", None),
    ("Going with `pgvector` because it is already installed.", None),
    ("We'll go with short-lived tokens and a refresh endpoint.", None),
    ("We'll use structured logs instead of print statements.", None),
    ("We're going to store cents rather than floats.", None),
    ("The decision was to pin the compiler.", None),
    ("When the queue is full, we decided to drop the oldest item.", None),
    ("We decided not to cache the totals.", None),
    ("We decided to return an error instead of null.", None),
    ("Let\u2019s go with Argon2 for the passwords.", None),
    ("Wir haben uns für eine Tabelle pro Mandant entschieden.", None),
    ("Nous avons décidé de garder une seule base.", None),
    ("Hemos decidido usar una sola cola.", None),
    ("再試行は三回までに決めました。", None),
]


@pytest.mark.parametrize(("text", "expected"), DECISIONS)
def test_a_decision_is_found(text, expected):
    assert said(text) == ((expected or text,), ())


USER_DECISIONS = [
    "let's use Postgres for the job queue",
    "Let's use the outbox instead of a second broker.",
    "Use pathlib instead of os.path everywhere in the readers.",
    "ok, use tabs rather than spaces in the Makefile",
    "Prefer composition rather than inheritance in the widgets.",
]


@pytest.mark.parametrize("text", USER_DECISIONS)
def test_an_order_to_choose_is_a_decision_of_the_user_only(text):
    assert said(text, "user").decisions == (text,)
    assert said(text, "assistant").decisions == ()


NO_DECISIONS = [
    # questions
    "Have we decided to keep the queue in Postgres?",
    "Should we go with the outbox table and a poller?",
    "Did we decide to keep it, or have we decided to drop it",
    "Decision: should the client retry on its own?",
    "What we decided to do about the queue is written below.",
    "We decided to use Postgres for the queue, right?",
    # conditions, doubts, negations, reports
    "If we decided to use Kafka, we would need a second team.",
    "Suppose we decided to shard the table by tenant.",
    "Unless we decided to drop it, the index stays.",
    "I thought we decided to use Postgres for the queue.",
    "I don't think we decided to use Postgres for that.",
    "We never decided to use Postgres for the queue.",
    "Nobody remembers why we decided to use two queues.",
    "Maybe we settled on the wrong name for the table.",
    "The blog says we chose the wrong index for this.",
    "Let's go with the outbox if the tests pass.",
    "If that works, let's go with the outbox table.",
    "Once we agreed to the terms the page reloads.",
    "Wir haben uns noch nicht für eine Tabelle entschieden.",
    # parts of a noun
    "This is the approach we decided to take in March.",
    "The format we settled on is documented in the wiki.",
    "The option I chose crashes at once.",
    "Everything we agreed on is in the notes.",
    # bug reports and next steps
    "The endpoint returns 500 instead of 404 for unknown users.",
    "The label shows the id instead of the name.",
    "I chose the second entry and it crashes the app.",
    "It keeps getting null rather than an empty list here.",
    "We will use the debugger to look at the frames.",
    "Let's use grep to find the callers of this function.",
    "Let's look at the failing test instead.",
    "I used sed instead of the editor for this change.",
    # no content
    "Let's go with that.",
    "Let's go with option 2.",
    "Let's go with your second suggestion, thanks!",
    "I'll go with the first one then.",
    "Let's go with option 2 for simplicity.",
    "Let's go with an example where the queue is full.",
    "We decided to do the following:",
    "Decision: TBD",
    "Decision: pending, waiting for the review of Dana",
    "Decision: none needed at this point in time",
    "Decision: <what was decided and why>",
    "Decision: [describe the decision here]",
    "Decision: https://wiki.example.com/adr/12",
    # quoted, logged, code
    '"We decided to keep the queue in Postgres" is what the old page said.',
    "> We decided to keep the queue in Postgres.",
    "The docs say: 'we decided to keep the queue in Postgres'.",
    "The page states “we decided to drop the queue” somewhere.",
    "    We decided to keep the queue in Postgres.",
    "```\nDecision: keep the queue in Postgres\n```",
    "~~~text\nWe decided to keep the queue in Postgres.\n~~~",
    "2026-05-14 10:32:11 worker We decided to retry the job again",
    "[worker] we decided to retry the job again",
    "INFO we decided to retry the job again",
    "src/queue.py:41: we decided to keep this in memory",
    "a1b2c3d4 we decided to drop the second queue",
    "| Decision | keep the queue in Postgres |",
    "+ We decided to keep the queue in Postgres.",
    "// We decided to keep the queue in Postgres.",
    '{"decision": "approve the change to the queue"}',
    '  File "queue.py", line 3, we decided to retry the job again',
    "decision: approve;",
    # other words
    "Decision-making is slow when three teams are involved.",
    "Decisions are listed in the appendix of the document.",
    "The decision is yours, both ways are fine with me.",
    "The decision was to be made by the board in June.",
    "Users decided to leave the page after four seconds.",
    "The scheduler decided to run the job on another node.",
    "I picked up the ticket and will look at it now.",
]


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("text", NO_DECISIONS)
def test_what_only_looks_like_a_decision_is_none(text, role):
    assert said(text, role).decisions == ()


OPEN = [
    ("Open: who reads the dead-letter queue at night?", "who reads the dead-letter queue at night?"),
    ("Open question: does the budget apply to refunds?", "does the budget apply to refunds?"),
    ("**Still open:** the retention of old invoices", "the retention of old invoices"),
    ("TODO: add a test for the empty folder", "add a test for the empty folder"),
    ("- [ ] TODO: add a test for the empty folder", "add a test for the empty folder"),
    ("Follow-up: move the constants to the settings", "move the constants to the settings"),
    ("Unresolved: how the lock behaves on NFS", "how the lock behaves on NFS"),
    ("Decision needed: one budget or two budgets", "one budget or two budgets"),
    ("❓ Open question: who owns the schema?", "who owns the schema?"),
    ("Offen: wer liest die Warteschlange nachts?", "wer liest die Warteschlange nachts?"),
    ("Noch offen: die Rundung der Rechnungen", "die Rundung der Rechnungen"),
    ("À faire : écrire un test pour le dossier vide", "écrire un test pour le dossier vide"),
    ("Pendiente: probar la carpeta vacía", "probar la carpeta vacía"),
    ("未解決: 夜間に誰がキューを読むのか", "夜間に誰がキューを読むのか"),
    ("待办：为空文件夹添加测试", "为空文件夹添加测试"),
    ("The retention period remains to be decided.", None),
    ("Whether refunds count is still to be decided.", None),
    ("We still need to decide whether refunds count.", None),
    ("You'll have to agree on who owns the schema.", None),
    ("We haven't decided yet whether refunds count.", None),
    ("The question is still open.", None),
    ("Who owns the schema remains an open question.", None),
]


@pytest.mark.parametrize(("text", "expected"), OPEN)
def test_an_open_point_is_found(text, expected):
    assert said(text) == ((), (expected or text,))


NOTHING_OPEN = [
    "Open: none",
    "Open questions: none at this point",
    "Open questions: no open questions remain here",
    "TODO: nothing left to do",
    "Open: https://localhost:3000/admin/users",
    "Open: /etc/nginx/conf.d/site.conf and look",
    "Open - the third tab of the settings page",
    "Open the settings page and look at the third tab.",
    "Opening: the first move of the game is yours",
    "open: true",
    "# TODO: handle the empty folder case",
    "// TODO: handle the empty folder case",
    "/* TODO: handle the empty folder case */",
    "    TODO: handle the empty folder case",
    "src/a.py:12: TODO: handle the empty folder case",
    "```py\n# x\nTODO: handle the empty folder case\n```",
    "- [x] TODO: handle the empty folder case",
    "- ~~TODO: handle the empty folder case~~",
    "The connection is still open after the timeout.",
    "The file remains open in the other process.",
    "Do we need to decide whether refunds count?",
    "If we need to decide whether refunds count, we ask.",
    "The parser needs to decide whether a token is a name.",
    "The type is to be determined by the compiler.",
    "Follow-up questions are shown below the answer.",
    "You can follow up on this in the next sprint.",
    'He wrote: "we need to decide whether refunds count".',
]


@pytest.mark.parametrize("text", NOTHING_OPEN)
def test_what_only_looks_open_is_not(text):
    assert said(text).open == ()


def test_bullets_below_a_heading_are_markers():
    text = """## Decisions

We agreed on the following:
- **Retries**: three per invoice
  - nested detail that explains it further
  continued in the same item
- Should not we ask first?
- Keep the outbox table

## Next

- this is no decision at all

**Open questions**
1. Who reads the queue at night?
2. [x] Where are the logs kept?
3. ~~Which port do we use?~~

That is all for today then.
- and no open question either
"""
    found = said(text)
    assert found.decisions == ("Retries: three per invoice", "Keep the outbox table")
    assert found.open == ("Who reads the queue at night?",)


@pytest.mark.parametrize(("label", "kind"), _KINDS.items())
def test_every_label_is_known_in_both_cases(label, kind):
    for text in (label, label.capitalize(), label.upper(), f"**{label}**"):
        found = said(f"{text}: the answer stays as it is", "assistant")
        assert (found.decisions if kind == "decision" else found.open) == ("the answer stays as it is",)


def test_a_heading_can_be_followed_by_a_paragraph():
    found = said("# An outbox\n\n## Decision\n\nWe write events in one transaction.\n\nIt is simple enough.")
    assert found.decisions == ("We write events in one transaction.",)
    assert said("Decision:\nWe keep one table per tenant.").decisions == ("We keep one table per tenant.",)


def test_a_section_ends_with_its_message():
    found = markers(Message("assistant", "Open questions:"), Message("assistant", "- Open a file and read on, always"))
    assert found.open == ()


def test_what_a_user_lists_as_todo_is_an_order_not_an_open_point():
    text = "TODO:\n- write the reader for the new format\n- run all the tests"
    assert said(text, "user").open == ()
    assert len(said(text, "assistant").open) == 2


def test_decided_items_may_be_ticked():
    assert said("Decisions:\n- [x] one file per runtime").decisions == ("one file per runtime",)
    assert said("- [ ] Decision made: keep the scenes or revert").decisions == ()


def test_only_what_was_said_and_not_taken_back_counts():
    text = "Decision: keep the queue in Postgres"
    for role in ("tool", "command", "summary", "note"):
        assert said(text, role).decisions == ()
    assert markers(Message("user", text, withdrawn=True), Message("user", "no")).decisions == ()


def test_duplicates_count_once_whatever_their_case_and_spaces():
    found = markers(
        Message("user", "Decision: keep the queue in Postgres."),
        Message("assistant", "**Decision:**  Keep the  queue in Postgres"),
    )
    assert found.decisions == ("keep the queue in Postgres.",)


def test_marked_lines_are_preferred_and_the_order_is_kept():
    phrases = [f"We decided to use table number {n:02}." for n in range(58)]
    lines = [f"Decision: the queue number {n:02} stays" for n in range(56)]
    text = "\n".join(line for pair in zip(phrases, [*lines, "", ""], strict=True) for line in pair)
    found = said(text).decisions
    assert len(found) == MAX_MARKERS
    assert [f for f in found if f.startswith("the queue")] == [f"the queue number {n:02} stays" for n in range(56)]
    assert [f for f in found if f.startswith("We")] == phrases[:4]
    assert found[0] == phrases[0]


def test_a_long_conversation_keeps_its_newest_decision():
    lines = [f"Decision: the queue number {n:02} stays" for n in range(60)]
    assert said("\n".join(lines)).decisions[-1] == "the queue number 59 stays"


def test_a_long_marker_is_cut_at_a_word():
    (found,) = said("Decision: " + "keep the queue " * 60).decisions
    assert len(found) <= 300
    assert found.endswith("…")
    assert found.removesuffix("…").split()[-1] in {"keep", "the", "queue"}


# Any text.

PIECES = [
    *("Decision: ", "**Decision:** ", "Decided: ", "## Decisions\n", "Open questions:\n", "- ", "TODO: "),
    *("we decided to ", "let's go with ", "instead of ", "use ", "keep the queue", "the limit", "if "),
    *("?", ".", "\n", "  ", "```\n", "> ", '"', "'", "`", "**", "_", "[x] ", "(", "a" * 400),
    *("决定\uff1a", "未解決: ", "日本語の文章です", "\x1b[31m", "\u202e", "\ud800", "\x00", "\u2028"),
]


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "note"]), st.lists(st.sampled_from(PIECES) | st.text())))
)
def test_markers_of_any_text_are_short_clean_lines(conversation):
    messages = tuple(Message(role, "".join(parts)) for role, parts in conversation)
    found = markers(*messages)
    assert found == markers(*messages)
    for kind in found:
        assert len(kind) <= MAX_MARKERS
        assert len({text.casefold() for text in kind}) == len(kind)
        for text in kind:
            assert 6 <= len(text) <= 300
            assert text == text.strip()
            assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", text)
    assert not any(text.endswith("?") for text in found.decisions)


@given(st.text())
def test_sentences_lose_no_words(text):
    line = plain(text)
    assert "".join("".join(sentences(line)).split()) == "".join(line.split())


def test_sentences_do_not_end_at_abbreviations():
    assert sentences("Use a queue, e.g. SQS. Then stop.") == ["Use a queue, e.g. SQS.", "Then stop."]


def test_emphasis_goes_and_globs_stay():
    assert plain("**Keep** the *old* [API](x.md)") == "Keep the old API"
    for text in ("src/**/*.py, *.md", "a * b * c", "f(*args, **kwargs)", "2*3 and 4*5"):
        assert plain(text) == text


def test_fences_are_left_out_and_inline_ones_stay():
    assert list(prose_lines("a\n```py\nb\n~~~\n```\nc\n```d``` e")) == ["a", "c", "```d``` e"]


HUGE = [
    *("a", " ", "- ", "- x\n", "decided to ", "Decision: ", "Decision:\n", "\"' ", "**a ", "[a]("),
    *("_a _", "open? ", "```\n", "決定", ". ", "a/", "wir haben uns entschieden uns "),
    *("we decided to keep the queue\n", "if we decided to go with it, let's use x instead of y for z\n"),
    *("Open questions:\n- who\n", "let's use **a *b `c \"d\n"),
]


@pytest.mark.parametrize("unit", HUGE)
def test_two_megabytes_of_anything_take_a_moment(unit):
    text = unit * (2_000_000 // len(unit))
    started = time.process_time()
    markers(Message("user", text), Message("assistant", f"decided open instead {text}?"))
    assert time.process_time() - started < 5
