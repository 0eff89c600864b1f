"""How long typing must rest before a search starts."""

_FAST = 0.05  # answers this quick need no rest: most keys come later
_WEIGHT = 0.4


class Debounce:
    """Rests about as long as recent searches took: `shortest` seconds while they are quick, `longest` at most."""

    def __init__(self, longest: float = 0.15, *, shortest: float = 0.0) -> None:
        self._longest = longest
        self._shortest = shortest
        self._typical = 0.0

    @property
    def delay(self) -> float:
        """Seconds to wait before the next search."""
        return self._shortest if self._typical < _FAST else max(min(self._typical, self._longest), self._shortest)

    def took(self, seconds: float) -> None:
        """Learn how long a search took."""
        self._typical += _WEIGHT * (seconds - self._typical)
