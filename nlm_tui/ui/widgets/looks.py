"""How the lines of a session look: by what they are, and by what Markdown and code in them mean."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import work

from nlm_tui.display.document import Kind, Line
from nlm_tui.display.markdown import Look, Piece, inline_pieces, prose_pieces
from nlm_tui.ui.highlighting import LONGEST_BLOCK, KnownLooks, code_looks
from nlm_tui.ui.layout import Block, Document
from nlm_tui.ui.rendering import Looks, readable
from nlm_tui.ui.widgets.lines import LineView


class LooksView(LineView):
    """A view of a document that knows the style of each part of its lines."""

    DEFAULT_CSS = """
    LooksView {
        background: $background;
        & > .detail--title { text-style: bold; color: $foreground; }
        & > .detail--meta { color: $text-muted; }
        & > .detail--heading { text-style: bold; color: $text-primary; }
        & > .detail--text { color: $foreground; }
        & > .detail--struck { color: $text-muted; text-style: strike; }
        & > .detail--speaker, & > .detail--prompt { text-style: bold; color: $text-secondary; }
        & > .detail--fence { color: $foreground; }
        & > .detail--block { color: $foreground; }
        & > .detail--tool { color: $text-muted; }
        & > .detail--note { color: $text-muted; text-style: italic; }
        & > .detail--sign { color: $text-muted; }
        & > .detail--strong { color: $foreground; text-style: bold; }
        & > .detail--emphasis { color: $foreground; text-style: italic; }
        & > .detail--code { color: $text-accent; }
        & > .detail--subheading { color: $foreground; text-style: bold; }
        & > .detail--keyword { color: $text-primary; text-style: bold; }
        & > .detail--string { color: $text-success; }
        & > .detail--comment { color: $text-muted; text-style: italic; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"detail--{name}" for name in (*Kind, *Look)}

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._document: Document | None = None
        self._rendered = True
        self._looks: dict[Kind, Looks] = {}
        self._code = KnownLooks()
        self._blocks: dict[int, Block] = {}  # whose looks are to be worked out
        self._is_highlighting = False

    @property
    def row_count(self) -> int:
        """How many rows the session has, as far as it is read."""
        return len(self._document.rows) if self._document else 0

    @property
    def rendered(self) -> bool:
        """Whether Markdown and code are shown by what they mean, not only as they stand."""
        return self._rendered

    @rendered.setter
    def rendered(self, rendered: bool) -> None:
        self._rendered = rendered
        self.lines_changed(self.row_count)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._looks = {}

    def forget_code(self) -> None:
        """Let go of how code looks: another document is shown."""
        self._code.clear()
        self._blocks.clear()

    def looks_of(self, kind: Kind) -> Looks:
        """Return how a line of a kind looks."""
        if (looks := self._looks.get(kind)) is None:
            base = self.get_component_rich_style(f"detail--{kind}")
            parts = {look: readable(self.get_component_rich_style(f"detail--{look}"), base) for look in Look}
            looks = self._looks[kind] = Looks(base, parts)
        return looks

    def pieces(self, document: Document, number: int, line: Line) -> Sequence[Piece]:
        """Return the parts of a line that look unlike the rest; of code, none until they are worked out."""
        if line.kind is Kind.TEXT:
            return prose_pieces(line.text) if line.message >= 0 else inline_pieces(line.text)
        if line.kind is Kind.FENCE:
            return (Piece(0, len(line.text), Look.SIGN),)
        if line.kind is not Kind.CODE:
            return ()
        first = document.block_start(number)
        looks = self._code.get(first)
        if looks is None:
            self._want_looks(document, number)
            return ()
        return looks[number - first] if number - first < len(looks) else ()

    def _want_looks(self, document: Document, number: int) -> None:
        block = document.block(number, LONGEST_BLOCK + 1)
        if block is None or (block.end == len(document.lines) and not document.is_read):
            return
        if not block.language or block.end - block.first > LONGEST_BLOCK:
            self._code.put(block.first, ())
            return
        self._blocks[block.first] = block
        if not self._is_highlighting:
            self._is_highlighting = True
            self._highlight()

    @work(group="code")
    async def _highlight(self) -> None:
        try:
            while self._blocks and (document := self._document) is not None:
                first, block = self._blocks.popitem()
                texts = [line.text for line in document.lines[first : block.end]]
                looks = await asyncio.to_thread(code_looks, texts, block.language)
                if self._document is document and self.is_attached:
                    self._code.put(first, looks)
                    self.lines_changed(self.row_count)
        finally:
            self._is_highlighting = False
