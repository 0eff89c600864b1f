"""What a memory holds is embedded: newest first, heads first, resumed, by any embedder."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from support import a_session

from nlm_tui.core import EmbedderUnavailable, RecallQuery, RecallService
from nlm_tui.embedding import embed_missing
from nlm_tui.storage import SqliteSessionStore


@dataclass
class Embedder:
    """Embeds by the first letter, until it has embedded so many texts."""

    most: int = 1_000
    texts: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: ARG002, FBT001, FBT002
        self.texts += texts
        if len(self.texts) > self.most:
            raise EmbedderUnavailable("tired")
        return [[1.0, 0.0] if text[:1] < "m" else [0.0, 1.0] for text in texts]


@pytest.fixture
def three(store: SqliteSessionStore) -> SqliteSessionStore:
    for month, name in enumerate(("oldest", "middle", "newest"), 1):
        body = f"{name} body\n" * 50
        store.insert_sessions(a_session(name, label=name, body=body, started_at=f"2026-0{month}-01T00:00:00.000Z"))
    return store


def test_all_is_embedded_once(three: SqliteSessionStore) -> None:
    embedder = Embedder()
    steps: list[tuple[int, int]] = []
    assert embed_missing(three, embedder, lambda done, total: steps.append((done, total))) == 3
    assert embedder.texts[:4] == ["newest", "middle", "oldest", embedder.texts[3]]
    assert embedder.texts[3].startswith("newest body")
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1] > 0
    count = len(embedder.texts)
    assert embed_missing(three, embedder, lambda *_: pytest.fail("there is nothing to do")) == 0
    assert len(embedder.texts) == count
    three.insert_sessions(a_session("fourth", label="one more"))
    assert embed_missing(three, embedder) == 1
    assert embedder.texts[count:] == ["one more"]


def test_only_what_is_new_in_a_session_is_embedded(three: SqliteSessionStore) -> None:
    embedder = Embedder()
    embed_missing(three, embedder)
    count = len(embedder.texts)
    session = three.get_by_id("newest")
    assert session is not None
    three.insert_sessions(a_session("newest", label="newest", body=session.body, decisions=("a decision",)))
    assert embed_missing(three, embedder) == 1
    assert embedder.texts[count:] == ["a decision"]


def test_it_goes_on_where_it_stopped(three: SqliteSessionStore) -> None:
    with pytest.raises(EmbedderUnavailable, match="tired"):
        embed_missing(three, Embedder(most=4))
    embedder = Embedder()
    assert embed_missing(three, embedder) == 3
    assert not {"newest", "middle", "oldest"}.intersection(embedder.texts), "labels were embedded before"


def test_a_short_answer_is_refused(three: SqliteSessionStore) -> None:
    class Short(Embedder):
        def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: FBT001, FBT002
            return super().embed(texts, query)[1:]

    with pytest.raises(EmbedderUnavailable, match="gave 2 vectors for 3 texts"):
        embed_missing(three, Short())


def test_what_is_embedded_is_found_by_meaning(three: SqliteSessionStore) -> None:
    embedder = Embedder()
    embed_missing(three, embedder)
    result = RecallService(three, embedder).search(RecallQuery("alike", mode="semantic"))
    assert (result.mode_unavailable, result.total) == (None, 3)
    assert result.results[0].semantic_score == pytest.approx(0.0, abs=1e-6)
