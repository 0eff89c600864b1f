import json

import pytest
from hypothesis import given, settings
from transcript_fixtures import check, check_unbroken, discovered, hostile_files, sessions, source_of

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes.amp import AmpReader

SESSIONS = list(sessions("amp", set()))


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    reader = AmpReader([root])
    path = root / expected["file"]
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))

    transcript = reader.read(discovered(reader, path))

    check(transcript, expected)
    assert transcript.session_id == f"amp_{expected['session_id']}"
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


ID = "T-000000f4-0000-4000-8000-0000000000f4"


def said(role, *content, **more):
    return {"role": role, "content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in content]} | more


def read(tmp_path, *messages, **more):
    path = tmp_path / "threads" / f"{ID}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"id": ID, "created": 1770768000000, "messages": messages} | more))
    reader = AmpReader([tmp_path])
    return reader.read(discovered(reader, path))


def told(transcript):
    return [(message.role, message.text) for message in transcript.messages]


def test_where_it_looks(tmp_path):
    usual = (tmp_path / ".local" / "share" / "amp" / "threads",)
    assert AmpReader.from_environment({}, tmp_path).roots == usual
    assert AmpReader.from_environment({"XDG_DATA_HOME": "data"}, tmp_path).roots == usual
    moved = AmpReader.from_environment({"XDG_DATA_HOME": str(tmp_path / "d")}, tmp_path)
    assert moved.roots == (tmp_path / "d" / "amp" / "threads",)


def test_only_threads_are_found(tmp_path):
    (tmp_path / "threads" / "T-folder.json").mkdir(parents=True)
    for name in ("T-1.json", "T-1.json.tmp", "index.json", "T-2.txt"):
        (tmp_path / "threads" / name).write_text("")
    assert [source.path.name for source in AmpReader([tmp_path]).discover()] == ["T-1.json"]


@pytest.mark.parametrize(
    ("uris", "project"),
    [
        (["file:///home/dana/sail%20loft"], "/home/dana/sail loft"),
        (["file:///c%3A/Users/dana"], "c:\\Users\\dana"),
        (["", "file:///home/b"], "/home/b"),
        (["file://[bad"], None),
        ([], None),
        (7, None),
    ],
)
def test_the_directory(tmp_path, uris, project):
    trees = [{"uri": uri} for uri in uris] if isinstance(uris, list) else uris
    assert read(tmp_path, said("user", "hi"), env={"initial": {"trees": trees}}).project == project


def test_what_a_person_typed(tmp_path):
    image = {"type": "image", "source": {"type": "base64", "mediaType": "image/png", "data": "QUJD"}}
    transcript = read(
        tmp_path,
        said("user", "look", image, {"type": "text", "text": "hidden", "hidden": True}),
        said("user", "<attached_files>\nhidden\n</attached_files>\nand this"),
        said("user", "<system-reminder>hidden</system-reminder>"),
        said("info", "hidden"),
        {"role": "user", "content": "a text"},
        {"role": "user", "content": None},
        7,
    )
    assert told(transcript) == [("user", "look\n[image png, 3 B]"), ("user", "and this"), ("user", "a text")]


@pytest.mark.parametrize(
    ("run", "outputs"),
    [
        ({"status": "done", "result": {"output": "jib", "exitCode": 0}}, ["jib"]),
        ({"status": "done", "result": {"content": "1: a"}}, ["1: a"]),
        ({"status": "done", "result": {"diff": "--- a"}}, ["--- a"]),
        ({"status": "done", "result": "plain"}, ["plain"]),
        ({"status": "done", "result": ["a", "b"]}, ["a\nb"]),
        (
            {"status": "done", "result": [{"type": "text", "text": "x"}, {"type": "image", "data": "QUJD"}]},
            ["x\n[image 3 B]"],
        ),
        ({"status": "error", "error": {"message": "no such sail"}}, ["no such sail"]),
        ({"status": "error", "error": "no"}, ["no"]),
        ({"status": "cancelled"}, []),
    ],
)
def test_results_of_tools(tmp_path, run, outputs):
    result = {"type": "tool_result", "toolUseID": "x", "run": run}
    transcript = read(
        tmp_path,
        said("assistant", {"type": "tool_use", "id": "x", "name": "Bash", "input": {"cmd": "ls"}}),
        said("user", result),
    )
    assert told(transcript) == [("tool", "Bash  ls"), *(("output", text) for text in outputs)]
    assert (transcript.tool_calls, transcript.tool_results, transcript.prompts) == (1, 1, 0)


@pytest.mark.parametrize("status", ["in-progress", "queued", "blocked-on-user"])
def test_a_tool_that_runs_has_no_result(tmp_path, status):
    result = {"type": "tool_result", "toolUseID": "x", "run": {"status": status}}
    assert read(tmp_path, said("user", "hi"), said("user", result)).tool_results == 0


def test_times_tokens_and_model(tmp_path):
    usage = {
        "model": "a",
        "inputTokens": 1,
        "outputTokens": 2,
        "cacheReadInputTokens": 4,
        "cacheCreationInputTokens": 8,
    }
    transcript = read(
        tmp_path,
        said("user", "hi", meta={"sentAt": 1770768001000}),
        said("assistant", "ho", usage=usage | {"timestamp": "2026-02-11T00:00:05.000Z"}),
        meta={"traces": [{"endTime": "2026-02-11T00:00:07.000Z"}, 7]},
    )
    assert (transcript.started_at, transcript.ended_at) == ("2026-02-11T00:00:00.000Z", "2026-02-11T00:00:07.000Z")
    assert [message.at for message in transcript.messages] == ["2026-02-11T00:00:01.000Z", "2026-02-11T00:00:05.000Z"]
    assert (transcript.input_tokens, transcript.output_tokens, transcript.model) == (13, 2, "a")


def test_summaries(tmp_path):
    forms = ({"type": "summary", "summary": "a"}, {"type": "summary", "summary": {"type": "message", "summary": "b"}})
    assert told(read(tmp_path, said("info", *forms))) == [("summary", "a"), ("summary", "b")]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"id": "T-1", "messages": [{"role": "us', "only partly written"),
        (b'{"id": "T-1"}', "no thread of Amp"),
        (b'{"id": "7", "messages": [{"role": "user", "content": "hi"}]}', "no thread of Amp"),
        (b"hello", "not JSON"),
        (b"", None),
        (b'{"id": "T-1", "messages": []}', None),
        (b'{"messages": {"role": "user"}}', None),
        (b'{"id": 7, "messages": [{"role": "thought"}]}', None),
    ],
)
def test_files_of_another_form(tmp_path, data, reason):
    (tmp_path / "T-1.json").write_bytes(data)
    if reason:
        with pytest.raises(TranscriptError, match=reason):
            AmpReader([]).read(source_of(tmp_path / "T-1.json"))
    else:
        assert AmpReader([]).read(source_of(tmp_path / "T-1.json")) is None


WORDS = (
    *("id", "created", "title", "messages", "env", "initial", "trees", "uri", "file:///a", "role", "user", "assistant"),
    *(
        "content",
        "type",
        "text",
        "hidden",
        "image",
        "source",
        "data",
        "tool_use",
        "tool_result",
        "run",
        "status",
        "done",
    ),
    *("result", "output", "error", "message", "usage", "model", "inputTokens", "meta", "sentAt", "traces", "summary"),
)


@settings(deadline=None)
@given(data=hostile_files(*WORDS))
def test_no_file_breaks_it(tmp_path_factory, data):
    check_unbroken(AmpReader([]), tmp_path_factory.getbasetemp() / "amp-hostile.json", data)
