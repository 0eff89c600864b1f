"""Single lines of text: what was found, what goes on, where the view is."""

from collections.abc import Sequence

from rich.cells import cell_len
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


class CountBar(TextBar):
    """One line that says what has room: nothing in it is cut, since half a number is another number."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(text, id=id)
        self._forms = (text,)

    def say(self, forms: Sequence[str]) -> None:
        """Show the first of these texts that has room."""
        self._forms = tuple(forms)
        self._choose()

    def on_resize(self) -> None:
        self._choose()

    def _choose(self) -> None:
        self.text = next((form for form in self._forms if cell_len(form) <= self.size.width), "")
