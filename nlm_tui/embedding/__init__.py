"""Text to vectors."""

from nlm_tui.embedding.ollama import OllamaEmbedder
from nlm_tui.embedding.unavailable import UnavailableEmbedder

__all__ = ["OllamaEmbedder", "UnavailableEmbedder"]
