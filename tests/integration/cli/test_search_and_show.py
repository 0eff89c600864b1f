"""`search` and `show`, over the demo memory and over stores of hostile text."""

import json
import signal
import subprocess
import sys
import unicodedata
from dataclasses import fields
from pathlib import Path

import pytest
from support import Run, a_session

from nlm_tui.core import Message, RecallHit, RecallResult, Session, join_messages
from nlm_tui.storage import SqliteSessionStore

DAYS = "2026-05-01, 2026-05, 7d, 2w, 3mo, today, yesterday or monday"

HOSTILE = "\x1b[31mred\x07\x1b]0;title\x07\x9b2J\x85\u202edetrats\x00 redis\r\n\ttab \ud83d \u2028end"


def test_hits_are_text(run: Run) -> None:
    done = run("--demo", "search", "retry", "budget", "--limit", "2")
    assert (done.returncode, done.stderr) == (0, "")
    *hits, last = done.stdout.rstrip("\n").split("\n\n")
    assert len(hits) == 2
    shown, total = last.removesuffix(" sessions").split(" of ")
    assert (shown, int(total) >= 2) == ("2", True)
    for hit in hits:
        label, facts, snippet = hit.split("\n")
        assert "  in " in facts
        assert label
        assert snippet.startswith("  ")


def test_hits_are_json(run: Run, demo: Path) -> None:
    done = run("--db", demo, "search", "retry budget", "--limit", "3", "--json")
    result = json.loads(done.stdout)
    assert list(result) == [field.name for field in fields(RecallResult)]
    assert (result["query"], result["limit"], len(result["results"])) == ("retry budget", 3, 3)
    assert (result["mode"], result["mode_unavailable"]) == ("hybrid", 'the settings say embedder = "off"')
    assert result["total"] >= 3
    for hit in result["results"]:
        assert list(hit) == [field.name for field in fields(RecallHit)]
    scores = [hit["match_score"] for hit in result["results"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(("asked", "given"), [("-1", 1), ("0", 1), ("1000", 100)])
def test_the_limit_is_clamped(run: Run, demo: Path, asked: str, given: int) -> None:
    assert (
        json.loads(run("--db", demo, "search", "--limit", asked, "--kind", "open", "--json").stdout)["limit"] == given
    )


def test_filters(run: Run, demo: Path) -> None:
    result = json.loads(run("--db", demo, "search", "--kind", "open", "--json", "--limit", "100").stdout)
    assert result["total"] == len(result["results"]) > 0
    assert all(hit["open"] for hit in result["results"])
    entity = next(hit["entities"][0] for hit in result["results"] if hit["entities"])
    about = json.loads(run("--db", demo, "search", "--entity", entity.upper(), "--json").stdout)["results"]
    assert about
    assert all(entity in hit["entities"] for hit in about)


@pytest.mark.parametrize("arguments", [["zyzzyva"], ["--", "--zyzzyva"]])
def test_no_hit_is_status_one(run: Run, demo: Path, arguments: list[str]) -> None:
    done = run("--db", demo, "search", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "0 of 0 sessions\n", "")


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        (["retry", "--entity", "nobody"], "no session has entity:nobody"),
        (["retry agent:nobody"], "no session has agent:nobody"),
    ],
)
def test_a_value_that_nothing_has_is_named(run: Run, demo: Path, arguments: list[str], note: str) -> None:
    done = run("--db", demo, "search", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "0 of 0 sessions\n", f"nlm-tui: {note}\n")


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (" ", []),
        ("...", []),
        ("has:nothing", ["has:nothing is not known: use decision or open"]),
        ("since:banana", [f"since:banana is no day: use {DAYS}"]),
        ('-"!!" -like:x', ["-like:x is not known: what is unlike a session cannot be found", '-"!!" holds no word']),
    ],
)
def test_that_nothing_is_left_to_search_for_is_said(run: Run, demo: Path, text: str, notes: list[str]) -> None:
    notes = [*notes, "nothing is left to search for"]
    done = run("--db", demo, "search", "--", text)
    assert (done.returncode, done.stdout) == (1, "0 of 0 sessions\n")
    assert done.stderr.splitlines() == [f"nlm-tui: {note}" for note in notes]
    done = run("--db", demo, "search", "--json", "--", text)
    assert json.loads(done.stdout)["notes"] == notes


def test_an_empty_query_is_misuse(run: Run, demo: Path) -> None:
    done = run("--db", demo, "search", "")
    assert done.returncode == 2
    assert "say what to search for" in done.stderr


@pytest.mark.parametrize(
    ("text", "alone", "note"),
    [
        ("retry agent:claude,bogus", "retry agent:claude", "no session has agent:bogus"),
        ("has:open,nothing", "has:open", "has:nothing is not known: use decision or open"),
        ("retry since:2020-01-01,banana", "retry since:2020-01-01", f"since:banana is no day: use {DAYS}"),
        ("project:pay,nowhere", "project:pay", "no session has project:nowhere"),
    ],
)
def test_of_several_values_those_that_nothing_has_are_named(
    run: Run, demo: Path, text: str, alone: str, note: str
) -> None:
    done = run("--db", demo, "search", text)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [f"nlm-tui: {note}"]
    assert found_ids(run, demo, text) == found_ids(run, demo, alone)


def found_ids(run: Run, demo: Path, *arguments: str) -> list[str]:
    return [hit["id"] for hit in json.loads(run("--db", demo, "search", "--json", *arguments).stdout)["results"]]


def test_the_query_language(run: Run, demo: Path) -> None:
    retries = found_ids(run, demo, "retry")
    claude = found_ids(run, demo, "retry", "agent:claude")
    others = found_ids(run, demo, "retry", "-agent:claude")
    assert claude
    assert others
    assert sorted(claude + others) == sorted(retries)
    assert found_ids(run, demo, "--", "retry", "-agent:claude") == others
    assert set(found_ids(run, demo, '"dead-letter queue"')) < set(found_ids(run, demo, "dead letter queue"))
    assert not set(found_ids(run, demo, "retry", "-billing")) & set(found_ids(run, demo, "billing"))
    opens = json.loads(run("--db", demo, "search", "has:open", "--json", "--limit", "100").stdout)["results"]
    assert {hit["id"] for hit in opens} == set(found_ids(run, demo, "--kind", "open", "--limit", "100"))


def test_words_with_dashes(run: Run, demo: Path) -> None:
    for arguments in (["-ssh"], ["retry", "-h"], ["-h"]):
        done = run("--db", demo, "search", *arguments)
        assert ("Usage:" in done.stdout) is ("-h" in arguments)
    done = run("--db", demo, "search", "retry", "--jsn")
    assert done.returncode == 2
    assert "--json" in done.stderr
    assert set(found_ids(run, demo, "--", "--retry")) == set(found_ids(run, demo, "retry"))


def test_why_a_hit_is_where_it_is(run: Run, demo: Path) -> None:
    done = run("--db", demo, "search", "billing", "retries", "--why", "--limit", "1")
    assert "billing in label" in done.stdout
    assert "keyword " in done.stdout
    (hit,) = json.loads(run("--db", demo, "search", "retries", "--why", "--limit", "1", "--json").stdout)["results"]
    assert hit["why"].startswith("retries in ")


def test_a_typo_is_said(run: Run, demo: Path) -> None:
    done = run("--db", demo, "search", "idmepotency")
    assert "  approximate" in done.stdout
    assert done.stderr == "nlm-tui: nothing matches idmepotency; showing idempotency\n"


@pytest.mark.parametrize(
    "text", ['retry OR (kafka) NEAR "x"', "retry \udcff\udc80", "-- --retry", "retry'; --", "re\x1b[31mtry retry"]
)
def test_any_text_is_a_query(run: Run, demo: Path, text: str) -> None:
    arguments = text.split() if text.startswith("--") else [text]
    done = run("--db", demo, "search", *arguments)
    assert done.returncode == 0
    assert_harmless(done.stderr)
    done = run("--db", demo, "search", "--json", *arguments)
    assert json.loads(done.stdout)["results"]
    assert_harmless(done.stdout)


@pytest.mark.parametrize(("before", "after"), [([], ["--mode", "semantic"]), (["--mode", "semantic"], [])])
def test_a_mode_that_was_asked_for_and_is_missing_is_explained(
    run: Run, demo: Path, before: list[str], after: list[str]
) -> None:
    done = run("--db", demo, *before, "search", "retry", *after, NLM_EMBEDDER="bundled")
    assert (done.returncode, done.stdout) == (1, "0 of 0 sessions\n")
    reason = "no session has vectors yet, indexing makes them"
    assert done.stderr == f"nlm-tui: semantic recall: {reason}\n"
    done = run("--db", demo, *before, "search", "retry", "--mode", "keyword")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_demo_is_deleted_again(run: Run, environ: dict[str, str], home: Path) -> None:
    run("--demo", "search", "retry")
    assert list(Path(environ["TMPDIR"]).iterdir()) == []
    assert list(home.rglob("*.sqlite*")) == []


def test_show(run: Run, demo: Path) -> None:
    (hit,) = json.loads(run("--db", demo, "search", "retry budget", "--json", "--limit", "1").stdout)["results"]
    done = run("--db", demo, "show", hit["id"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(hit["label"] + "\n")
    done = run("--db", demo, "show", "--json", hit["id"])
    session = json.loads(done.stdout)
    told = {
        "messages",
        "markers",
        "counts",
        "source",
        "agent_type",
        "forked_from",
        "goes_on_from",
        "archived",
        "local_time",
        "titled",
    }
    assert set(session) == {field.name for field in fields(Session)} - {"turns", "details", "evidence"} | told
    assert session["label"] == hit["label"]
    assert session["extraction"]["provider"] == "rules"
    assert session["extraction"]["prompt_version"] > 0
    assert len(session["messages"]) > 1
    for message in session["messages"]:
        assert message.keys() >= {"role", "text", "at"}
    assert session["body"] == "\n\n".join(message["text"] for message in session["messages"])


@pytest.mark.parametrize("command", [["show"], ["resume"], ["forget", "--yes"]])
@pytest.mark.parametrize("session_id", ["", " "])
def test_an_empty_id_is_misuse(run: Run, demo: Path, command: list[str], session_id: str) -> None:
    done = run("--db", demo, *command, session_id)
    assert (done.returncode, done.stdout) == (2, "")
    assert "it is empty; name a session by its id" in " ".join(done.stderr.split())


@pytest.mark.parametrize("session_id", ["nobody", "\udcff", "a\x1b[2J\x07\x9b2Jb"])
def test_show_nobody(run: Run, demo: Path, session_id: str) -> None:
    for more in ([], ["--json"]):
        done = run("--db", demo, "show", session_id, *more)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("nlm-tui: no session ")
        assert_harmless(done.stderr)


def test_show_by_a_beginning(run: Run, store: SqliteSessionStore, store_path: Path) -> None:
    for number in range(12):
        store.insert_sessions(a_session(f"cc_6813e85c-{number:02}", runtime_session_id=f"6813e85c-{number:02}"))
    store.insert_sessions(a_session("codex_77", runtime_session_id="77", label="Seven"))
    store.close()
    for beginning in ("codex", "77", "7"):
        assert run("--db", store_path, "show", beginning).stdout.startswith("Seven\n")
    done = run("--db", store_path, "show", "6813e85c-01", "--json")
    assert json.loads(done.stdout)["id"] == "cc_6813e85c-01"
    done = run("--db", store_path, "show", "6813e85c-1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "nlm-tui: 6813e85c-1 begins several ids: cc_6813e85c-10, cc_6813e85c-11\n"
    done = run("--db", store_path, "show", "6813")
    assert done.stderr.endswith("cc_6813e85c-03, cc_6813e85c-04, ...\n")


def test_an_empty_memory_says_so(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    SqliteSessionStore.open(path).close()
    line = f"nlm-tui: the memory {path} is empty; `nlm-tui index` fills it"
    for command in (["search", "x"], ["search", "x", "--json"], ["show", "x"]):
        done = run("--db", path, *command)
        assert (done.returncode, done.stderr.splitlines()[-1]) == (1, line)


def assert_harmless(output: str) -> None:
    """Fail where output could steer a terminal."""
    kinds = {unicodedata.category(character) for character in set(output) - {"\n"}}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
    assert "\u202e" not in output


HOSTILE_ID = "cc_\x1b[31m\x9b2J\u202e"


@pytest.fixture
def hostile(store: SqliteSessionStore, store_path: Path) -> Path:
    body, turns = join_messages(
        (Message("user", HOSTILE, HOSTILE), Message(HOSTILE, HOSTILE), Message("tool", HOSTILE))
    )
    names = "runtime runtime_session_id label summary started_at ended_at project branch model parent_id"
    texts = dict.fromkeys([*names.split(), "transcript_path", "transcript_kind"], HOSTILE)
    lists = dict.fromkeys(("entities", "decisions", "open"), (HOSTILE,))
    for session_id in (HOSTILE_ID, "plain"):
        store.insert_sessions(a_session(session_id, body=body, turns=turns, **texts, **lists))
    store.close()
    return store_path


def test_hostile_text_steers_no_terminal(run: Run, hostile: Path) -> None:
    found = run("--db", hostile, "search", "redis")
    assert (found.returncode, found.stderr) == (0, "")
    assert_harmless(found.stdout)
    found = run("--db", hostile, "search", "redis", "--json")
    assert_harmless(found.stdout)
    assert {hit["id"] for hit in json.loads(found.stdout)["results"]} == {HOSTILE_ID, "plain"}, "ids stay what they are"
    for session_id in (HOSTILE_ID, "plain"):
        for more in ([], ["--json"]):
            done = run("--db", hostile, "show", session_id, *more)
            assert (done.returncode, done.stderr) == (0, "")
            assert_harmless(done.stdout)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_an_old_encoding_is_no_crash(run: Run, store: SqliteSessionStore, store_path: Path, encoding: str) -> None:
    store.insert_sessions(a_session(label="Straße 検索 😀", body="café …"))
    store.close()
    for command in (["search", "straße"], ["show", "cc_1"], ["search", "straße", "--json"], ["show", "検索"]):
        done = run("--db", store_path, *command, PYTHONIOENCODING=encoding)
        assert done.returncode == (1 if command == ["show", "検索"] else 0)
        assert "Stra" in done.stdout or "no session" in done.stderr


@pytest.mark.parametrize("command", [["show", "cc_1"], ["show", "cc_1", "--json"], ["search", "word"]])
def test_output_cut_off_by_head_is_no_crash(
    environ: dict[str, str], store: SqliteSessionStore, store_path: Path, command: list[str]
) -> None:
    store.insert_sessions(a_session(label="word " * 100_000, body="word\n" * 200_000))
    store.close()
    program = [sys.executable, "-m", "nlm_tui", "--db", str(store_path), *command]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == -getattr(signal, "SIGPIPE", -2)
