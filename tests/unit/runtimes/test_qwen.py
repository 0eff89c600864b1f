import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import (
    check,
    check_other_form,
    check_unbroken,
    discovered,
    hostile_files,
    jsonl,
    sessions,
    source_of,
)

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes.qwen import QwenReader

SESSIONS = list(sessions("qwen", set()))


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    reader = QwenReader([root])
    path = root / expected["file"]
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))

    transcript = reader.read(discovered(reader, path))

    check(transcript, expected)
    assert transcript.session_id == f"qwen_{expected['session_id']}"
    assert transcript.kind == "qwen-jsonl"
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


ID = "000000f2-0000-4000-8000-0000000000f2"


def record(uuid, kind, text=None, parent=None, **more):
    said = {"message": {"role": kind, "parts": [{"text": text}]}} if text is not None else {}
    head = {"uuid": uuid, "parentUuid": parent, "sessionId": ID, "timestamp": f"2026-04-01T05:00:0{len(uuid)}.000Z"}
    return head | {"type": kind, "cwd": "/home/dana/loom"} | said | more


def read(tmp_path, *records, folder="chats", name=f"{ID}.jsonl"):
    path = tmp_path / "projects" / "-home-dana-loom" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl(records))
    reader = QwenReader([tmp_path])
    return reader.read(discovered(reader, path))


def told(transcript, *, active=False):
    return [(m.role, m.text) for m in transcript.messages if not (active and m.withdrawn)]


def test_where_it_looks(tmp_path):
    assert QwenReader.from_environment({}, tmp_path).roots == (
        tmp_path / ".qwen" / "projects",
        tmp_path / ".qwen" / "tmp",
    )
    home = QwenReader.from_environment({"QWEN_HOME": "/q"}, tmp_path)
    assert [str(root) for root in home.roots] == ["/q/projects", "/q/tmp"]
    runtime = QwenReader.from_environment({"QWEN_HOME": "/q", "QWEN_RUNTIME_DIR": "~/run"}, tmp_path)
    assert runtime.roots == (tmp_path / "run" / "projects", tmp_path / "run" / "tmp")


def test_what_it_finds(tmp_path):
    for name in (
        "projects/p/chats/a.jsonl",
        "projects/p/chats/a.txt",
        "projects/p/chats/archive/a.jsonl",
        "projects/p/chats/archive/b.jsonl",
        "projects/p/subagents/a/agent-1.jsonl",
        "projects/p/subagents/a/agent-1.meta.json",
        "tmp/hash/chats/c.json",
        "tmp/hash/logs.json",
        "tmp/hash/checkpoint-x.json",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert sorted(str(source.path.relative_to(tmp_path)) for source in QwenReader([tmp_path]).discover()) == [
        "projects/p/chats/a.jsonl",
        "projects/p/chats/archive/b.jsonl",
        "projects/p/subagents/a/agent-1.jsonl",
        "tmp/hash/chats/c.json",
    ]


def test_a_session_that_was_put_away(tmp_path):
    assert read(tmp_path, record("u", "user", "hi"), folder="chats/archive").archived
    assert not read(tmp_path, record("u", "user", "hi")).archived


def test_conversations_as_early_versions_kept_them(tmp_path):
    path = tmp_path / "tmp" / "hash" / "chats" / "session-1-a.json"
    path.parent.mkdir(parents=True)
    messages = [
        {"id": "u", "type": "user", "content": "Count", "timestamp": "2025-09-01T05:00:00Z"},
        {"id": "q", "type": "qwen", "content": "Seven.", "timestamp": "2025-09-01T05:00:01Z", "model": "qwen3"},
    ]
    path.write_bytes(jsonl([{"sessionId": ID, "messages": messages, "projectHash": "h", "summary": "Counted"}]))
    reader = QwenReader([tmp_path])
    transcript = reader.read(discovered(reader, path))
    assert (transcript.session_id, transcript.kind, transcript.runtime) == (f"qwen_{ID}", "qwen-json", "qwen-code")
    assert (transcript.title, transcript.model, transcript.prompts, transcript.answers) == ("Counted", "qwen3", 1, 1)
    path.write_bytes(b'{"sessionId"')
    with pytest.raises(TranscriptError, match="partly written"):
        reader.read(source_of(path))


def test_a_rewind_withdraws_what_came_after(tmp_path):
    transcript = read(
        tmp_path,
        record("u1", "user", "one"),
        record("a1", "assistant", "two", "u1"),
        record("u2", "user", "gone", "a1"),
        record("a2", "assistant", "gone too", "u2"),
        record("r", "system", None, "a1", subtype="rewind", systemPayload={"truncatedCount": 2}),
        record("u3", "user", "three", "r"),
        record("x", "system", None, "a2", subtype="session_artifact_event"),
    )
    assert told(transcript, active=True) == [("user", "one"), ("assistant", "two"), ("user", "three")]
    assert (transcript.prompts, transcript.answers) == (3, 2)


def test_a_rewind_to_the_beginning(tmp_path):
    records = (record("u1", "user", "gone"), record("r", "system", subtype="rewind"), record("u2", "user", "new", "r"))
    assert told(read(tmp_path, *records), active=True) == [("user", "new")]


def test_a_lost_record_withdraws_nothing(tmp_path):
    records = (
        record("u1", "user", "one"),
        record("a2", "assistant", "two", "lost"),
        record("u3", "user", "three", "a2"),
    )
    assert len(told(read(tmp_path, *records), active=True)) == 3


def test_a_compressed_history_stays_in_front_of_its_summary(tmp_path):
    history = [{"role": "user", "parts": [{"text": "<state_snapshot>\nlooms\n</state_snapshot>"}]}, {"role": "model"}]
    transcript = read(
        tmp_path,
        record("u1", "user", "one"),
        record("c", "system", None, "u1", subtype="chat_compression", systemPayload={"compressedHistory": history}),
        record("u2", "user", "two", "c"),
    )
    assert told(transcript, active=True) == [("user", "one"), ("summary", "looms"), ("user", "two")]
    assert transcript.summaries == 1


@pytest.mark.parametrize(
    ("payloads", "title"),
    [
        ([{"customTitle": "a"}, {"customTitle": "b", "titleSource": "auto"}, {"customTitle": "c"}], "c"),
        ([{"customTitle": "a", "titleSource": "manual"}, {"customTitle": "b", "titleSource": "auto"}], "a"),
        ([{"customTitle": "a", "titleSource": "auto"}, {"customTitle": "b\x1b[1m", "titleSource": "auto"}], "b"),
        ([{"customTitle": 7}, None], None),
    ],
)
def test_titles(tmp_path, payloads, title):
    told = [record(f"t{n}", "system", subtype="custom_title", systemPayload=p) for n, p in enumerate(payloads)]
    assert read(tmp_path, record("u", "user", "hi"), *told).title == title


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"subtype": "mid_turn_user_message", "systemPayload": {"displayText": "and this"}}, [("user", "and this")]),
        ({"subtype": "mid_turn_user_message"}, [("user", "model text")]),
        ({"systemPayload": {"displayText": "@a.py", "hookContext": ""}}, [("user", "@a.py")]),
        ({"systemPayload": {"displayText": "Background agent completed"}}, [("user", "model text")]),
        ({"provenance": "real_user"}, [("user", "model text")]),
        ({"provenance": "goal_runtime"}, []),
        ({"provenance": ["list"]}, []),
        ({"subtype": "notification", "systemPayload": {"displayText": "done"}}, []),
        ({"subtype": "cron"}, []),
        ({"subtype": "agent_launch_prompt"}, []),
        ({"subtype": {"not": "text"}}, []),
    ],
)
def test_who_typed_it(tmp_path, more, said):
    transcript = read(tmp_path, record("a", "assistant", "before"), record("u", "user", "model text", "a", **more))
    assert told(transcript) == [("assistant", "before"), *said]


def test_slash_commands(tmp_path):
    def command(uuid, **payload):
        return record(uuid, "system", None, subtype="slash_command", systemPayload=payload)

    transcript = read(
        tmp_path,
        command("s1", phase="invocation", rawCommand="/about"),
        command("s22", phase="result", rawCommand="/about", outputHistoryItems=[]),
        command("s333", phase="invocation", rawCommand="/hidden", hiddenInvocation=True),
    )
    assert told(transcript) == [("command", "/about")]
    assert transcript.prompts == 0


def test_a_record_that_stands_twice_and_one_in_pieces(tmp_path):
    whole = record("u", "user", "one")
    piece = record("a", "assistant", "first, ", "u")
    rest = record("a", "assistant", "second", "u") | {"timestamp": "2026-04-01T05:00:09.000Z"}
    transcript = read(tmp_path, whole, whole, piece, rest)
    assert told(transcript, active=True) == [("user", "one"), ("assistant", "first, second")]
    assert (transcript.prompts, transcript.answers) == (1, 1)


def test_what_a_fork_begins_with_is_inherited(tmp_path):
    origin = {"forkedFrom": {"sessionId": "parent-id", "messageUuid": "x"}}
    transcript = read(
        tmp_path,
        record("u1", "user", "one", **origin),
        record("a1", "assistant", "two", "u1", **origin),
        record("u2", "user", "three", "a1"),
    )
    assert [message.inherited for message in transcript.messages] == [True, True, False]
    assert (transcript.forked_from, transcript.inherited_prompts, transcript.inherited_answers) == (
        "qwen_parent-id",
        1,
        1,
    )
    assert transcript.prompts == 2


def test_a_subagent(tmp_path):
    own = {"agentId": "explore-7f", "agentName": "Explore", "isSidechain": True}
    records = (
        record("u", "user", "look", subtype="agent_launch_prompt", **own),
        record("a", "assistant", "found", "u", **own),
    )
    transcript = read(tmp_path, *records, folder=f"subagents/{ID}", name="agent-explore-7f.jsonl")
    assert (transcript.session_id, transcript.parent_id) == ("qwen_agent-explore-7f", f"qwen_{ID}")
    assert (transcript.is_subagent, transcript.agent_type) == (True, "Explore")
    assert told(transcript) == [("user", "look"), ("assistant", "found")]


def test_records_of_a_subagent_in_the_session_itself_are_counted_apart(tmp_path):
    own = {"agentId": "explore-7f", "isSidechain": True}
    records = (record("u", "user", "hi"), record("x", "user", "look", **own), record("y", "assistant", "found", **own))
    transcript = read(tmp_path, *records)
    assert told(transcript) == [("user", "hi")]
    assert (transcript.sidechain_prompts, transcript.sidechain_answers) == (1, 1)


def test_tools_and_tokens(tmp_path):
    parts = [{"functionCall": {"id": "c", "name": "run_shell_command", "args": {"command": "ls"}}}]
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 4, "thoughtsTokenCount": 2, "cachedContentTokenCount": 3}
    answers = [
        {"message": {"parts": [{"functionResponse": {"response": {"output": "a.txt"}}}]}},
        {"toolCallResult": {"resultDisplay": "shown", "status": "success"}},
        {"toolCallResult": {"resultDisplay": {"fileDiff": "--- a"}}},
    ]
    transcript = read(
        tmp_path,
        record("a", "assistant", message={"parts": parts}, usageMetadata=usage, model="qwen3"),
        *(record(f"r{n}", "tool_result", **answer) for n, answer in enumerate(answers)),
    )
    assert told(transcript)[0] == ("tool", "run_shell_command  ls")
    assert [text for role, text in told(transcript) if role == "output"] == ["a.txt", "shown", "--- a"]
    assert (transcript.tool_calls, transcript.tool_results) == (1, 3)
    assert (transcript.input_tokens, transcript.output_tokens, transcript.model) == (10, 6, "qwen3")


@pytest.mark.parametrize(
    ("data", "fails"), [(b'{"a": 1}\n', True), (b"hello\n", True), (b"\n\x00", False), (b"", False)]
)
def test_files_of_another_form(tmp_path, data, fails):
    check_other_form(QwenReader([]), tmp_path / "a.jsonl", data, "no record of Qwen Code" if fails else None)


WORDS = (
    *("uuid", "parentUuid", "sessionId", "timestamp", "type", "user", "assistant", "tool_result", "system", "subtype"),
    *("notification", "mid_turn_user_message", "custom_title", "chat_compression", "slash_command", "rewind", "cwd"),
    *("gitBranch", "model", "message", "role", "parts", "text", "thought", "functionCall", "functionResponse", "name"),
    *("args", "response", "output", "systemPayload", "displayText", "hookContext", "customTitle", "rawCommand", "a"),
    *("compressedHistory", "toolCallResult", "resultDisplay", "forkedFrom", "isSidechain", "agentId", "usageMetadata"),
)


@settings(deadline=None)
@given(data=hostile_files(*WORDS), form=st.sampled_from(["json", "jsonl"]))
def test_no_file_breaks_it(tmp_path_factory, data, form):
    check_unbroken(QwenReader([]), tmp_path_factory.getbasetemp() / f"qwen-hostile.{form}", data)
