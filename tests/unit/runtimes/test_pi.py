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

from nlm_tui.runtimes.pi import PiReader

TOOL_IMAGES = {"00000b01-0000-4000-8000-000000000b01": {"images": 1}}  # which the fixture does not count
SESSIONS = list(sessions("pi", set()))


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    reader = PiReader([root])
    path = root / expected["file"]
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))

    transcript = reader.read(discovered(reader, path))

    check(transcript, TOOL_IMAGES.get(expected["session_id"], {}) | expected)
    assert transcript.session_id == f"pi_{expected['session_id']}"
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


ID = "00000b09-0000-4000-8000-000000000b09"
NAME = f"2026-03-10T10-00-00-000Z_{ID}.jsonl"
HEADER = {"type": "session", "version": 3, "id": ID, "timestamp": "2026-03-10T10:00:00.000Z", "cwd": "/home/dana/kiln"}


def entry(key, parent, kind="message", second=1, **more):
    return {"type": kind, "id": key, "parentId": parent, "timestamp": f"2026-03-10T10:00:0{second}.000Z", **more}


def said(key, parent, role, content, second=1, **more):
    return entry(
        key, parent, second=second, message={"role": role, "content": content, "timestamp": 1773136801000, **more}
    )


def read(tmp_path, *records, name=f"--home-dana-kiln--/{NAME}"):
    path = tmp_path / "sessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl(records))
    reader = PiReader([tmp_path])
    return reader.read(discovered(reader, path))


def told(transcript, *, active=False):
    return [(m.role, m.text) for m in transcript.messages if not (active and m.withdrawn)]


def test_where_it_looks(tmp_path):
    omp = tmp_path / ".omp" / "agent" / "sessions"
    agent = tmp_path / ".pi" / "agent"

    def roots(**environ):
        return PiReader.from_environment(environ, tmp_path).roots

    assert roots() == (agent / "sessions", omp)
    assert roots(PI_CODING_AGENT_DIR=str(tmp_path / "a")) == (tmp_path / "a" / "sessions", omp)
    assert roots(PI_CODING_AGENT_DIR="~/a") == (tmp_path / "a" / "sessions", omp)
    assert roots(PI_CODING_AGENT_SESSION_DIR=str(tmp_path / "s")) == (tmp_path / "s", omp)
    agent.mkdir(parents=True)
    for text, root in (
        ('{"sessionDir": "~/kept"}', tmp_path / "kept"),
        ('{"sessionDir": ".sessions"}', agent / "sessions"),
        ('{"sessionDir": 7}', agent / "sessions"),
        ('{"sessionDir": ', agent / "sessions"),
    ):
        (agent / "settings.json").write_text(text)
        assert roots() == (root, omp)


def test_what_it_finds(tmp_path):
    parent = NAME.removesuffix(".jsonl")
    for name in (
        f"--home-dana-kiln--/{NAME}",
        f"--home-dana-kiln--/{parent}/explore.jsonl",
        f"--home-dana-kiln--/{parent}/output.txt",
        "--home-dana-kiln--/notes/a.jsonl",
        NAME,
        "other/a.jsonl",
    ):
        (tmp_path / "sessions" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sessions" / name).write_text("")
    (tmp_path / "sessions" / "--home-dana-kiln--" / f"{parent}2").symlink_to(tmp_path / "sessions")
    found = sorted(source.path.relative_to(tmp_path / "sessions") for source in PiReader([tmp_path]).discover())
    assert [str(path) for path in found] == [
        f"--home-dana-kiln--/{parent}/explore.jsonl",
        f"--home-dana-kiln--/{NAME}",
        NAME,
    ]


def test_a_fork_begins_with_a_copy(tmp_path):
    fork = HEADER | {
        "timestamp": "2026-03-10T10:00:05.000Z",
        "parentSession": r"C:\sessions\--kiln--\2026-03-09T10-00-00-000Z_source-id.jsonl",
    }
    transcript = read(
        tmp_path,
        fork,
        said("1", None, "user", "one", 1),
        said("2", "1", "assistant", [{"type": "text", "text": "two"}], 2),
        said("3", "2", "user", "three", 6),
    )
    assert (transcript.forked_from, transcript.inherited_prompts, transcript.inherited_answers) == (
        "pi_source-id",
        1,
        1,
    )
    assert [message.inherited for message in transcript.messages] == [True, True, False]
    assert (transcript.prompts, transcript.answers) == (2, 1)


def test_without_a_source_an_early_entry_is_no_copy(tmp_path):
    late = HEADER | {"timestamp": "2026-03-10T10:00:05.000Z"}
    assert read(tmp_path, late, said("1", None, "user", "one", 1)).inherited_prompts == 0


def test_going_back_to_the_beginning_withdraws_all_before(tmp_path):
    transcript = read(
        tmp_path,
        HEADER,
        said("1", None, "user", "gone"),
        said("2", None, "user", "new"),
        said("3", "lost", "user", "on"),
    )
    assert told(transcript, active=True) == [("user", "new"), ("user", "on")]
    assert transcript.prompts == 3


def test_an_entry_that_stands_twice_is_one(tmp_path):
    one = said("1", None, "user", "one")
    assert read(tmp_path, HEADER, one, one).prompts == 1


def test_titles(tmp_path):
    one = said("1", None, "user", "one")
    slot = {"type": "title", "v": 1, "title": "Slot", "pad": " "}
    change = entry("2", "1", "title_change", title="Changed")
    name = entry("3", "2", "session_info", name="Named")
    assert read(tmp_path, HEADER | {"title": "Header"}, one).title == "Header"
    assert read(tmp_path, slot, HEADER | {"title": "Header"}, one).title == "Slot"
    assert read(tmp_path, slot, HEADER, one, change).title == "Changed"
    assert read(tmp_path, slot, HEADER, one, change, name).title == "Named"
    assert read(tmp_path, HEADER, one, name, entry("4", "3", "session_info", name="")).title is None


def test_a_subagent_of_omp(tmp_path):
    start = {"type": "session_init", "task": "look", "agent": "scout", "id": "0", "parentId": None}
    name = f"--home-dana-kiln--/{NAME.removesuffix('.jsonl')}/scout-1.jsonl"
    transcript = read(tmp_path, HEADER | {"id": "sub-id"}, start, said("1", "0", "user", "look"), name=name)
    assert (transcript.session_id, transcript.parent_id) == ("pi_sub-id", f"pi_{ID}")
    assert (transcript.is_subagent, transcript.agent_type) == (True, "scout")


def test_what_a_person_typed(tmp_path):
    image = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
    transcript = read(
        tmp_path,
        HEADER,
        said("1", None, "user", [{"type": "text", "text": "look"}, image]),
        said("2", "1", "user", [image]),
        said("3", "2", "user", '<skill name="kiln" location="/x">\nfire\n</skill>\n\nat cone 6'),
        said("4", "3", "user", '<skill name="glaze" location="/x">\nmix\n</skill>'),
        said("5", "4", "user", '<file name="/a">\ntext\n</file>\nwhat is it'),
        said("6", "5", "user", "what does <skill> do"),
        entry("7", "6", message={"role": "bashExecution", "command": "ls", "output": "cones"}),
        said("8", "7", "custom", "hidden"),
        said("9", "8", "hookMessage", "hidden"),
        entry("10", "9", "custom_message", content="hidden", display=True),
    )
    assert told(transcript) == [
        ("user", "look\n[image png, 3 B]"),
        ("user", "[image png, 3 B]"),
        ("command", "/skill:kiln"),
        ("user", "at cone 6"),
        ("command", "/skill:glaze"),
        ("user", "what is it"),
        ("user", "what does <skill> do"),
        ("command", "!ls"),
    ]
    assert transcript.images == 2


def test_summaries_and_tokens(tmp_path):
    usage = {"input": 3, "output": 4, "cacheRead": 5, "cacheWrite": 6, "totalTokens": 18}
    transcript = read(
        tmp_path,
        HEADER,
        said("1", None, "user", "one"),
        said("2", "1", "assistant", [{"type": "text", "text": "two"}], model="a", usage=usage),
        said("3", "2", "assistant", [], model="b", stopReason="aborted"),
        entry("4", "3", message={"role": "compactionSummary", "summary": "so far"}),
        entry("5", "4", message={"role": "branchSummary", "summary": "tried"}),
    )
    assert (transcript.summaries, transcript.model) == (2, "a")
    assert (transcript.input_tokens, transcript.output_tokens) == (14, 4)


def test_the_name_of_the_file_tells_the_id_where_the_header_is_lost(tmp_path):
    transcript = read(tmp_path, said("1", None, "user", "one"))
    assert (transcript.native_id, transcript.project) == (ID, None)


@pytest.mark.parametrize(
    ("data", "fails"),
    [
        (b'{"a": 1}\n', True),
        (b'{"type": "message", "message": {"role": "user"}}\n', True),
        (b"hello\n", True),
        (b"\n\x00", False),
        (b"", False),
    ],
)
def test_files_of_another_form(tmp_path, data, fails):
    check_other_form(PiReader([]), tmp_path / "a.jsonl", data, "no entry of pi" if fails else None)


WORDS = (
    *("type", "session", "version", "id", "parentId", "timestamp", "cwd", "parentSession", "message", "role", "user"),
    *("assistant", "toolResult", "bashExecution", "content", "text", "thinking", "toolCall", "image", "data", "usage"),
    *("mimeType", "arguments", "name", "command", "compaction", "branch_summary", "summary", "session_info", "title"),
    *("title_change", "session_init", "agent", "model", "stopReason", "error", "input", "output", "modelId", "a", "b"),
    *('<skill name="x">', "</skill>", "2026-03-10T10:00:00.000Z", NAME),
)


@settings(deadline=None)
@given(data=hostile_files(*WORDS))
def test_no_file_breaks_it(tmp_path_factory, data):
    check_unbroken(PiReader([]), tmp_path_factory.getbasetemp() / "pi-hostile.jsonl", data)
