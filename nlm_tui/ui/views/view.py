"""What the screen asks of each of its views."""

from typing import NamedTuple, Protocol

from nlm_tui.ui.layout import Document, Marks
from nlm_tui.ui.target import Target
from nlm_tui.ui.views.names import ViewName
from nlm_tui.ui.widgets.slots import SlotView


class Chosen(NamedTuple):
    """The session of the selected row, what to mark in it, and the marker that the row is about."""

    session_id: str
    marks: Marks
    marker: str = ""


class Host(Protocol):
    """What a view needs of the screen that shows it."""

    @property
    def text(self) -> str:
        """The text in the box."""
        ...

    @property
    def text_width(self) -> int:
        """How many cells the selected session has for a row; 0 where it is not shown."""
        ...

    @property
    def waits_for_index(self) -> bool:
        """Whether sessions are being read that may be listed soon."""
        ...

    @property
    def waits_for_meaning(self) -> bool:
        """Whether sessions are being made findable by meaning."""
        ...

    def show_rows(self, document: Document | None = None, *, merged: bool = False, selected: bool = True) -> None:
        """Show all that depends on an answer; without `selected` the session of the selected row stays as it is."""
        ...

    def show_state(self) -> None:
        """Show how much was found and whether more is to come."""
        ...

    def show_header(self) -> None:
        """Show the line above the rows."""
        ...

    def show_failure(self, reason: str) -> None:
        """Show why there is no answer."""
        ...


class ListView(Protocol):
    """A view: what it lists for the text in the box, and where in it the user is."""

    @property
    def name(self) -> ViewName:
        """Its name."""
        ...

    @property
    def list(self) -> SlotView:
        """The list that shows it."""
        ...

    @property
    def answered(self) -> str | None:
        """The text whose answer it holds."""
        ...

    @property
    def total(self) -> int | None:
        """How many rows pass in all; None while that is not known."""
        ...

    @property
    def doubtful(self) -> frozenset[str]:
        """The conditions that were not understood, or can match nothing."""
        ...

    @property
    def chosen(self) -> Chosen | None:
        """The session of the selected row."""
        ...

    @property
    def target(self) -> Target:
        """What commands act on."""
        ...

    @property
    def found(self) -> tuple[str, ...]:
        """How much was found, in ever fewer cells."""
        ...

    @property
    def status(self) -> str:
        """What to know about the answer."""
        ...

    @property
    def has_sessions(self) -> bool:
        """Whether there may be a session to show beside the list."""
        ...

    @property
    def has_header(self) -> bool:
        """Whether a line stands above the rows."""
        ...

    def header(self, width: int) -> str:
        """Return that line."""
        ...

    def enter(self) -> None:
        """Take the screen: show what is known, and ask for what the box says."""
        ...

    def start(self) -> None:
        """Ask for what the box says now."""
        ...

    def look_again(self) -> None:
        """Ask again, since the memory has changed; the user stays where he is."""
        ...

    def grow(self) -> None:
        """Ask for more of the same, where there is more."""
        ...

    def fill(self) -> None:
        """Ask for more rows where the list has room for more than it holds."""
        ...

    def stop(self) -> None:
        """Ask no more until the next start."""
        ...
