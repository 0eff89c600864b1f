import subprocess
import sys

import pytest
from codex_records import answer_event, prompt_event
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import TRANSCRIPTS, check_storable, jsonl, source_of
from zstd_files import packed

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes import CodexReader, zstd
from nlm_tui.runtimes.zstd import opened

MAGIC = b"\x28\xb5\x2f\xfd"
LINE = jsonl([answer_event("Done")])
TALK = jsonl([prompt_event("Go"), *(answer_event(f"Part {n}, {n * n * 7919}") for n in range(20_000))])


def unpacked(path):
    with opened(path) as file:
        return file.read()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.zst"])
def test_what_is_compressed_is_told_by_the_file_not_by_its_name(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(packed(TALK))
    assert unpacked(path) == TALK
    path.write_bytes(TALK)
    assert unpacked(path) == TALK


@settings(deadline=None)
@given(st.lists(st.binary(max_size=2000), min_size=1))
def test_frames_one_after_another_are_one_file(tmp_path_factory, parts):
    path = tmp_path_factory.getbasetemp() / "frames.zst"
    path.write_bytes(b"".join(map(packed, parts)))
    assert unpacked(path) == b"".join(parts)


@pytest.mark.parametrize("kept", [0.5, 0.99])
def test_of_a_stream_that_was_cut_the_whole_part_is_read(tmp_path, kept):
    path = tmp_path / "a.jsonl.zst"
    data = packed(TALK)
    path.write_bytes(data[: int(len(data) * kept)])
    transcript = CodexReader([tmp_path]).read(source_of(path))
    assert (transcript.bad_lines, transcript.truncated_tail) == (1, False)
    assert transcript.prompts == 1
    assert transcript.answers > 20_000 * (kept - 0.4)


def test_a_stream_that_is_damaged_is_read_up_to_there(tmp_path):
    path = tmp_path / "a.jsonl.zst"
    data = bytearray(packed(TALK) + packed(TALK))
    middle = len(data) * 3 // 4
    data[middle : middle + 600] = b"\xff" * 600
    path.write_bytes(data)
    transcript = CodexReader([tmp_path]).read(source_of(path))
    assert transcript.bad_lines == 1
    assert transcript.answers >= 20_000


@pytest.mark.parametrize("filling", [b"\n", b" ", b"{}\n", b"x"])
def test_a_bomb_ends_at_a_limit(tmp_path, monkeypatch, filling):
    monkeypatch.setattr(zstd, "_LEAST_LIMIT", 100_000)
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(packed(jsonl([prompt_event("Go")]) + filling * 3_000_000))
    assert len(unpacked(path)) < 1_000_000
    transcript = CodexReader([tmp_path]).read(source_of(path))
    assert (transcript.prompts, transcript.bad_lines) == (1, 1)


@pytest.mark.parametrize("data", [MAGIC, MAGIC + b"\xff" * 40, packed(b"no JSON\n")])
def test_a_stream_with_nothing_in_it_is_no_rollout(tmp_path, data):
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(data)
    with pytest.raises(TranscriptError, match="no Codex record"):
        CodexReader([tmp_path]).read(source_of(path))


@settings(deadline=None)
@given(st.binary(), st.integers(0, 600), st.binary(max_size=8))
def test_no_damage_breaks_the_reader(tmp_path_factory, behind, at, put):
    path = tmp_path_factory.getbasetemp() / "damaged.jsonl.zst"
    data = packed(jsonl([prompt_event("Go"), answer_event("Done")])) + behind
    path.write_bytes(data[:at] + put + data[at + len(put) :])
    try:
        transcript = CodexReader([path.parent]).read(source_of(path))
    except TranscriptError:
        return
    if transcript is not None:
        check_storable(transcript)


def test_a_python_without_zstd_says_so(tmp_path, monkeypatch):
    for name in ("compression", "compression.zstd", "backports", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(MAGIC)
    with pytest.raises(TranscriptError, match="zstd"):
        CodexReader([tmp_path]).read(source_of(path))
    path.write_bytes(LINE)
    assert CodexReader([tmp_path]).read(source_of(path)).answers == 1


def test_zstd_is_imported_for_compressed_files_only():
    code = (
        "import sys; from pathlib import Path; from nlm_tui.runtimes import CodexReader\n"
        "reader = CodexReader([Path(sys.argv[1])])\n"
        "transcripts = [reader.read(source) for source in reader.discover()]\n"
        "print(len(transcripts), any(name.endswith('_zstd') for name in sys.modules))"
    )
    for fixture, expected in (("x01-rollout", "1 False"), ("x07-zst", "1 True")):
        command = [sys.executable, "-c", code, str(TRANSCRIPTS / "codex" / fixture)]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == expected
