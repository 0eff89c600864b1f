import json

from hypothesis import given, settings
from hypothesis import strategies as st
from opencode_stores import ASSISTANT, ROW, SCHEMA, SCHEMA_2, USER, T, add_session, add_session_2, said
from transcript_fixtures import (
    check_storable,
    hostile_files,
    read_all,
)
from transcript_stores import VALUES, by_id, clean, database, insert, only, put, told

from nlm_tui.runtimes.opencode import OpenCodeReader

WORDS = (
    *("id", "role", "user", "assistant", "time", "created", "completed", "parts", "type", "text", "synthetic", "file"),
    *("mime", "image/png", "url", "data:image/png;base64,QUJD", "tool", "state", "status", "completed", "input"),
    *("output", "error", "content", "attachments", "summary", "title", "tokens", "cache", "read", "metadata", "model"),
    *("modelID", "path", "cwd", "agent", "revert", "messageID", "partID", "subtask", "command", "tool-invocation"),
    *("toolInvocation", "result", "args", "shell", "compaction", "files", "data"),
)
KINDS = st.sampled_from(("user", "assistant", "shell", "compaction", "idle"))


def test_a_message_is_told_in_its_parts(tmp_path):
    tool = {"input": {"command": "ls"}, "output": "a\nb", "time": {"start": T + 50, "end": T + 90}}
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,QUJD"}
    with database(tmp_path / "opencode.db", SCHEMA) as connection:
        add_session(
            connection,
            "ses_1",
            (USER, said("Prune?"), said("hidden", ignored=True), image, {"type": "file", "mime": "text/plain"}),
            (
                ASSISTANT | {"tokens": {"input": 3, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 10}}},
                {"type": "reasoning", "text": "hm"},
                said("Let me look."),
                {"type": "tool", "tool": "bash", "state": tool | {"status": "completed", "attachments": [image]}},
                {"type": "tool", "tool": "read", "state": {"status": "error", "input": {}, "error": "no such file"}},
                {"type": "tool", "tool": "task", "state": {"status": "pending", "input": {}}},
                said(" \n"),
                said("Now."),
                {"type": "brand-new", "text": "?"},
            ),
            (USER, {"type": "subtask", "command": "review", "prompt": "Review it all"}),
        )
    transcript = only(OpenCodeReader([tmp_path]))
    assert told(transcript) == [
        ("user", "Prune?\n[image png, 3 B]"),
        ("assistant", "Let me look.\n\nNow."),
        ("tool", "bash  ls"),
        ("output", "a\nb\n[image png, 3 B]"),
        ("tool", "read"),
        ("output", "no such file"),
        ("tool", "task"),
        ("command", "/review"),
    ]
    assert (transcript.tool_calls, transcript.tool_results, transcript.images) == (3, 2, 1)
    assert (transcript.input_tokens, transcript.output_tokens) == (113, 7)
    assert transcript.title == "Roses"
    assert transcript.agent_type is None


def test_the_first_prompt_of_an_early_session_may_be_left_in_its_summary_only(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA) as connection:
        add_session(
            connection,
            "ses_1",
            (USER | {"summary": {"title": "Roses in June"}},),
            (ASSISTANT, said("Yes.")),
            (USER | {"summary": {"title": "no"}}, said("synthetic", synthetic=True)),
            title="New session - 2026-01-05T08:00:00.000Z",
        )
    transcript = only(OpenCodeReader([tmp_path]))
    assert told(transcript) == [("user", "Roses in June"), ("assistant", "Yes.")]
    assert transcript.title is None


def test_messages_with_their_parts_inside(tmp_path):
    folder = tmp_path / "project" / "home-dana" / "storage" / "session"
    call = {"state": "result", "toolName": "bash", "args": {"command": "ls"}, "result": "a"}
    meta = {"time": {"created": T + 1}, "assistant": {"modelID": "claude-4", "path": {"cwd": "/home/dana"}}}
    put(folder / "info" / "ses_1.json", {"id": "ses_1", "title": "Old", "time": {"created": T, "updated": T}})
    put(folder / "message" / "ses_1" / "msg_1.json", {"role": "user", "parts": [said("Hello?")], "metadata": meta})
    put(
        folder / "message" / "ses_1" / "msg_2.json",
        {"role": "assistant", "parts": [{"type": "tool-invocation", "toolInvocation": call}], "metadata": meta},
    )
    transcript = only(OpenCodeReader([tmp_path]))
    assert told(transcript) == [("user", "Hello?"), ("tool", "bash  ls"), ("output", "a")]
    assert (transcript.project, transcript.model) == ("/home/dana", "claude-4")
    assert transcript.ended_at == "2026-01-05T08:00:00.001Z"


def test_a_revert_takes_back_a_message_and_what_follows(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA) as connection:
        messages = [(USER, said("One")), (ASSISTANT, said("Two")), (USER, said("Three")), (ASSISTANT, said("Four"))]
        add_session(connection, "ses_1", *messages, revert=json.dumps({"messageID": "msg_ses_1_002"}))
        whole = {"messageID": "msg_ses_2_002", "partID": "prt_x"}
        add_session(connection, "ses_2", *messages, revert=json.dumps(whole))
        add_session(connection, "ses_3", *messages, revert=json.dumps({"messageID": "msg_gone"}))
    taken_back = {
        native_id: [message.text for message in transcript.messages if message.withdrawn]
        for native_id, transcript in by_id(OpenCodeReader([tmp_path])).items()
    }
    assert taken_back == {"ses_1": ["Three", "Four"], "ses_2": ["Four"], "ses_3": []}


def test_a_fork_begins_with_what_it_copied(tmp_path):
    rows = (
        ("user", {"text": "One"}, T - 9),
        ("assistant", {"content": [said("Two")]}, T - 5),
        ("user", {"text": "Three"}),
    )
    with database(tmp_path / "opencode.db", SCHEMA + SCHEMA_2) as connection:
        add_session_2(connection, "ses_1", *rows, fork_session_id="ses_0")
        add_session_2(connection, "ses_2", *rows)
        old = (USER | {"time": {"created": T - 1}}, said("One"))
        add_session(connection, "ses_3", old, (USER, said("Two")), title="Roses (fork #1)")
    found = by_id(OpenCodeReader([tmp_path]))
    inherited = {
        native_id: [message.text for message in transcript.messages if message.inherited]
        for native_id, transcript in found.items()
    }
    assert inherited == {"ses_1": ["One", "Two"], "ses_2": [], "ses_3": ["One"]}
    assert (found["ses_1"].forked_from, found["ses_1"].prompts) == ("opencode_ses_0", 2)
    assert found["ses_3"].forked_from is None


def test_a_shell_command_is_no_prompt(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA_2) as connection:
        rows = [
            ("shell", {"command": "ls -l"}),
            ("compaction", {"status": "running"}),
            ("idle", {}),
            ("user", []),
        ]
        error = {"status": "error", "input": {}, "error": {"type": "x", "message": "denied"}, "content": []}
        add_session_2(
            connection, "ses_1", *rows, ("assistant", {"content": [{"type": "tool", "name": "write", "state": error}]})
        )
    transcript = only(OpenCodeReader([tmp_path]))
    assert told(transcript) == [("command", "!ls -l"), ("tool", "write"), ("output", "denied")]
    assert (transcript.prompts, transcript.summaries, transcript.bad_lines) == (0, 0, 1)


def test_archived_sessions_and_subagents(tmp_path):
    with database(tmp_path / "opencode.db", SCHEMA) as connection:
        add_session(connection, "ses_1", (USER, said("One")), time_archived=T)
        add_session(connection, "ses_2", (USER | {"agent": "explore"}, said("Look")), parent_id="ses_1")
    found = by_id(OpenCodeReader([tmp_path]))
    assert (found["ses_1"].archived, found["ses_2"].archived) == (True, False)
    assert (found["ses_2"].is_subagent, found["ses_2"].parent_id) == (True, "opencode_ses_1")
    assert found["ses_2"].agent_type == "explore"


@given(st.lists(hostile_files(*WORDS), max_size=4), st.lists(hostile_files(*WORDS), max_size=4))
@settings(max_examples=150, deadline=None)
def test_whatever_stands_in_the_tree(tmp_path_factory, messages, parts):
    storage = tmp_path_factory.mktemp("opencode") / "storage"
    put(storage / "session" / "global" / "ses_1.json", {"id": "ses_1", "time": {"created": T}, "revert": {}})
    for number, message in enumerate(messages):
        path = storage / "message" / "ses_1" / f"msg_{number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(message)
        for index, part in enumerate(parts):
            path = storage / "part" / f"msg_{number}" / f"prt_{index}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(part)
    reader = OpenCodeReader([storage.parent])
    transcript = reader.read(*reader.discover())
    if transcript:
        check_storable(transcript)


@given(
    st.lists(st.tuples(KINDS, VALUES, hostile_files(*WORDS) | VALUES), max_size=4),
    st.fixed_dictionaries({}, optional=dict.fromkeys((*ROW, "parent_id", "revert"), VALUES)),
)
@settings(max_examples=150, deadline=None)
def test_whatever_stands_in_the_tables(tmp_path_factory, rows, columns):
    path = tmp_path_factory.mktemp("opencode") / "opencode.db"
    with database(path, SCHEMA + SCHEMA_2) as connection:
        for table in ("session", "session_v2"):
            insert(connection, table, {"id": table} | {key: clean(value) for key, value in columns.items()})
        for number, (kind, time, data) in enumerate(rows):
            own = {"id": number, "time_created": clean(time), "time_updated": clean(time), "data": clean(data)}
            insert(connection, "message", own | {"session_id": "session"})
            insert(connection, "part", own | {"message_id": number, "session_id": "session"})
            insert(connection, "session_message", own | {"session_id": "session_v2", "seq": number, "type": kind})
    for transcript in read_all(OpenCodeReader([path.parent])).values():
        check_storable(transcript)
