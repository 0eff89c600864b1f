"""Recall by meaning as tests wish it: what is near to which text, and when the embedder answers."""

import threading
from collections.abc import Sequence
from dataclasses import replace

from nlm_tui.core import EmbedderUnavailable, RecallQuery, RecallResult, RecallService, SemanticNeighbor
from nlm_tui.storage import SqliteSessionStore

Near = dict[str, Sequence[str]]  # the ids of the sessions that are near to a text or to a session, nearest first


class FakeEmbedder:
    """Gives each known text a vector of its own. A text that is held waits until it is let go: nothing stops it."""

    def __init__(self, near: Near) -> None:
        self.near = near
        self.embedded: list[str] = []
        self.interrupts = 0
        self.reason = ""
        self._held: dict[str, tuple[threading.Event, threading.Event]] = {}

    def hold(self, text: str) -> threading.Event:
        """Hold `text` from now on, and return what is set when it is asked for."""
        self._held[text] = (threading.Event(), threading.Event())
        return self._held[text][0]

    def let_go(self, text: str) -> None:
        self._held.pop(text)[1].set()

    def interrupt(self) -> None:
        self.interrupts += 1

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: FBT001, FBT002 - the port
        assert query
        (text,) = texts
        self.embedded.append(text)
        if text in self._held:
            asked, goes_on = self._held[text]
            asked.set()
            assert goes_on.wait(30), f"{text!r} was never let go"
        if self.reason:
            raise EmbedderUnavailable(self.reason)
        return [[float(list(self.near).index(text)) if text in self.near else -1.0]]


class NearStore:
    """A store whose search by meaning finds what the embedder's text is near to."""

    def __init__(self, store: SqliteSessionStore, embedder: FakeEmbedder) -> None:
        self._store = store
        self._embedder = embedder

    def semantic_search(
        self, vector: Sequence[float], limit: int, *_: object, **__: object
    ) -> Sequence[SemanticNeighbor]:
        number = int(vector[0])
        return _neighbors(list(self._embedder.near.values())[number] if number >= 0 else ())[:limit]

    def similar_search(self, session_ids: Sequence[str], limit: int, *_: object) -> Sequence[SemanticNeighbor]:
        if session_ids[0] not in self._embedder.near:
            raise EmbedderUnavailable(f"session {session_ids[0]} has no vectors")
        return _neighbors(self._embedder.near[session_ids[0]])[:limit]

    def __getattr__(self, name: str):
        return getattr(self._store, name)


class WithPassages:
    """Recall whose hits by meaning carry the given passages: field and text of a session."""

    def __init__(self, recall: RecallService, passages: dict[str, tuple[str, str]]) -> None:
        self._recall = recall
        self._passages = passages

    def search(self, query: RecallQuery, **named: object) -> RecallResult:
        result = self._recall.search(query, **named)
        hits = []
        for hit in result.results:
            found = hit
            if hit.semantic_score is not None and hit.id in self._passages:
                field, text = self._passages[hit.id]
                found = replace(hit, near=text)
                if hit.keyword_score is None:
                    found = replace(found, snippet=" ".join(text.split()), snippet_field=field)
            hits.append(found)
        return replace(result, results=tuple(hits))


def _neighbors(session_ids: Sequence[str]) -> list[SemanticNeighbor]:
    return [SemanticNeighbor(session_id, 0.5 + place / 100) for place, session_id in enumerate(session_ids)]
