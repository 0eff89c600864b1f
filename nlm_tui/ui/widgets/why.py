"""Why the selected hit stands where it does, on demand."""

import asyncio

from textual import work
from textual.content import Content
from textual.widget import Widget

from nlm_tui.core import RecallHit, RecallResult, StoreError, display_safe
from nlm_tui.ui.answers import hit_explanation
from nlm_tui.ui.context import Context


class WhyBar(Widget):
    """Explains one hit in a fixed number of lines, so that another hit moves nothing."""

    DEFAULT_CSS = """
    WhyBar { height: 2; width: 1fr; display: none; padding: 0 1; }
    WhyBar.-shown { display: block; }
    """

    def __init__(self, context: Context, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._app_context = context
        self._text = ""

    @property
    def is_shown(self) -> bool:
        """Whether hits are explained."""
        return self.has_class("-shown")

    @property
    def text(self) -> str:
        """The explanation."""
        return self._text

    def toggle(self, hit: RecallHit | None, result: RecallResult | None) -> None:
        """Explain this hit and those that are selected later, or no longer any."""
        self.toggle_class("-shown")
        self.explain(hit, result)

    def explain(self, hit: RecallHit | None, result: RecallResult | None) -> None:
        """Explain this hit, if hits are explained."""
        if not self.is_shown:
            return
        if hit is None or result is None:
            self._say("no hit to explain")
        else:
            self._explain(hit, result)

    def render(self) -> Content:
        width, height = max(self.size.width, 1), max(self.size.height, 1)
        lines = Content(self._text).wrap(width)
        if len(lines) > height:
            rest = Content(" ").join(lines[height - 1 :])
            lines = [*lines[: height - 1], rest.truncate(width, ellipsis=True)]
        return Content("\n").join(lines)

    @work(exclusive=True, group="why")
    async def _explain(self, hit: RecallHit, result: RecallResult) -> None:
        try:
            text = await asyncio.to_thread(hit_explanation, self._app_context, hit, result)
        except StoreError as error:
            text = str(error)
        self._say(f"why: {text}" if text else "")

    def _say(self, text: str) -> None:
        self._text = display_safe(text).replace("\n", " ")
        self.refresh()
