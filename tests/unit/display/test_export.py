"""Sessions and lists as files: whole, clean, masked, the same every time."""

import json
import re
from base64 import b64encode
from datetime import UTC
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import a_session

from nlm_tui.core import Evidence, Message, Session, StoreError, join_messages
from nlm_tui.core.browsing import FactRow, MarkerRow, Origin, TimelineRow, TopicRow
from nlm_tui.core.hits import Words, best_passage, make_hit
from nlm_tui.core.model import ClosedQuestion
from nlm_tui.core.query import RecallQuery
from nlm_tui.core.result import Scores
from nlm_tui.core.secrets import DOTS
from nlm_tui.display.export import FORMATS, Place, exported_list, exported_session, file_name, write_new
from nlm_tui.display.records import as_json, session_json

PLACE = Place(Path("/home/sam"), UTC)
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def talk(*messages: tuple[str, str]) -> dict[str, object]:
    body, turns = join_messages(tuple(Message(role, text, "2026-05-14T10:32:00.000Z") for role, text in messages))
    return {"body": body, "turns": turns}


def full_session() -> Session:
    return a_session(
        label="Retry budget", summary="Three retries.\nThen the queue.", duration_min=48, model="opus", branch="main",
        project="/home/sam/src/pay", decisions=("three retries", "no <b>loop</b>"), open=("who reads it?",),
        closed=(ClosedQuestion("how many?", "three"), ClosedQuestion("why?")), note="ask Kim", entities=("SQS", "pay"),
        evidence={
            ("decision", "three retries"): Evidence(3, "Done."), ("open", "how many?"): Evidence(0, "Fix it"),
            ("open", "who reads it?"): Evidence(9, "of a message that is not there"),
        },
        continues=("cc_0",), superseded_by=("cc_2",),
        **talk(
            ("user", "Fix it & go.\n```py\nx = 1 < 2"),
            ("tool", "Bash  make"),
            ("tool", "````"),
            ("assistant", "Done."),
            ("note", "cut\nhere"),
        ),
    )  # fmt: skip


def test_a_session_as_markdown() -> None:
    text = exported_session(full_session(), "markdown", PLACE, {"cc_0": "The start"})
    assert (
        text
        == """# Retry budget

- Agent: claude-code
- Project: ~/src/pay
- Branch: main
- Model: opus
- Started: 2026-05-14 10:32
- Length: 48 min
- Session: cc_1
- Continues: The start
- Superseded by: cc_2

## Note

ask Kim

## Summary

Three retries.
Then the queue.

## Decisions

- ~~three retries~~ (claude, 10:32)
- ~~no <b>loop</b>~~

## Open questions

- who reads it?

## Closed questions

- how many? -> three (You, 10:32)
- why?

## Topics

SQS, pay

## Conversation

### You  10:32

Fix it & go.
```py
x = 1 < 2
```

`````text
Bash  make
````
`````

### claude  10:32

Done.

> cut
> here
"""
    )


TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "dl", "dt", "dd", "ul", "li"),
    *("s", "span", "div", "pre", "code"),
}


class Tags(HTMLParser):
    """What a page is made of, and whether all that opens is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_session_as_html() -> None:
    text = exported_session(full_session(), "html", PLACE, {})
    page = Tags(text)
    assert page.open == []
    assert "no <b>loop</b>" in page.text
    assert "Fix it & go." in page.text
    assert "<pre><code>x = 1 &lt; 2</code></pre>" in text
    assert '<pre class="soft">Bash  make\n````</pre>' in text
    assert "<li><s>three retries</s> (claude, 10:32)</li>" in text


def test_a_page_of_html_runs_and_loads_nothing() -> None:
    text = exported_session(full_session(), "html", PLACE, {})
    (style,) = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policies = [fields["content"] for _, fields in Tags(text).tags if fields.get("http-equiv")]
    assert policies == [f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"]
    assert "prefers-color-scheme: dark" in style
    assert not re.search(r"(?i)<script|<img|<link|\bon\w+=|url\(|@import", text)


@given(st.text(), st.sampled_from(["user", "assistant", "tool", "note", "command", "summary", "?"]))
def test_no_text_gets_out_of_its_place(text: str, role: str) -> None:
    session = a_session(
        label=text, summary=text, note=text, decisions=(text,), entities=(text,), branch=text, project=text,
        **talk((role, text), (role, f"```\n{text}"), ("user", "end")),
    )  # fmt: skip
    html = exported_session(session, "html", PLACE, {})
    page = Tags(html)
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= TAGS
    for form in FORMATS:
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", exported_session(session, form, PLACE, {}))
    assert exported_session(session, "markdown", PLACE, {}).endswith("### You  10:32\n\nend\n")


@pytest.mark.parametrize("form", FORMATS)
def test_secrets_are_masked(form) -> None:
    session = a_session(
        label=TOKEN, summary=TOKEN, note=TOKEN, decisions=(TOKEN,), open=(TOKEN,), entities=(TOKEN,), project=TOKEN,
        branch=TOKEN, closed=(ClosedQuestion(TOKEN, TOKEN),), evidence={("open", TOKEN): Evidence(0, TOKEN)},
        **talk(("user", TOKEN), ("tool", TOKEN)),
    )  # fmt: skip
    masked = exported_session(session, form, PLACE, {})
    assert TOKEN not in masked
    assert f"ghp_{DOTS}" in masked
    assert TOKEN in exported_session(session, form, PLACE, {}, reveal=True)
    assert TOKEN not in "".join(exported_list(TOKEN, [a_hit(session)], form, PLACE))
    assert TOKEN[4:].lower() not in file_name(TOKEN, form)


def a_hit(session: Session):
    words = Words.of(RecallQuery())
    return make_hit(session, Scores(1.0), words, best_passage(session, words))


def test_a_session_as_json() -> None:
    record = json.loads(exported_session(full_session(), "json", PLACE, {}))
    assert record == json.loads(json.dumps(session_json(full_session())))
    assert record["closed"] == [{"text": "how many?", "answer": "three"}, {"text": "why?", "answer": ""}]
    assert record["messages"][3] == {"role": "assistant", "text": "Done.", "at": "2026-05-14T10:32:00.000Z"}
    assert record["markers"] == [
        {
            "kind": "decision",
            "text": "three retries",
            "state": "standing",
            "evidence": {"message": 3, "role": "assistant", "at": "2026-05-14T10:32:00.000Z", "quote": "Done."},
        },
        {"kind": "decision", "text": "no <b>loop</b>", "state": "standing", "evidence": None},
        {"kind": "open", "text": "who reads it?", "state": "standing", "evidence": None},
        {
            "kind": "open",
            "text": "how many?",
            "state": "promoted",
            "answer": "three",
            "evidence": {"message": 0, "role": "user", "at": "2026-05-14T10:32:00.000Z", "quote": "Fix it"},
        },
        {"kind": "open", "text": "why?", "state": "resolved", "evidence": None},
    ]
    assert not {"turns", "evidence"} & set(record)


def test_evidence_in_a_session_that_was_never_taken_apart() -> None:
    session = a_session(body="we use SQS", decisions=("SQS",), evidence={("decision", "SQS"): Evidence(0, "use SQS")})
    record = json.loads(exported_session(session, "json", PLACE, {}))
    (marker,) = record["markers"]
    assert marker["evidence"] == {"message": 0, "role": "transcript", "at": None, "quote": "use SQS"}
    assert record["messages"][0]["role"] == "transcript"
    assert "- SQS\n" in exported_session(session, "markdown", PLACE, {})


ORIGIN = Origin(
    session_id="cc_1", label="Retry budget", runtime="codex", started_at="2026-05-14T10:32:00Z",
    project="/home/sam/pay", successor=("cc_2", "The new plan"),
)  # fmt: skip
ROWS = [
    a_hit(
        a_session(label="A hit", summary="its passage", decisions=("keep it",), open=("why?",), project="/home/sam/x")
    ),
    MarkerRow(id="m", kind="open", text="who reads it?", origin=ORIGIN, state="promoted", answer="Kim does"),
    TopicRow(name="SQS", sessions=1, decisions=2, open=0, last_seen="2026-05-14T10:32:00Z"),
    FactRow(
        id="f", kind="decision", subject="pay", predicate="uses", value="SQS", confidence=1.0, origin=ORIGIN,
        created_at="2026-05-14T10:32:00Z", quote="we use SQS",
        versions=(
            FactRow(id="e", kind="decision", subject="pay", predicate="uses", value="Kafka", confidence=1.0,
                    origin=ORIGIN, created_at="2026-04-01T10:32:00Z"),
        ),
    ),
    TimelineRow(origin=ORIGIN, decisions=("three retries",), open=("who?",)),
]  # fmt: skip


def test_a_list_as_markdown() -> None:
    assert (
        "".join(exported_list('Hits for "x"', ROWS, "markdown", PLACE))
        == """# Hits for "x"

- A hit
  (2026-05-14, claude-code, ~/x, cc_1)
  - its passage
  - Decision: keep it
  - Open: why?
- ~~who reads it?~~
  (Retry budget, 2026-05-14, codex, ~/pay, cc_1)
  - promoted: Kim does
  - superseded by The new plan (cc_2)
- SQS
  (1 session, 2 decisions, 0 open questions, last seen 2026-05-14)
- pay uses: SQS
  (Retry budget, 2026-05-14, codex, ~/pay, cc_1)
  - we use SQS
  - before: Kafka (2026-04-01)
- ~~Retry budget~~
  (2026-05-14, codex, ~/pay, cc_1)
  - superseded by The new plan (cc_2)
  - Decision: three retries
  - Open: who?
"""
    )


def test_a_list_as_html_and_json() -> None:
    assert Tags("".join(exported_list("x", ROWS, "html", PLACE))).open == []
    text = "".join(exported_list('"x"', ROWS, "json", PLACE))
    record = json.loads(text)
    assert record["title"] == '"x"'
    assert [next(iter(row)) for row in record["rows"]] == ["id", "id", "name", "id", "origin"]
    assert text == as_json(record) + "\n"
    assert json.loads("".join(exported_list("x", (), "json", PLACE))) == {"title": "x", "rows": []}


def test_rows_are_written_as_they_come() -> None:
    taken = []

    def rows():
        for row in ROWS:
            taken.append(row)
            yield row

    for form in FORMATS:
        taken.clear()
        parts = exported_list("x", rows(), form, PLACE)
        while "A hit" not in next(parts):
            pass
        assert len(taken) == 1, form


def test_nothing_is_exported_differently_twice() -> None:
    for form in FORMATS:
        assert exported_session(full_session(), form, PLACE, {}) == exported_session(full_session(), form, PLACE, {})


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Retry budget: the *plan*!", "retry-budget-the-plan.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("Größe der Schlange 検索", "größe-der-schlange-検索.md"),
        ("", "session.md"),
        ("con", "session-con.md"),
        ("-rf", "rf.md"),
        ("a\nb\x1b[2J", "a-b.md"),
        ("x" * 100, "x" * 60 + ".md"),
    ],
)
def test_a_file_is_named_by_what_it_holds(label: str, name: str) -> None:
    assert file_name(label, "markdown") == name


@given(st.text())
def test_a_name_is_one_file_in_the_folder(label: str) -> None:
    name = file_name(label, "html")
    assert Path(name).name == name
    assert re.fullmatch(r"[\w-]+\.html", name)
    assert not name.startswith("-")


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    wanted = tmp_path / "a.md"
    assert write_new(wanted, "one") == wanted
    assert write_new(wanted, "two") == tmp_path / "a-2.md"
    assert write_new(wanted, "three") == tmp_path / "a-3.md"
    assert wanted.read_text() == "one"
    with pytest.raises(OSError, match="No such file"):
        write_new(tmp_path / "nowhere" / "a.md", "x")


def test_half_a_file_is_not_kept(tmp_path: Path) -> None:
    def parts():
        yield "x" * 100_000
        raise StoreError("the disk is gone")

    with pytest.raises(StoreError):
        write_new(tmp_path / "a.md", parts())
    assert list(tmp_path.iterdir()) == []
