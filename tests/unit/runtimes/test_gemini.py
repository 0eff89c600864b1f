import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import (
    check,
    check_unbroken,
    discovered,
    files_without_session,
    hostile_files,
    jsonl,
    sessions,
    source_of,
)

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes.gemini import GeminiReader
from nlm_tui.runtimes.gemini_chat import hash_of

SESSIONS = list(sessions("gemini", set()))
WITHOUT = list(files_without_session("gemini", set()))


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    reader = GeminiReader([root])
    path = root / expected["file"]
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))

    transcript = reader.read(discovered(reader, path))

    check(transcript, expected)
    assert transcript.session_id == f"gemini_{expected['session_id']}"
    assert transcript.kind == f"gemini-{path.suffix[1:]}"
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


@pytest.mark.parametrize(("root", "file"), [case[1:] for case in WITHOUT], ids=[case[0] for case in WITHOUT])
def test_files_without_a_session(root, file):
    assert root / file not in {source.path for source in GeminiReader([root]).discover()}


T = "2026-06-09T02:11:00.000Z"
HEADER = {"sessionId": "00006e09-0000-4000-8000-000000006e09", "projectHash": "x", "startTime": T, "kind": "main"}


def record(key, kind, content, **more):
    return {"id": key, "timestamp": T, "type": kind, "content": content, **more}


def read(tmp_path, *records, name="session-2026-06-09T02-11-00006e09.jsonl"):
    chats = tmp_path / "tmp" / "atlas" / "chats"
    chats.mkdir(parents=True, exist_ok=True)
    (chats / name).write_bytes(jsonl(records))
    reader = GeminiReader([tmp_path])
    return reader.read(discovered(reader, chats / name))


def texts(transcript, *roles):
    return [message.text for message in transcript.messages if not roles or message.role in roles]


def test_the_folder_of_a_hash_is_the_directory_that_has_it(tmp_path):
    for name, directory in (("atlas", "/home/dana/atlas"), ("mill", "/home/dana/mill")):
        for folder in (name, hash_of(directory)):
            chats = tmp_path / "tmp" / folder / "chats"
            chats.mkdir(parents=True)
            (chats / f"session-1-{folder[:8]}.jsonl").write_bytes(jsonl([HEADER, record("u", "user", "hi")]))
    (tmp_path / "tmp" / "mill" / ".project_root").write_text("/home/dana/mill\n")
    (tmp_path / "projects.json").write_text('{"projects": {"/home/dana/atlas": "atlas", "/home/dana/other": 7}}')
    reader = GeminiReader([tmp_path])
    found = {source.path.parent.parent.name: reader.read(source).project for source in reader.discover()}
    assert found == {
        "atlas": "/home/dana/atlas",
        "mill": "/home/dana/mill",
        hash_of("/home/dana/atlas"): "/home/dana/atlas",
        hash_of("/home/dana/mill"): "/home/dana/mill",
    }


def test_a_directory_is_known_too_where_the_conversation_names_it(tmp_path):
    header = HEADER | {"projectHash": hash_of("/home/dana/atlas"), "directories": ["/home/dana", "/home/dana/atlas"]}
    assert read(tmp_path, header, record("u", "user", "hi")).project == "/home/dana/atlas"
    assert read(tmp_path, header | {"projectHash": "none"}, record("u", "user", "hi")).project is None


def test_of_copies_the_one_in_the_new_folder_and_the_log_are_read(tmp_path):
    (tmp_path / "projects.json").write_text('{"projects": {"/home/dana/atlas": "atlas"}}')
    for folder, name in (
        (hash_of("/home/dana/atlas"), "session-1-a.json"),
        ("atlas", "session-1-a.json"),
        ("atlas", "session-1-a.jsonl"),
        (hash_of("/home/dana/atlas"), "session-1-b.json"),
        ("atlas", "session-1-c.json"),
    ):
        chats = tmp_path / "tmp" / folder / "chats"
        chats.mkdir(parents=True, exist_ok=True)
        (chats / name).write_bytes(jsonl([HEADER | {"messages": [record("u", "user", "hi")]}]))
    (tmp_path / "tmp" / "atlas" / "chats" / "session-1-c.jsonl").write_bytes(b"")
    found = sorted((s.path.parent.parent.name[:5], s.path.name) for s in GeminiReader([tmp_path]).discover())
    assert found == [
        (hash_of("/home/dana/atlas")[:5], "session-1-b.json"),
        ("atlas", "session-1-a.jsonl"),
        ("atlas", "session-1-c.json"),
    ]


def test_what_is_no_conversation_is_not_found(tmp_path):
    chats = tmp_path / "tmp" / "atlas" / "chats"
    (chats / "parent").mkdir(parents=True)
    (chats / "folder.json").mkdir()
    (chats / "loop").symlink_to(chats)
    for name in ("logs.json", "checkpoint-a.json", "chats/logs.json", "chats/session-1.json.tmp-17", "chats/a.txt"):
        (tmp_path / "tmp" / "atlas" / name).write_text("[]")
    for name in ("session-1.tmp-17.jsonl", "session-1.unreadable-3.json", "parent/x.tmp-1.jsonl"):
        (chats / name).write_text("{}")
    assert list(GeminiReader([tmp_path]).discover()) == []
    assert list(GeminiReader([tmp_path / "none"]).discover()) == []


def test_where_it_looks(tmp_path):
    assert GeminiReader.from_environment({}, tmp_path).roots == (tmp_path / ".gemini" / "tmp",)
    moved = {"GEMINI_CLI_HOME": str(tmp_path / "b"), "GEMINI_HOME": "/c"}
    assert GeminiReader.from_environment(moved, tmp_path).roots == (tmp_path / "b" / ".gemini" / "tmp",)


def test_a_rewind_to_what_is_not_there_withdraws_all(tmp_path):
    kept = (HEADER, record("u1", "user", "one"), record("g1", "gemini", "two"))
    assert texts(read(tmp_path, *kept, {"$rewindTo": "g1"})) == ["one"]
    transcript = read(tmp_path, *kept, {"$rewindTo": "none"}, record("u1", "user", "three"))
    assert [(message.text, message.withdrawn) for message in transcript.messages] == [
        ("one", True),
        ("two", True),
        ("three", False),
    ]


def test_a_compressed_history_stays_in_front_of_its_summary(tmp_path):
    snapshot = record("s1", "user", [{"text": "<state_snapshot>\nthe maps\n</state_snapshot>"}])
    receipt = record("s2", "gemini", [{"text": "Got it. Thanks for the additional context!"}])
    transcript = read(
        tmp_path,
        HEADER,
        record("u1", "user", "first question"),
        record("g1", "gemini", "first answer"),
        record("u2", "user", "second question"),
        record("g2", "gemini", "second answer"),
        {
            "$set": {
                "messages": [
                    snapshot,
                    receipt,
                    record("u2", "user", "second question"),
                    record("x", "gemini", [{"text": "second answer"}]),
                ]
            }
        },
        record("u3", "user", "third question"),
        record("u4", "user", "gone"),
        {"$rewindTo": "u4"},
    )
    assert [(m.role, m.text) for m in transcript.messages] == [
        ("user", "first question"),
        ("assistant", "first answer"),
        ("summary", "the maps"),
        ("user", "second question"),
        ("assistant", "second answer"),
        ("user", "third question"),
    ]
    assert (transcript.prompts, transcript.answers, transcript.summaries) == (3, 2, 1)


def test_a_rewind_into_what_a_compressed_history_kept_under_another_id(tmp_path):
    snapshot = record("s", "user", "<state_snapshot>the maps</state_snapshot>")
    compressed = {"$set": {"messages": [snapshot, record("new", "user", "go on")]}}
    records = [record(key, "user", "go on") for key in ("u1", "u2", "u3")]
    assert texts(read(tmp_path, HEADER, *records, compressed)) == ["go on", "go on", "the maps", "go on"]
    assert texts(read(tmp_path, HEADER, *records, compressed, {"$rewindTo": "new"})) == ["go on", "go on", "the maps"]


def test_an_empty_list_of_messages_replaces_none(tmp_path):
    assert read(tmp_path, HEADER, record("u", "user", "cancelled"), {"$set": {"messages": []}}).prompts == 1


@pytest.mark.parametrize(
    ("content", "role", "text"),
    [
        ("/chat save x", "command", "/chat save x"),
        ([{"text": "?"}], "command", "?"),
        ("// what does this comment mean", "user", "// what does this comment mean"),
        ("a <hook_context> b", "user", "a <hook_context> b"),
        ([{"text": "ask"}, {"text": "<hook_context>hidden</hook_context>"}], "user", "ask"),
        ("<hook_context>hidden</hook_context>\n\nask", "user", "ask"),
        ("ask\n<hook_context>hidden</hook_context>\n", "user", "ask"),
        (["look at ", {"text": "it"}, {"text": "no", "thought": True}, None, 7], "user", "look at it"),
        (
            [
                {"text": "explain @a.py"},
                {"text": "\n--- Content from referenced files ---"},
                {"text": "\nContent from @a.py:\n"},
                {"text": "hidden"},
                {"text": "\n--- End of content ---"},
            ],
            "user",
            "explain @a.py",
        ),
        ({"text": "one part"}, "user", "one part"),
        ([{"inlineData": {"mimeType": "image/png", "data": "QUJD"}}], "user", "[image png, 3 B]"),
        ([{"inlineData": {"mimeType": "application/pdf", "data": "QUJD"}}], "user", "[file pdf, 3 B]"),
    ],
)
def test_what_a_person_typed(tmp_path, content, role, text):
    transcript = read(tmp_path, HEADER, record("u", "user", content))
    assert [(message.role, message.text) for message in transcript.messages] == [(role, text)]


@pytest.mark.parametrize(
    "content",
    [
        "<session_context>\nThis is the Gemini CLI.",
        "This is the Gemini CLI. We are setting up the context for our chat.",
        [{"text": "<hook_context>only</hook_context>"}],
        "System: Please continue.",
        "",
        None,
        [{"functionCall": {"name": "x"}}],
    ],
)
def test_what_a_person_did_not_type(tmp_path, content):
    assert read(tmp_path, HEADER, record("u", "user", content)) is None


def test_what_was_shown_is_what_was_typed(tmp_path):
    shown = record("u", "user", [{"text": "explain hidden"}], displayContent=[{"text": "explain @a.py"}])
    assert texts(read(tmp_path, HEADER, shown)) == ["explain @a.py"]


def test_a_tool_that_ran_on_is_one_call_with_its_last_answer(tmp_path):
    call = {"id": "c", "name": "run_shell_command", "args": {"command": "ls"}, "status": "executing"}
    response = {"functionResponse": {"id": "c", "response": {"output": "a.txt"}}}
    transcript = read(
        tmp_path,
        HEADER,
        record("g", "gemini", "", toolCalls=[call]),
        record("u", "user", [response]),
        record("g", "gemini", "", toolCalls=[call | {"status": "success", "result": [response]}]),
        record("i", "info", "not said"),
    )
    assert texts(transcript) == ["run_shell_command  ls", "a.txt"]
    assert (transcript.tool_calls, transcript.tool_results, transcript.prompts) == (1, 1, 0)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"result": "plain"}, "plain"),
        ({"result": [{"functionResponse": {"response": {"error": "ENOENT"}}}]}, "ENOENT"),
        ({"result": [], "resultDisplay": "Found 3"}, "Found 3"),
        ({"resultDisplay": {"fileDiff": "--- a", "fileName": "a"}}, "--- a"),
        (
            {
                "result": [
                    {
                        "functionResponse": {
                            "response": {"output": "x"},
                            "parts": [{"inlineData": {"mimeType": "image/png", "data": "QUJD"}}],
                        }
                    }
                ]
            },
            "x\n[image png, 3 B]",
        ),
    ],
)
def test_answers_of_tools(tmp_path, more, text):
    transcript = read(tmp_path, HEADER, record("g", "gemini", "", toolCalls=[{"id": "c", "name": "t"} | more]))
    assert texts(transcript, "output") == [text]


def test_calls_in_the_content_and_their_responses(tmp_path):
    transcript = read(
        tmp_path,
        HEADER,
        record(
            "g",
            "gemini",
            [{"text": "checking"}, {"functionCall": {"id": "f", "name": "read_file", "args": {"path": "x"}}}],
        ),
        record("r", "user", [{"functionResponse": {"id": "f", "response": {"output": "export"}}}]),
    )
    assert texts(transcript) == ["checking", "read_file  x", "export"]


def test_tokens_of_the_last_state_of_each_answer(tmp_path):
    tokens = {"input": 10, "output": 5, "cached": 2, "thoughts": 3, "tool": 1, "total": 19}
    answers = [record("g", "gemini", "a", tokens=told) for told in (None, tokens, tokens)]
    transcript = read(tmp_path, HEADER, *answers)
    assert (transcript.input_tokens, transcript.output_tokens) == (11, 8)


def test_a_log_may_be_called_json(tmp_path):
    records = (HEADER, record("u", "user", "one"), {"$set": {"summary": "Maps"}})
    transcript = read(tmp_path, *records, name="session-1-a.json")
    assert (transcript.title, texts(transcript)) == ("Maps", ["one"])


def test_the_name_of_the_file_is_the_id_where_the_header_is_lost(tmp_path):
    transcript = read(tmp_path, record("u", "user", "hi"))
    assert transcript.native_id == "session-2026-06-09T02-11-00006e09"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("session-1.json", b'{"sessionId": "x", "messages": [{"id": "a"', "only partly written"),
        ("session-1.json", b'[{"sessionId": "x"}]', None),
        ("session-1.json", b'{"text": "x"}', "no record of a Gemini conversation"),
        ("session-1.jsonl", b'{"text": "x"}\n', "no record of a Gemini conversation"),
        ("session-1.jsonl", b"hello\n", "no record of a Gemini conversation"),
        ("session-1.jsonl", b"\n\n", None),
    ],
)
def test_files_of_another_form(tmp_path, name, data, reason):
    (tmp_path / name).write_bytes(data)
    reader = GeminiReader([tmp_path])
    if reason is None:
        assert reader.read(source_of(tmp_path / name)) is None
    else:
        with pytest.raises(TranscriptError, match=reason):
            reader.read(source_of(tmp_path / name))


WORDS = (
    *("sessionId", "projectHash", "startTime", "lastUpdated", "kind", "subagent", "summary", "directories", "messages"),
    *(
        "id",
        "timestamp",
        "type",
        "user",
        "gemini",
        "info",
        "content",
        "displayContent",
        "text",
        "thought",
        "inlineData",
    ),
    *("mimeType", "image/png", "data", "functionCall", "functionResponse", "response", "output", "parts", "toolCalls"),
    *("name", "args", "result", "resultDisplay", "fileDiff", "tokens", "input", "model", "$set", "$rewindTo", "a"),
    *("<state_snapshot>x", "<hook_context>", "</hook_context>", "/quit", T),
)


@settings(deadline=None)
@given(data=hostile_files(*WORDS), form=st.sampled_from(["json", "jsonl"]))
def test_no_file_breaks_it(tmp_path_factory, data, form):
    check_unbroken(GeminiReader([]), tmp_path_factory.getbasetemp() / f"gemini-hostile.{form}", data)
