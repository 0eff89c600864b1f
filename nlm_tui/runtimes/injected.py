"""What runtimes put around the words of a person: blocks in tags of their own, before the words or behind them."""

import re


class Injected:
    """The tags that a runtime marks injected text with.

    A tag counts only where a text begins or ends with its block: people quote such tags when they discuss these tools.
    """

    def __init__(self, *tags: str) -> None:
        self._tags = tags
        self._first = re.compile(rf"\s*<({'|'.join(map(re.escape, tags))})(?:\s[^>]*)?>.*?(?:</\1>|\Z)", re.DOTALL)

    def removed(self, text: str) -> str:
        """Return what a person typed of `text`, '' if all of it was injected."""
        if "<" not in text:
            return text
        start = 0
        while block := self._first.match(text, start):
            start = block.end()
        text = text[start:]
        while (opening := self._last(text)) >= 0:
            text = text[:opening]
        return text

    def _last(self, text: str) -> int:
        """Return where the block begins that `text` ends with, -1 if it ends with none."""
        text = text.rstrip()
        tag = next((tag for tag in self._tags if text.endswith(f"</{tag}>")), None)
        return text.rfind(f"<{tag}>") if tag else -1
