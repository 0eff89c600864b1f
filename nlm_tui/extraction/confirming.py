"""Lines in which an agent says what was done: they say better, and in fewer words, what was decided."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from nlm_tui.core import Message
from nlm_tui.extraction.exchanges import approvals
from nlm_tui.extraction.found import Found
from nlm_tui.extraction.prose import cut, parse, prose_lines, sentences
from nlm_tui.extraction.words import content

_LONGEST = 300
_ADDED = 120  # characters of a line that are added
_CLOSING = 2  # answers of substance at the end
_SUBSTANCE = 120
_COMMIT = re.compile(r"git commit\b.*?-\w*m\s+(?:\"\$\(cat <<'?EOF'?\s+)?[\"']([^\"']{8,400})")
_SECTION = re.compile(r"\s*(?:#{1,6}\s+|\*\*)(.+)")
IDEAS = re.compile(
    r"next|ideas?\b|later|could|might|worth|possibl|option|suggest|recommend|if you|future|another time"
    r"|some day|follow|not (?:done|in)|open|missing|todo|remain|left|before going",
    re.IGNORECASE,
)


def confirmations(messages: Sequence[Message]) -> list[str]:
    """Return what commits, approved plans and the last answers say was done."""
    lines = [
        one.strip() for message in messages if message.role == "tool" for one in _COMMIT.findall(message.text[:1200])
    ]
    for approval in approvals(messages):
        lines += _lines(approval.plan)
    long = [one for one in messages if one.role == "assistant" and len(one.text) >= _SUBSTANCE and not one.withdrawn]
    for message in long[-_CLOSING:]:
        lines += _lines(message.text)
    return list(dict.fromkeys(lines))


def _lines(text: str) -> Iterator[str]:
    idea = False
    for raw in prose_lines(text[-8000:]):
        if match := _SECTION.match(raw):
            idea = IDEAS.search(match[1]) is not None
        line = parse(raw)
        if line is None or line.heading or idea:
            continue
        if line.bullet:
            yield line.text
        else:
            yield from (sentence for sentence in sentences(line.text) if not sentence.endswith(("?", ":")))


def confirmed(one: Found, lines: Sequence[str]) -> Found:
    """Return a decision with the line that says best what became of it, where one does."""
    best, most = "", 1
    for line in lines:
        words = content(line)
        shared = len(words & one.about)
        if shared > most and shared >= 0.25 * len(words) and len(words - one.about) > 0:
            best, most = line, shared
    room = _LONGEST - len(one.text) - 3
    if not best or room < 40:
        return one
    return replace(one, text=f"{one.text} [{cut(best.rstrip(' .'), min(_ADDED, room))}]")
