"""Single lines of text: what was found, what goes on, where the view is."""

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from nlm_tui.core import display_safe
from nlm_tui.core.secrets import mask


class TextBar(Widget):
    """One line that changes often: it is repainted, never laid out again."""

    DEFAULT_CSS = """
    TextBar { height: 1; width: 1fr; }
    """

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._text = text

    @property
    def text(self) -> str:
        """What the line says."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        text = mask(display_safe(text)).replace("\n", " ")
        if text != self._text:
            self._text = text
            self.refresh()

    def render(self) -> Content:
        return Content(self._text).truncate(max(self.size.width, 1), ellipsis=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Widget's signature
        return container.width
