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
    hostile_files,
    jsonl,
    read_all,
    sessions,
    source_of,
)
from transcript_stores import VALUES, by_id, clean, database, insert, only, told

from nlm_tui.ingest.ports import PartsReader, TranscriptError
from nlm_tui.runtimes.databases import reading
from nlm_tui.runtimes.goose import GooseReader

SESSIONS = list(sessions("goose", set()))
WORDS = (
    *("role", "user", "assistant", "content", "type", "text", "created", "toolRequest", "toolCall", "value", "name"),
    *("arguments", "toolResponse", "toolResult", "error", "image", "data", "mimeType", "image/png", "working_dir"),
    *("description", "metadata", "userVisible", "status", "success", "thinking", "isError"),
)
SCHEMA = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, session_type TEXT, working_dir TEXT,
        created_at TIMESTAMP, updated_at TIMESTAMP, accumulated_input_tokens INTEGER,
        accumulated_output_tokens INTEGER, model_config_json TEXT, parent_session_id TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT,
        created_timestamp INTEGER, metadata_json TEXT);
    CREATE INDEX idx_messages_session ON messages (session_id);
"""
ROW = {"name": "Bread", "working_dir": "/bakery", "created_at": "2026-02-01 06:00:00"}


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    files = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    transcript = read_all(GooseReader([root]))[Path(expected["file"]).name, expected["session_id"]]
    check(transcript, expected)
    assert transcript.session_id == f"goose_{expected['session_id']}"
    assert transcript.kind == ("goose-sqlite" if expected["file"].endswith(".db") else "goose-jsonl")
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == files


def test_nothing_else_is_found():
    found = [read_all(GooseReader([root])) for root in {case[1] for case in SESSIONS}]
    assert sum(map(len, found)) == len(SESSIONS)


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({}, "linux", [".local/share/goose"]),
        ({}, "darwin", [".local/share/goose", "Library/Application Support/Block/goose"]),
        ({}, "win32", ["AppData/Roaming/Block/goose/data"]),
        ({"XDG_DATA_HOME": "/data"}, "linux", ["/data/goose"]),
        ({"XDG_DATA_HOME": "data"}, "linux", [".local/share/goose"]),
        ({"APPDATA": "/roaming"}, "win32", ["/roaming/Block/goose/data"]),
        ({"GOOSE_PATH_ROOT": "/own", "XDG_DATA_HOME": "/data"}, "darwin", ["/own/data"]),
        ({"GOOSE_PATH_ROOT": "own"}, "linux", [".local/share/goose"]),
    ],
)
def test_environment(tmp_path, environ, platform, expected):
    if os.name == "nt":
        environ = {name: path.replace("/", "C:/", 1) if path[0] == "/" else path for name, path in environ.items()}
        expected = [path.replace("/", "C:/", 1) if path[0] == "/" else path for path in expected]
    reader = GooseReader.from_environment(environ, tmp_path, platform=platform)
    assert isinstance(reader, PartsReader)
    assert list(reader.roots) == [tmp_path / path / "sessions" for path in expected]


def add_session(connection, native_id, *messages, **columns):
    """Add a session; a message is its role, its content and, maybe, its metadata."""
    insert(connection, "sessions", ROW | {"id": native_id, "updated_at": "2026-02-01 06:05:00"} | columns)
    for number, (role, content, *metadata) in enumerate(messages):
        row = {"session_id": native_id, "role": role, "content_json": json.dumps(content)}
        more = {
            "created_timestamp": 1769925610 + number,
            "metadata_json": json.dumps(metadata[0]) if metadata else None,
        }
        insert(connection, "messages", row | more)


def store(tmp_path):
    return database(tmp_path / "sessions" / "sessions.db", SCHEMA)


def said(text):
    return [{"type": "text", "text": text}]


def test_tools_and_images(tmp_path):
    image = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
    call = {"status": "success", "value": {"name": "developer__shell", "arguments": {"command": "ls"}}}
    content = [{"type": "text", "text": "a"}, image]
    results = (
        {"status": "success", "value": {"content": content, "isError": False}},
        {"status": "success", "value": content[:1]},
        {"status": "error", "error": "not allowed"},
    )
    with store(tmp_path) as connection:
        add_session(
            connection,
            "1",
            ("user", [*said("Look"), image]),
            ("assistant", [{"type": "toolRequest", "toolCall": call}, *said("I look."), {"type": "brand-new"}]),
            ("assistant", [{"type": "toolRequest", "toolCall": {"status": "error", "error": "bad"}}]),
            *(("user", [{"type": "toolResponse", "toolResult": result}]) for result in results),
            accumulated_input_tokens=100,
            accumulated_output_tokens=7,
            model_config_json='{"model_name": "claude-sonnet-4"}',
        )
    transcript = only(GooseReader([tmp_path]))
    assert told(transcript) == [
        ("user", "Look\n[image png, 3 B]"),
        ("assistant", "I look."),
        ("tool", "developer__shell  ls"),
        ("tool", ""),
        ("output", "a\n[image png, 3 B]"),
        ("output", "a"),
        ("output", "not allowed"),
    ]
    assert (transcript.prompts, transcript.answers, transcript.images) == (1, 1, 1)
    assert (transcript.tool_calls, transcript.tool_results) == (2, 3)
    assert (transcript.input_tokens, transcript.output_tokens) == (100, 7)
    assert transcript.model == "claude-sonnet-4"


def test_what_only_the_agent_sees_after_a_compaction_is_no_prompt(tmp_path):
    old, only_agent = {"userVisible": True, "agentVisible": False}, {"userVisible": False, "agentVisible": True}
    with store(tmp_path) as connection:
        add_session(
            connection,
            "1",
            ("user", said("Bake"), old),
            ("assistant", said("Baked."), old),
            ("user", said("They baked."), only_agent),
            ("assistant", said("I go on from the summary."), only_agent),
            ("user", said("Bake"), only_agent),
            ("user", said("More")),
        )
    transcript = only(GooseReader([tmp_path]))
    assert told(transcript)[2:] == [("summary", "They baked."), ("user", "More")]
    assert (transcript.prompts, transcript.answers, transcript.summaries) == (2, 1, 1)


@pytest.mark.parametrize("name", ["CLI Session", "New Chat", "New session 3", "Untitled", ""])
def test_a_name_that_says_nothing_is_no_title(tmp_path, name):
    with store(tmp_path) as connection:
        add_session(connection, "1", ("user", said("Bake")), name=name)
    assert only(GooseReader([tmp_path])).title is None


def test_subagents_and_their_parents(tmp_path):
    with store(tmp_path) as connection:
        add_session(connection, "1", ("user", said("Bake")), session_type="scheduled")
        add_session(connection, "2", ("user", said("Help")), session_type="sub_agent", parent_session_id="1")
    found = by_id(GooseReader([tmp_path]))
    assert [(each.is_subagent, each.parent_id) for each in found.values()] == [(False, None), (True, "goose_1")]


def test_a_file_that_the_database_took_over_is_left_out(tmp_path):
    shutil.copytree(TRANSCRIPTS / "goose" / "s02-jsonl", tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "sessions" / "20250810_093000.jsonl", tmp_path / "sessions" / "20250811_093000.jsonl")
    with store(tmp_path) as connection:
        add_session(connection, "20250810_093000", ("user", said("Is the oven on?")))
    assert set(read_all(GooseReader([tmp_path]))) == {
        ("sessions.db", "20250810_093000"),
        ("20250811_093000.jsonl", "20250811_093000"),
    }


def test_a_part_changes_with_its_messages(tmp_path):
    with store(tmp_path) as connection:
        add_session(connection, "1", ("user", said("Bake")))
        (before,) = all_sources(GooseReader([tmp_path]))
        connection.execute("UPDATE messages SET id = 5")
        (after,) = all_sources(GooseReader([tmp_path]))
    assert (before.size, before.mtime_ns, before.salt) == (1, 1769925900 * 10**9, "1")
    assert (after.size, after.mtime_ns, after.salt) == (1, 1769925900 * 10**9, "5")


def test_queries_use_the_index_of_goose(tmp_path):
    with store(tmp_path):
        pass
    with reading(tmp_path / "sessions" / "sessions.db") as opened:
        sql = "EXPLAIN QUERY PLAN SELECT role FROM messages WHERE session_id = ? ORDER BY id"
        assert [row[3] for row in opened.rows(sql, ("1",))] == [
            "SEARCH messages USING INDEX idx_messages_session (session_id=?)"
        ]


@pytest.mark.parametrize("schema", ["CREATE TABLE talk (id)", "CREATE TABLE sessions (id)"])
def test_another_database_is_told(tmp_path, schema):
    with database(tmp_path / "sessions" / "sessions.db", schema):
        pass
    with pytest.raises(TranscriptError, match="no Goose session"):
        all_sources(GooseReader([tmp_path]))


def test_a_database_without_tables_holds_nothing(tmp_path):
    shutil.copytree(TRANSCRIPTS / "goose" / "s02-jsonl", tmp_path, dirs_exist_ok=True)
    (tmp_path / "sessions" / "sessions.db").touch()
    assert len(read_all(GooseReader([tmp_path]))) == 1


def test_old_files(tmp_path):
    folder = tmp_path / "sessions"
    folder.mkdir()
    message = {"role": "user", "created": 1754818200, "content": said("Bake")}
    (folder / "a.jsonl").write_bytes(jsonl([message]))
    (folder / "b.jsonl").write_bytes(jsonl([{"working_dir": "/bakery"}]))
    (folder / "c.jsonl").write_bytes(
        jsonl([{"working_dir": "/bakery"}, message, message | {"content": None}]) + b'{"ro'
    )
    (folder / "d.jsonl").touch()
    found = by_id(GooseReader([tmp_path]))
    assert set(found) == {"a", "c"}
    assert (found["c"].project, found["c"].bad_lines, found["c"].truncated_tail) == ("/bakery", 2, True)
    (folder / "e.jsonl").write_bytes(jsonl([{"type": "user", "message": {}}]))
    with pytest.raises(TranscriptError, match="no Goose session"):
        GooseReader([tmp_path]).read(source_of(folder / "e.jsonl"))


@given(st.one_of(st.binary(), hostile_files(*WORDS)))
@settings(max_examples=200, deadline=None)
def test_whatever_the_file_is(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("goose") / "a.jsonl"
    path.write_bytes(data)
    try:
        transcript = GooseReader([path.parent]).read(source_of(path))
    except TranscriptError:
        return
    if transcript:
        check_storable(transcript)


@given(
    st.lists(
        st.tuples(st.sampled_from(("user", "assistant", "x")), VALUES, hostile_files(*WORDS) | VALUES), max_size=4
    ),
    st.fixed_dictionaries({}, optional=dict.fromkeys((*ROW, "session_type", "model_config_json"), VALUES)),
)
@settings(max_examples=150, deadline=None)
def test_whatever_stands_in_the_tables(tmp_path_factory, rows, columns):
    folder = tmp_path_factory.mktemp("goose")
    with store(folder) as connection:
        insert(connection, "sessions", {"id": "1"} | {key: clean(value) for key, value in columns.items()})
        for role, time, data in rows:
            row = {"session_id": "1", "role": role, "created_timestamp": clean(time), "content_json": clean(data)}
            insert(connection, "messages", row | {"metadata_json": clean(data)})
    for transcript in read_all(GooseReader([folder])).values():
        check_storable(transcript)
