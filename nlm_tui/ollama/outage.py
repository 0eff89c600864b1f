"""What keeps Ollama from answering, and for how long that is believed."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Lock

RETRY_SECONDS = 15.0


class OllamaError(Exception):
    """Ollama did not do what it was asked for; the text says why, in one line."""


class OutageError(OllamaError):
    """Ollama answers nothing, and most likely will not in the next seconds."""


class LateError(OutageError):
    """Ollama did not answer in time."""


class TooLongError(Exception):
    """A text is longer than the model takes."""


class Outage:
    """The last outage, remembered for a while: a server that is away must not be waited for at every key."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last: tuple[float, str] | None = None
        self._lock = Lock()

    @contextmanager
    def remembered(self) -> Generator[None]:
        """Remember an outage that ends what is done here."""
        try:
            yield
        except OutageError as error:
            with self._lock:
                self._last = (self._clock(), str(error))
            raise

    def forget(self) -> None:
        """The outage is over."""
        with self._lock:
            self._last = None

    def require_none(self) -> None:
        """Pass where nothing is known to fail.

        Raises:
            OllamaError: something failed less than `RETRY_SECONDS` ago.
        """
        with self._lock:
            if self._last is None:
                return
            since, reason = self._last
            if self._clock() - since < RETRY_SECONDS:
                raise OllamaError(reason)
            self._last = None
