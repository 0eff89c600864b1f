"""Where keys act: everywhere, or in one part of the screen."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from textual.dom import DOMNode


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of the screen: within it, a key runs one command. `types` says that what can be typed is text there.

    One is in the part that `is_home` nearly always, so that what has a key everywhere must keep it there.
    """

    name: str
    nodes: "tuple[type[DOMNode], ...]"
    types: bool = False
    is_home: bool = False

    @property
    def bindings(self) -> Iterator[Binding]:
        """What has a key here, in the order in which it is listed."""
        seen: set[str | None] = set()
        for node in self.nodes:
            for binding in vars(node).get("BINDINGS", ()):
                if isinstance(binding, Binding) and binding.id not in seen:
                    seen.add(binding.id)
                    yield binding


@lru_cache(maxsize=1)
def main_scopes() -> tuple[Scope, ...]:
    """Return the parts of the search screen; first that in which the others are."""
    # The parts show their keys, so that they cannot be known before.
    from nlm_tui.ui.app import NlmApp  # noqa: PLC0415
    from nlm_tui.ui.screens.search import SearchScreen  # noqa: PLC0415
    from nlm_tui.ui.widgets.detail import DetailView  # noqa: PLC0415
    from nlm_tui.ui.widgets.find_box import FindInput  # noqa: PLC0415
    from nlm_tui.ui.widgets.results import ResultsList  # noqa: PLC0415
    from nlm_tui.ui.widgets.row_list import RowList  # noqa: PLC0415
    from nlm_tui.ui.widgets.search_box import SearchBox  # noqa: PLC0415
    from nlm_tui.ui.widgets.slots import SlotView  # noqa: PLC0415

    return (
        Scope("everywhere", (SearchScreen, NlmApp)),
        Scope("the search box", (SearchBox,), types=True, is_home=True),
        Scope("the list", (SlotView, ResultsList, RowList)),
        Scope("the session", (DetailView,)),
        Scope("finding in the session", (FindInput,), types=True),
    )


@lru_cache(maxsize=1)
def scopes() -> tuple[Scope, ...]:
    """Return all in which keys act: the parts of the search screen, then those of dialogs."""
    # Dialogs are loaded for who asks for all keys, and for who opens one: no first paint waits for them.
    from nlm_tui.ui.screens.asking import AskText, Choose, Confirm  # noqa: PLC0415
    from nlm_tui.ui.screens.choosing import ChooseSession  # noqa: PLC0415
    from nlm_tui.ui.screens.help import HelpScreen, HelpView  # noqa: PLC0415
    from nlm_tui.ui.screens.history import HistoryScreen  # noqa: PLC0415

    return (
        *main_scopes(),
        Scope("a question", (AskText,), types=True),
        Scope("a choice", (Choose, Confirm)),
        Scope("choosing a session", (ChooseSession,), types=True),
        Scope("the queries", (HistoryScreen,), types=True),
        Scope("help", (HelpScreen, HelpView)),
    )


@lru_cache(maxsize=1)
def bindings() -> dict[str, Binding]:
    """Return all that has a key, by its id."""
    return _by_id(scopes())


def binding_of(command: str) -> Binding:
    """Return what has a key, by its id."""
    return _main_bindings().get(command) or bindings()[command]


@lru_cache(maxsize=1)
def _main_bindings() -> dict[str, Binding]:
    return _by_id(main_scopes())


def _by_id(found: tuple[Scope, ...]) -> dict[str, Binding]:
    return {binding.id: binding for scope in found for binding in scope.bindings if binding.id is not None}
