"""How list and session share the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from nlm_tui.ui.widgets.slots import SlotView

if TYPE_CHECKING:
    from textual.widget import Widget

    from nlm_tui.ui.screens.search import SearchScreen

Arrangement = Literal["wide", "stacked", "one"]
LayoutChoice = Literal["auto", "wide", "stacked", "one"]

LAYOUT_CHOICES: Final[tuple[LayoutChoice, ...]] = get_args(LayoutChoice)
ARRANGEMENTS: Final[tuple[Arrangement, ...]] = get_args(Arrangement)

_WIDE, _NARROW, _SHORT = 100, 56, 16
_TABBED = 24  # rows, from which on there is room for the names of the views
_HEADED = 20  # rows, from which on there is room for a line above the list


def arrangement(choice: LayoutChoice, width: int, height: int) -> Arrangement:
    """Return how a screen of that size is shared: side by side, one above the other, or one of both at a time."""
    if choice != "auto":
        return choice
    if width >= _WIDE:
        return "wide"
    return "one" if width < _NARROW or height < _SHORT else "stacked"


class Panes:
    """Shares the screen between list and session, and moves the focus between them."""

    def __init__(self, screen: SearchScreen) -> None:
        self._screen = screen
        self._choice: LayoutChoice = "auto"
        self._arrangement: Arrangement = "wide"
        self._came_from: Widget | None = None

    @property
    def choice(self) -> LayoutChoice:
        """What the user chose."""
        return self._choice

    @property
    def arrangement(self) -> Arrangement:
        """How the screen is shared now."""
        return self._arrangement

    @property
    def shows_session(self) -> bool:
        """Whether the session is on the screen."""
        screen = self._screen
        if screen.has_class("-whole"):
            return False
        return self._arrangement != "one" or screen.has_class("-opened")

    @property
    def shows_focus(self) -> bool:
        """Whether what has the focus is on the screen."""
        return not self._screen.session.has_focus_within or self.shows_session

    @property
    def has_header(self) -> bool:
        """Whether there is room for a line above the list."""
        return self._screen.size.height >= _HEADED

    def choose(self, choice: LayoutChoice) -> None:
        """Share the screen in another way."""
        self._choice = choice
        self.arrange()
        self._screen.call_after_refresh(self._screen.showing.show_selected)

    def arrange(self) -> None:
        """Share the screen as its size, or the user, wants it."""
        screen = self._screen
        self._arrangement = arrangement(self._choice, screen.size.width, screen.size.height)
        for name in ARRANGEMENTS:
            screen.set_class(name == self._arrangement, f"-{name}-layout")
        screen.set_class(screen.size.height < _TABBED, "-low")
        screen.set_class(self._arrangement == "one" and screen.session.has_focus_within, "-opened")

    def open(self) -> None:
        """Go into the session."""
        screen = self._screen
        if not screen.session.has_focus_within:
            self._came_from = screen.focused
        if self._arrangement == "one" and not screen.has_class("-opened"):
            screen.add_class("-opened")
            # It must have its size before the session is laid out.
            screen.call_after_refresh(screen.session.detail.focus)
            screen.call_after_refresh(screen.showing.show_selected)
        else:
            screen.session.detail.focus()

    def show_list(self) -> None:
        """Leave a session that stands in the place of the list."""
        if self._screen.has_class("-opened"):
            self._go_back()

    def close(self) -> bool:
        """Leave the session for where the user came from; return whether he was in it."""
        if not self._screen.session.has_focus_within:
            return False
        self._go_back()
        return True

    def _focus_list(self) -> None:
        self._screen.views.current.list.focus()  # that of another view by now, maybe

    def _go_back(self) -> None:
        screen, came_from = self._screen, self._came_from
        if screen.has_class("-opened"):
            screen.remove_class("-opened")
            screen.box.focus()
            if isinstance(came_from, SlotView):
                screen.call_after_refresh(self._focus_list)
        else:
            (came_from if came_from is not None and came_from.focusable else screen.box).focus()
