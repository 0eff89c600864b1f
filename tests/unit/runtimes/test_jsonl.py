import io
import json

import pytest
from hypothesis import given, settings
from transcript_fixtures import hostile_files

from nlm_tui.runtimes.jsonl import JsonLines, as_dict, as_list, as_text, entries, parse_json


def read(data, **options):
    lines = JsonLines(io.BytesIO(data), **options)
    return list(lines), lines.bad_lines, lines.truncated_tail


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ([], 0, False)),
        (b"\n \r\n\x00\x00\n\xef\xbb\xbf\n", ([], 0, False)),
        (b'{"a":1}\n{"b":2}\n', ([{"a": 1}, {"b": 2}], 0, False)),
        (b'\xef\xbb\xbf{"a":1}\r\n{"b":2}\r\n', ([{"a": 1}, {"b": 2}], 0, False)),
        (b'{"a":1}\x00\x00\n\x00\x00{"b":2}\n\x00\x00', ([{"a": 1}, {"b": 2}], 0, False)),
        (b'[1]\n42\nnull\n"x"\n{}\n', ([{}], 4, False)),
        (b'{"a":\n{"a":1}\n', ([{"a": 1}], 1, False)),
        (b'{"a":1}\n{"b":', ([{"a": 1}], 1, True)),
        (b'{"a":1}\n{"b":2}', ([{"a": 1}, {"b": 2}], 0, False)),
        (b"[" * 100_000 + b'\n{"a":1}\n', ([{"a": 1}], 1, False)),
    ],
    ids=["empty", "blank", "lines", "bom crlf", "nul", "no objects", "torn", "tail", "no newline", "deep"],
)
def test_lines(data, expected):
    assert read(data) == expected


def test_only_a_newline_ends_a_line():
    text = "a\u2028b\u2029c\u0085d"
    assert read(json.dumps({"t": text}, ensure_ascii=False).encode() + b"\n") == ([{"t": text}], 0, False)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'"caf\xe9"', "caf\ufffd"),
        (rb'"half \ud83d of it"', "half \ufffd of it"),
        (rb'"\ude00\ud83d"', "\ufffd\ufffd"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\\ud83d \ud83d"', "\\ud83d \ufffd"),
        (b'"a\x00b"', "ab"),
    ],
    ids=["bad byte", "half a pair", "two halves", "half and pair", "escaped backslash", "nul"],
)
def test_what_cannot_be_encoded_is_replaced(data, text):
    assert parse_json(data) == text


def test_a_line_beyond_the_limit_is_passed_over():
    long = b'{"long":"' + b"x" * 100 + b'"}'
    assert read(long + b'\n{"a":1}\n', limit=50) == ([{"a": 1}], 1, False)
    assert read(b'{"a":1}\n' + long, limit=50) == ([{"a": 1}], 1, True)
    assert read(long + b"\n" + long + b"\n", limit=50) == ([], 2, False)
    assert read(long + b"\n", limit=len(long) + 1) == ([{"long": "x" * 100}], 0, False)


@settings(deadline=None)
@given(hostile_files("type", "text", "\U0001f600"))
def test_any_bytes_give_objects_that_can_be_encoded(data):
    for record in read(data)[0]:
        json.dumps(record, ensure_ascii=False).encode("utf-8")


def test_values_of_another_type_are_empty():
    assert [as_dict({"a": 1}), as_dict([]), as_list([1]), as_list({}), as_text("a"), as_text(1)] == [
        {"a": 1},
        {},
        [1],
        [],
        "a",
        "",
    ]


def test_a_folder_that_is_missing_is_empty(tmp_path):
    assert entries(tmp_path / "missing") == []
