"""Embedding what a memory holds, newest first, such that it can be stopped at any moment and gone on with later."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol

from nlm_tui.core import DEFAULT_CHUNKS, Chunk, Embedder, EmbedderUnavailable, EmbeddingModel, Session, chunks, model_of

_HEADS_AT_ONCE = 16
_SESSIONS_AT_ONCE = 1

OnProgress = Callable[[int, int], None]
"""Told how many passages are done, and about how many there are in all."""


class VectorKeeper(Protocol):
    """The vectors of a store."""

    def pending(self, model: EmbeddingModel, most: int) -> Sequence[str]:
        """Return the ids of sessions that lack vectors of `model` for `most` of their passages, newest first."""
        ...

    def digests(self, session_id: str, model: EmbeddingModel) -> set[bytes]:
        """Return the digests of the passages of a session that have vectors of `model`."""
        ...

    def write(
        self, session_id: str, model: EmbeddingModel, vectors: Mapping[bytes, Sequence[float]], most: int
    ) -> None:
        """Write unit vectors of passages of a session, by their digests; it then has those of `most` of them."""
        ...

    def drop_superseded(self, model: EmbeddingModel) -> None:
        """Delete the vectors of other models of the provider of `model`."""
        ...


class EmbeddableStore(Protocol):
    """A store whose sessions can be embedded."""

    @property
    def vectors(self) -> VectorKeeper:
        """Their vectors."""
        ...

    def get_by_ids(self, session_ids: Sequence[str]) -> Sequence[Session]:
        """Return the sessions in the order of their ids; unknown ids are left out."""
        ...


def embed_missing(
    store: EmbeddableStore, embedder: Embedder, progress: OnProgress | None = None, *, most: int = DEFAULT_CHUNKS
) -> int:
    """Embed the sessions that have no vectors yet, or not those of `most` passages, and return how many they were.

    Newest first, label and summary of all before the rest of any, so that soon all can be found by meaning. What is
    done when it stops is kept.

    Raises:
        EmbedderUnavailable: nothing can embed now.
        StoreError: the store failed, or is only read.
    """
    model = model_of(embedder)
    heads, rest = store.vectors.pending(model, 1), store.vectors.pending(model, most)
    total = len(heads) + (most - 1) * len(rest)
    done = 0
    embedded: set[str] = set()
    for passages, pending, at_once in ((1, heads, _HEADS_AT_ONCE), (most, rest, _SESSIONS_AT_ONCE)):
        for ids in _groups(pending, at_once):
            if progress is not None:
                progress(done, total)
            embedded.update(_embed(store, embedder, model, ids, passages))
            done += len(ids) * max(passages - 1, 1)
    if progress is not None and total:
        progress(total, total)
    return len(embedded)


def _embed(
    store: EmbeddableStore, embedder: Embedder, model: EmbeddingModel, ids: Sequence[str], most: int
) -> list[str]:
    """Embed `most` passages of each of the sessions, and return their ids."""
    missing: dict[str, list[Chunk]] = {}
    for session in store.get_by_ids(ids):
        kept = store.vectors.digests(session.id, model)
        passages = chunks(session, model.chunk_characters, most)
        missing[session.id] = [passage for passage in passages if passage.digest not in kept]
    digests = {passage.digest: passage.text for passages in missing.values() for passage in passages}
    found = embedder.embed(list(digests.values())) if digests else ()
    if len(found) != len(digests):
        raise EmbedderUnavailable(f"{model.name} gave {len(found)} vectors for {len(digests)} texts")
    vectors = dict(zip(digests, found, strict=True))
    for session_id, passages in missing.items():
        own = {passage.digest: vectors[passage.digest] for passage in passages}
        store.vectors.write(session_id, model, own, most)
    return list(missing)


def _groups(ids: Sequence[str], size: int) -> Iterator[list[str]]:
    left = iter(ids)
    while group := list(islice(left, size)):
        yield group
