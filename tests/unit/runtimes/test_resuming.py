"""How sessions go on in their own agents, and why some cannot."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import a_session
from transcript_fixtures import sessions

from nlm_tui.core import Session
from nlm_tui.core.resume import Resume
from nlm_tui.runtimes.resuming import resume_command

UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


def resumed(session: Session, parent: Session | None = None, **given: object) -> Resume:
    """Resume on a machine where every agent and every folder is."""
    everything = {"which": lambda name: f"/bin/{name}", "is_dir": lambda _: True, "exists": lambda _: True}
    return resume_command(session, parent, **(everything | given))


def is_safe(text: str) -> bool:
    return not {unicodedata.category(character) for character in text} & {"Cc", "Cs"}


def a_claude_session(**given: object) -> Session:
    path = f"/home/sam/.claude/projects/-home-sam-pay/{UUID}.jsonl"
    usual = {"runtime_session_id": UUID, "project": "/home/sam/pay", "transcript_path": path}
    return a_session(**(usual | given))


@pytest.mark.parametrize(
    ("runtime", "native", "command"),
    [
        ("claude-code", UUID, f"claude --resume {UUID}"),
        ("codex", UUID, f"codex resume {UUID}"),
        ("gemini-cli", UUID, f"gemini --resume {UUID}"),
        ("opencode", "ses_6a1b2C", "opencode --session ses_6a1b2C"),
        ("pi", UUID, f"pi --session {UUID}"),
        ("aider", None, "aider --restore-chat-history"),
        ("cursor", UUID, f"cursor-agent --resume {UUID}"),
        ("copilot-cli", UUID, f"copilot --resume {UUID}"),
        ("droid", UUID, f"droid --resume {UUID}"),
        ("goose", "20260201_1", "goose session --resume --session-id 20260201_1"),
        ("amp", f"T-{UUID}", f"amp threads continue T-{UUID}"),
        ("qwen-code", UUID, f"qwen --resume {UUID}"),
        ("hermes", "20260201_101112_a1b2", "hermes --resume 20260201_101112_a1b2"),
        ("claude", UUID, f"claude --resume {UUID}"),  # as other programs call them
        ("gemini", UUID, f"gemini --resume {UUID}"),
        ("kimi", "abc", "kimi --session abc"),
    ],
)
def test_each_runtime_has_its_command(runtime: str, native: str | None, command: str) -> None:
    found = resumed(a_session(runtime=runtime, runtime_session_id=native, project="/src/pay app"))
    assert found.refusal == ""
    assert " ".join(found.command) == command
    assert found.directory == "/src/pay app"
    assert found.line == f"cd '/src/pay app' && {command}"


@pytest.mark.parametrize("runtime", ["claude-code", "codex", "opencode", "goose", "amp", "hermes", "pi"])
@pytest.mark.parametrize(
    "native", ["--help", "-x", "a b", "$(id)", f"{UUID}\n", f"{UUID};id", "../x", "\x1b[2Jx", "٣" * 8]
)
def test_an_id_of_another_form_is_refused(runtime: str, native: str) -> None:
    found = resumed(a_session(runtime=runtime, runtime_session_id=native, project="/src"))
    assert found.command == ()
    assert found.line == ""
    assert found.refusal.endswith(f"is no id of {runtime}")
    assert is_safe(found.refusal)


def test_what_cannot_be_resumed() -> None:
    assert resumed(a_session(runtime="windsurf")).refusal == "sessions of windsurf cannot be resumed from a shell"
    assert (
        resumed(a_claude_session(runtime_session_id=None)).refusal == "the memory does not know its id in claude-code"
    )
    chat = a_session(runtime="cursor", runtime_session_id=UUID, transcript_path="/home/sam/User/state.vscdb")
    assert resumed(chat).refusal == "chats of an editor cannot be resumed from a shell"
    sub = a_claude_session(parent_id="cc_0")
    assert resumed(sub, a_session("cc_0", label="The\nplan")).refusal == (
        "a subagent cannot be resumed; the session that started it can: The plan"
    )
    assert resumed(sub).refusal.endswith("can: cc_0")


def test_an_agent_that_is_not_installed_is_named_and_its_command_is_still_known() -> None:
    found = resumed(a_claude_session(), which=lambda _: None)
    assert found.refusal == "claude is not installed here: no such command in PATH"
    assert found.line == f"cd /home/sam/pay && claude --resume {UUID}"


def test_a_deleted_transcript_cannot_be_resumed() -> None:
    assert "transcript was deleted" in resumed(a_claude_session(source_gone=True)).refusal
    assert "transcript was deleted" in resumed(a_claude_session(), exists=lambda _: False).refusal
    assert resumed(a_claude_session(transcript_path=None), exists=lambda _: False).refusal == ""


def test_an_archived_session_has_to_be_brought_back() -> None:
    path = f"/home/sam/.codex/archived_sessions/rollout-2026-05-14T10-32-00-{UUID}.jsonl"
    found = resumed(a_session(runtime="codex", runtime_session_id=UUID, transcript_path=path))
    assert found.refusal == f"it is archived; `codex unarchive {UUID}` brings it back"


def test_the_nearest_directory_that_is_left_is_offered() -> None:
    left = {Path("/home/sam"), Path("/home"), Path("/")}
    found = resumed(a_claude_session(project="/home/sam/gone/pay", transcript_path=None), is_dir=left.__contains__)
    assert found.refusal == ""
    assert found.directory == "/home/sam"
    assert found.notes == (
        "its directory /home/sam/gone/pay is gone; /home/sam is the nearest that is left",
        "claude looks for sessions by their directory, and may not find this one",
    )
    found = resumed(a_session(runtime="codex", runtime_session_id=UUID, project="/x"), is_dir=lambda _: False)
    assert (found.directory, found.notes) == (None, ("its directory /x is gone",))


@pytest.mark.parametrize("project", [None, "", "pay", "../pay", "/a\nb", "/a\x1b[2J"])
def test_a_directory_that_is_none_is_not_gone_to(project: str | None) -> None:
    found = resumed(a_session(runtime="gemini-cli", runtime_session_id=UUID, project=project))
    assert (found.directory, found.notes) == (None, ("the memory does not know its directory",))
    assert resumed(a_session(runtime="codex", runtime_session_id=UUID, project=project)).notes == ()


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        pytest.param(root, expected, id=name)
        for name, root, expected in sessions("claude", set())
        if expected.get("resume_cwd")
    ],
)
def test_a_session_that_moved_is_resumed_where_it_is(root: Path, expected: dict) -> None:
    path = root / expected["file"]
    session = a_claude_session(
        runtime_session_id=expected["session_id"], project=expected["cwd"], transcript_path=str(path)
    )
    assert resumed(session).directory == expected["resume_cwd"]


def test_a_transcript_that_cannot_be_read_leaves_the_directory_that_is_known() -> None:
    assert resumed(a_claude_session(project="/home/sam/elsewhere")).directory == "/home/sam/elsewhere"
    long = "/home/sam/" + "x" * 300
    folder = "-home-sam-" + "x" * 190
    assert resumed(a_claude_session(project=long, transcript_path=f"/p/{folder}-abc/{UUID}.jsonl")).directory == long


@given(st.text(), st.text(), st.sampled_from(["claude-code", "codex", "goose", "aider", "pi"]))
def test_no_transcript_can_add_a_word(native: str, project: str, runtime: str) -> None:
    found = resumed(a_session(runtime=runtime, runtime_session_id=native, project=project), is_dir=lambda _: False)
    usual = resumed(a_session(runtime=runtime, runtime_session_id=UUID))
    assert not found.command or len(found.command) == len(usual.command)
    assert not any(word.startswith("-") for word in found.command if word == native)
    assert is_safe("".join((found.refusal, *found.notes)))
