"""Prose in messages: the lines and sentences that somebody said, without code, quotations and logs."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from nlm_tui.core import one_line

SPOKEN = frozenset({"user", "assistant"})
_LONGEST_LINE = 4000  # longer ones are data


class Line(NamedTuple):
    """A line of prose, taken apart."""

    text: str
    indent: int
    bullet: bool
    ticked: bool | None  # None without a box to tick
    heading: bool
    bold: bool


_ITEM = re.compile(r"(\s*)((?:[-*•‣]|\d{1,3}[.)])\s+)?(?:\[([ xX])\]\s+)?(#{1,6}\s+)?(.*)", re.DOTALL)
_NOISE = re.compile(
    r"\s*(?:[>|<+\"'{}]|[$%] |@@|diff --|(?:commit |index )?[0-9a-f]{7,40}\b|//|/\*|#!|# ?todo\b.*:|traceback \("
    r"|file \"|at \S+\(|\w{1,60}(?:error|exception): |[\[(]?\d{4}-\d\d-\d\d|[\[(]?\d\d?:\d\d|\[[^\] ]{2,}\]\s"
    r"|(?-i:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b|(?=\S*[./\\])[\w./\\-]{1,200}:\d)",
    re.IGNORECASE,
)


def parse(raw: str) -> Line | None:
    """Take a line apart; None for what is no prose: empty, quoted, logged, struck out, indented as code, endless."""
    if len(raw) > _LONGEST_LINE or _NOISE.match(raw) or (match := _ITEM.match(raw)) is None:
        return None
    indent, bullet, box, heading, rest = match.groups()
    depth = len(indent.expandtabs(4))
    text = plain(rest)
    if not text or text[:2] == "~~" or (depth >= 4 and not bullet):
        return None
    return Line(text, depth, bool(bullet), None if box is None else box != " ", bool(heading), rest[:2] in {"**", "__"})


_LINK = re.compile(r"\[([^\[\]]{1,200})\]\([^()\s]{1,500}\)")
_EMPHASIS = re.compile(r"(?<![A-Za-z0-9_*])\*{1,3}(?=[^\s*/.])([^*]+)(?<=\S)\*{1,3}(?![A-Za-z0-9_])")
_SENTENCE_END = re.compile(r"[.!?][\"')\u201d\u2019]?\s|[\u3002\uff01\uff1f]")
_ABBREVIATIONS = ("e.g. ", "i.e. ", "vs. ", "z.B. ")


def plain(text: str) -> str:
    """Return `text` in one line, without the marks of Markdown for links and emphasis."""
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    return one_line(_EMPHASIS.sub(r"\1", text) if "*" in text else text)


def sentences(text: str) -> list[str]:
    """Split one line of prose into its sentences."""
    parts: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if not text.endswith(_ABBREVIATIONS, start, match.end()):
            parts.append(text[start : match.end()].strip())
            start = match.end()
    return [part for part in (*parts, text[start:]) if part]


def prose_lines(text: str) -> Iterator[str]:
    """Yield the lines of `text` that stand outside fenced code."""
    fence = ""
    for line in text.split("\n"):
        mark = line.lstrip()[:3]
        if mark in {"```", "~~~"} and mark not in line.lstrip()[3:]:
            fence = "" if mark == fence else fence or mark
        elif not fence:
            yield line


def cut(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, cut at a word where there is one."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    if not text[limit - 1].isspace() and len(word := head.rpartition(" ")[0]) > limit // 2:
        head = word
    return head.rstrip(" ,;:.-\u2013\u2014\u200d") + "…"
