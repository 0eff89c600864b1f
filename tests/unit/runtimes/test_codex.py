import shutil
from pathlib import Path

import pytest
from codex_records import (
    answer_event,
    answer_item,
    answer_response,
    event,
    header,
    prompt_event,
    prompt_item,
    prompt_response,
    read,
    response,
)
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

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes import CodexReader

SESSIONS = list(sessions("codex", set()))
WITHOUT = list(files_without_session("codex", set()))
UUID = "00000a01-0000-4000-8000-000000000a01"
WORDS = (
    *("type", "payload", "session_meta", "response_item", "event_msg", "item_completed", "UserMessage", "AgentMessage"),
    *("user_message", "agent_message", "message", "turn_context", "compacted", "thread_rolled_back", "num_turns"),
    *("function_call", "function_call_output", "arguments", "output", "role", "user", "assistant", "content", "images"),
    *("input_text", "output_text", "input_image", "image_url", "text", "id", "timestamp", "cwd", "git", "branch"),
    *("source", "subagent", "history_base", "thread_id", "end_byte_offset", "forked_from_id", "ordinal"),
    *("subagent_history_start_ordinal", "info", "total_token_usage", "input_tokens", "item", "session", "items"),
    *("2026-03-02T09:00:10.000Z", "data:image/png;base64,QUJD", '{"output":1}', "record_type"),
)


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    reader = CodexReader([root])
    path = root / expected["file"]
    before = (path.read_bytes(), path.stat().st_mtime_ns)

    transcript = reader.read(discovered(reader, path))

    check(transcript, expected)
    assert transcript.session_id == f"codex_{expected['session_id']}"
    assert transcript.kind == ("codex-json" if path.suffix == ".json" else "codex-jsonl")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


@pytest.mark.parametrize(("root", "file"), [case[1:] for case in WITHOUT], ids=[case[0] for case in WITHOUT])
def test_files_without_a_session(root, file):
    reader = CodexReader([root])
    assert root / file not in {source.path for source in reader.discover()}
    with pytest.raises(TranscriptError, match="no Codex record"):
        reader.read(source_of(root / file))


def test_the_name_of_a_thread_makes_its_source_another(tmp_path):
    shutil.copytree(TRANSCRIPTS / "codex" / "x01-rollout", tmp_path, dirs_exist_ok=True)
    reader = CodexReader([tmp_path])
    (before,) = reader.discover()
    index = tmp_path / "session_index.jsonl"
    index.write_bytes(index.read_bytes() + jsonl([{"id": UUID, "thread_name": "April ledger"}]))
    (after,) = reader.discover()
    assert (before.salt, after.salt) == ("March ledger", "April ledger")
    assert reader.read(after).title == "April ledger"


def test_a_plain_file_hides_its_compressed_copy(tmp_path):
    for name in (
        "rollout-a.jsonl",
        "rollout-a.jsonl.zst",
        "rollout-b.jsonl.zst",
        "rollout-c.json",
        "notes.json",
        "x.zst",
    ):
        folder = tmp_path / "sessions" / "2026" / "01" / "05"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    found = {source.path.name for source in CodexReader([tmp_path]).discover()}
    assert found == {"rollout-a.jsonl", "rollout-b.jsonl.zst", "rollout-c.json"}


def test_the_turn_that_was_rolled_back_is_withdrawn_in_its_place():
    reader = CodexReader([TRANSCRIPTS / "codex" / "x05-compacted"])
    transcript = reader.read(next(iter(reader.discover())))
    assert [message.text for message in transcript.messages if message.withdrawn] == ["Wrong turn", "Wrong answer"]
    assert transcript.parent_id == "codex_00000a04-0000-4000-8000-000000000a04"


def test_tool_calls_are_told_in_one_line():
    reader = CodexReader([TRANSCRIPTS / "codex" / "x01-rollout"])
    transcript = reader.read(next(iter(reader.discover())))
    tools = [message.text for message in transcript.messages if message.role in {"tool", "output"}]
    assert tools == [
        "exec_command  cat march.csv",
        "Exit code: 0\nOutput:\n100,-40,-60",
        "apply_patch  *** Begin Patch *** End Patch",
        "Success",
    ]


def test_a_patch_is_told_by_its_file(tmp_path):
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** End Patch"
    call = {"type": "custom_tool_call", "name": "apply_patch", "input": patch}
    shell = {"type": "local_shell_call", "action": {"type": "exec", "command": ["bash", "-lc", "wc -l a"]}}
    transcript = read(tmp_path, response(call), response(shell))
    assert [message.text for message in transcript.messages] == ["apply_patch  src/a.py", "local_shell  wc -l a"]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_three_views_of_one_message_are_one(tmp_path, order):
    prompts = [prompt_item("Go on"), prompt_event("Go on"), prompt_response("Go on")]
    answers = [answer_item("Done"), answer_event("Done"), answer_response("Done")]
    turn = [*(prompts[index] for index in order), *(answers[index] for index in order)]
    transcript = read(tmp_path, *turn, *turn)
    assert [message.text for message in transcript.messages] == ["Go on", "Done", "Go on", "Done"]
    assert (transcript.prompts, transcript.answers) == (2, 2)


def test_the_same_answer_twice_in_one_turn_is_two(tmp_path):
    twice = [answer_event("Waiting"), answer_response("Waiting")] * 2
    assert read(tmp_path, prompt_event("Go"), *twice).answers == 2


def test_what_only_the_model_saw_is_no_prompt_where_events_tell_prompts(tmp_path):
    unknown = prompt_response("<new_kind_of_context>x</new_kind_of_context>")
    transcript = read(tmp_path, unknown, prompt_response("Go"), prompt_event("Go"), answer_event("Done"))
    assert [message.text for message in transcript.messages] == ["Go", "Done"]
    assert transcript.prompts == 1


def test_prompts_from_before_events_told_them_stay(tmp_path):
    old = [prompt_response("One"), answer_response("First"), prompt_response("Two"), answer_response("Second")]
    context = prompt_response("<new_kind_of_context>x</new_kind_of_context>")
    transcript = read(tmp_path, *old, context, prompt_response("Three"), prompt_event("Three"), answer_event("Third"))
    assert [message.text for message in transcript.messages if message.role == "user"] == ["One", "Two", "Three"]


def test_a_rollback_counts_prompts_not_injected_context(tmp_path):
    transcript = read(
        tmp_path,
        prompt_event("One"),
        answer_event("First"),
        prompt_event("Two"),
        answer_event("Second"),
        prompt_response("<new_kind_of_context>x</new_kind_of_context>"),
        event("thread_rolled_back", num_turns=1),
    )
    assert [message.text for message in transcript.messages if message.withdrawn] == ["Two", "Second"]


def test_events_of_injected_context_are_no_prompts(tmp_path):
    context = event("user_message", kind="environment_context", message="x")
    assert read(tmp_path, context, prompt_event("Go")).prompts == 1


def test_images_of_a_prompt_count_once(tmp_path):
    url = "data:image/png;base64," + "QUJD" * 4000
    parts = [{"type": "input_text", "text": "<image name=1>"}, {"type": "input_image", "image_url": url}]
    response_item = prompt_response("Look")
    response_item["payload"]["content"] = [*parts, {"type": "input_text", "text": "Look"}]
    shown = prompt_event("Look")
    shown["payload"]["images"] = [url]
    transcript = read(tmp_path, response_item, shown)
    assert [message.text for message in transcript.messages] == ["Look\n[image png, 12 kB]"]
    assert (transcript.prompts, transcript.images) == (1, 1)


def test_the_last_name_in_the_file_serves_where_the_index_has_none(tmp_path):
    def named(name):
        return event("thread_name_updated", thread_name=name)

    assert read(tmp_path, prompt_event("Go"), named("Ovens"), named("Kilns")).title == "Kilns"


def test_an_address_without_a_type_shows_nothing_of_its_data(tmp_path):
    shown = prompt_event("Look")
    shown["payload"]["images"] = ["data:" + "QUJD" * 4000]
    assert read(tmp_path, shown).messages[0].text == "Look\n[image 12 kB]"


@pytest.mark.parametrize(
    ("name", "native_id"),
    [
        (f"rollout-2026-02-10T13-00-01-{UUID}.jsonl", UUID),
        (f"rollout-2026-02-10T13-00-01-{UUID}_00000a0d-0000-4000-8000-000000000a0d.jsonl", UUID),
        ("mine.jsonl", "mine"),
    ],
)
def test_the_id_without_a_header_is_that_of_the_file(tmp_path, name, native_id):
    assert read(tmp_path, prompt_event("Go"), name=name).native_id == native_id


@pytest.mark.parametrize("data", [b"", b"\n \n", jsonl([{"type": "session_meta", "payload": {"id": UUID}}])])
def test_a_rollout_in_which_nothing_was_said_is_none(tmp_path, data):
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(data)
    assert CodexReader([tmp_path]).read(source_of(path)) is None


def test_a_torn_document_is_an_error(tmp_path):
    path = tmp_path / "rollout-a.json"
    path.write_bytes(b'{"session": {"id":')
    with pytest.raises(TranscriptError, match="only partly written"):
        CodexReader([tmp_path]).read(source_of(path))


def test_the_environment_names_the_folder(tmp_path):
    assert CodexReader.from_environment({}, tmp_path).roots[0] == tmp_path / ".codex" / "sessions"
    assert CodexReader.from_environment({"CODEX_HOME": "/c"}, tmp_path).roots[1] == Path("/c/archived_sessions")
    assert list(CodexReader([tmp_path / "missing"]).discover()) == []


@settings(deadline=None)
@given(hostile_files(*WORDS))
@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
def test_nothing_in_a_file_breaks_the_reader(tmp_path_factory, suffix, data):
    path = tmp_path_factory.getbasetemp() / f"rollout-codex{suffix}"
    path.write_bytes(data)
    try:
        transcript = CodexReader([path.parent]).read(source_of(path))
    except TranscriptError:
        return
    if transcript is not None:
        check_storable(transcript)


def test_the_last_total_of_tokens_counts(tmp_path):
    totals = [{"input_tokens": 10, "output_tokens": 4}, {"input_tokens": 30, "output_tokens": 9}]
    counts = [event("token_count", info={"total_token_usage": total}) for total in totals]
    nothing = [event("token_count", info=None), event("token_count", info={"total_token_usage": None})]
    transcript = read(tmp_path, prompt_event("Go"), *counts, *nothing)
    assert (transcript.input_tokens, transcript.output_tokens) == (30, 9)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"source": "cli"}, (False, None, None)),
        ({"source": {"custom": "bot"}}, (False, None, None)),
        ({"source": {"subagent": "review"}}, (True, None, "review")),
        ({"source": {"subagent": {"other": "guardian"}}, "parent_thread_id": "t1"}, (True, "codex_t1", "guardian")),
        (
            {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "t2", "agent_role": "explorer"}}}},
            (True, "codex_t2", "explorer"),
        ),
        ({"parent_thread_id": "t3", "agent_role": "worker"}, (True, "codex_t3", "worker")),
        ({"thread_source": "subagent"}, (True, None, None)),
    ],
)
def test_agents_that_an_agent_began_are_subagents(tmp_path, values, expected):
    transcript = read(tmp_path, header(UUID, **values), prompt_event("Go"))
    assert (transcript.is_subagent, transcript.parent_id, transcript.agent_type) == expected


def test_a_later_header_of_the_thread_has_its_branch(tmp_path):
    headers = [header(UUID, git={"branch": branch}) for branch in ("main", "kiln")]
    transcript = read(tmp_path, headers[0], prompt_event("Go"), headers[1], header("other", git={"branch": "x"}))
    assert (transcript.branch, transcript.native_id, transcript.forked_from) == ("kiln", UUID, None)


def test_what_an_application_put_before_a_prompt_is_left_out(tmp_path):
    files = "# Files mentioned by the user:\n\n## a.txt: /tmp/a.txt\n\n## My request for Codex:\nSort it\n"
    own = "Why does it say\n## My request for Codex:\nhere?"
    transcript = read(tmp_path, prompt_event(files), answer_event("Done"), prompt_event(own))
    assert [message.text for message in transcript.messages] == ["Sort it", "Done", own]


def test_torn_lines_and_nul_bytes_are_counted_and_passed_over(tmp_path):
    path = tmp_path / "sessions" / f"rollout-2026-02-10T13-00-01-{UUID}.jsonl"
    path.parent.mkdir()
    good = jsonl([header(UUID), prompt_event("Go")])
    path.write_bytes(b"\0" * 64 + good + b'{"torn":\n' + b"\0" * 512 + jsonl([answer_event("Done")]) + b'{"typ')
    transcript = CodexReader([tmp_path]).read(source_of(path))
    assert [message.text for message in transcript.messages] == ["Go", "Done"]
    assert (transcript.bad_lines, transcript.bad_line, transcript.truncated_tail) == (2, 3, True)
