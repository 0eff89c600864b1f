"""What the command palette offers: all commands, each with its key, and the themes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from nlm_tui.core import one_line
from nlm_tui.ui.commands import BY_ID
from nlm_tui.ui.commands.moving import COMMANDS as MOVING
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.scopes import scopes

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen

_OPENS = "app.palette"


class Offer(NamedTuple):
    """A command of the palette."""

    title: str
    key: str
    help: str
    run: Callable[[], object]

    def shown(self, title: Content) -> Content:
        """Return `title`, in which matches may be marked, with the key behind it."""
        return Content.assemble(title, "  ", Content(self.key).stylize("italic")) if self.key else title


def offers(screen: "SearchScreen", keys: KeyMap) -> Iterator[Offer]:
    """Yield all that can be done everywhere, in the order of the table; what cannot be done now says why.

    What only moves comes last: nobody looks for it by name.
    """
    moving = {command.id for command in MOVING}
    for binding in sorted(scopes()[0].bindings, key=lambda binding: binding.id in moving):
        if binding.id is None or binding.id == _OPENS:
            continue
        key = " ".join(keys.labels(binding.id)[:1])
        if (command := BY_ID.get(binding.id)) is None:
            run = partial(screen.app.run_action, binding.action)  # pyright: ignore[reportUnknownMemberType] - a bare App
            yield Offer(binding.description, key, binding.tooltip, run)
            continue
        reason = command.why_not(screen)
        about = f"not now: {one_line(reason)}" if reason else command.help
        yield Offer(command.title, key, about, partial(screen.action_do, command.id))


class PaletteCommands(Provider):
    """Offers the commands of the search screen."""

    def _offers(self) -> Iterator[Offer]:
        from nlm_tui.ui.screens.search import SearchScreen  # noqa: PLC0415 - it opens the palette

        if isinstance(self.screen, SearchScreen):
            yield from offers(self.screen, self.screen.app_context.keys)

    async def discover(self) -> Hits:
        for offer in self._offers():
            yield DiscoveryHit(offer.shown(Content(offer.title)), offer.run, text=offer.title, help=offer.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for offer in (*self._offers(), *self._themes()):
            if (score := matcher.match(offer.title)) > 0:
                marked = offer.shown(matcher.highlight(offer.title))
                yield Hit(score, marked, offer.run, text=offer.title, help=offer.help)

    def _themes(self) -> Iterator[Offer]:
        for name in sorted(self.app.available_themes):
            yield Offer(f"Theme {name}", "", "How the screen looks; it is kept", partial(self._choose, name))

    def _choose(self, theme: str) -> None:
        self.app.theme = theme
