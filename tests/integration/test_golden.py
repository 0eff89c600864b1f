"""The golden gate: every question finds its session among the first three, among sessions that share its words."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nlm_tui.core import Message, RecallQuery, RecallService, Session, join_messages, token_set
from nlm_tui.storage import SqliteSessionStore

GOLDEN = Path(__file__).parent / "golden"
CORPUS: list[dict[str, Any]] = json.loads((GOLDEN / "corpus.json").read_text(encoding="utf-8"))
QUERIES: list[dict[str, str]] = json.loads((GOLDEN / "queries.json").read_text(encoding="utf-8"))


def golden_session(entry: dict[str, Any]) -> Session:
    """Return a session of the corpus."""
    given = {name: value for name, value in entry.items() if name not in {"minutes", "messages"}}
    given |= {name: tuple(entry[name]) for name in ("entities", "decisions", "open")}
    ended = datetime.fromisoformat(entry["started_at"]) + timedelta(minutes=entry["minutes"])
    body, turns = join_messages(tuple(Message(role, text) for role, text in entry["messages"]))
    return Session(**given, ended_at=ended.isoformat(), duration_min=entry["minutes"], body=body, turns=turns)


@pytest.fixture(scope="module")
def recall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecallService]:
    with SqliteSessionStore.open(tmp_path_factory.mktemp("golden") / "memory.sqlite") as store:
        with store.batch():
            for entry in CORPUS:
                store.insert_sessions(golden_session(entry))
        yield RecallService(store)


def test_the_gate_is_wide_enough() -> None:
    assert len(CORPUS) >= 24
    assert len(QUERIES) >= 40
    assert len({query["query"] for query in QUERIES}) == len(QUERIES)
    assert len({entry["id"] for entry in CORPUS}) == len(CORPUS)


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query["query"])
def test_its_session_is_among_the_first_three(recall: RecallService, query: dict[str, str]) -> None:
    result = recall.search(RecallQuery(query["query"], mode="keyword", limit=3))
    assert query["expect"] in [hit.id for hit in result.results], query["why"]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query["query"])
def test_its_words_occur_in_three_other_sessions_each(query: dict[str, str]) -> None:
    others = [golden_session(entry) for entry in CORPUS if entry["id"] != query["expect"]]
    texts = [token_set(f"{session.label}\n{session.summary}\n{session.body}") for session in others]
    for word in token_set(query["query"]):
        assert sum(word in text for text in texts) >= 3, word
