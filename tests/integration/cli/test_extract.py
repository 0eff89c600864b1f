"""Extraction by a model through the real command, from a server that answers as Ollama does."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_ollama import FakeOllama, Fault, Model
from filelock import FileLock
from scripted_extraction import an_answer
from support import Run, a_session

from nlm_tui.core import Message, Session, join_messages
from nlm_tui.ingest.events import decode_event
from nlm_tui.ingest.report import ExtractionProgress, ExtractionReport
from nlm_tui.storage import SqliteSessionStore

NAME = "qwen3:4b-instruct"
QUEUES = ("nats", "kafka", "redis")


def said(body: dict[str, Any]) -> str:
    """Return what a good model says to the sessions of `memory`."""
    name = next(name for name in QUEUES if f"[0 USER] we take {name}" in body["messages"][1]["content"])
    note = {"text": f"Take {name} for the queue", "msg": 0, "quote": f"we take {name}"}
    return json.dumps(an_answer(label=f"Take {name} for the queue", decisions=[note]))


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with FakeOllama(models=[Model(NAME, ("completion",), 40_960)], chat=said) as fake:
        yield fake


@pytest.fixture
def environ(environ: dict[str, str], server: FakeOllama) -> dict[str, str]:
    """The usual environment, with a model to extract by."""
    return {**environ, "NLM_EXTRACTOR": "ollama", "OLLAMA_HOST": server.host}


def talk(name: str, day: int) -> Session:
    body, turns = join_messages((Message("user", f"we take {name} for the queue"),))
    return a_session(name, body=body, turns=turns, started_at=f"2026-05-{day:02}T08:00:00.000Z", label="By rules")


@pytest.fixture
def memory(store: SqliteSessionStore, store_path: Path) -> Path:
    store.insert_sessions(*(talk(name, 28 - place) for place, name in enumerate(QUEUES)))
    store.close()
    return store_path


def labels(memory: Path) -> list[str]:
    with SqliteSessionStore.open(memory) as store:
        return [session.label for session in store.list()]


def extracted(run: Run, memory: Path, *arguments: str, status: int = 0, **more: str) -> dict[str, Any]:
    done = run("--db", memory, "extract", "--json", *arguments, **more)
    assert (done.returncode, done.stderr) == (status, "")
    return json.loads(done.stdout)


def test_all_are_looked_at_once(run: Run, memory: Path, server: FakeOllama) -> None:
    report = extracted(run, memory)
    assert (report["extracted"], report["failed"], report["problems"], report["interrupted"]) == (3, 0, [], False)
    assert labels(memory) == [f"Take {name} for the queue" for name in QUEUES]
    asked = len(server.requests)
    assert extracted(run, memory)["extracted"] == 0
    assert len(server.requests) == asked


def test_as_text(run: Run, memory: Path) -> None:
    done = run("--db", memory, "extract", "--limit", 2)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("2 sessions looked at by qwen3:4b-instruct, ")
    assert labels(memory)[2] == "By rules"


def test_one_session_again(run: Run, memory: Path, server: FakeOllama) -> None:
    assert extracted(run, memory, "--session", "kaf")["extracted"] == 1
    assert labels(memory) == ["By rules", "Take kafka for the queue", "By rules"]
    server.chat = lambda body: said(body).replace("Take", "Again take")
    assert extracted(run, memory, "--session", "kafka")["extracted"] == 0
    assert extracted(run, memory, "--session", "kafka", "--redo")["extracted"] == 1
    assert labels(memory)[1] == "Again take kafka for the queue"
    assert extracted(run, memory, "--redo")["extracted"] == 3


def test_show_says_who_found_it(run: Run, memory: Path) -> None:
    before = json.loads(run("--db", memory, "show", "--json", "nats").stdout)["extraction"]
    assert (before["provider"], before["model"], before["at"]) == ("rules", None, None)
    extracted(run, memory)
    now = json.loads(run("--db", memory, "show", "--json", "nats").stdout)["extraction"]
    assert (now["provider"], now["model"], now["prompt_version"]) == ("ollama", NAME, 1)
    assert now["at"].endswith("Z")


def test_back_to_rules(run: Run, memory: Path) -> None:
    extracted(run, memory)
    report = extracted(run, memory, "--redo", "--session", "nats", NLM_EXTRACTOR="rules")
    assert report == {"redone": 1}
    assert [label.startswith("Take ") for label in labels(memory)] == [False, True, True]
    done = run("--db", memory, "extract", "--redo", NLM_EXTRACTOR="rules")
    assert (done.returncode, done.stdout) == (0, "2 sessions looked at by rules\n")
    shown = json.loads(run("--db", memory, "show", "--json", "kafka").stdout)
    assert shown["extraction"]["provider"] == "rules"


@pytest.mark.parametrize(
    ("arguments", "more", "status", "reason"),
    [
        ((), {"NLM_EXTRACTOR": "rules"}, 2, 'the settings say extractor = "rules"'),
        ((), {"NLM_EXTRACTOR": "gpt"}, 2, 'NLM_EXTRACTOR is "gpt", but may be "rules" or "ollama"'),
        (("--session", "nobody"), {}, 1, "no session nobody"),
        (("--limit", "0"), {}, 2, "--limit"),
    ],
)
def test_misuse(
    run: Run, memory: Path, arguments: tuple[str, ...], more: dict[str, str], status: int, reason: str
) -> None:
    done = run("--db", memory, "extract", *arguments, **more)
    assert (done.returncode, done.stdout) == (status, "")
    assert reason in " ".join(done.stderr.split())


def test_no_memory(run: Run, tmp_path: Path) -> None:
    done = run("--db", tmp_path / "none.sqlite", "extract")
    assert done.returncode == 2
    assert not (tmp_path / "none.sqlite").exists()


FAULTS = {
    Fault.REFUSED: "Ollama is not running at 127.0.0.1:",
    Fault.NO_MODEL: "Ollama has no model qwen3:4b-instruct: get it with `ollama pull qwen3:4b-instruct`",
    Fault.SERVER_ERROR: "Ollama refused: llama runner process has terminated",
    Fault.UNAUTHORIZED: "refuses access (status 401): check OLLAMA_API_KEY",
    Fault.REDIRECTS: "sends elsewhere (status 307)",
    Fault.HTML: "is no Ollama",
    Fault.CUT_OFF: "did not answer: peer closed connection",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.lower())
def test_a_server_that_is_away(run: Run, memory: Path, server: FakeOllama, fault: Fault) -> None:
    server.fault = fault
    report = extracted(run, memory, status=1)
    (problem,) = report["problems"]
    assert FAULTS[fault] in problem
    assert (report["failed"], labels(memory)) == (0, ["By rules"] * 3)
    server.fault = Fault.NONE
    assert extracted(run, memory)["extracted"] == 3


@pytest.mark.parametrize("said_to_kafka", ["", "no", '{"label": "cut', '{"a": 1}', "[]", "```\n{}\n```"])
def test_an_answer_of_no_use(run: Run, memory: Path, server: FakeOllama, said_to_kafka: str) -> None:
    server.chat = lambda body: said_to_kafka if "we take kafka" in str(body) else said(body)
    report = extracted(run, memory)
    assert (report["extracted"], report["failed"], report["waiting"]) == (2, 1, 1)
    assert labels(memory)[1] == "By rules"
    server.chat = said
    assert (again := extracted(run, memory))["extracted"] == 0
    assert again["waiting"] == 1
    assert extracted(run, memory, "--session", "kafka")["extracted"] == 1


@contextmanager
def running(environ: dict[str, str], memory: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "nlm_tui", "--db", str(memory), *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environ, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_what_is_done_is_kept_when_it_is_ended(
    run: Run, environ: dict[str, str], memory: Path, server: FakeOllama, number: int, status: int
) -> None:
    def stuck(body: dict[str, Any]) -> str:
        if "we take kafka" in str(body):
            process.send_signal(number)
            server.released.wait(60)
        return said(body)

    server.chat = stuck
    with running(environ, memory, "extract") as process:
        output, _ = process.communicate(timeout=60)
    assert process.returncode == status
    if number == signal.SIGINT:
        assert "interrupted; what is done is kept" in output
    server.released.set()
    server.chat = said
    assert labels(memory) == ["Take nats for the queue", "By rules", "By rules"]
    assert extracted(run, memory)["extracted"] == 2


def test_only_one_at_a_time(run: Run, memory: Path, server: FakeOllama) -> None:
    with FileLock(f"{memory}.extraction.lock"):
        report = extracted(run, memory)
    assert (report["elsewhere"], report["extracted"], server.requests) == (True, 0, [])


def test_indexing_extracts_too(run: Run, memory: Path, server: FakeOllama) -> None:
    report = json.loads(run("--db", memory, "index", "--json", "--no-extract").stdout)
    assert "extraction" not in report
    assert "extraction" not in json.loads(run("--db", memory, "index", "--json", NLM_EXTRACTOR="rules").stdout)
    assert server.requests == []
    report = json.loads(run("--db", memory, "index", "--json").stdout)
    assert report["extraction"]["extracted"] == 3
    assert labels(memory)[0] == "Take nats for the queue"


def test_indexing_goes_on_without_the_server(run: Run, memory: Path, server: FakeOllama) -> None:
    server.fault = Fault.REFUSED
    done = run("--db", memory, "index")
    assert done.returncode == 0
    assert "by model: Ollama is not running at " in done.stdout


def test_the_app_hears_of_it(run: Run, memory: Path) -> None:
    done = run("--db", memory, "index", "--events")
    events = [decode_event(line) for line in done.stdout.encode().splitlines()]
    progress = [event.done for event in events if isinstance(event, ExtractionProgress)]
    assert progress == [0, 1, 2, 3]
    (report,) = [event for event in events if isinstance(event, ExtractionReport)]
    assert report.extracted == 3


def test_what_is_written_is_extracted_when_it_rests(environ: dict[str, str], memory: Path) -> None:
    """As the app does it: watching, until nobody listens any more."""
    code = "import nlm_tui.indexing as i; i._FIRST_SECONDS = 0; from nlm_tui.cli import main; main()"
    command = [sys.executable, "-c", code, "--db", str(memory), "index", "--watch", "--events"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environ) as process:
        assert process.stdout
        assert process.stdin
        report = next(event for line in process.stdout if isinstance(event := decode_event(line), ExtractionReport))
        process.stdin.close()
        assert process.wait(60) == 0
    assert report.extracted == 3
    assert labels(memory)[0] == "Take nats for the queue"
