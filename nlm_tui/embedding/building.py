"""Building the sets of vectors of a memory, one embedder after the other."""

import time
from collections.abc import Callable, Iterable

from nlm_tui.core import DEFAULT_CHUNKS, Embedder, EmbedderUnavailable, model_of
from nlm_tui.embedding.missing import EmbeddableStore, OnProgress, embed_missing
from nlm_tui.ingest.report import EmbeddingProgress, EmbeddingReport

_TELLING = 0.02  # of the work: from there on it can be said how long the rest takes


def build_sets(
    store: EmbeddableStore,
    embedders: Iterable[Embedder],
    on_progress: Callable[[EmbeddingProgress], None] = lambda _: None,
    *,
    most: int = DEFAULT_CHUNKS,
    clock: Callable[[], float] = time.monotonic,
) -> EmbeddingReport:
    """Embed what has no vectors yet, by each of the embedders that is available. Ctrl+C ends the run early.

    When the set of a model is complete, those of other models of its provider are deleted.

    Raises:
        StoreError: the store cannot be written.
    """
    report = EmbeddingReport()
    started = clock()
    try:
        for embedder in embedders:
            try:
                progress = _timed(model_of(embedder).name, on_progress, clock)
                embedded = embed_missing(store, embedder, progress, most=most)
                report.embedded = max(report.embedded, embedded)
                if embedded:
                    store.vectors.drop_superseded(model_of(embedder))
            except EmbedderUnavailable as error:
                report.problems.append(str(error))
    except KeyboardInterrupt:
        report.interrupted = True
    report.seconds = clock() - started
    return report


def _timed(model: str, on_progress: Callable[[EmbeddingProgress], None], clock: Callable[[], float]) -> OnProgress:
    """Return a callback that passes progress on, with the time that is left."""
    started = clock()

    def progress(done: int, total: int) -> None:
        left = (clock() - started) / done * (total - done) if done >= max(total * _TELLING, 1) else None
        on_progress(EmbeddingProgress(model=model, done=done, total=total, seconds_left=left))

    return progress
