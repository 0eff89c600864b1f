"""Text to vectors."""

from nlm_tui.embedding.building import build_sets
from nlm_tui.embedding.bundled import BundledEmbedder, bundled_embedder
from nlm_tui.embedding.missing import embed_missing
from nlm_tui.embedding.ollama import OllamaEmbedder
from nlm_tui.embedding.process import ProcessEmbedder
from nlm_tui.embedding.stored import StoredEmbedder
from nlm_tui.embedding.unavailable import UnavailableEmbedder

__all__ = [
    "BundledEmbedder",
    "OllamaEmbedder",
    "ProcessEmbedder",
    "StoredEmbedder",
    "UnavailableEmbedder",
    "build_sets",
    "bundled_embedder",
    "embed_missing",
]
