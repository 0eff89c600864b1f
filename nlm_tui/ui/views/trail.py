"""Where the user came from, step by step."""

from typing import NamedTuple

from nlm_tui.ui.views.names import ViewName

_LONGEST = 100


class Place(NamedTuple):
    """A view, the text in the box, and the selected row."""

    view: ViewName
    text: str
    selected: str | None


class _Step(NamedTuple):
    left: Place
    text: str | None  # that took the place of another one


class Trail:
    """The places that were left by a jump, the latest last."""

    def __init__(self) -> None:
        self._steps: list[_Step] = []

    def __bool__(self) -> bool:
        """Whether there is a place to go back to."""
        return bool(self._steps)

    def leave(self, place: Place, text: str | None = None) -> None:
        """Remember a place that is left, and the `text` that comes into the box instead of its own."""
        self._steps = [*self._steps[-_LONGEST + 1 :], _Step(place, text)]

    def back(self) -> Place | None:
        """Return the place that was left last, and forget it."""
        return self._steps.pop().left if self._steps else None

    def step_back(self, text: str) -> Place | None:
        """Return the same where what it was left for is still in the box, whatever was typed around it."""
        put = self._steps[-1].text if self._steps else None
        return self.back() if put and put in text else None
