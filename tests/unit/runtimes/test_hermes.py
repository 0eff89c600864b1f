import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import (
    TRANSCRIPTS,
    all_sources,
    check,
    check_storable,
    files_without_session,
    hostile_files,
    jsonl,
    read_all,
    sessions,
    source_of,
)
from transcript_stores import VALUES, by_id, clean, database, insert, only, put, told

from nlm_tui.ingest.ports import PartsReader, TranscriptError
from nlm_tui.runtimes.databases import reading
from nlm_tui.runtimes.hermes import HermesReader

SESSIONS = list(sessions("hermes", set()))
WITHOUT = list(files_without_session("hermes", set()))
WORDS = (
    *("role", "user", "assistant", "tool", "session_meta", "content", "tool_calls", "function", "name", "arguments"),
    *("timestamp", "2026-04-29T10:11:12", "messages", "request", "body", "session_id", "session_start", "model"),
    *("type", "text", "image_url", "url", "data:image/png;base64,QUJD", "\0json:[]", "[System note: x]", "active"),
    *(
        "[CONTEXT COMPACTION] x",
        '[IMPORTANT: The user has invoked the "x" skill',
        "[PRIOR CONTEXT] [END OF PRIOR CONTEXT]",
    ),
)
SCHEMA = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, model_config TEXT, title TEXT,
        parent_session_id TEXT, started_at REAL, ended_at REAL, end_reason TEXT, cwd TEXT, git_branch TEXT,
        archived INTEGER, rewind_count INTEGER, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT,
        tool_calls TEXT, timestamp REAL, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0, display_kind TEXT);
    CREATE INDEX idx_messages_session ON messages (session_id, timestamp);
"""
T = 1777457472.25
ROW = {"source": "cli", "started_at": T}


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    files = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    transcript = read_all(HermesReader([root]))[Path(expected["file"]).name, expected["session_id"]]
    check(transcript, expected)
    assert transcript.session_id == f"hermes_{expected['session_id']}"
    assert transcript.kind == ("hermes-sqlite" if expected["file"].endswith(".db") else "hermes-json")
    assert not transcript.is_subagent
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == files


def test_nothing_else_is_found():
    found = [read_all(HermesReader([root])) for root in {case[1] for case in SESSIONS}]
    assert sum(map(len, found)) == len(SESSIONS)


@pytest.mark.parametrize(("root", "file"), [case[1:] for case in WITHOUT], ids=[case[0] for case in WITHOUT])
def test_dumps_of_a_session_that_there_is(root, file):
    assert root / file not in {source.path for source in all_sources(HermesReader([root]))}


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({}, "linux", ".hermes"),
        ({}, "win32", "AppData/Local/hermes"),
        ({"LOCALAPPDATA": "own"}, "win32", "own/hermes"),
        ({"HERMES_HOME": "own"}, "linux", "own"),
        ({"HERMES_HOME": "own/profiles/work"}, "linux", "own"),
    ],
)
def test_environment(tmp_path, environ, platform, expected):
    environ = {name: str(tmp_path / path) for name, path in environ.items()}
    reader = HermesReader.from_environment(environ, tmp_path, platform=platform)
    assert isinstance(reader, PartsReader)
    assert list(reader.roots) == [tmp_path / expected]


def add_session(connection, native_id, *messages, **columns):
    """Add a session; a message is its role, its content and other columns."""
    insert(connection, "sessions", ROW | {"id": native_id} | columns)
    for number, (role, content, *more) in enumerate(messages):
        row = {"session_id": native_id, "role": role, "content": content, "timestamp": T + number}
        insert(connection, "messages", row | (more[0] if more else {}))


def store(folder):
    return database(folder / "state.db", SCHEMA)


SKILL = '[IMPORTANT: The user has invoked the "tides" skill, indicating they want it. It is loaded below.]\n\n# Tides\n'
INSTRUCTION = "The user has provided the following instruction alongside the skill invocation: "
BUNDLE = '[IMPORTANT: The user has invoked the "sea" skill bundle, loading 2 skills.]\n\nBundle: sea\n'
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n## Goal\nTides."
END = "\n--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---\n\n"
MERGED = (
    f"[PRIOR CONTEXT — for reference only]\nHigh tide?\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n{SUMMARY}"
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("High tide?", [("user", "High tide?")]),
        ("[not a note] High tide?", [("user", "[not a note] High tide?")]),
        ("[System note: the session [x] expired]\n\nHigh tide?", [("user", "High tide?")]),
        ("[System note: never closed\n\nHigh tide?", []),
        ("[Note: model was switched] [Note: again]High tide?", [("user", "High tide?")]),
        ("<memory-context>\nlow\n</memory-context>\n\nHigh tide?", [("user", "High tide?")]),
        ("High tide?\n\n<memory-context>low</memory-context>", [("user", "High tide?")]),
        ("High tide?\n\n[Runtime note: internal]", [("user", "High tide?")]),
        (f"{SKILL}\n{INSTRUCTION}High tide?\n\n[Runtime note: x]", [("user", "High tide?")]),
        (f"{SKILL}\n{INSTRUCTION}[IMPORTANT: a cron job, say [SILENT].]\n\nHigh tide?", [("user", "High tide?")]),
        (SKILL, [("command", "/tides")]),
        (f"{BUNDLE}User instruction: High tide?\n\n[Loaded as part of the bundle]\nx", [("user", "High tide?")]),
        (BUNDLE, [("command", "/sea")]),
        (SUMMARY, [("summary", "Earlier turns were compacted.\n## Goal\nTides.")]),
        (
            f"{SUMMARY}{END}High tide?",
            [("user", "High tide?"), ("summary", "Earlier turns were compacted.\n## Goal\nTides.")],
        ),
        (MERGED, [("user", "High tide?"), ("summary", "Earlier turns were compacted.\n## Goal\nTides.")]),
        ("[ASYNC DELEGATION BATCH COMPLETE]\nall done", []),
        ("[Your active task list was preserved across context compression]\n- [ ] a", []),
        ("Review the conversation above and consider saving to memory if appropriate.", []),
    ],
)
def test_what_a_person_typed(tmp_path, content, expected):
    with store(tmp_path) as connection:
        add_session(connection, "1", ("user", content), ("assistant", "Yes."))
    assert told(only(HermesReader([tmp_path])))[:-1] == expected


def test_a_summary_may_be_the_agents(tmp_path):
    with store(tmp_path) as connection:
        add_session(connection, "1", ("user", "High tide?"), ("assistant", SUMMARY), ("assistant", "At 6."))
    transcript = only(HermesReader([tmp_path]))
    assert [role for role, _ in told(transcript)] == ["user", "summary", "assistant"]
    assert (transcript.answers, transcript.summaries) == (1, 1)


def test_tools_and_structured_content(tmp_path):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
    calls = [
        {"id": "a", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}},
        {"id": "b", "function": {"name": "web", "arguments": "not json"}},
        {"name": "flat", "arguments": {"path": "a.md"}},
    ]
    with store(tmp_path) as connection:
        add_session(
            connection,
            "1",
            ("session_meta", "x"),
            ("system", "You are Hermes."),
            ("user", "\0json:" + json.dumps([{"type": "input_text", "text": "Look"}, image, "here"])),
            ("user", "\0json:[{"),
            ("user", "never seen", {"display_kind": "hidden"}),
            ("assistant", "I look.", {"tool_calls": json.dumps(calls)}),
            ("tool", "\0json:" + json.dumps([{"type": "text", "text": "a"}, image])),
            input_tokens=10,
            cache_read_tokens=5,
            output_tokens=3,
            archived=1,
        )
    transcript = only(HermesReader([tmp_path]))
    assert told(transcript) == [
        ("user", "Look\nhere\n[image png, 3 B]"),
        ("assistant", "I look."),
        ("tool", "terminal  ls"),
        ("tool", "web  not json"),
        ("tool", "flat  a.md"),
        ("output", "a\n[image png, 3 B]"),
    ]
    assert (transcript.images, transcript.bad_lines, transcript.archived) == (1, 1, True)
    assert (transcript.input_tokens, transcript.output_tokens) == (15, 3)


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        ({"end_reason": "compression"}, {}, ("hermes_1", None, False)),
        ({"end_reason": "compression"}, {"source": "subagent"}, ("hermes_1", None, True)),
        ({}, {}, ("hermes_1", None, True)),
        ({"end_reason": "user_exit"}, {}, ("hermes_1", None, True)),
        ({}, {"model_config": '{"_delegate_from": "1"}'}, ("hermes_1", None, True)),
        ({"end_reason": "compression"}, {"model_config": '{"_delegate_from": "0"}'}, ("hermes_1", None, False)),
        ({}, {"model_config": '{"_branched_from": "1"}'}, (None, "hermes_1", False)),
        ({"end_reason": "branched"}, {}, (None, "hermes_1", False)),
        ({"end_reason": "session_reset"}, {}, (None, None, False)),
        ({}, {"model_config": '{"_reset_from": "1"}'}, (None, None, False)),
        (None, {}, ("hermes_1", None, False)),
        (None, {"source": "subagent", "parent_session_id": None}, (None, None, True)),
    ],
)
def test_relations(tmp_path, parent, child, expected):
    with store(tmp_path) as connection:
        if parent is not None:
            add_session(connection, "1", **parent)
        add_session(connection, "2", ("user", "High tide?"), **({"parent_session_id": "1"} | child))
    transcript = only(HermesReader([tmp_path]))
    assert (transcript.parent_id, transcript.forked_from, transcript.is_subagent) == expected


def test_a_branch_begins_with_what_it_copied(tmp_path):
    with store(tmp_path) as connection:
        messages = [
            ("user", "One", {"timestamp": T - 5}),
            ("assistant", "Two", {"timestamp": T - 4}),
            ("user", "Three"),
        ]
        branch = {"parent_session_id": "1", "model_config": '{"_branched_from": "1"}'}
        add_session(connection, "2", *messages, **branch)
    messages = only(HermesReader([tmp_path])).messages
    assert [message.text for message in messages if message.inherited] == ["One", "Two"]


def test_of_older_files_the_best_is_read_where_no_database_has_the_session(tmp_path):
    folder = tmp_path / "sessions"
    message = {"role": "user", "content": "High tide?"}
    for native_id in ("20260429_101112_aa", "20260429_101112_bb"):
        put(folder / f"session_{native_id}.json", {"session_id": native_id, "messages": [message]})
    for native_id in ("20260429_101112_bb", "20260429_101112_cc"):
        (folder / f"{native_id}.jsonl").write_bytes(jsonl([message]))
    for native_id, stamp in (("cc", "101250"), ("dd", "101250"), ("dd", "101259_000001")):
        name = f"request_dump_20260429_101112_{native_id}_20260429_{stamp}.json"
        body = {"model": stamp, "messages": [message]}
        put(folder / name, {"session_id": f"20260429_101112_{native_id}", "request": {"body": body}})
    put(folder / "sessions.json", {"main": {}})
    with store(tmp_path / "profiles" / "work") as connection:
        add_session(connection, "20260429_101112_aa", ("user", "High tide?"))
    found = {native_id: name for name, native_id in read_all(HermesReader([tmp_path]))}
    assert found == {
        "20260429_101112_aa": "state.db",
        "20260429_101112_bb": "session_20260429_101112_bb.json",
        "20260429_101112_cc": "20260429_101112_cc.jsonl",
        "20260429_101112_dd": "request_dump_20260429_101112_dd_20260429_101259_000001.json",
    }
    assert by_id(HermesReader([tmp_path]))["20260429_101112_dd"].model == "101259_000001"


def test_files_of_lines(tmp_path):
    folder = tmp_path / "sessions"
    folder.mkdir()
    records = [
        {"role": "session_meta", "model": "hermes-4", "platform": "telegram", "timestamp": "2026-04-29T10:11:12"},
        {"role": "user", "content": "High tide?", "timestamp": "2026-04-29T10:11:11.5"},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "web", "arguments": "{}"}}]},
        {"role": "tool", "content": "06:40", "timestamp": "2026-04-29T10:11:14"},
        {"role": "assistant", "content": "At 6.", "timestamp": "2026-04-29T10:11:13"},
    ]
    (folder / "20260429_101112_aa.jsonl").write_bytes(jsonl(records) + b'{"role"')
    transcript = only(HermesReader([tmp_path]))
    assert [role for role, _ in told(transcript)] == ["user", "tool", "output", "assistant"]
    assert (transcript.model, transcript.kind) == ("hermes-4", "hermes-jsonl")
    assert (transcript.local_start, transcript.local_end) == ("2026-04-29T10:11:11.5", "2026-04-29T10:11:14")
    assert (transcript.started_at, transcript.bad_lines, transcript.truncated_tail) == (None, 1, True)


@pytest.mark.parametrize(
    "data",
    [
        *(b"{}", b"[]", b"{", b'{"messages": {}}', b'{"id": "1", "messages": []}', b'{"role": "user", "message": {}}'),
        *(b'{"type": "message", "role": "user", "content": []}', b'{"role": "user", "created": 1, "content": []}'),
    ],
)
@pytest.mark.parametrize("name", ["session_1.json", "1.jsonl"])
def test_another_file_is_told(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(TranscriptError, match="no Hermes session"):
        HermesReader([tmp_path]).read(source_of(tmp_path / name))


def test_a_file_in_which_nothing_was_said_is_none(tmp_path):
    (tmp_path / "1.jsonl").touch()
    put(tmp_path / "session_1.json", {"session_id": "1", "messages": []})
    reader = HermesReader([tmp_path])
    assert reader.read(source_of(tmp_path / "1.jsonl")) is reader.read(source_of(tmp_path / "session_1.json")) is None


@pytest.mark.parametrize("schema", ["CREATE TABLE talk (id)", "CREATE TABLE messages (id)"])
def test_another_database_is_told(tmp_path, schema):
    with database(tmp_path / "state.db", schema):
        pass
    with pytest.raises(TranscriptError, match="no Hermes session"):
        all_sources(HermesReader([tmp_path]))


def test_a_database_without_tables_holds_nothing(tmp_path):
    shutil.copytree(TRANSCRIPTS / "hermes" / "h01-json", tmp_path, dirs_exist_ok=True)
    (tmp_path / "state.db").touch()
    assert len(read_all(HermesReader([tmp_path]))) == 1


def test_a_part_changes_with_its_session(tmp_path):
    with store(tmp_path) as connection:
        add_session(connection, "1", ("user", "High tide?"))
        reader = HermesReader([tmp_path])
        (before,) = all_sources(reader)
        assert (before.size, before.mtime_ns) == (1, int(T * 1000) * 1_000_000)
        seen = {(before.mtime_ns, before.salt)}
        changes = ("rewind_count = 1", "title = 'Tides'", "ended_at = 1777457480.0", "archived = 1")
        for number, change in enumerate(changes, 1):
            connection.execute(f"UPDATE sessions SET {change}")  # noqa: S608
            os.utime(tmp_path / "state.db", ns=(number, number))
            (after,) = all_sources(reader)
            assert (after.mtime_ns, after.salt) not in seen
            seen.add((after.mtime_ns, after.salt))


def test_queries_use_the_index_of_hermes(tmp_path):
    with store(tmp_path):
        pass
    with reading(tmp_path / "state.db") as opened:
        rest = "WHERE id IN (SELECT id FROM messages WHERE session_id = ?) ORDER BY id"
        plan = [row[3] for row in opened.rows(f"EXPLAIN QUERY PLAN SELECT content FROM messages {rest}", ("1",))]  # noqa: S608
    assert not any(step.startswith(("SCAN", "USE TEMP")) for step in plan), plan


@given(st.one_of(st.binary(), hostile_files(*WORDS)), st.sampled_from(("session_1.json", "1.jsonl")))
@settings(max_examples=200, deadline=None)
def test_whatever_the_file_is(tmp_path_factory, data, name):
    path = tmp_path_factory.mktemp("hermes") / name
    path.write_bytes(data)
    try:
        transcript = HermesReader([path.parent]).read(source_of(path))
    except TranscriptError:
        return
    if transcript:
        check_storable(transcript)


TEXTS = st.lists(st.sampled_from(WORDS) | st.text()).map("".join)


@given(
    st.lists(st.tuples(st.sampled_from(("user", "assistant", "tool")), VALUES, TEXTS | VALUES), max_size=4),
    st.fixed_dictionaries({}, optional=dict.fromkeys((*ROW, "title", "model_config", "parent_session_id"), VALUES)),
)
@settings(max_examples=200, deadline=None)
def test_whatever_stands_in_the_tables(tmp_path_factory, rows, columns):
    folder = tmp_path_factory.mktemp("hermes")
    with store(folder) as connection:
        insert(connection, "sessions", {"id": "1"} | {key: clean(value) for key, value in columns.items()})
        for role, time, content in rows:
            row = {"session_id": "1", "role": role, "timestamp": clean(time), "content": clean(content)}
            insert(connection, "messages", row | {"tool_calls": clean(content), "active": clean(time)})
    for transcript in read_all(HermesReader([folder])).values():
        check_storable(transcript)
