import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import source_of

from nlm_tui.ingest.ports import Reading
from nlm_tui.runtimes.growing import GrowingFile, GrowingLines
from nlm_tui.runtimes.jsonl import JsonLines

LINES = st.sampled_from(
    [
        b'{"a":1}\n',
        b'{"b":2}\r\n',
        b'{"c":3}{"d":4}\n',
        b'{"e":5}{"f":\n',
        b'{"g":6} \x00\n',
        b"\x00\x00\n",
        b'\x00{"h":7}\n',
        b"\n",
        b"17\n",
        b'{"torn":\n',
        b"no json\n",
        b'{"last":8}',
        b'{"two":9}{"ha',
    ]
)


def grown(path, data, cuts):
    """Read `data` as it is appended piece by piece; begin anew wherever that is asked for."""
    path.write_bytes(b"")
    lines, records = GrowingLines(path), []
    for start, end in pairwise([0, *cuts, len(data)]):
        with path.open("ab") as file:
            file.write(data[start:end])
        if not lines.read(records.append):
            lines, records = GrowingLines(path), []
            assert lines.read(records.append)
    return lines, records


@settings(deadline=None)
@given(st.lists(LINES).map(b"".join), st.data())
def test_reading_in_steps_is_reading_at_once(tmp_path_factory, data, draw):
    path = tmp_path_factory.getbasetemp() / "growing.jsonl"
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=5)))
    lines, records = grown(path, data, cuts)
    with path.open("rb") as file:
        whole = JsonLines(file)
        assert records == list(whole)
    assert (lines.bad_lines, lines.bad_line, lines.truncated_tail) == (
        whole.bad_lines,
        whole.bad_line,
        whole.truncated_tail,
    )


def test_only_what_was_added_is_taken(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":')
    lines, records = GrowingLines(path), []
    assert lines.read(records.append)
    assert (records, lines.bad_lines, lines.bad_line, lines.truncated_tail) == ([{"n": 1}], 1, 2, True)
    with path.open("ab") as file:
        file.write(b'2}\nbad\n{"n":3}')
    records.clear()
    assert lines.read(records.append)
    assert (records, lines.bad_lines, lines.bad_line, lines.truncated_tail) == ([{"n": 2}, {"n": 3}], 1, 3, False)
    records.clear()
    assert lines.read(records.append)
    assert records == []


FIRST = b'{"n":1}\n' * 2000


@pytest.mark.parametrize(
    "data",
    [b"", FIRST[:-8], b'{"n":2}\n' + FIRST, FIRST[:-8] + b'{"n":2}\n{"n":3}\n', FIRST[:-1] + b'{"n":2}\n'],
    ids=["emptied", "cut", "other-head", "other-tail", "other-line"],
)
def test_a_rewritten_file_is_read_from_its_start(tmp_path, data):
    path = tmp_path / "a.jsonl"
    path.write_bytes(FIRST.removesuffix(b"\n") if data.startswith(FIRST[:-1]) else FIRST)
    lines, records = GrowingLines(path), []
    assert lines.read(records.append)
    records.clear()
    path.write_bytes(data)
    assert not lines.read(records.append)
    assert records == []


def test_a_replaced_file_is_read_from_its_start(tmp_path):
    path, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    path.write_bytes(FIRST)
    lines = GrowingLines(path)
    assert lines.read(lambda _: None)
    other.write_bytes(FIRST + FIRST)
    other.replace(path)
    assert not lines.read(lambda _: None)


class Names:
    def __init__(self):
        self.told = []

    def take(self, record):
        self.told.append(record)

    def transcript(self, lines):
        return json.dumps([self.told, lines.bad_lines])


def test_the_state_of_a_file_goes_on(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":1}\n')
    reading: Reading = GrowingFile(source_of(path), Names())
    assert reading.transcript() == '[[{"n": 1}], 0]'
    with path.open("ab") as file:
        file.write(b'x\n{"n":2}\n')
    assert reading.grow(source_of(path))
    assert reading.transcript() == '[[{"n": 1}, {"n": 2}], 1]'
