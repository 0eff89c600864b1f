"""What commands ask the user. The dialogs are loaded when the first question is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from textual.screen import ModalScreen

    from nlm_tui.core import RecallHit
    from nlm_tui.ui.screens.search import SearchScreen

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Choice(Generic[T_co]):
    """Something to choose; a letter chooses it at once. `unavailable` says why it cannot be chosen."""

    value: T_co
    label: str
    letter: str = ""
    help: str = ""
    unavailable: str = ""


async def ask_text(screen: SearchScreen, title: str, text: str = "", *, names: Sequence[str] = ()) -> str | None:
    """Ask for a line of text, and propose `names`; None where the user thinks better of it."""
    from nlm_tui.ui.screens.asking import AskText  # noqa: PLC0415 - no first paint waits for it

    return await _answer(screen, AskText(title, text, keys=screen.app_context.keys, names=names))


async def choose(screen: SearchScreen, title: str, choices: Sequence[Choice[T]], *, about: str = "") -> T | None:
    """Ask for one of some choices; None where the user thinks better of it."""
    from nlm_tui.ui.screens.asking import Choose  # noqa: PLC0415 - the same

    return await _answer(screen, Choose(title, choices, about=about))


async def confirm(screen: SearchScreen, question: str, *, yes: str, about: str = "") -> bool:
    """Ask before something that cannot be taken back."""
    from nlm_tui.ui.screens.asking import Confirm  # noqa: PLC0415 - the same

    return bool(await _answer(screen, Confirm(question, yes=yes, about=about)))


async def choose_session(screen: SearchScreen, title: str, besides: str) -> RecallHit | None:
    """Let the user search for a session other than `besides`; None where the user thinks better of it."""
    from nlm_tui.ui.screens.choosing import ChooseSession  # noqa: PLC0415 - the same

    return await _answer(screen, ChooseSession(title, screen.app_context, besides=besides))


async def choose_query(screen: SearchScreen) -> str | None:
    """Let the user choose one of the queries that were used or saved; None where none is taken."""
    from nlm_tui.ui.screens.history import HistoryScreen  # noqa: PLC0415 - the same

    return await _answer(screen, HistoryScreen(screen.remembering, screen.app_context.keys))


async def _answer(screen: SearchScreen, question: ModalScreen[T]) -> T | None:
    return await screen.app.push_screen_wait(question)  # pyright: ignore[reportUnknownMemberType] - an app of any result
