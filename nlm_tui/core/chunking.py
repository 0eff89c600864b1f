"""Which passages of a session are turned into vectors, and where they stand."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from nlm_tui.core.model import Session
from nlm_tui.core.ports import Place

DEFAULT_CHUNKS: Final = 16
"""Passages of a session that are embedded, unless more are asked for."""

ALL_CHUNKS: Final = 1_000_000
"""In place of a number of passages: as many as there are."""

HEAD: Final = "head"
"""Label and summary."""

_DECISIONS, _OPEN, _CONVERSATION = "decisions", "open", "conversation"
_FIELDS = (HEAD, _DECISIONS, _OPEN, _CONVERSATION)
_LEAST = 0.5  # of a full passage: from there on it may end with a paragraph, a line, a sentence, a word
_ENDS = tuple(map(re.compile, (r"\n\s*\n", r"\n", r"[.!?\u3002\uff01\uff1f]\s*", r"\s")))
_GAP = "\n"

Span = tuple[int, int]


class Chunk(NamedTuple):
    """A passage of a session: where it stands, from its first character to its last, and the text to embed."""

    place: Place
    text: str

    @property
    def digest(self) -> bytes:
        """What tells its text from others."""
        return hashlib.blake2b(self.text.encode("utf-8", "replace"), digest_size=16).digest()


def field_text(session: Session, field: str) -> str:
    """Return the text that a `Place` of `field` points into; '' for an unknown field."""
    match field:
        case "head":
            return _GAP.join(filter(None, (session.label, session.summary)))
        case "decisions":
            return _GAP.join(session.decisions)
        case "open":
            return _GAP.join(session.open)
        case "conversation":
            return session.body
        case _:
            return ""


def chunks(session: Session, characters: int, most: int = DEFAULT_CHUNKS) -> list[Chunk]:
    """Return the passages of `session` to embed, `characters` long at most, `most` of them.

    The first is label and summary. Where not all are wanted, decisions and open questions come next, then what was
    asked and how it was answered in the end, from all parts of the conversation.
    """
    found = islice(_in_order(session, characters, every=most >= ALL_CHUNKS), most)
    wanted = sorted(found, key=lambda passage: (_FIELDS.index(passage[0]), passage[1]))
    texts = {field: field_text(session, field) for field in _FIELDS}
    return [
        Chunk(
            Place(field, spans[0][0], spans[-1][1]),
            _GAP.join(texts[field][start:end] for start, end in spans),
        )
        for field, spans in wanted
    ]


def _in_order(session: Session, characters: int, *, every: bool) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield the passages, those that are wanted most first; the conversation is only looked into for its own."""
    head, decisions, opened = (
        _packed(_lines(field_text(session, field), characters), characters) for field in (HEAD, _DECISIONS, _OPEN)
    )
    yield from ((HEAD, spans) for spans in head[:1])
    yield from ((_DECISIONS, spans) for spans in decisions)
    yield from ((_OPEN, spans) for spans in opened)
    yield from ((HEAD, spans) for spans in head[1:])
    said = _packed(_said(session, characters, every=every), characters)
    yield from ((_CONVERSATION, said[number]) for number in _spread(len(said)))


def _said(session: Session, characters: int, *, every: bool) -> Iterator[Span]:
    """Yield the parts of the conversation that count: every one, or prompts and the last answer to each.

    Of a long prompt or answer these are the beginning and the end.
    """
    body, turns = session.body, [turn for turn in session.turns if not turn.withdrawn]
    if not turns:
        yield from _windows(body, 0, len(body), characters)
        return
    talk = [turn for turn in turns if turn.role != "tool"]
    for number, turn in enumerate(turns if every else talk):
        windows = _windows(body, turn.start, turn.end, characters)
        if every:
            yield from windows
        elif turn.role == "user" or number + 1 == len(talk) or talk[number + 1].role == "user":
            yield from windows if len(windows) <= 2 else (windows[0], windows[-1])


def _lines(text: str, characters: int) -> Iterator[Span]:
    start = 0
    for line in text.split(_GAP):
        yield from _windows(text, start, start + len(line), characters)
        start += len(line) + len(_GAP)


def _windows(text: str, start: int, end: int, characters: int) -> list[Span]:
    """Return the parts of at most `characters` that `text` from `start` to `end` falls into, without the blank ones."""
    found: list[Span] = []
    while start < end:
        full = start + characters
        cut = end if end <= full else _end(text, start + int(characters * _LEAST), full)
        if text[start:cut].strip():
            found.append((start, cut))
        start = cut
    return found


def _end(text: str, least: int, full: int) -> int:
    """Return where a passage ends best between `least` and `full`."""
    for ending in _ENDS:
        ends = [match.end() for match in ending.finditer(text, least, full)]
        if ends:
            return ends[-1]
    return full


def _packed(spans: Iterator[Span], characters: int) -> list[tuple[Span, ...]]:
    """Return `spans` in groups that are as long as may be."""
    packed: list[tuple[Span, ...]] = []
    size = 0
    for start, end in spans:
        size += end - start + len(_GAP)
        if packed and size <= characters:
            packed[-1] = (*packed[-1], (start, end))
        else:
            packed.append(((start, end),))
            size = end - start
    return packed


def _spread(count: int) -> Sequence[int]:
    """Return the numbers below `count`: the first, the last, then what lies in the middle of those before."""
    order = dict.fromkeys((0, count - 1)) if count else {}
    gaps = [(0, count - 1)]
    for first, last in gaps:  # grows as it is read
        middle = (first + last) // 2
        if middle not in order and first < middle < last:
            order[middle] = None
            gaps += [(first, middle), (middle, last)]
    return list(order)
