"""Runtimes that the user describes."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import all_sources, check_storable, hostile_files, jsonl

from nlm_tui.ingest.ports import Transcript, TranscriptError
from nlm_tui.runtimes import default_readers
from nlm_tui.runtimes.generic import generic_reader
from nlm_tui.settings import GenericSettings, JsonlFields, MarkdownTurns, SourceSettings

FIELDS = JsonlFields()
NAMED = JsonlFields(session=("chat",))
WORDS = ("role", "content", "text", "timestamp", "chat", "cwd", "user", "assistant", "tool", "type", "a", "image_url")


def jsonl_settings(folder: Path, fields: JsonlFields = FIELDS) -> GenericSettings:
    return GenericSettings("my-agent", (folder,), "*.jsonl", fields)


def markdown_settings(folder: Path, turns: MarkdownTurns | None = None) -> GenericSettings:
    return GenericSettings("notes", (folder,), "*.md", turns or MarkdownTurns())


def read_all(wanted: GenericSettings) -> list[Transcript | None]:
    reader = generic_reader(wanted)
    return [reader.read(source) for source in all_sources(reader)]


def read_records(folder: Path, records: list[object], fields: JsonlFields = FIELDS) -> list[Transcript | None]:
    (folder / "log.jsonl").write_bytes(jsonl(records))
    return read_all(jsonl_settings(folder, fields))


def read_markdown(folder: Path, text: str, turns: MarkdownTurns | None = None) -> Transcript | None:
    (folder / "chat.md").write_bytes(text.encode())
    (transcript,) = read_all(markdown_settings(folder, turns))
    return transcript


def told(transcript: Transcript | None) -> list[tuple[str, str]]:
    assert transcript is not None
    return [(message.role, message.text) for message in transcript.messages]


def turn(chat: object, text: str, role: str = "user", **others: object) -> dict[str, object]:
    return {"chat": chat, "role": role, "content": text, **others}


def test_lines_with_the_usual_fields(tmp_path):
    records: list[object] = [
        {"role": "system", "content": "Be kind."},
        {"role": "User", "content": "Why?", "timestamp": "2026-01-02T03:04:05Z", "cwd": "/srv/app"},
        {"role": "assistant", "text": "Because.", "timestamp": 1_767_323_050},
        {"role": "tool", "content": "exit 0"},
        {"role": "assistant", "content": None},
        {"other": 1},
        {"role": "human", "content": ["See", {"type": "text", "text": "this"}, {"type": "image", "source": {}}]},
        {"role": "ai", "content": [{"type": "thinking", "text": "hm"}, {"type": "output_text", "text": "I see."}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAAAAAA"}}]},
    ]
    (transcript,) = read_records(tmp_path, records)
    assert told(transcript) == [
        ("user", "Why?"),
        ("assistant", "Because."),
        ("output", "exit 0"),
        ("user", "See\n\nthis\n[image]"),
        ("assistant", "I see."),
        ("user", "[image png, 6 B]"),
    ]
    assert transcript is not None
    assert (transcript.runtime, transcript.native_id, transcript.kind) == ("my-agent", "log", "jsonl")
    assert transcript.session_id.startswith("generic_my-agent_")
    assert (transcript.prompts, transcript.answers, transcript.tool_results, transcript.images) == (3, 2, 1, 2)
    assert (transcript.project, transcript.title) == ("/srv/app", None)
    assert (transcript.started_at, transcript.ended_at) == ("2026-01-02T03:04:05.000Z", "2026-01-02T03:04:10.000Z")


def test_lines_with_fields_of_their_own(tmp_path):
    fields = JsonlFields(
        role=("author",),
        text=("message.text", "message.body"),
        time=("at",),
        title=("meta.title",),
        cwd=("meta.dir",),
        user_roles=("true",),
        assistant_roles=("False", "7"),
    )
    records: list[object] = [
        {"author": True, "message": {"text": "a"}, "at": "2026-01-02T03:04:05", "meta": {"title": "First"}},
        {"author": False, "message": {"body": "b"}, "at": "2026-01-02T03:04:09.5", "meta": {"dir": "/x"}},
        {"author": 7, "message": "c", "meta": {"title": " Last\n", "dir": "/y"}},
        {"author": 7, "message": {"text": "d"}, "at": "2026-01-02T01:00:00+01:00"},
    ]
    (transcript,) = read_records(tmp_path, records, fields)
    assert told(transcript) == [("user", "a"), ("assistant", "b"), ("assistant", "d")]
    assert transcript is not None
    assert (transcript.title, transcript.project) == ("Last", "/x")
    assert (transcript.local_start, transcript.local_end) == ("2026-01-02T03:04:05", "2026-01-02T03:04:09.500000")
    assert (transcript.started_at, transcript.ended_at) == ("2026-01-02T00:00:00.000Z",) * 2


def test_sessions_in_one_file_are_told_apart(tmp_path):
    records: list[object] = [
        turn("a", "one"),
        turn(2, "two"),
        turn("a", "answer", "assistant"),
        {"role": "assistant", "content": "and more"},
        turn(2, "three"),
    ]
    first, second = read_records(tmp_path, records, NAMED)
    assert told(first) == [("user", "one"), ("assistant", "answer"), ("assistant", "and more")]
    assert told(second) == [("user", "two"), ("user", "three")]
    assert first is not None
    assert second is not None
    assert (first.native_id, second.native_id) == ("a", "2")
    assert first.session_id != second.session_id


def test_what_stands_before_the_first_name_is_a_session_too(tmp_path):
    first, second = read_records(tmp_path, [{"role": "user", "content": "early"}, turn("a", "one")], NAMED)
    assert (told(first), told(second)) == ([("user", "early")], [("user", "one")])
    assert first is not None
    assert first.native_id == "unnamed"


def test_a_file_that_names_no_session_is_one(tmp_path):
    (transcript,) = read_records(tmp_path, [{"role": "user", "content": "early"}], NAMED)
    assert transcript is not None
    assert (transcript.native_id, told(transcript)) == ("log", [("user", "early")])


@pytest.mark.parametrize("records", [[], [turn("a", " "), turn("b", "x", "system")], [{"meta": 1}, turn("a", "")]])
def test_a_file_of_named_sessions_in_which_nobody_said_anything_is_none(tmp_path, records):
    assert read_records(tmp_path, records, NAMED) == [None]


def test_of_a_file_of_named_sessions_those_count_in_which_somebody_says_something(tmp_path):
    records: list[object] = [{"meta": 1}, turn("a", "one"), turn("b", ""), turn("c", "x", "system"), turn("d", "two")]
    assert [told(transcript) for transcript in read_records(tmp_path, records, NAMED)] == [
        [("user", "one")],
        [("user", "two")],
    ]


def test_a_file_of_named_sessions_that_holds_something_else_is_said(tmp_path):
    (tmp_path / "log.jsonl").write_bytes(bytes(range(256)) * 9)
    with pytest.raises(TranscriptError, match="no record in it has the field role"):
        read_all(jsonl_settings(tmp_path, NAMED))
    with pytest.raises(TranscriptError, match=r"but in it are it$"):
        read_records(tmp_path, [turn("a", "one"), turn("b", "two", "it")], NAMED)


def test_a_bad_line_is_numbered_as_it_is_in_the_file(tmp_path):
    lines = [json.dumps(turn(name, "x")) for name in "abab"]
    (tmp_path / "log.jsonl").write_text("\n".join([*lines[:2], "bad", *lines[2:], "", "worse", "worst"]) + "\n")
    first, second = read_all(jsonl_settings(tmp_path, NAMED))
    assert first is not None
    assert second is not None
    assert ((first.bad_lines, first.bad_line), (second.bad_lines, second.bad_line)) == ((1, 3), (2, 7))


def test_records_on_one_line_and_lines_that_are_none_stay_with_their_session(tmp_path):
    one, two, three = (json.dumps(turn(name, name * 2)) for name in ("a", "b", "a"))
    (tmp_path / "log.jsonl").write_text(f"{one}{two}\nnot json\n{three}\n{{'torn")
    first, second = read_all(jsonl_settings(tmp_path, NAMED))
    assert told(first) == [("user", "aa"), ("user", "aa")]
    assert told(second) == [("user", "bb")]
    assert first is not None
    assert (first.bad_lines, first.truncated_tail) == (2, True)


def test_a_session_that_grew_changed_and_the_others_did_not(tmp_path):
    records: list[object] = [
        turn("a", "one", timestamp="2026-01-02T03:04:05Z"),
        turn("b", "two", timestamp="2026-01-02T03:04:06Z"),
    ]
    reader = generic_reader(jsonl_settings(tmp_path, NAMED))
    (tmp_path / "log.jsonl").write_bytes(jsonl(records))
    before = all_sources(reader)
    records.append(turn("b", "three", timestamp="2026-01-02T03:04:07Z"))
    (tmp_path / "log.jsonl").write_bytes(jsonl(records))
    after = all_sources(reader)
    assert after[0] == before[0]
    assert after[1] != before[1]
    assert before[1].mtime_ns < after[1].mtime_ns
    assert told(reader.read(before[1])) == [("user", "two"), ("user", "three")]
    (tmp_path / "log.jsonl").write_bytes(jsonl(records[:1]))
    with pytest.raises(TranscriptError, match="no longer in the file"):
        reader.read(after[1])


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([{"who": "user", "content": "a"}], "no record in it has the field role"),
        ([{"role": "me", "content": "a"}, {"role": "it"}], "the settings know the roles user, human, assistant, ai"),
        ([{"role": "me"}], "but in it are me$"),
    ],
)
def test_settings_that_do_not_fit_are_said(tmp_path, records, said):
    with pytest.raises(TranscriptError, match=said):
        read_records(tmp_path, records)


def test_text_that_is_no_json_is_said(tmp_path):
    (tmp_path / "log.jsonl").write_text("hello\n")
    with pytest.raises(TranscriptError, match="no record in it has the field role"):
        read_all(jsonl_settings(tmp_path))


@pytest.mark.parametrize("records", [[], [{"role": "system", "content": "x"}], [{"role": "user", "content": " "}]])
def test_a_file_in_which_nobody_said_anything_is_none(tmp_path, records):
    assert read_records(tmp_path, records) == [None]


def test_files_are_found_in_all_folders_below_by_their_names(tmp_path):
    for name in ("a.jsonl", "b.json", "deep/er/c.jsonl", "chat-1.jsonl/d.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(jsonl([{"role": "user", "content": "a"}]))
    (tmp_path / "loop").symlink_to(tmp_path)
    wanted = jsonl_settings(tmp_path)
    assert {source.path.name for source in generic_reader(wanted).discover()} == {"a.jsonl", "c.jsonl", "d.jsonl"}
    ids = [transcript.session_id for transcript in read_all(wanted) if transcript]
    assert len(set(ids)) == 3
    assert list(generic_reader(jsonl_settings(tmp_path / "missing")).discover()) == []


def test_a_runtime_that_is_described_is_read_as_the_others_are(tmp_path):
    sources = SourceSettings(generic=(jsonl_settings(tmp_path), markdown_settings(tmp_path)))
    *_, first, second = default_readers({}, tmp_path / "home", sources)
    assert (first.runtime, second.runtime) == ("my-agent", "notes")
    assert first.roots == second.roots == (tmp_path,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## User\n\nWhy?\n\n## Assistant\n\nBecause.\n\n### Details\nx\n", ["Why?", "Because.\n\n### Details\nx"]),
        ("intro\n## user (10:02)\nWhy?\n## Assistants\n##  Assistant\n", ["Why?\n## Assistants\n##  Assistant"]),
        ("## User\n```\n## Assistant\n```\n", ["```\n## Assistant\n```"]),
        ("## User\n```py\n## Assistant\nx\n", ["```py", "x"]),
        ("## User\n~~~\n```\n## Assistant\n~~~\n## Assistant\n", ["~~~\n```\n## Assistant\n~~~"]),
        ("## User\n````\n```\n## Assistant\n````\nz\n", ["````\n```\n## Assistant\n````\nz"]),
        ("## User\n\n## User\nb\n", ["b"]),
        ("## Assistant\nHello\u2028there\n", ["Hello\nthere"]),
    ],
)
def test_turns_in_markdown(tmp_path, text, expected):
    for ends in ("\n", "\r\n"):
        transcript = read_markdown(tmp_path, f"\ufeff{text}".replace("\n", ends))
        assert [message for _, message in told(transcript)] == expected


def test_turns_that_begin_in_their_own_way(tmp_path):
    turns = MarkdownTurns(user=("Me:", ">>> "), assistant=("Bot:", "Bot says:"))
    transcript = read_markdown(tmp_path, "# A talk\n# Later\nMe: hi\nthere\nBot says: yes\n>>> more\nMethod\n", turns)
    assert told(transcript) == [("user", "hi\nthere"), ("assistant", "yes"), ("user", "more\nMethod")]
    assert transcript is not None
    assert (transcript.title, transcript.runtime, transcript.kind) == ("A talk", "notes", "markdown")
    assert (transcript.native_id, transcript.prompts, transcript.answers) == ("chat", 2, 1)


def test_markdown_without_a_turn_is_said_and_blank_is_none(tmp_path):
    assert read_markdown(tmp_path, " \n") is None
    assert read_markdown(tmp_path, "## User\n\n") is None
    with pytest.raises(TranscriptError, match='no line in it begins with "## Assistant" or "## User"'):
        read_markdown(tmp_path, "# Notes\n## Users\n")


def check_any(wanted: GenericSettings) -> None:
    reader = generic_reader(wanted)
    for source in all_sources(reader):
        try:
            transcript = reader.read(source)
        except TranscriptError:
            continue
        if transcript:
            check_storable(transcript)
            roles = [message.role for message in transcript.messages]
            assert (roles.count("user"), roles.count("assistant")) == (transcript.prompts, transcript.answers)


@settings(max_examples=200)
@given(hostile_files(*WORDS), st.booleans())
def test_any_file_is_sessions_or_says_why_not(tmp_path_factory, content, named):
    folder = tmp_path_factory.mktemp("generic")
    (folder / "log.jsonl").write_bytes(content)
    check_any(jsonl_settings(folder, NAMED if named else JsonlFields(title=("a",))))


@given(
    st.lists(
        st.sampled_from(["## User\n", "## Assistant: x\n", "```\n", "~~~\n", "# t\r\n", "\0"]) | st.text(max_size=4)
    )
)
def test_any_markdown_is_a_session_or_says_why_not(tmp_path_factory, pieces):
    folder = tmp_path_factory.mktemp("generic")
    (folder / "chat.md").write_bytes("".join(pieces).encode())
    check_any(markdown_settings(folder))
