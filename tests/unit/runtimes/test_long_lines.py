"""Of lines that are too long to be held, the longest texts are shortened; all else stays as it is."""

import io
import json
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from nlm_tui.runtimes.jsonl import JsonLines, parse_json
from nlm_tui.runtimes.long_lines import LongLine

TEXTS = st.text(st.sampled_from('a"\\é漢🙂\n\x01 ') | st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def shortened(line: bytes, limit: int, cuts: list[int] | None = None) -> bytes:
    gathered = LongLine(limit)
    for start, end in pairwise([0, *sorted(cut % (len(line) + 1) for cut in cuts or ()), len(line)]):
        gathered.add(line[start:end])
    return bytes(gathered.finish())


def texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for one in value for text in texts(one)]
    if isinstance(value, dict):
        return [text for one in value.values() for text in texts(one)]
    return []


@settings(deadline=None)
@given(VALUES, st.lists(st.integers(0, 10_000), max_size=8), st.booleans())
def test_what_fits_stays_as_it_is(value: object, cuts: list[int], plain: bool) -> None:  # noqa: FBT001
    line = json.dumps(value, ensure_ascii=plain).encode()
    assert shortened(line, 1_000_000, cuts) == line


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=6), st.integers(1, 30), st.lists(st.integers(0, 10_000), max_size=8), st.booleans())
def test_long_texts_keep_their_beginning(
    given_texts: list[str],
    limit: int,
    cuts: list[int],
    plain: bool,  # noqa: FBT001
) -> None:
    line = json.dumps(given_texts, ensure_ascii=plain).encode()
    kept = parse_json(shortened(line, limit, cuts))
    assert isinstance(kept, list)
    assert len(kept) == len(given_texts)
    for before, after in zip(given_texts, texts(kept), strict=True):
        # half of a surrogate pair may be left where an escape was cut
        assert before.startswith(after.removesuffix("\ufffd"))
        assert len(json.dumps(after, ensure_ascii=plain).encode()) <= max(limit + 12, 2)


def test_a_line_longer_than_its_limit_is_read_if_its_texts_make_it_so() -> None:
    line = json.dumps({"a": "x" * 10_000, "b": 1}).encode() + b"\n"
    lines = JsonLines(io.BytesIO(line + b'{"c":2}\n'), limit=200, text_limit=50)
    first, second = lines
    assert (first["b"], second, lines.bad_lines) == (1, {"c": 2}, 0)
    assert lines.complete == lines.size == len(line) + 8
