import io
import json

import pytest
from hypothesis import given, settings
from transcript_fixtures import hostile_files

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes import jsonl
from nlm_tui.runtimes.jsonl import JsonLines, as_dict, as_list, as_text, entries, parse_json, read_document


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
        (b'{"a":"}{"}{"b":"\xc3\xa9"}{"c":3}\n{"d":4}\n', ([{"a": "}{"}, {"b": "é"}, {"c": 3}, {"d": 4}], 0, False)),
        (b'{"a":1}\x00\x00{"b":2}\n', ([{"a": 1}, {"b": 2}], 0, False)),
        (b'{"a":1}{"b":', ([{"a": 1}], 1, True)),
        (b'{"a":1}{"b":\n{"c":3}\n', ([{"a": 1}, {"c": 3}], 1, False)),
        (b'{"a":1}rest\n{"a":1}[2]\n{"a":1,"b":{"c":3}\n', ([], 3, False)),
    ],
    ids=[
        *("empty", "blank", "lines", "bom crlf", "nul", "no objects", "torn", "tail", "no newline", "deep"),
        *("glued", "glued by nul", "glued tail", "glued and torn", "glued to what is no object"),
    ],
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


def test_of_a_line_with_very_many_objects_the_first_are_read():
    records, bad_lines, _ = read(b'{"a":1}' * 10_000 + b"\n")
    assert records == [{"a": 1}] * 16
    assert bad_lines == 1


@pytest.mark.parametrize(
    ("data", "document"),
    [(b"", {}), (b"\x00\r\n ", {}), (b'\xef\xbb\xbf{"a": "\\ud83d"}\r\n', {"a": "\ufffd"}), (b"[1]", {}), (b"7", {})],
)
def test_a_document(tmp_path, data, document):
    (tmp_path / "t.json").write_bytes(data)
    assert read_document(tmp_path / "t.json") == document


@pytest.mark.parametrize("data", [b'{"a": [1, 2', b"hello", b"[" * 100_000])
def test_a_document_that_is_only_partly_written_is_none(tmp_path, data):
    (tmp_path / "t.json").write_bytes(data)
    with pytest.raises(TranscriptError, match="not JSON, or only partly written"):
        read_document(tmp_path / "t.json")


def test_a_document_beyond_the_limit_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "LINE_LIMIT", 1 << 20)
    (tmp_path / "t.json").write_bytes(b" " * (1 << 20) + b"{}")
    with pytest.raises(TranscriptError, match="larger than 1 MB"):
        read_document(tmp_path / "t.json")
