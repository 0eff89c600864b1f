"""The store that nlm-memory 0.21.0 wrote: its own ranking, its vectors, and what only ours finds in it."""

import json
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hash_bag import HashBag

from nlm_tui.core import EmbedderUnavailable, EmbeddingModel, RecallQuery, RecallService, SessionFilter, parse
from nlm_tui.settings import Settings
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.wiring import recall_service

FOLDER = Path(__file__).parent / "interop"
EXPECTED = json.loads((FOLDER / "nlm-memory-expected.json").read_text())
OPTIONS = {"entity", "kind"}
HALF_LIFE, LEAST_KEPT = timedelta(days=180), 0.25  # how that program lets scores fade


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteSessionStore]:
    """The store, opened and indexed; afterwards it is what it was, and alone."""
    path = tmp_path_factory.mktemp("interop") / "canonical.sqlite"
    shutil.copyfile(FOLDER / "nlm-memory-canonical.sqlite", path)
    content = path.read_bytes()
    with SqliteSessionStore.open(path) as store:
        assert store._overlay
        store._overlay.complete()
        yield store
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def filter_of(query: dict) -> SessionFilter:
    return SessionFilter(**{name: value for name, value in query["options"].items() if name in OPTIONS})


@pytest.mark.parametrize("query", EXPECTED["queries"], ids=lambda query: query["query"])
def test_the_reference_ranking_is_that_of_that_program(other: SqliteSessionStore, query: dict) -> None:
    found = other.keyword_search(query["query"], 100, ranking="reference")
    scores = {hit.session_id: round(hit.score, 6) for hit in found}
    expected = {hit["id"]: hit["score"] for hit in query["bm25_unfiltered"]}
    shown = [session_id for session_id in expected if other.get_by_id(session_id)]
    assert len(shown) >= len(expected) - 1
    assert [hit.session_id for hit in found][: len(shown)] == shown
    assert [scores[session_id] for session_id in shown] == [expected[session_id] for session_id in shown]


@pytest.mark.parametrize("query", EXPECTED["queries"], ids=lambda query: query["query"])
def test_what_is_near_in_meaning_is_what_that_program_finds(other: SqliteSessionStore, query: dict) -> None:
    now = datetime.fromisoformat(EXPECTED["frozen_now"])
    (vector,) = HashBag().embed([query["query"]])
    near = other.semantic_search(vector, 300, filter_of(query), model=HashBag().model)
    faded: dict[str, float] = {}
    for neighbor in near:
        if not neighbor.superseded:
            age = max(now - datetime.fromisoformat(neighbor.started_at), timedelta())
            faded[neighbor.session_id] = neighbor.score * max(0.5 ** (age / HALF_LIFE), LEAST_KEPT)
    expected = [hit["id"] for hit in query["semantic"]["top5"] if hit["matchScore"] > 0]
    # That program filters what is left after the cut, so only those of ours that it could see are compared.
    order = [session_id for session_id in sorted(faded, key=lambda name: -faded[name]) if session_id in expected]
    assert order == expected
    assert near.total == len(near)
    if not query["options"]:
        assert max(faded, key=faded.__getitem__) == expected[0]
        assert faded[expected[0]] == pytest.approx(query["semantic"]["top5"][0]["matchScore"], abs=0.0001)


def test_semantic_and_hybrid_recall_work_with_the_model_of_the_store(other: SqliteSessionStore) -> None:
    service = RecallService(other, HashBag())
    for mode in ("semantic", "hybrid"):
        result = service.search(RecallQuery("marlinspike", mode=mode))
        assert result.mode_unavailable is None
        assert [hit.id for hit in result.results[:2]] == ["cc_edge_new", "cc_edge_old"]
        assert "semantic" in result.results[0].matched_in


def test_vectors_of_another_model_are_not_compared(other: SqliteSessionStore) -> None:
    (vector,) = HashBag().embed(["marlinspike"])
    assert other.embedding_model == EmbeddingModel("stub", "hash-bow-768")
    with pytest.raises(EmbedderUnavailable, match="no vectors of 768 numbers by nomic-embed-text"):
        other.semantic_search(vector, 5, model=EmbeddingModel("ollama", "nomic-embed-text"))
    assert other.semantic_search(vector[:5], 5) == []
    assert len(other.semantic_search(vector, 5)) == 5


def test_a_model_that_cannot_be_asked_is_named(other: SqliteSessionStore) -> None:
    result = recall_service(Settings.resolve({}), other).search(RecallQuery("tokenizer", mode="hybrid"))
    reason = "this memory's vectors were made by stub/hash-bow-768, which is not reachable here"
    assert result.mode_unavailable == reason
    assert result.results


@pytest.mark.parametrize(
    ("query", "session_id"),
    [
        ("SIGHUP", None),
        ("Straße", "cc_edge_unicode_de"),
        ("zurich", "cc_edge_unicode_de"),
        ("検索", "cc_edge_unicode_ja"),
        ("foo_bar_baz", "cc_edge_punct"),
        ("quokkafj", "cc_edge_long_body"),
    ],
)
def test_ours_finds_what_that_program_does_not(other: SqliteSessionStore, query: str, session_id: str | None) -> None:
    found = [hit.session_id for hit in other.keyword_search(query, 20)]
    assert found
    if session_id:
        assert session_id in found
    else:
        sessions = other.get_by_ids(found)
        assert all(query in "".join((*session.decisions, *session.open)) for session in sessions)


def test_filters_without_words_find_the_newest(other: SqliteSessionStore) -> None:
    service = RecallService(other)
    for text, passes in (
        ("entity:orchard-api", lambda session: "orchard-api" in session.entities),
        ("has:open", lambda session: session.open),
        ("status:superseded", lambda session: session.status == "superseded"),
        ("in:decision SIGHUP", lambda session: "SIGHUP" in "".join(session.decisions)),
        ("project:quillbox", lambda session: session.project == "quillbox"),
        ("agent:codex", lambda session: session.runtime.startswith("codex")),
        ("model:demo-model-1", lambda session: session.model == "demo-model-1"),
        ('"検索インデックス"', lambda session: "検索インデックス" in session.label + session.summary + session.body),
    ):
        expected = {session.id for session in other.list() if passes(session)}
        result = service.search(parse(text, limit=100))
        assert expected, text
        assert result.total == len(expected), text
        assert {hit.id for hit in result.results} <= expected, text


def test_entities_are_found_by_all_their_names(other: SqliteSessionStore) -> None:
    tidepool = other.count(SessionFilter(entity="tidepool"))
    assert tidepool > 20
    for name in ("Tidepool Gateway", "tidepool gateway"):
        assert other.count(SessionFilter(entity=name)) == tidepool
    assert other.count(SessionFilter(entity="uv")) == other.count(SessionFilter(entity="Poetry")) > 0
    assert other.keyword_search('"Tidepool Gateway"', 1).total == tidepool


def test_replaced_sessions_are_hidden_everywhere(other: SqliteSessionStore) -> None:
    gone = "cr_2c4fdf24-90ec-4588-aa6f-cc76158fa2ab"
    assert other.count() == len(other.list()) == 297
    assert other.get_by_id(gone) is None
    assert other.ids_beginning_with(gone, 5) == [f"{gone}_r2"]
    assert sum(value.sessions for value in other.filter_values("agent")) == 297
    assert all(session.status != "replaced" for session in other.list())
    label = other.get_by_ids([f"{gone}_r2"])[0].label
    (vector,) = HashBag().embed([label])
    for found in (
        other.keyword_search(label, 300),
        other.keyword_search(label, 300, ranking="reference"),
        other.semantic_search(vector, 300),
    ):
        assert f"{gone}_r2" in [hit.session_id for hit in found]
        assert gone not in [hit.session_id for hit in found]
        assert found.total == len(found)


def test_a_subagent_belongs_to_the_session_that_its_runtime_names(other: SqliteSessionStore) -> None:
    agent = other.get_by_id("cc_sub_edge_agent")
    assert agent
    assert agent.parent_id == "cc_edge_punct"
    assert other.count() - other.count(SessionFilter(top_level=True)) == 1


def test_sessions_like_others_are_found_by_their_vectors(other: SqliteSessionStore) -> None:
    similar = other.similar_search(["cc_edge_new"], 3)
    assert similar[0].session_id == "cc_edge_old"
    assert similar.total == other.count() - 1
