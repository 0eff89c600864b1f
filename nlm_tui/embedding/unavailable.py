"""The embedder of a memory that holds no vectors."""

from collections.abc import Sequence
from typing import NoReturn

from nlm_tui.core import EmbedderUnavailable


class UnavailableEmbedder:
    """Embeds nothing and says why."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def embed(self, texts: Sequence[str], query: bool = False) -> NoReturn:  # noqa: ARG002, FBT001, FBT002 - the port
        """Raise `EmbedderUnavailable` with the reason."""
        raise EmbedderUnavailable(self._reason)
