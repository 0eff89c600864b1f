from itertools import pairwise

import pytest
from codex_records import answer_event, header, prompt_event, prompt_response
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import TRANSCRIPTS, discovered, jsonl, source_of
from zstd_files import packed

from nlm_tui.ingest.ports import GrowingReader, TranscriptError
from nlm_tui.runtimes import CodexReader

ROLLOUTS = sorted((TRANSCRIPTS / "codex").rglob("rollout-*.jsonl"))
THREAD = "00000001-0000-4000-8000-000000000000"


def whole(path):
    try:
        return CodexReader([path.parent]).read(source_of(path))
    except TranscriptError as error:
        return str(error)


def told(reading):
    try:
        return reading.transcript()
    except TranscriptError as error:
        return str(error)


@settings(deadline=None)
@given(st.data())
@pytest.mark.parametrize("rollout", ROLLOUTS, ids=lambda path: path.name[-12:-6])
def test_a_rollout_that_grows_tells_at_any_time_what_it_holds(tmp_path_factory, rollout, data):
    content = rollout.read_bytes()
    path = tmp_path_factory.getbasetemp() / rollout.name
    path.write_bytes(b"")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=6)))
    reader = CodexReader([path.parent])
    reading = reader.open(source_of(path))
    for start, end in pairwise([0, *cuts, len(content)]):
        with path.open("ab") as file:
            file.write(content[start:end])
        if not reading.grow(source_of(path)):
            reading = reader.open(source_of(path))
        assert told(reading) == whole(path)


def test_a_prompt_that_is_shown_after_it_was_read_counts(tmp_path):
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(jsonl([header(THREAD), prompt_event("One"), answer_event("First"), prompt_response("Two")]))
    reader: GrowingReader = CodexReader([tmp_path])
    reading = reader.open(source_of(path))
    assert reading.transcript().prompts == 1
    with path.open("ab") as file:
        file.write(jsonl([prompt_event("Two")]))
    assert reading.grow(source_of(path))
    assert [m.text for m in reading.transcript().messages if m.role == "user"] == ["One", "Two"]


def test_what_is_no_single_plain_file_is_read_from_its_beginning(tmp_path):
    reader = CodexReader([TRANSCRIPTS / "codex" / "x10-history-base"])
    for source in reader.discover():
        is_alone = "_" not in source.path.name
        assert reader.open(source).grow(source) is is_alone
    path = tmp_path / "sessions" / "rollout-a.jsonl"
    path.parent.mkdir()
    path.write_bytes(packed(jsonl([prompt_event("One")])))
    reader = CodexReader([tmp_path])
    assert not reader.open(discovered(reader, path)).grow(discovered(reader, path))
