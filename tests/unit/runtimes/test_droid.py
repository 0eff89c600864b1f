import os

import pytest
from hypothesis import given, settings
from transcript_fixtures import (
    check,
    check_other_form,
    check_unbroken,
    discovered,
    hostile_files,
    jsonl,
    sessions,
)

from nlm_tui.runtimes.droid import DroidReader

SESSIONS = list(sessions("droid", set()))


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    reader = DroidReader([root])
    path = root / expected["file"]
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))

    transcript = reader.read(discovered(reader, path))

    check(transcript, expected)
    assert transcript.session_id == f"droid_{expected['session_id']}"
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


ID = "000000f9-0000-4000-8000-0000000000f9"
HEADER = {"type": "session_start", "id": ID, "title": "Mill wheel", "version": 2, "cwd": "/home/dana/mill"}


def said(key, role, *content, **more):
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
    message = {"role": role, "content": blocks, **more}
    return {"type": "message", "id": key, "timestamp": "2026-03-31T00:00:01.000Z", "message": message}


def read(tmp_path, *records, name=f"-home-dana-mill/{ID}.jsonl"):
    path = tmp_path / "sessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl(records))
    reader = DroidReader([tmp_path])
    return reader.read(discovered(reader, path))


def told(transcript):
    return [(message.role, message.text) for message in transcript.messages]


def test_where_it_looks(tmp_path):
    assert DroidReader.from_environment({}, tmp_path).roots == (tmp_path / ".factory" / "sessions",)


def test_sessions_that_lie_in_no_folder_are_found_too(tmp_path):
    assert read(tmp_path, HEADER, said("a", "user", "hi"), name=f"{ID}.jsonl").prompts == 1


def test_other_settings_make_its_source_another(tmp_path):
    read(tmp_path, HEADER, said("a", "user", "hi"))
    reader = DroidReader([tmp_path])
    path = tmp_path / "sessions" / "-home-dana-mill" / f"{ID}.settings.json"
    seen = []
    for moment, text in enumerate(("", '{"model": "a"}', '{"model": "b"', '{"model": "c"}')):
        if text:
            path.write_text(text)
            os.utime(path, ns=(moment, moment))
        (source,) = reader.discover()
        seen.append(source)
    assert len(set(seen)) == 4
    assert reader.read(seen[-1]).model == "c"


def test_settings_that_cannot_be_read_say_nothing(tmp_path):
    (tmp_path / "sessions" / "-home-dana-mill").mkdir(parents=True)
    for text in ('{"model"', "[]", '{"model": 7, "tokenUsage": 8}'):
        (tmp_path / "sessions" / "-home-dana-mill" / f"{ID}.settings.json").write_text(text)
        assert read(tmp_path, HEADER, said("a", "assistant", "hi", modelId="named")).model == "named"


def test_tokens_are_those_of_the_settings(tmp_path):
    used = {"inputTokens": 1, "outputTokens": 2, "cacheReadTokens": 4, "cacheCreationTokens": 8, "thinkingTokens": 16}
    (tmp_path / "sessions" / "-home-dana-mill").mkdir(parents=True)
    settings_path = tmp_path / "sessions" / "-home-dana-mill" / f"{ID}.settings.json"
    settings_path.write_bytes(jsonl([{"tokenUsage": used}]))
    transcript = read(tmp_path, HEADER, said("a", "user", "hi"))
    assert (transcript.input_tokens, transcript.output_tokens) == (13, 2)


def test_what_a_person_typed(tmp_path):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
    transcript = read(
        tmp_path,
        HEADER,
        said("1", "user", "<system-reminder>hidden</system-reminder>\nlook", image),
        said("2", "user", "<system-reminder>hidden</system-reminder>"),
        said("3", "user", "for the model", visibility="llm_only"),
        said("4", "user", "what is <system-reminder> for"),
        said("4", "user", "what is <system-reminder> for"),
        said("5", "system", "hidden"),
    )
    assert told(transcript) == [("user", "look\n[image png, 3 B]"), ("user", "what is <system-reminder> for")]
    assert (transcript.prompts, transcript.images) == (2, 1)


def test_tools(tmp_path):
    call = {"type": "tool_use", "id": "x", "name": "Execute", "input": {"command": "wheel"}}
    results = [
        {"type": "tool_result", "content": content} for content in ("yes", [{"type": "text", "text": "no"}], None)
    ]
    transcript = read(
        tmp_path,
        HEADER,
        said("1", "assistant", {"type": "thinking", "thinking": "hm"}, call),
        said("2", "user", *results),
    )
    assert told(transcript) == [("tool", "Execute  wheel"), ("output", "yes"), ("output", "no")]
    assert (transcript.tool_calls, transcript.tool_results, transcript.answers) == (1, 3, 0)


def test_summaries(tmp_path):
    forms = ({"summaryText": "a"}, {"summary": "b"}, {"summary": {"title": "t", "body": "c"}}, {})
    states = [{"type": "compaction_state", "id": f"s{number}"} | form for number, form in enumerate(forms)]
    transcript = read(tmp_path, HEADER, *states)
    assert told(transcript) == [("summary", "a"), ("summary", "b"), ("summary", "c")]
    assert transcript.summaries == 4


@pytest.mark.parametrize(("title", "shown"), [("New Session", None), ("", None), (None, None), ("a\nb", "a b")])
def test_titles(tmp_path, title, shown):
    assert read(tmp_path, HEADER | {"title": title}, said("1", "user", "hi")).title == shown


def test_a_session_that_another_one_called_is_a_subagent(tmp_path):
    transcript = read(tmp_path, HEADER | {"callingSessionId": "caller"}, said("1", "user", "do"))
    assert (transcript.is_subagent, transcript.parent_id) == (True, "droid_caller")


@pytest.mark.parametrize(
    ("data", "fails"), [(b'{"a": 1}\n', True), (b"hello\n", True), (b"\n\x00", False), (b"", False)]
)
def test_files_of_another_form(tmp_path, data, fails):
    check_other_form(DroidReader([]), tmp_path / "a.jsonl", data, "no record of Droid" if fails else None)


WORDS = (
    *("type", "session_start", "message", "compaction_state", "id", "title", "cwd", "callingSessionId", "timestamp"),
    *("role", "user", "assistant", "content", "text", "tool_use", "tool_result", "name", "input", "image", "source"),
    *("media_type", "data", "summary", "summaryText", "body", "visibility", "modelId", "a"),
)


@settings(deadline=None)
@given(data=hostile_files(*WORDS))
def test_no_file_breaks_it(tmp_path_factory, data):
    check_unbroken(DroidReader([]), tmp_path_factory.getbasetemp() / "droid-hostile.jsonl", data)
