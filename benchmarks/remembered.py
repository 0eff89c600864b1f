"""Vectors of the bundled model, each text embedded once."""

import hashlib
import sqlite3
import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nlm_tui.core import EmbeddingModel
from nlm_tui.embedding import BundledEmbedder, bundled_embedder
from nlm_tui.embedding.bundled import MODEL


class Vectors:
    """The vectors of texts, for one run, or in a file for all runs."""

    def __init__(self, file: Path | None = None) -> None:
        self._embedder: BundledEmbedder = bundled_embedder()
        self._database = sqlite3.connect(file or ":memory:", isolation_level=None)
        self._database.execute("CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB)")
        self.made = 0
        """How many texts were embedded."""

    def of(self, text: str) -> list[float]:
        """Return the vector of a text."""
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        found = self._database.execute("SELECT vector FROM vectors WHERE digest = ?", (digest,)).fetchone()
        if found:
            return list(struct.unpack(f"<{len(found[0]) // 4}f", found[0]))
        (vector,) = self._embedder.embed([text])
        self._database.execute("INSERT INTO vectors VALUES (?, ?)", (digest, struct.pack(f"<{len(vector)}f", *vector)))
        self.made += 1
        return vector


class Remembering:
    """An embedder for one setting of the bundled model. The vectors of each setting are a set of their own."""

    def __init__(self, vectors: Vectors, setting: str = "", **changes: float) -> None:
        self._vectors = vectors
        self.model: EmbeddingModel = replace(MODEL, provider=f"bundled {setting}".strip(), **changes)

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: ARG002, FBT001, FBT002 - the port
        """Return one unit vector for each text."""
        return [self._vectors.of(text) for text in texts]
