import json
from pathlib import Path

import pytest
from claude_files import Home, answer, own, prompt, talk, time

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes import ClaudeCodeReader


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def only(home, *records, path="p/s"):
    home.write(path, *records)
    (transcript,) = home.read().values()
    return transcript


def piece(uuid, message_id, text="", **usage):
    content = [{"type": "text", "text": text}] if text else [{"type": "thinking", "thinking": "", "signature": "x"}]
    message = {"id": message_id, "content": content, "usage": usage}
    return {"type": "assistant", "uuid": uuid, "message": message}


def test_the_tokens_of_an_answer_count_once_however_many_pieces_it_has(home):
    caches = {"cache_creation_input_tokens": 200, "cache_read_input_tokens": 3000}
    transcript = only(
        home,
        prompt(0, 0),
        piece("1", "a", input_tokens=4, output_tokens=1, **caches),
        piece("2", "a", "Now", input_tokens=4, output_tokens=90, **caches),
        piece("3", "a", "Now then", input_tokens=4, output_tokens=90, **caches),
        piece("4", "b", "Done", input_tokens=5, output_tokens=7),
        piece("4", "b", "Done", input_tokens=5, output_tokens=7),
    )
    assert (transcript.input_tokens, transcript.output_tokens) == (3209, 97)


@pytest.mark.parametrize("usage", [None, 7, [], {"input_tokens": "many", "output_tokens": -3}, {"input_tokens": 1e99}])
def test_tokens_that_are_no_numbers_are_none(home, usage):
    record = answer(1, 1)
    record["message"]["usage"] = usage
    transcript = only(home, prompt(0, 0), record)
    assert (transcript.answers, transcript.input_tokens, transcript.output_tokens) == (1, 0, 0)


def test_sidechains_between_the_records_of_a_session_are_counted_apart(home):
    task, told = prompt(10, 2, "Task", isSidechain=True), answer(11, 3, "Told", isSidechain=True)
    transcript = only(home, *talk(0, 1), task, told, told, *talk(2, at=4), piece("p", "m1", "Another of m1"))
    assert (transcript.prompts, transcript.answers) == (2, 2)
    assert (transcript.sidechain_prompts, transcript.sidechain_answers) == (1, 1)
    assert "Task" not in own(transcript)
    assert not any(message.withdrawn for message in transcript.messages)


def test_a_file_of_sidechains_only_is_what_they_say(home):
    transcript = only(home, prompt(0, 0, isSidechain=True), answer(1, 1, isSidechain=True))
    assert own(transcript) == ["prompt 0", "answer 1"]
    assert (transcript.sidechain_prompts, transcript.is_subagent, transcript.ended_at) == (0, False, time(1))


def test_a_subagent_is_of_the_kind_that_the_file_beside_it_says(home):
    path = home.write("p/s/subagents/agent-1", *talk(0, 1))
    meta = path.with_name("agent-1.meta.json")

    def kind():
        (transcript,) = home.read().values()
        assert transcript.is_subagent
        return transcript.agent_type

    assert kind() is None
    for text, expected in (('{"agentType": "Explore\\u001b[1m"}', "Explore"), ("[]", None), ('{"agentType": 7}', None)):
        meta.write_text(text, "utf-8")
        assert kind() == expected


@pytest.mark.parametrize(
    "more",
    [
        {"isMeta": True},
        {"origin": {"kind": "task-notification"}},
        {"origin": {"kind": "coordinator"}},
    ],
)
def test_what_no_person_typed_is_no_prompt(home, more):
    queued = {"type": "attachment", "uuid": "q", "attachment": {"type": "queued_command", "prompt": "Queued", **more}}
    transcript = only(home, prompt(0, 0), prompt(2, 1, "Not typed", **more), queued)
    assert own(transcript) == ["prompt 0"]


@pytest.mark.parametrize("origin", [None, {"kind": "human"}, {"kind": "channel", "server": "x"}, "unknown"])
def test_what_a_person_typed_elsewhere_is_a_prompt(home, origin):
    assert only(home, prompt(0, 0, origin=origin)).prompts == 1


@pytest.mark.parametrize(
    "text",
    [
        "Stop hook feedback:\n[lint]: run it",
        "Base directory for this skill: /skills/x\n\n# X",
        "<agent-notification>\ndone\n</agent-notification>",
        "<user-memory-input>use tabs</user-memory-input>",
        "<ide_diagnostics>[]</ide_diagnostics>\n<system-reminder>x</system-reminder>",
    ],
)
def test_text_of_the_runtime_is_no_prompt(home, text):
    assert own(only(home, prompt(0, 0), prompt(2, 1, text))) == ["prompt 0"]


def test_the_summary_that_an_older_version_goes_on_from_is_no_prompt(home):
    text = "This session is being continued from a previous conversation that ran out of context. Summary: sails."
    transcript = only(home, prompt(0, 0, text), prompt(2, 1))
    assert (transcript.prompts, transcript.summaries) == (1, 1)
    assert [message.role for message in transcript.messages] == ["summary", "user"]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_export_is_a_session(home, indent):
    folder = home.root / "projects" / "p"
    folder.mkdir(parents=True)
    (folder / "export.json").write_text(json.dumps({"loglines": talk(0, 1, 2)}, indent=indent), "utf-8")
    (folder / "sessions-index.json").write_text('{"entries": [{"firstPrompt": "the \\"loglines\\" key"}]}', "utf-8")
    (folder / "settings.json").write_text("{}", "utf-8")
    reader = ClaudeCodeReader([home.root])
    (source,) = reader.discover()
    transcript = reader.read(source)
    assert own(transcript) == ["prompt 0", "answer 1", "prompt 2"]
    assert (transcript.session_id, transcript.kind) == ("cc_export", "claude-code-json")
    assert not reader.open(source).grow(source)


def test_an_export_on_a_line_is_a_session(home):
    assert own(only(home, {"loglines": [*talk(0, 1), None, 7]})) == ["prompt 0", "answer 1"]


def test_an_export_that_is_torn_or_none_is_told(home):
    folder = home.root / "projects" / "p"
    folder.mkdir(parents=True)
    reader = ClaudeCodeReader([home.root])
    for text, reason in (('{"loglines": [', "not JSON"), ('{"loglines": 7}', "no Claude Code record")):
        (folder / "export.json").write_text(text, "utf-8")
        (source,) = reader.discover()
        with pytest.raises(TranscriptError, match=reason):
            reader.read(source)


def test_the_first_bad_line_is_told(home):
    path = home.write("p/s", *talk(0, 1))
    path.write_bytes(path.read_bytes() + b"torn\n")
    (transcript,) = home.read().values()
    assert (transcript.bad_lines, transcript.bad_line) == (1, 3)


@pytest.mark.parametrize(
    ("environ", "folders"),
    [
        ({"CLAUDE_CONFIG_DIR": "~/work, /b"}, ["work", "/b"]),
        ({"CLAUDE_CONFIG_DIRS": "/a,/b:/c,/a"}, ["/a", "/b", "/c"]),
        ({"CLAUDE_CONFIG_DIR": "/a", "CLAUDE_CONFIG_DIRS": "/b,/a"}, ["/a", "/b"]),
        ({"CLAUDE_CONFIG_DIR": " ", "CLAUDE_CONFIG_DIRS": ""}, [".claude", ".config/claude"]),
    ],
)
def test_several_configuration_folders(tmp_path, monkeypatch, environ, folders):
    monkeypatch.setattr("os.pathsep", ":")
    roots = ClaudeCodeReader.from_environment(environ, tmp_path).roots
    assert list(roots) == [tmp_path / Path(folder) / "projects" for folder in folders]
