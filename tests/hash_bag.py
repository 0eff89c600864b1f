"""The embedder that the interop store was made with: a bag of hashed words."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from nlm_tui.core import EmbeddingModel

SIZE = 768
_WORD = re.compile(r"[a-z0-9]{3,}")


class HashBag:
    """Each word counts in one place of the vector, and its hash says where."""

    def __init__(self, model: EmbeddingModel | None = EmbeddingModel("stub", "hash-bow-768")) -> None:  # noqa: B008
        self.model = model

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: ARG002, FBT001, FBT002 - the port
        """Return one unit vector for each text; one without words has none."""
        return [_vector(text) for text in texts]


def _vector(text: str) -> list[float]:
    vector = [0.0] * SIZE
    for word, count in Counter(_WORD.findall(text.lower())).items():
        hashed = _fnv1a(word)
        vector[hashed % SIZE] += (1 + math.log(count)) * (-1 if hashed >> 31 else 1)
    norm = math.hypot(*vector)
    return [value / norm for value in vector] if norm else vector


def _fnv1a(word: str) -> int:
    hashed = 0x811C9DC5
    for letter in word:
        hashed = (hashed ^ ord(letter)) * 0x01000193 & 0xFFFFFFFF
    return hashed
