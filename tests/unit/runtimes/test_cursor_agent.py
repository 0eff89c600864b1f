import json
import sqlite3
from contextlib import closing

import pytest
from cursor_databases import bubbles, editor, write_state
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transcript_fixtures import (
    all_sources,
    check,
    check_storable,
    discovered,
    hostile_files,
    jsonl,
    read_all,
    sessions,
    source_of,
)

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes.cursor import CursorReader

SESSIONS = [case for case in sessions("cursor", set()) if case[0].startswith("u02")]
A, B = "000000a1-0000-4000-8000-0000000000a1", "000000a2-0000-4000-8000-0000000000a2"
WORDS = (
    *("role", "user", "assistant", "tool", "message", "content", "type", "text", "tool_use", "tool_result", "name"),
    *("input", "timestamp", "image", "source", "data", "<user_query>x</user_query>", "<user_info>", "turn_ended"),
)
MESSAGES = [
    {"role": "system", "content": "You are"},
    {"role": "user", "content": "<user_info>\nOS: linux\nWorkspace Path: /home/dana/lamp\n</user_info>"},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "<timestamp>x</timestamp>\n<user_query>\nList the bulbs\n</user_query>"},
            {"type": "image", "image": "A" * 400, "mediaType": "image/png"},
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": "hm"},
            {"type": "tool-call", "toolName": "Shell", "args": {"command": "ls"}},
        ],
    },
    {"role": "tool", "content": [{"type": "tool-result", "toolName": "Shell", "result": "e14 e27"}]},
    {"role": "assistant", "content": "Two.\n\n[REDACTED]"},
]


def said(role, *content):
    return {"role": role, "message": {"content": [{"type": "text", "text": text} for text in content]}}


def log(home, *records, name=f"{A}/{A}"):
    path = home / "projects" / "home-dana-lamp" / "agent-transcripts" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl(records))
    return path


def store(home, meta, pieces=(), session=A, raw_meta=None, beside=None):
    """Write a store: `pieces` are rows of it."""
    path = home / "chats" / "2a473db4e5f05089de5fbb0cbf1bf541" / session / "store.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        database.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
        database.execute("INSERT INTO meta VALUES ('0', ?)", (raw_meta or json.dumps(meta).encode().hex(),))
        database.executemany("INSERT INTO blobs VALUES (?, ?)", pieces)
    if beside is not None:
        (path.parent / "meta.json").write_text(json.dumps(beside), "utf-8")
    return path


def rooted(messages, end=b""):
    """Return the rows of messages in no order, and of a root that names them in order."""
    names = [bytes([number + 1]) * 32 for number in range(len(messages))]
    pieces = [(name.hex(), json.dumps(message).encode()) for name, message in zip(names, messages, strict=True)]
    root = b"".join(b"\x0a\x20" + name for name in names)
    return [*reversed(pieces), ("ff" * 32, b"\x10\x07" + root + b"\x4a\x10file:///srv/lamp" + end)]


def texts(transcript):
    return [message.text for message in transcript.messages]


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    path = root / expected["file"]
    before = sorted((file, file.stat().st_mtime_ns) for file in root.rglob("*"))

    transcript = read_all(CursorReader([root]))[path.name, expected["session_id"]]

    check(transcript, expected)
    assert transcript.session_id == f"cursor_{expected['session_id']}"
    assert sorted((file, file.stat().st_mtime_ns) for file in root.rglob("*")) == before


def test_a_transcript_changes_with_its_store(tmp_path):
    path = log(tmp_path, said("user", "<user_query>Hello</user_query>"))
    reader = CursorReader([tmp_path])
    before = discovered(reader, path)
    found = store(tmp_path, {"name": "Bulbs"}, beside={"title": "Lamps", "cwd": "/home/dana/lamp"})
    after = discovered(reader, path)
    (found.parent / "meta.json").write_text('{"title": "Torches", "updatedAtMs": 1770300060000}', "utf-8")
    later = discovered(reader, path)
    assert len({before.salt, after.salt, later.salt}) == 3
    assert [source.path for source in reader.discover()] == [path]
    transcript = reader.read(later)
    assert (transcript.title, transcript.ended_at) == ("Torches", "2026-02-05T14:01:00.000Z")
    assert reader.read(before).title is None


def test_a_store_that_cannot_be_read_takes_no_transcript_away(tmp_path):
    path = log(tmp_path, said("user", "<user_query>Hello</user_query>"))
    store(tmp_path, {"name": "Bulbs"}).write_bytes(b"no database")
    reader = CursorReader([tmp_path])
    assert texts(reader.read(discovered(reader, path))) == ["Hello"]


def test_transcripts_lie_flat_or_in_folders_with_those_of_subagents(tmp_path):
    log(tmp_path, said("user", "From the folder"))
    log(tmp_path, said("user", "From the flat file"), name=A)
    log(tmp_path, said("user", "Flat"), name=B)
    log(tmp_path, said("user", "Look at the fuse"), name=f"{A}/subagents/s1")
    found = {native: transcript for (_, native), transcript in read_all(CursorReader([tmp_path])).items()}
    assert {native: texts(transcript) for native, transcript in found.items()} == {
        A: ["From the folder"],
        B: ["Flat"],
        "s1": ["Look at the fuse"],
    }
    assert (found["s1"].is_subagent, found["s1"].parent_id) == (True, f"cursor_{A}")


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("<user_query>\nOne\n</user_query>\n<context>ignored</context>", "One"),
        ("<user_info>a</user_info>\n<user_query>One</user_query>\n<user_query>Two</user_query>", "One\nTwo"),
        ("<system_reminder>a</system_reminder>\nOne <rules>b</rules>", "One <rules>b</rules>"),
        ("<b>One</b>", "<b>One</b>"),
        ("<user_info>never closed", ""),
        ("One", "One"),
    ],
)
def test_what_a_person_typed(tmp_path, text, typed):
    path = log(tmp_path, said("user", text), said("assistant", "Yes."))
    assert texts(CursorReader([tmp_path]).read(source_of(path))) == [*filter(None, [typed]), "Yes."]


@pytest.mark.parametrize(
    ("told", "time"),
    [
        ("Sunday, Sep 20, 2026, 12:31 AM (UTC+3)", "2026-09-19T21:31:00.000Z"),
        ("Friday, March 6, 2026, 1:05 PM (UTC-3:30)", "2026-03-06T16:35:00.000Z"),
        ("Monday, May 4, 2026, 12:00 PM (UTC)", "2026-05-04T12:00:00.000Z"),
        ("Monday, Foo 4, 2026, 12:00 PM (UTC)", None),
        ("Monday, May 44, 2026, 12:00 PM (UTC)", None),
        ("soon", None),
    ],
)
def test_prompts_tell_their_time_in_words(tmp_path, told, time):
    path = log(tmp_path, said("user", f"<timestamp>{told}</timestamp>\n<user_query>\nOne\n</user_query>"))
    transcript = CursorReader([tmp_path]).read(source_of(path))
    assert (texts(transcript), transcript.started_at) == (["One"], time)


def test_records_of_many_forms(tmp_path):
    records = [
        {"role": "user", "content": "<user_query>Plain</user_query>", "timestamp": 1770300000000},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "Let me see.\n\n[REDACTED]"}]}},
        {"role": "user", "message": {"content": [{"type": "tool_result", "content": [{"text": "out"}]}]}},
        {"role": "assistant", "message": {"content": ["bare", 7, None]}},
        {"type": "later", "x": 1},
    ]
    transcript = CursorReader([tmp_path]).read(source_of(log(tmp_path, *records)))
    assert texts(transcript) == ["Plain", "Let me see.", "out", "bare"]
    assert (transcript.tool_results, transcript.started_at) == (1, "2026-02-05T14:00:00.000Z")


def test_sessions_with_only_a_store_are_read_in_the_order_of_its_root(tmp_path):
    meta = {"latestRootBlobId": "ff" * 32, "name": "Bulbs", "createdAt": 1770300000000, "lastUsedModel": {"id": "m"}}
    store(tmp_path, meta, [*rooted(MESSAGES), ("aa", b"\x0a\x0eList the bulbs")])
    ((key, transcript),) = read_all(CursorReader([tmp_path])).items()
    assert key == ("store.db", A)
    assert [(message.role, message.text) for message in transcript.messages] == [
        ("user", "List the bulbs\n[image png, 300 B]"),
        ("tool", "Shell  ls"),
        ("output", "e14 e27"),
        ("assistant", "Two."),
    ]
    assert (transcript.title, transcript.model, transcript.project) == ("Bulbs", "m", "/srv/lamp")
    assert (transcript.started_at, transcript.ended_at) == ("2026-02-05T14:00:00.000Z", None)
    assert transcript.kind == "cursor-agent-sqlite"


def test_without_a_root_messages_are_read_as_they_were_written(tmp_path):
    pieces = [(str(number), json.dumps(message)) for number, message in enumerate(MESSAGES)]
    store(
        tmp_path, {"latestRootBlobId": "gone"}, [*pieces, ("x", b"\x0a\x02{}"), ("y", b'{"no": "role"}'), ("z", None)]
    )
    ((_, transcript),) = read_all(CursorReader([tmp_path])).items()
    assert transcript.prompts == 1
    assert transcript.project == "/home/dana/lamp"


def test_a_store_of_frames_only_holds_no_conversation(tmp_path):
    store(tmp_path, {"name": "Bulbs"}, [("x", b"\x0a\x0eList the bulbs\x12\x02ok\xff")])
    reader = CursorReader([tmp_path])
    (source,) = all_sources(reader)
    assert reader.read(source) is None


@pytest.mark.parametrize("raw", ["zz", "7b", "", '{"name": "Plain"}', b"\xff"])
def test_what_a_store_says_of_itself_may_be_unreadable(tmp_path, raw):
    store(tmp_path, {}, [("1", json.dumps(MESSAGES[-1]))], raw_meta=raw or "x")
    ((_, transcript),) = read_all(CursorReader([tmp_path])).items()
    assert transcript.title == ("Plain" if "Plain" in str(raw) else None)


def test_subagents_are_told_by_their_store(tmp_path):
    agent = {"parentAgentId": B, "typeName": "explore"}
    store(tmp_path, {"subagentInfo": agent, "name": "New Agent"}, [("1", json.dumps(MESSAGES[-1]))])
    ((_, transcript),) = read_all(CursorReader([tmp_path])).items()
    assert (transcript.is_subagent, transcript.parent_id, transcript.agent_type) == (True, f"cursor_{B}", "explore")
    assert transcript.title is None


def test_what_the_editor_wrote_of_its_own_sessions_is_read_from_its_database(tmp_path):
    ide, agent = tmp_path / "ide", tmp_path / "agent"
    log(agent, said("user", "<user_query>In the file</user_query>"))
    log(agent, said("user", "<user_query>Only here</user_query>"), name=f"{B}/{B}")
    write_state(editor(ide), bubbles(A, "In the database") | {f"composerData:{B}": {"createdAt": 1}})
    reader = CursorReader([ide, agent])
    said_in = {native: texts(transcript) for (_, native), transcript in read_all(reader).items()}
    assert said_in == {A: ["In the database"], B: ["Only here"]}
    write_state(editor(ide), bubbles(B, "Now here too"))
    said_in = {native: texts(transcript) for (_, native), transcript in read_all(reader).items()}
    assert said_in == {A: ["In the database"], B: ["Now here too"]}


def test_a_broken_database_hides_no_transcript(tmp_path):
    path = log(tmp_path, said("user", "<user_query>In the file</user_query>"))
    editor(tmp_path).parent.mkdir(parents=True)
    editor(tmp_path).write_bytes(b"no database")
    assert path in {source.path for source in CursorReader([tmp_path]).discover()}


def test_files_of_an_unknown_form_are_named(tmp_path):
    reader = CursorReader([tmp_path])
    for content in (b'{"kind": "new"}\n', b"words\n"):
        path = log(tmp_path)
        path.write_bytes(content)
        with pytest.raises(TranscriptError, match="no Cursor record"):
            reader.read(source_of(path))
    path.write_bytes(b"")
    assert reader.read(source_of(path)) is None
    broken = store(tmp_path, {})
    broken.write_bytes(b"no database")
    with pytest.raises(TranscriptError):
        reader.read(source_of(broken))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=hostile_files(*WORDS))
def test_any_transcript_is_read_or_named(tmp_path, content):
    path = log(tmp_path)
    path.write_bytes(content)
    try:
        transcript = CursorReader([tmp_path]).read(source_of(path))
    except TranscriptError:
        return
    if transcript:
        check_storable(transcript)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(root=st.binary(), end=st.binary(), piece=st.one_of(st.binary(), hostile_files(*WORDS)))
def test_any_pieces_are_read_or_passed_over(tmp_path, root, end, piece):
    for old in tmp_path.rglob("store.db"):
        old.unlink()
    meta = {"latestRootBlobId": "ee" if root else "ff" * 32}
    store(tmp_path, meta, [*rooted(MESSAGES[-1:], end), ("ee", root), ("dd", piece)])
    for transcript in read_all(CursorReader([tmp_path])).values():
        check_storable(transcript)
