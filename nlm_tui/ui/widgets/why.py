"""Why the selected hit stands where it does, on demand."""

import asyncio

from textual import work
from textual.content import Content
from textual.widget import Widget

from nlm_tui.core import RecallHit, RecallResult, StoreError, display_safe
from nlm_tui.ui.answers import hit_explanation
from nlm_tui.ui.context import Context

_GROUP = "why"


class WhyBar(Widget):
    """Explains one hit in a fixed number of lines, so that another hit moves nothing; without one it takes no room."""

    DEFAULT_CSS = """
    WhyBar { height: 2; width: 1fr; display: none; padding: 0 1; }
    WhyBar.-shown { display: block; }
    """

    def __init__(self, context: Context, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._app_context = context
        self._text = ""
        self._explains = False

    @property
    def explains(self) -> bool:
        """Whether hits are explained, where there are any."""
        return self._explains

    @property
    def text(self) -> str:
        """The explanation."""
        return self._text

    def toggle(self, hit: RecallHit | None, result: RecallResult | None) -> None:
        """Explain this hit and those that are selected later, or no longer any."""
        self._explains = not self._explains
        self.explain(hit, result)

    def explain(self, hit: RecallHit | None, result: RecallResult | None) -> None:
        """Explain this hit, if hits are explained."""
        if not self._explains or hit is None or result is None:
            self.workers.cancel_group(self, _GROUP)  # pyright: ignore[reportUnknownMemberType]
            self.remove_class("-shown")
            self._say("")
        else:
            self.add_class("-shown")
            self._explain(hit, result)

    def render(self) -> Content:
        width, height = max(self.size.width, 1), max(self.size.height, 1)
        lines = Content(self._text).wrap(width)
        if len(lines) > height:
            rest = Content(" ").join(lines[height - 1 :])
            lines = [*lines[: height - 1], rest.truncate(width, ellipsis=True)]
        return Content("\n").join(lines)

    @work(exclusive=True, group=_GROUP)
    async def _explain(self, hit: RecallHit, result: RecallResult) -> None:
        try:
            text = await asyncio.to_thread(hit_explanation, self._app_context, hit, result)
        except StoreError as error:
            text = str(error)
        self._say(f"why: {text}" if text else "")

    def _say(self, text: str) -> None:
        self._text = display_safe(text).replace("\n", " ")
        self.refresh()
