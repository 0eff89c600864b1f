"""Pages as Markdown, to be pasted into a pull request or kept as notes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from nlm_tui.display.export.pages import Entry, Page, Said, Section
from nlm_tui.display.markdown import Fence, closes, fence

_TICKS = re.compile(r"`{3,}")


def session_markdown(page: Page) -> Iterator[str]:
    """Yield a session, line by line."""
    yield from (f"# {page.title}", "")
    yield from (f"- {name}: {value}" for name, value in page.facts)
    for section in page.sections:
        yield from ("", f"## {section.heading}", "", *_section(section))
    if page.conversation:
        yield from ("", "## Conversation")
        for said in page.conversation:
            yield ""
            yield from _said(said)


def list_markdown(title: str, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield a list, line by line."""
    yield from (f"# {title}", "")
    for entry in entries:
        name = f"~~{entry.title}~~" if entry.struck else entry.title
        yield f"- {name}"
        if entry.facts:
            yield f"  ({', '.join(entry.facts)})"
        yield from (f"  - {line}" for line in entry.lines)


def _section(section: Section) -> Iterator[str]:
    if section.is_text:
        yield from _balanced(section.lines)
    elif section.heading == "Topics":
        yield ", ".join(section.lines)
    else:
        for line, source in zip_longest(section.lines, section.sources, fillvalue=""):
            yield f"- ~~{line}~~{source}" if section.struck else f"- {line}{source}"


def _said(said: Said) -> Iterator[str]:
    lines = said.text.split("\n")
    if said.role == "tool":
        longest = max((len(ticks) for ticks in _TICKS.findall(said.text)), default=2)
        sign = "`" * (longest + 1)
        yield from (f"{sign}text", *lines, sign)
    elif said.role == "note":
        yield from (f"> {line}".rstrip() for line in lines)
    else:
        if said.speaker:
            yield from (f"### {said.speaker}", "")
        yield from _balanced(lines)


def _balanced(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, and the end of a block of code that they leave open: it would swallow what follows."""
    opened: Fence | None = None
    for line in lines:
        yield line
        if opened is None:
            opened = fence(line)
        elif closes(line, opened):
            opened = None
    if opened is not None:
        yield opened.sign
