from pathlib import Path

import pytest
from hypothesis import given, settings
from transcript_fixtures import (
    TRANSCRIPTS,
    check,
    check_storable,
    discovered,
    files_without_session,
    hostile_files,
    jsonl,
    sessions,
    source_of,
)

from nlm_tui.ingest.ports import Source, TranscriptError
from nlm_tui.runtimes import ClaudeCodeReader

SESSIONS = list(sessions("claude", set()))
WITHOUT = list(files_without_session("claude", set()))
PROJECT = "projects/-home-dana-widget-shop"
C12 = "00000c12-0000-4000-8000-000000000c12"


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    reader = ClaudeCodeReader([root])
    path = root / expected["file"]
    before = (path.read_bytes(), path.stat().st_mtime_ns)

    check(reader.read(discovered(reader, path)), expected)

    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


@pytest.mark.parametrize(("root", "file"), [case[1:] for case in WITHOUT], ids=[case[0] for case in WITHOUT])
def test_files_without_a_session(root, file):
    reader = ClaudeCodeReader([root])
    source = source_of(root / file)
    if "c23" in str(root) or file.endswith("journal.jsonl"):
        with pytest.raises(TranscriptError, match="no Claude Code record"):
            reader.read(source)
    else:
        assert reader.read(source) is None


def test_discovers_sessions_and_subagents_only():
    root = TRANSCRIPTS / "claude" / "c12-subagents"
    found = {source.path.relative_to(root / PROJECT).as_posix() for source in ClaudeCodeReader([root]).discover()}
    assert found == {
        f"{C12}.jsonl",
        "agent-9f8e7d6c.jsonl",
        f"{C12}/subagents/agent-ab12cd34.jsonl",
        f"{C12}/subagents/workflows/wf_01/agent-ff00ee11.jsonl",
    }


def test_passes_over_folders_named_like_transcripts():
    root = TRANSCRIPTS / "claude" / "c23-not-a-transcript"
    assert {source.path.name for source in ClaudeCodeReader([root]).discover()} == {"data.jsonl", "notes.jsonl"}


def test_a_source_carries_size_and_time():
    root = TRANSCRIPTS / "claude" / "c01-basic"
    (source,) = ClaudeCodeReader([root]).discover()
    assert source == source_of(source.path)


def test_ids_of_subagents_name_their_session():
    root = TRANSCRIPTS / "claude" / "c12-subagents"
    reader = ClaudeCodeReader([root])
    ids = {
        transcript.session_id: transcript.parent_id for transcript in map(reader.read, reader.discover()) if transcript
    }
    assert ids == {
        f"cc_{C12}": None,
        f"cc_sub_{C12}_ab12cd34": f"cc_{C12}",
        f"cc_sub_{C12}_ff00ee11": f"cc_{C12}",
        f"cc_sub_{C12}_9f8e7d6c": f"cc_{C12}",
    }


def test_a_home_below_a_folder_named_subagents_is_no_session(tmp_path):
    root = tmp_path / "subagents" / ".claude"
    transcript = read(root, {"type": "user", "message": {"content": "task"}, "sessionId": "s"}, name="agent-a.jsonl")
    assert (transcript.session_id, transcript.parent_id) == ("cc_sub_s_a", "cc_s")


def test_the_rewound_branch_is_withdrawn_in_its_place():
    root = TRANSCRIPTS / "claude" / "c14-rewind"
    reader = ClaudeCodeReader([root])
    transcript = reader.read(next(iter(reader.discover())))
    assert [(message.text, message.withdrawn) for message in transcript.messages] == [
        ("Draft the release note.", False),
        ("Draft one.", False),
        ("Make it longer.", True),
        ("A long abandoned draft.", True),
        ("Make it shorter instead.", False),
        ("Short draft kept.", False),
    ]


def test_parallel_tool_calls_are_no_rewind(tmp_path):
    transcript = read(
        tmp_path,
        user("1", None, "Look"),
        assistant("2", "1", "m", {"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": "a.py"}}),
        assistant("3", "2", "m", {"type": "tool_use", "id": "b", "name": "Read", "input": {"file_path": "b.py"}}),
        user("4", "2", [{"type": "tool_result", "tool_use_id": "a", "content": "A"}]),
        user("5", "3", [{"type": "tool_result", "tool_use_id": "b", "content": "B"}]),
        assistant("6", "5", "n", {"type": "text", "text": "Seen"}),
    )
    assert [message.text for message in transcript.messages] == ["Look", "Read  a.py", "Read  b.py", "A", "B", "Seen"]
    assert not any(message.withdrawn for message in transcript.messages)


def test_a_lost_parent_is_no_rewind(tmp_path):
    transcript = read(tmp_path, user("1", None, "One"), user("3", "lost", "Two"), user("4", None, "Three"))
    assert [message.withdrawn for message in transcript.messages] == [False, False, False]


def test_a_message_in_pieces_is_one_answer(tmp_path):
    transcript = read(
        tmp_path,
        user("1", None, "Go"),
        assistant("2", "1", "m", {"type": "text", "text": "First"}),
        assistant("3", "2", "m", {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}}),
        user("4", "3", [{"type": "tool_result", "content": "ok"}]),
        assistant("5", "4", "m", {"type": "text", "text": "First of all"}, {"type": "text", "text": "Second"}),
        assistant("6", "5", "m", {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}}),
        user("7", "6", "Again"),
        assistant("8", "7", "m", {"type": "text", "text": "A constant id"}),
    )
    assert (transcript.answers, transcript.tool_calls) == (2, 1)
    assert [message.text for message in transcript.messages if message.role == "assistant"] == [
        "First of all\n\nSecond",
        "A constant id",
    ]


def test_a_repeated_record_counts_once(tmp_path):
    records = [user("1", None, "Go"), assistant("2", "1", "m", {"type": "text", "text": "Done"}), user("3", "2", "On")]
    transcript = read(tmp_path, *records, *records)
    assert (transcript.prompts, transcript.answers) == (2, 1)


@pytest.mark.parametrize("queued_first", [True, False])
def test_a_queued_prompt_that_comes_both_ways_counts_once(tmp_path, queued_first):
    queued = {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "Also lint"}, "sessionId": "s"}
    typed = user("3", "2", "Also lint")
    transcript = read(
        tmp_path,
        user("1", None, "Go"),
        assistant("2", "1", "m", {"type": "text", "text": "Going"}),
        *((queued, typed) if queued_first else (typed, queued)),
        assistant("4", "3", "n", {"type": "text", "text": "Linted"}),
        user("5", "4", "Also lint"),
    )
    assert [message.text for message in transcript.messages if message.role == "user"] == [
        "Go",
        "Also lint",
        "Also lint",
    ]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("Why does <system-reminder>x</system-reminder> appear here?", None),
        ("<system-reminder>a</system-reminder>\n<ide_selection>b</ide_selection> Fix it", "Fix it"),
        ("Fix it\n<system-reminder>a</system-reminder>\n\n<system-reminder>b</system-reminder>\n", "Fix it"),
        ("<system-reminder>never closed", ""),
        ("<task-notification>\n<task-id>1</task-id>\n</task-notification>", ""),
        ("<div>markup</div>", None),
        ("Say why in <goal>x</goal>", None),
        ("[Request interrupted by user for tool use]", ""),
    ],
)
def test_injected_text_is_told_from_typed(tmp_path, text, typed):
    transcript = read(tmp_path, user("1", None, "Before"), user("2", "1", text))
    assert [message.text for message in transcript.messages[1:]] == [text if typed is None else typed] * (typed != "")


def test_images_stand_behind_the_text_as_marks(tmp_path):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD" * 4000}}
    transcript = read(tmp_path, user("1", None, [image, {"type": "text", "text": "What is this?"}]))
    assert [message.text for message in transcript.messages] == ["What is this?\n[image png, 12 kB]"]


def test_an_answer_of_nothing_visible_leaves_other_messages_alone(tmp_path):
    transcript = read(
        tmp_path,
        assistant("1", None, "m", {"type": "text", "text": "\x1b[0m"}),
        user("2", "1", [{"type": "tool_result", "content": "kept"}]),
        assistant("3", "2", "m", {"type": "text", "text": "\x1b[0mSeen"}),
    )
    assert [message.text for message in transcript.messages] == ["kept", "Seen"]


def test_the_environment_names_the_folders(tmp_path):
    def roots(**environ):
        return list(ClaudeCodeReader.from_environment(environ, tmp_path).roots)

    assert roots() == [tmp_path / ".claude/projects", tmp_path / ".config/claude/projects"], "whether they exist or not"
    assert roots(CLAUDE_CONFIG_DIR="/a, /b,,/a") == [Path("/a/projects"), Path("/b/projects")]
    assert roots(XDG_CONFIG_HOME=str(tmp_path / "xdg"))[1] == tmp_path / "xdg/claude/projects"
    assert list(ClaudeCodeReader([tmp_path / "missing"]).discover()) == []


def test_one_folder_under_two_names_is_read_once(tmp_path):
    (tmp_path / ".config" / "claude").mkdir(parents=True)
    (tmp_path / ".claude").symlink_to(tmp_path / ".config" / "claude")
    assert len(ClaudeCodeReader.from_environment({}, tmp_path).roots) == 1


WORDS = (
    *(
        "type",
        "user",
        "assistant",
        "attachment",
        "summary",
        "custom-title",
        "queued_command",
        "text",
        "tool_use",
        "image",
    ),
    *("tool_result", "message", "content", "uuid", "parentUuid", "isSidechain", "isMeta", "isCompactSummary", "prompt"),
    *("sessionId", "timestamp", "cwd", "gitBranch", "model", "id", "name", "input", "command", "source", "data"),
    *("forkedFrom", "loglines", "usage", "input_tokens", "output_tokens", "origin", "kind", "relocated", "attachment"),
    *("2026-03-02T09:00:10.000Z", "0001-01-01T00:00:00+14:00", "<command-name>/x", "<system-reminder>", "\x1b[31m"),
)


@settings(deadline=None)
@given(hostile_files(*WORDS))
def test_nothing_in_a_file_breaks_the_reader(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "agent-claude.jsonl"
    path.write_bytes(data)
    try:
        transcript = ClaudeCodeReader([]).read(source_of(path))
    except TranscriptError:
        return
    if transcript is not None:
        check_storable(transcript)


def user(uuid, parent, content):
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"content": content}}


def assistant(uuid, parent, message_id, *blocks):
    message = {"id": message_id, "content": list(blocks)}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message}


def read(root, *records, name="s.jsonl"):
    path = root / "projects" / "p" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(jsonl(records))
    transcript = ClaudeCodeReader([root]).read(Source(path, 0, 0))
    assert transcript is not None
    return transcript
