"""The embedder of a memory whose vectors another program made."""

from collections.abc import Sequence

from nlm_tui.core import Embedder, EmbedderUnavailable, EmbeddingModel


class NamedEmbedder:
    """Embeds like `embedder`; where that cannot, it says that the memory's own model is the one that is missed."""

    def __init__(self, embedder: Embedder, model: EmbeddingModel) -> None:
        self.model = model
        self._embedder = embedder

    def embed(self, texts: Sequence[str], query: bool = False) -> Sequence[Sequence[float]]:  # noqa: FBT001, FBT002 - the port
        """Return one unit vector for each text.

        Raises:
            EmbedderUnavailable: the model cannot be asked.
        """
        try:
            return self._embedder.embed(texts, query)
        except EmbedderUnavailable as error:
            made_by = f"{self.model.provider}/{self.model.name}"
            raise EmbedderUnavailable(f"this memory's vectors were made by {made_by}: {error}") from error
