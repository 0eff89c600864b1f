"""Synthetic stores with vectors: those of passages of invented sessions, moved a little so that no two are alike."""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from keyword_recall import stored
from remembered import Vectors

from nlm_tui.core import ALL_CHUNKS, DEFAULT_CHUNKS, Session, chunks
from nlm_tui.core.query import parse
from nlm_tui.embedding.bundled import MODEL
from nlm_tui.storage import SqliteSessionStore

sys.path.append(str(Path(__file__).with_name("recall_quality")))

from run import HERE, session

_CHARACTERS = 300  # shorter passages than the program's own, so that there are more of them
_MOVED = 0.035  # a component of a unit vector is about 0.05: what was moved has a cosine of 0.82 with what it was
_SEED = 11
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Sample:
    """Vectors of all passages of the invented sessions; `sessions` says which passages belong together."""

    passages: np.ndarray
    sessions: list[range]

    @classmethod
    def of(cls, vectors: Vectors) -> "Sample":
        """Embed the passages."""
        found: list[list[float]] = []
        sessions: list[range] = []
        entries = json.loads((HERE / "corpus.json").read_text(encoding="utf-8"))
        for number, entry in enumerate(entries, 1):
            first = len(found)
            found += [vectors.of(passage.text) for passage in chunks(session(entry), _CHARACTERS, ALL_CHUNKS)]
            sessions.append(range(first, len(found)))
            print(f"\rinvented sessions embedded: {number} of {len(entries)}", end="", file=sys.stderr)
        print(file=sys.stderr)
        return cls(np.array(found), sessions)

    def draw(self, rng: np.random.Generator, count: int) -> list[list[float]]:
        """Return as many vectors as a session wants: those of one invented session, then any others, all moved."""
        own = rng.permutation(self.sessions[rng.integers(len(self.sessions))])[:count]
        chosen = np.concatenate((own, rng.integers(len(self.passages), size=count - len(own))))
        moved = self.passages[chosen] + rng.normal(0.0, _MOVED, (count, self.passages.shape[1]))
        return (moved / np.linalg.norm(moved, axis=1, keepdims=True)).tolist()


def questions(vectors: Vectors) -> list[list[float]]:
    """Return the vectors of the questions about the invented sessions, in any order, but always the same."""
    asked = [parse(question["query"]) for question in json.loads((HERE / "questions.json").read_text(encoding="utf-8"))]
    texts = [" ".join((*query.phrases, query.query)).strip() for query in asked]
    order = np.random.default_rng(_SEED).permutation(len(texts))
    return [vectors.of(texts[place]) for place in order if texts[place]]


def store_with_vectors(folder: Path, size: int, vectors: Vectors) -> Path:
    """Return the store with so many sessions and their vectors; it gets its name once it is complete."""
    path = folder / f"semantic-{size}.sqlite"
    if not path.exists():
        without = stored(folder, size)
        partial = path.with_suffix(".partial")
        partial.unlink(missing_ok=True)
        shutil.copyfile(without, partial)
        _add_vectors(partial, Sample.of(vectors))
        partial.rename(path)
    return path


def _add_vectors(path: Path, sample: Sample) -> None:
    rng = np.random.default_rng(_SEED)
    with SqliteSessionStore.open(path) as store:
        pending = store.vectors.pending(MODEL, DEFAULT_CHUNKS)
        for done in range(0, len(pending), _BATCH):
            with store.batch():
                for found in store.get_by_ids(pending[done : done + _BATCH]):
                    _write(store, found, sample, rng)
            written = min(done + _BATCH, len(pending))
            print(f"\rsessions with vectors: {written:,} of {len(pending):,}", end="", file=sys.stderr)
    print(file=sys.stderr)


def _write(store: SqliteSessionStore, found: Session, sample: Sample, rng: np.random.Generator) -> None:
    digests = [passage.digest for passage in chunks(found, MODEL.chunk_characters)]
    drawn = dict(zip(digests, sample.draw(rng, len(digests)), strict=True))
    store.vectors.write(found.id, MODEL, drawn, DEFAULT_CHUNKS)
