"""A thing to do on the search screen: by its keys, from the palette, or by a key of one's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding

from nlm_tui.ui.views.names import ViewName

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def _possible(_: SearchScreen) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What bindings, palette, help and the table of keys are made of.

    Of `keys`, letters act outside the search box only: the box takes what can be typed. `why_not` says why the command
    cannot be run now; '' where it can. The last line of the screen names what is `shown`, and before that what is of
    one of the `views` that is the current one. A command that waits runs beside the screen, one at a time. What is
    `destructive` loses something for good, and has no single letter. What `uses` the selected hit shows that the query
    was a good one, to be kept.
    """

    id: str
    keys: str
    title: str
    help: str
    run: Callable[[SearchScreen], Awaitable[None] | None]
    shown: bool = False
    views: tuple[ViewName, ...] = ()
    why_not: Callable[[SearchScreen], str] = _possible
    destructive: bool = False
    uses: bool = False

    @property
    def binding(self) -> Binding:
        """The binding that runs it on the search screen."""
        keys = self.keys or f"<{self.id}>"  # what no terminal sends, and a key of one's own can replace
        return Binding(keys, f"do('{self.id}')", self.title, id=self.id, tooltip=self.help, show=self.shown)
