from itertools import pairwise

import pytest
from claude_files import Home, talk
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import TRANSCRIPTS, source_of

from nlm_tui.ingest.ports import GrowingReader, TranscriptError
from nlm_tui.runtimes import ClaudeCodeReader
from nlm_tui.runtimes.claude.session import Session

FIXTURES = TRANSCRIPTS / "claude"
FILES = [path.relative_to(FIXTURES) for path in sorted(FIXTURES.glob("*/projects/**/*.jsonl")) if path.is_file()]


def outcome(reading):
    try:
        return reading.transcript()
    except TranscriptError as error:
        return str(error)


def found(reader, path):
    return next((source for source in reader.discover() if source.path == path), source_of(path))


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parts[0][:3]}-{file.name[-24:]}" for file in FILES])
@settings(deadline=None, max_examples=12)
@given(steps=st.data())
def test_reading_in_steps_is_reading_at_once(tmp_path_factory, file, steps):
    fixture, *below = file.parts
    root = tmp_path_factory.mktemp("home")
    for other in (FIXTURES / fixture).rglob("*"):
        target = root / other.relative_to(FIXTURES / fixture)
        if other.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(other.read_bytes())
    path = root.joinpath(*below)
    data = path.read_bytes()
    path.write_bytes(b"")
    reader = ClaudeCodeReader([root])
    reading = None
    cuts = sorted(steps.draw(st.lists(st.integers(0, len(data)), max_size=5)))
    for start, end in pairwise([0, *cuts, len(data)]):
        with path.open("ab") as growing:
            growing.write(data[start:end])
        source = found(reader, path)
        if reading is None or not reading.grow(source):
            reading = reader.open(source)
        outcome(reading)
    again = ClaudeCodeReader([root])
    assert outcome(reading) == outcome(again.open(found(again, path)))


def test_only_what_was_added_is_read(tmp_path, monkeypatch):
    path = Home(tmp_path).write("p/a", *talk(*range(40)))
    whole = path.read_bytes()
    path.write_bytes(whole[:-300])
    taken = []
    take = Session.take
    monkeypatch.setattr(Session, "take", lambda session, record: taken.append(record) or take(session, record))
    reader = ClaudeCodeReader([tmp_path])
    assert isinstance(reader, GrowingReader)
    reading = reader.open(found(reader, path))
    taken.clear()
    path.write_bytes(whole)
    assert reading.grow(found(reader, path))
    assert 0 < len(taken) < 4
    assert reading.transcript().prompts == 20


def test_a_branch_that_is_taken_up_again_is_not_withdrawn(tmp_path):
    start, first, second = talk(0, 2, 4)
    first["parentUuid"] = second["parentUuid"] = "u0"
    third = {**talk(6)[0], "parentUuid": "u2"}
    home = Home(tmp_path)
    path = home.write("p/a", start, first, second)
    reader = ClaudeCodeReader([tmp_path])
    reading = reader.open(found(reader, path))

    def withdrawn():
        return [message.text for message in reading.transcript().messages if message.withdrawn]

    assert withdrawn() == ["prompt 2"]
    before = path.stat()
    added = home.write("p/b", third).read_bytes()
    with path.open("ab") as file:
        file.write(added)
    assert path.stat().st_ino == before.st_ino
    assert reading.grow(found(reader, path))
    assert withdrawn() == ["prompt 4"]


def test_a_twin_that_turns_up_ends_the_reading(tmp_path):
    home = Home(tmp_path)
    path = home.write("p/a", *talk(0, 1))
    reader = ClaudeCodeReader([tmp_path])
    reading = reader.open(found(reader, path))
    assert reading.grow(found(reader, path))
    home.write("q/a", *talk(2, 3))
    assert not reading.grow(found(reader, path))


def test_a_copy_is_read_again_until_it_says_something_of_its_own(tmp_path):
    home = Home(tmp_path)
    home.write("p/a", *talk(0, 1))
    path = home.write("p/b", *talk(0))
    reader = ClaudeCodeReader([tmp_path])
    reading = reader.open(found(reader, path))
    home.write("p/b", *talk(0, 1, 2))
    assert not reading.grow(found(reader, path))
    reading = reader.open(found(reader, path))
    assert (reading.transcript().inherited_prompts, reading.transcript().prompts) == (1, 2)
    home.write("p/b", *talk(0, 1, 2, 3))
    assert reading.grow(found(reader, path))
