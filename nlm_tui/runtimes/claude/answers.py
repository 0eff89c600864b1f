"""An answer of Claude Code, which is told in pieces."""

from nlm_tui.runtimes.blocks import blocks
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.jsonl import Record, as_dict, as_text

_NO_CONTENT = "(no content)"
_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Answer:
    """One API message, which comes as several records: a block each, or the same block with more and more text."""

    __slots__ = ("_blocks", "_calls", "_number", "_read", "_text", "_written", "key")

    def __init__(self, key: object) -> None:
        self.key = key
        self._blocks: list[str] = []
        self._calls: list[str] = []
        self._number = -1
        self._text = ""
        self._read = self._written = 0

    def take(self, content: object, said: Conversation, at: str | None) -> None:
        """Add the blocks of one record to the conversation."""
        parts = blocks(content)
        for block in parts:
            if block.get("type") == "text":
                self._merge(as_text(block.get("text")))
        if self._blocks:
            self._say(said, at)
        for block in parts:
            kind = as_text(block.get("type"))
            if kind.endswith("tool_use"):
                call = as_text(block.get("id"))
                if not call or call not in self._calls:
                    self._calls.append(call)
                    said.tool_call(as_text(block.get("name")), block.get("input"), at)
            elif kind.endswith("tool_result"):
                said.tool_result("", at)
            elif kind == "image":
                said.images += 1

    def use(self, usage: Record, said: Conversation) -> None:
        """Count its tokens, which every record tells anew, each perhaps more than the one before."""
        read = sum(_tokens(usage.get(key)) for key in _READ)
        written = _tokens(usage.get("output_tokens"))
        said.use_tokens(read - self._read, written - self._written)
        self._read, self._written = max(read, self._read), max(written, self._written)

    def _merge(self, text: str) -> None:
        if not text or text.isspace() or text == _NO_CONTENT:
            return
        for index, known in enumerate(self._blocks):
            if text.startswith(known):
                self._blocks[index] = text
                return
        self._blocks.append(text)

    def _say(self, said: Conversation, at: str | None) -> None:
        text = "\n\n".join(self._blocks)
        if self._number >= 0:
            if text != self._text:
                said.rewrite(self._number, text)
        elif said.answer(text, at):
            self._number = said.total - 1
        self._text = text


NO_ANSWER = Answer(None)


def usage_of(message: Record) -> Record:
    """Return what a message tells of its tokens."""
    return as_dict(message.get("usage"))


def _tokens(value: object) -> int:
    return value if isinstance(value, int) else 0
