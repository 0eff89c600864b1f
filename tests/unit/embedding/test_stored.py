"""Questions are embedded for what a memory holds, and remembered; sets are built one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from nlm_tui.core import EmbedderUnavailable, EmbeddingModel
from nlm_tui.embedding import StoredEmbedder, build_sets, building
from nlm_tui.embedding.stored import _REMEMBERED
from nlm_tui.ingest.report import EmbeddingProgress

MODEL = EmbeddingModel("test", "model")


@dataclass
class Embedder:
    model: EmbeddingModel = MODEL
    texts: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: ARG002, FBT001, FBT002
        self.texts += texts
        return [[float(len(text))] for text in texts]


def test_questions_are_remembered() -> None:
    embedder = Embedder()
    stored = StoredEmbedder(embedder, lambda: None)
    assert stored.model is embedder.model
    for _ in range(3):
        assert stored.embed(["one", "three"], query=True) == [[3.0], [5.0]]
    assert embedder.texts == ["one", "three"]
    stored.embed(["one"])
    assert embedder.texts == ["one", "three", "one"], "a document is no question"


def test_the_oldest_is_forgotten() -> None:
    embedder = Embedder()
    stored = StoredEmbedder(embedder, lambda: None)
    for number in range(_REMEMBERED):
        stored.embed([str(number)])
    stored.embed(["0"])
    stored.embed(["new"])
    count = len(embedder.texts)
    stored.embed(["0"])
    assert len(embedder.texts) == count
    stored.embed(["1"])
    assert len(embedder.texts) == count + 1


def test_without_vectors_nothing_is_embedded() -> None:
    embedder = Embedder()
    reasons: list[str | None] = ["none yet", None]
    stored = StoredEmbedder(embedder, lambda: reasons.pop(0))
    with pytest.raises(EmbedderUnavailable, match="none yet"):
        stored.embed(["one"])
    assert embedder.texts == []
    assert stored.embed(["one"]) == [[3.0]]


def test_nobody_need_know_why_an_optional_one_does_not_embed() -> None:
    class Away(Embedder):
        def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: ARG002, FBT001, FBT002
            raise EmbedderUnavailable("no server")

    for is_optional, reason in {True: "", False: "no server"}.items():
        with pytest.raises(EmbedderUnavailable) as raised:
            StoredEmbedder(Away(), lambda: None, is_optional=is_optional).embed(["x"])
        assert str(raised.value) == reason


def test_what_loads_slowly_is_prepared_where_it_is_of_use() -> None:
    loaded: list[str] = []

    class Slow(Embedder):
        def load(self) -> None:
            loaded.append("once")
            raise EmbedderUnavailable("no server")

    StoredEmbedder(Embedder(), lambda: None).prepare()
    StoredEmbedder(Slow(), lambda: "none yet").prepare()
    assert loaded == []
    StoredEmbedder(Slow(), lambda: None).prepare()
    assert loaded == ["once"]


class Store:
    """Remembers whose older sets were dropped."""

    def __init__(self) -> None:
        self.vectors = self
        self.dropped: list[str] = []

    def drop_superseded(self, model: EmbeddingModel) -> None:
        self.dropped.append(model.name)


def clock(*times: float) -> Callable[[], float]:
    left = list(times)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def test_each_embedder_builds_its_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def embed(_store: object, embedder: Embedder, progress: Callable[[int, int], None], *, most: int) -> int:
        progress(0, most)
        if embedder.model.name == "away":
            raise EmbedderUnavailable("no server")
        progress(most // 2, most)
        return len(embedder.model.name)

    monkeypatch.setattr(building, "embed_missing", embed)
    store = Store()
    embedders = [Embedder(EmbeddingModel("test", name)) for name in ("four", "away", "seventh")]
    seen: list[EmbeddingProgress] = []
    report = build_sets(store, embedders, seen.append, most=8, clock=clock(0, 1, 3, 3, 3, 4, 5))
    assert (report.embedded, report.problems, report.interrupted, report.seconds) == (7, ["no server"], False, 5)
    assert store.dropped == ["four", "seventh"]
    assert [(news.model, news.done, news.seconds_left) for news in seen] == [
        ("four", 0, None),
        ("four", 4, 2.0),
        ("away", 0, None),
        ("seventh", 0, None),
        ("seventh", 4, 1.0),
    ]


def test_an_interrupt_keeps_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def embed(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "embed_missing", embed)
    report = build_sets(Store(), [Embedder(), Embedder()])
    assert (report.interrupted, report.embedded, report.problems) == (True, 0, [])
