"""What runtimes put around the words of a person: blocks in tags of their own, before the words or behind them."""

import re
from collections.abc import Sequence


class Injected:
    """The tags that a runtime marks injected text with.

    A tag counts only where a text begins or ends with its block: people quote such tags when they discuss these tools.
    At the end only those of `last` do, all by default.
    """

    def __init__(self, *tags: str, last: Sequence[str] | None = None) -> None:
        self._tags = tags if last is None else last
        self._first = re.compile(rf"\s*<({'|'.join(map(re.escape, tags))})(?:\s[^>]*)?>.*?(?:</\1>|\Z)", re.DOTALL)

    def removed(self, text: str) -> str:
        """Return what a person typed of `text`, '' if all of it was injected."""
        if "<" not in text:
            return text
        start = 0
        while block := self._first.match(text, start):
            start = block.end()
        end = len(text)
        while (opening := self._last(text, start, end)) >= 0:
            end = opening
        return text[start:end]

    def _last(self, text: str, start: int, end: int) -> int:
        """Return where the block begins that ends at `end`, white space aside; -1 if none does."""
        while end > start and text[end - 1].isspace():
            end -= 1
        tag = next((tag for tag in self._tags if text.endswith(f"</{tag}>", start, end)), None)
        return text.rfind(f"<{tag}>", start, end) if tag else -1
