"""How long typing must rest before a search starts."""

_FAST = 0.05  # answers this quick need no rest: most keys come later
_WEIGHT = 0.4


class Debounce:
    """Rests about as long as recent searches took: not at all while they are quick, `longest` seconds at most."""

    def __init__(self, longest: float = 0.15) -> None:
        self._longest = longest
        self._typical = 0.0

    @property
    def delay(self) -> float:
        """Seconds to wait before the next search."""
        return 0.0 if self._typical < _FAST else min(self._typical, self._longest)

    def took(self, seconds: float) -> None:
        """Learn how long a search took."""
        self._typical += _WEIGHT * (seconds - self._typical)
