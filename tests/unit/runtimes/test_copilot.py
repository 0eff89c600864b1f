import sqlite3
from contextlib import closing

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
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

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes import CopilotReader
from nlm_tui.runtimes.copilot_texts import trimmed, workspace_facts

SESSIONS = list(sessions("copilot", set()))
A, B = "000000e3-0000-4000-8000-0000000000e3", "000000e4-0000-4000-8000-0000000000e4"
WORDS = (
    *("type", "data", "id", "timestamp", "agentId", "parentToolCallId", "session.start", "session.resume", "context"),
    *("cwd", "branch", "session.info", "message", "session.shutdown", "modelMetrics", "usage", "inputTokens"),
    *("user.message", "content", "attachments", "source", "assistant.message", "toolRequests", "toolCallId", "name"),
    *("arguments", "tool.execution_start", "tool.execution_complete", "result", "contents", "error", "outputTokens"),
    *("sessionId", "timeline", "chatMessages", "role", "user", "assistant", "tool", "tool_calls", "function", "text"),
    *("copilot", "info", "tool_call_requested", "tool_call_completed", "callId", "imageAttachments", "startTime"),
)


def event(kind, at="2026-05-01T08:00:00.000Z", agent=None, **data):
    return {"type": kind, "data": data, "timestamp": at} | ({"agentId": agent} if agent else {})


def log(home, *events, session=A, facts=None):
    folder = home / "session-state" / session
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(jsonl(events))
    if facts is not None:
        (folder / "workspace.yaml").write_text(facts, "utf-8")


def dump(home, name, **content):
    folder = home / "history-session-state"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(orjson.dumps(content))


def only(home):
    (source,) = all_sources(reader := CopilotReader([home]))
    return reader.read(source)


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    path = root / expected["file"]
    before = sorted((file, file.stat().st_mtime_ns) for file in root.rglob("*"))
    content = path.read_bytes()

    transcript = read_all(CopilotReader([root]))[path.name, expected["session_id"]]

    check(transcript, expected)
    assert transcript.session_id == f"copilot_{expected['session_id']}"
    assert sorted((file, file.stat().st_mtime_ns) for file in root.rglob("*")) == before
    assert path.read_bytes() == content


def test_a_folder_that_resuming_left_empty_is_no_session():
    (source,) = CopilotReader([TRANSCRIPTS / "copilot" / "k01-dir"]).discover()
    assert source.path.parent.name == "000000e1-0000-4000-8000-0000000000e1"


@pytest.mark.parametrize(
    ("environ", "homes"),
    [
        ({}, [".copilot"]),
        ({"COPILOT_HOME": "own"}, ["own"]),
        ({"COPILOT_CLI_HOME": "other", "COPILOT_DIR": "third"}, [".copilot", "other", "third"]),
        ({"COPILOT_HOME": "own", "COPILOT_DIR": "own"}, ["own"]),
    ],
)
def test_looks_where_copilot_keeps_its_sessions(tmp_path, environ, homes):
    reader = CopilotReader.from_environment({name: str(tmp_path / path) for name, path in environ.items()}, tmp_path)
    assert list(reader.roots) == [
        tmp_path / home / folder for home in homes for folder in ("session-state", "history-session-state")
    ]


def test_the_facts_beside_a_log_make_it_another_source(tmp_path):
    log(tmp_path, event("user.message", content="Hello"), facts="id: x\n")
    reader = CopilotReader([tmp_path])
    (before,) = reader.discover()
    assert reader.read(before).title is None
    (tmp_path / "session-state" / A / "workspace.yaml").write_text("name: Pier lights\nbranch: main\n", "utf-8")
    (after,) = reader.discover()
    assert before.salt != after.salt
    assert (reader.read(after).title, reader.read(after).branch) == ("Pier lights", "main")


@pytest.mark.parametrize(
    ("yaml", "facts"),
    [
        ("name: 'it''s: here'\n", {"name": "it's: here"}),
        ('name: "a \\"b\\" \\u00e9"\r\ncwd: C:\\pier\r\n', {"name": 'a "b" é', "cwd": "C:\\pier"}),
        ("name: >-\n  A long title that\n  goes on\nbranch: x\n", {"name": "A long title that goes on", "branch": "x"}),
        ("name: |-\n  one\n  two\n", {"name": "one\ntwo"}),
        ("name: plain text\n  goes on\n", {"name": "plain text goes on"}),
        ("name: null\ncwd:\n", {"name": "", "cwd": ""}),
        ("- a list\n# a comment\n{}\n", {}),
        ('name: "no end\n', {"name": '"no end'}),
        ("", {}),
    ],
)
def test_facts_are_read_from_the_little_yaml_that_copilot_writes(tmp_path, yaml, facts):
    path = tmp_path / "workspace.yaml"
    path.write_text(yaml, "utf-8", newline="")
    assert workspace_facts(path) == facts


def test_the_title_is_the_given_one_then_the_changed_one_then_the_summary(tmp_path):
    events = [event("user.message", content="Hello"), event("session.title_changed", title="Changed")]
    log(tmp_path / "a", *events, facts="name: Given\nsummary: Summed up\n")
    log(tmp_path / "b", *events, facts="summary: Summed up\n")
    log(tmp_path / "c", *events[:1], facts="summary: Summed up\n")
    assert [only(tmp_path / name).title for name in "abc"] == ["Given", "Changed", "Summed up"]


def test_only_what_a_person_typed_is_a_prompt(tmp_path):
    log(
        tmp_path,
        event("user.message", content="Count the boats"),
        event("user.message", content="Skill text", source="skill-pdf"),
        event("user.message", content="Do it", source="agent-7"),
        event("user.message", content="Continue", isAutopilotContinuation=True),
        event("user.message", content="/review", source="command-review"),
        event("system.message", content="You are"),
        event("hook.start", input="x"),
    )
    assert [message.text for message in only(tmp_path).messages] == ["Count the boats", "/review"]


def test_what_subagents_say_is_counted_aside(tmp_path):
    log(
        tmp_path,
        event("user.message", content="Survey the pier"),
        event("assistant.message", content="", toolRequests=[{"toolCallId": "t1", "name": "task", "arguments": {}}]),
        event("subagent.started", agent="a1", toolCallId="t1", agentName="explore"),
        event("user.message", agent="a1", content="Look at the planks"),
        event("assistant.message", agent="a1", content="Looking", toolRequests=[{"toolCallId": "t2", "name": "view"}]),
        event("tool.execution_start", toolCallId="t3", toolName="view", parentToolCallId="t1"),
        event("tool.execution_complete", toolCallId="t3", parentToolCallId="t1", result={"content": "x"}),
        event("assistant.message", content="Two planks", parentToolCallId="t1"),
        event("tool.execution_complete", toolCallId="t1", success=True, result={"content": "Two planks"}),
        event("assistant.message", content="Two planks are loose."),
    )
    transcript = only(tmp_path)
    assert (transcript.sidechain_prompts, transcript.sidechain_answers) == (1, 2)
    assert (transcript.prompts, transcript.answers, transcript.tool_calls, transcript.tool_results) == (1, 1, 1, 1)


def test_tokens_are_those_of_every_account_and_what_was_written_since(tmp_path):
    metrics = {"gpt-5.4": {"usage": {"inputTokens": 100, "outputTokens": 10}}}
    log(
        tmp_path,
        event("assistant.message", content="a", outputTokens=10),
        event("session.shutdown", modelMetrics=metrics),
        event("session.resume"),
        event("assistant.message", content="b", outputTokens=20),
        event("session.shutdown", modelMetrics={"claude": {"usage": {"inputTokens": 7, "outputTokens": 20}}}),
        event("assistant.message", content="c", outputTokens=5),
    )
    transcript = only(tmp_path)
    assert (transcript.input_tokens, transcript.output_tokens) == (107, 35)


def test_the_model_is_the_last_one_that_answered(tmp_path):
    log(
        tmp_path,
        event("session.start", sessionId=A, selectedModel="gpt-5"),
        event("assistant.message", content="a"),
        event("session.model_change", newModel="claude"),
    )
    assert only(tmp_path).model == "gpt-5"


def test_images_compaction_failures_and_calls_that_nobody_asked_for(tmp_path):
    log(
        tmp_path,
        event(
            "user.message",
            content="",
            attachments=[
                {"type": "file", "path": "C:\\shots\\pier.PNG", "displayName": "pier"},
                {"type": "blob", "mimeType": "image/jpeg", "data": "A" * 4000},
                {"type": "file", "path": "/home/dana/pier/notes.md"},
            ],
        ),
        event("tool.execution_start", toolCallId="u1", toolName="bash", arguments={"command": "ls"}),
        event("tool.execution_complete", toolCallId="u1", success=False, error={"message": "denied"}),
        event("session.compaction_complete", success=True, summaryContent="Boats were counted"),
        event("session.compaction_complete", success=False),
    )
    transcript = only(tmp_path)
    assert [(message.role, message.text) for message in transcript.messages] == [
        ("user", "[image pier.PNG]\n[image jpeg, 3 kB]"),
        ("tool", "bash  ls"),
        ("output", "denied"),
        ("summary", "Boats were counted"),
    ]
    assert (transcript.images, transcript.summaries) == (2, 1)


def test_dumps_hold_what_was_shown(tmp_path):
    timeline = [
        {"type": "info", "text": "Folder /home/dana/pier has been added to trusted folders.", "timestamp": "x"},
        {"type": "user", "text": "Count", "timestamp": "2025-10-01T08:00:00.000Z", "imageAttachments": []},
        {"type": "tool_call_requested", "callId": "c1", "name": "bash", "arguments": {"command": "ls"}},
        {"type": "tool_call_completed", "callId": "c1", "name": "bash", "result": {"type": "success", "log": "a b"}},
        {"type": "tool_call_completed", "callId": "c2", "name": "view", "arguments": {"path": "/a"}, "result": {}},
        {"type": "copilot", "text": "Two.", "timestamp": "2025-10-01T08:00:09.000Z"},
    ]
    chat = [{"role": "user", "content": "<current_datetime>x</current_datetime>\n\nCount"}]
    dump(tmp_path, f"session_{A}_2.json", sessionId=A, timeline=timeline, chatMessages=chat)
    dump(tmp_path, f"session_{A}_1.json", sessionId=A, timeline=timeline[:2])
    transcript = only(tmp_path)
    assert [message.text for message in transcript.messages] == ["Count", "bash  ls", "a b", "view  /a", "Two."]
    assert (transcript.tool_calls, transcript.tool_results, transcript.project) == (2, 2, "/home/dana/pier")
    assert (transcript.started_at, transcript.ended_at) == ("2025-10-01T08:00:00.000Z", "2025-10-01T08:00:09.000Z")


def test_dumps_without_a_timeline_hold_what_the_model_got(tmp_path):
    call = {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    chat = [
        {"role": "system", "content": "You are"},
        {
            "role": "user",
            "content": "<current_datetime>x</current_datetime>\n\nCount <b>all</b>\n\n<reminder>y</reminder>",
        },
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "a b"},
        {"role": "assistant", "content": [{"type": "text", "text": "Two."}]},
    ]
    dump(tmp_path, f"session_{A}_1.json", chatMessages=chat, timeline=[])
    transcript = only(tmp_path)
    assert [message.text for message in transcript.messages] == ["Count <b>all</b>", "bash  ls", "a b", "Two."]
    assert transcript.native_id == A


def test_context_is_taken_from_around_a_prompt_and_not_from_its_middle():
    text = "<reminder>a</reminder>\n Say <reminder>b</reminder> twice"
    assert trimmed(text) == "Say <reminder>b</reminder> twice"
    assert trimmed("Say it\n<reminder>b</reminder>\n<tagged_files>c</tagged_files>\n") == "Say it"
    assert trimmed("<reminder>never closed") == "<reminder>never closed"


def test_a_session_is_read_from_the_form_that_holds_most(tmp_path):
    log(tmp_path, event("user.message", content="From the folder"), session=A)
    for session in (A, B):
        flat = tmp_path / "session-state" / f"{session}.jsonl"
        flat.write_bytes(jsonl([event("user.message", content="From the flat file")]))
        dump(tmp_path, f"session_{session}_1.json", timeline=[{"type": "user", "text": "From the dump"}])
    said = {
        native: transcript.messages[0].text for (_, native), transcript in read_all(CopilotReader([tmp_path])).items()
    }
    assert said == {A: "From the folder", B: "From the flat file"}
    assert len(all_sources(CopilotReader([tmp_path]))) == 2


def store(home, columns="id, cwd, branch, summary, created_at, updated_at"):
    with closing(sqlite3.connect(home / "session-store.db")) as database, database:
        database.execute(f"CREATE TABLE sessions ({columns})")
        database.execute("INSERT INTO sessions (id, cwd) VALUES (?, '/home/dana/pier')", (B,))
        if "branch" in columns:
            told = "branch = 'dev', summary = 'Buoys', created_at = '2026-05-01 08:00:00'"
            database.execute(f"UPDATE sessions SET {told}")  # noqa: S608 - words of ours
        turns = [
            (B, 1, "And the rest?", None, "2026-05-01T08:02:00.000Z"),
            (B, 0, "How many buoys?", "Three.", "2026-05-01T08:01:00.000Z"),
            (A, 0, "Told in a log", "Yes.", "2026-05-01T08:01:00.000Z"),
        ]
        database.execute("CREATE TABLE turns (session_id, turn_index, user_message, assistant_response, timestamp)")
        database.executemany("INSERT INTO turns VALUES (?, ?, ?, ?, ?)", turns)


def test_sessions_that_only_the_database_has_are_read_from_it(tmp_path):
    log(tmp_path, event("user.message", content="Told in a log"), session=A)
    store(tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    transcripts = read_all(CopilotReader([tmp_path]))
    assert {native for _, native in transcripts} == {A, B}
    transcript = transcripts["session-store.db", B]
    assert [message.text for message in transcript.messages] == ["How many buoys?", "Three.", "And the rest?"]
    assert (transcript.title, transcript.project, transcript.branch) == ("Buoys", "/home/dana/pier", "dev")
    assert (transcript.started_at, transcript.ended_at) == ("2026-05-01T08:00:00.000Z", "2026-05-01T08:02:00.000Z")
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_session_in_the_database_changes_with_its_turns(tmp_path):
    store(tmp_path)
    reader = CopilotReader([tmp_path])
    before = {source.part: source for source in all_sources(reader)}
    with closing(sqlite3.connect(tmp_path / "session-store.db")) as database, database:
        database.execute("INSERT INTO turns VALUES (?, 2, 'More?', 'No.', '2026-05-01T08:03:00.000Z')", (B,))
    after = {source.part: source for source in all_sources(reader)}
    assert before[A] == after[A]
    assert before[B] != after[B]
    assert after[B].mtime_ns - before[B].mtime_ns == 60 * 10**9


def test_a_database_with_other_columns_or_tables(tmp_path):
    store(tmp_path, "id, cwd, later")
    assert read_all(CopilotReader([tmp_path]))["session-store.db", B].project == "/home/dana/pier"
    with closing(sqlite3.connect(tmp_path / "session-store.db")) as database, database:
        database.execute("DROP TABLE turns")
    with pytest.raises(TranscriptError, match="turns"):
        all_sources(CopilotReader([tmp_path]))


def test_logs_of_an_unknown_form_are_named(tmp_path):
    path = tmp_path / "events.jsonl"
    reader = CopilotReader([tmp_path])
    for content in (b'{"kind": "new"}\n', b"words\n"):
        path.write_bytes(content)
        with pytest.raises(TranscriptError, match="no Copilot event"):
            reader.read(source_of(path))
    for content in (b"", b"\n\x00\x00", jsonl([event("session.start", sessionId=A)]), jsonl([event("session.resume")])):
        path.write_bytes(content)
        assert reader.read(source_of(path)) is None
    old = tmp_path / "x.json"
    old.write_bytes(b'{"other": 1}')
    with pytest.raises(TranscriptError, match="no Copilot session"):
        reader.read(source_of(old))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=hostile_files(*WORDS))
@pytest.mark.parametrize("name", ["events.jsonl", "x.json", "workspace.yaml"])
def test_any_file_is_read_or_named(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    if name == "workspace.yaml":
        workspace_facts(path)
        return
    try:
        transcript = CopilotReader([tmp_path]).read(source_of(path))
    except TranscriptError:
        return
    if transcript:
        check_storable(transcript)
