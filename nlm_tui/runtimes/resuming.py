"""The command by which each runtime goes on with one of its sessions.

Ids and directories are what a transcript says, so they are checked: an id by the form that its runtime gives ids, a
directory by looking. A command is a list of words, never text for a shell.
"""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nlm_tui.core import Session, one_line
from nlm_tui.core.resume import Resume
from nlm_tui.core.secrets import mask
from nlm_tui.runtimes.jsonl import JsonLines, as_text

Which = Callable[[str], str | None]
Look = Callable[[Path], bool]

_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_WORD = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}"  # no dash in front: it is no option
_ID = "{id}"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NO_LETTER = re.compile(r"[^A-Za-z0-9]")
_LONGEST_FOLDER = 200  # characters, then Claude Code cuts it and adds a hash


@dataclass(frozen=True, slots=True)
class _Agent:
    """How a runtime resumes: the words of the command, the form of its ids, and whether it looks by directory."""

    words: tuple[str, ...]
    id_form: str = _UUID
    bound: bool = False
    note: str = ""


_AGENTS: Final[dict[str, _Agent]] = {
    "claude-code": _Agent(("claude", "--resume", _ID), bound=True),
    "codex": _Agent(("codex", "resume", _ID)),
    "gemini-cli": _Agent(("gemini", "--resume", _ID), bound=True),
    "opencode": _Agent(("opencode", "--session", _ID), r"ses_[A-Za-z0-9]{1,64}", bound=True),
    "pi": _Agent(("pi", "--session", _ID), bound=True),
    "aider": _Agent(
        ("aider", "--restore-chat-history"),
        ".*",
        bound=True,
        note="aider goes on with the end of the folder's history, not with a session of your choice",
    ),
    "cursor": _Agent(("cursor-agent", "--resume", _ID), bound=True),
    "copilot-cli": _Agent(("copilot", "--resume", _ID)),
    "droid": _Agent(("droid", "--resume", _ID)),
    "goose": _Agent(("goose", "session", "--resume", "--session-id", _ID), _WORD),
    "amp": _Agent(("amp", "threads", "continue", _ID), f"T-{_UUID}", note="amp keeps its threads on a server"),
    "qwen-code": _Agent(("qwen", "--resume", _ID), bound=True),
    "hermes": _Agent(("hermes", "--resume", _ID), _WORD),
    "kimi": _Agent(("kimi", "--session", _ID), _WORD),
    "grok": _Agent(("grok", "--resume", _ID), _WORD),
    "mistral-vibe": _Agent(("vibe", "--resume", _ID), _WORD),
    "crush": _Agent(("crush", "--session", _ID), _WORD),
    "gptme": _Agent(("gptme", "--name", _ID), _WORD),
    "kiro": _Agent(("kiro-cli", "chat", "--resume-id", _ID), _WORD),
}
_OTHER_NAMES: Final = {
    "claude": "claude-code",
    "gemini": "gemini-cli",
    "copilot": "copilot-cli",
    "cursor-agent": "cursor",
    "factory-droid": "droid",
    "qwen": "qwen-code",
}


def resume_command(
    session: Session,
    parent: Session | None = None,
    *,
    which: Which = shutil.which,
    is_dir: Look = Path.is_dir,
    exists: Look = Path.exists,
) -> Resume:
    """Return how `session` is resumed on this machine; `parent` is the session that it is a subagent of.

    Reads its transcript where Claude Code moved the session to another directory.
    """
    agent = _AGENTS.get(_OTHER_NAMES.get(session.runtime, session.runtime))
    if agent is None:
        return Resume(refusal=f"sessions of {one_line(session.runtime)} cannot be resumed from a shell")
    if session.parent_id:
        named = mask(one_line(parent.label)) if parent else one_line(session.parent_id)
        return Resume(refusal=f"a subagent cannot be resumed; the session that started it can: {named}")
    path = Path(session.transcript_path) if session.transcript_path else None
    if path is not None and path.suffix == ".vscdb":
        return Resume(refusal="chats of an editor cannot be resumed from a shell")
    native = session.runtime_session_id or ""
    if _ID in agent.words and not re.fullmatch(agent.id_form, native, re.ASCII):
        shown = one_line(native)[:60]
        return Resume(
            refusal=f"{shown} is no id of {one_line(session.runtime)}"
            if shown
            else f"the memory does not know its id in {one_line(session.runtime)}"
        )
    command = tuple(native if word == _ID else word for word in agent.words)
    gone = session.source_gone or (path is not None and not exists(path))
    recorded = _directory(session, path) if not gone else session.project
    directory, notes = _existing(recorded, agent, is_dir)
    refusal = _refusal(session, command[0], path, gone=gone, which=which)
    return Resume(command, directory, refusal, (*notes, *filter(None, (agent.note,))))


def _refusal(session: Session, program: str, path: Path | None, *, gone: bool, which: Which) -> str:
    if gone:
        return "its transcript was deleted, and the agent with it forgot the session"
    if path is not None and session.runtime == "codex" and "archived_sessions" in path.parts:
        return f"it is archived; `codex unarchive {session.runtime_session_id}` brings it back"
    if which(program) is None:
        return f"{program} is not installed here: no such command in PATH"
    return ""


def _existing(recorded: str | None, agent: _Agent, is_dir: Look) -> tuple[str | None, tuple[str, ...]]:
    """Return the directory to run in, the nearest parent that is left of one that is gone, and what to say of it."""
    if not recorded or _CONTROL.search(recorded) or not Path(recorded).is_absolute():
        return None, ("the memory does not know its directory",) if agent.bound else ()
    folder = Path(recorded)
    if is_dir(folder):
        return recorded, ()
    nearest = next((parent for parent in folder.parents if is_dir(parent)), None)
    left = f"; {one_line(str(nearest))} is the nearest that is left" if nearest else ""
    gone = f"its directory {one_line(recorded)} is gone{left}"
    if not agent.bound:
        return str(nearest) if nearest else None, (gone,)
    missed = f"{agent.words[0]} looks for sessions by their directory, and may not find this one"
    return str(nearest) if nearest else None, (gone, missed)


def _directory(session: Session, path: Path | None) -> str | None:
    """Return where a session was led last; Claude Code keeps one that moved with those of its new directory."""
    if session.runtime not in {"claude-code", "claude"} or path is None or not session.project:
        return session.project
    folder = path.parent.name
    if _is_folder_of(session.project, folder):
        return session.project
    return _moved_to(path, folder) or session.project


def _moved_to(path: Path, folder: str) -> str:
    """Return the last directory in a transcript that belongs to the folder it lies in, '' where none does."""
    last = ""
    try:
        with path.open("rb") as file:
            for record in JsonLines(file):
                for key in ("cwd", "relocatedCwd"):
                    if (found := as_text(record.get(key))) and _is_folder_of(found, folder):
                        last = found
    except OSError:
        return ""
    return last


def _is_folder_of(directory: str, folder: str) -> bool:
    """Return whether Claude Code keeps the sessions of `directory` in `folder`, but for the hash of a long one."""
    name = _NO_LETTER.sub("-", directory)
    if len(name) <= _LONGEST_FOLDER:
        return name == _NO_LETTER.sub("-", folder)
    return folder.startswith(name[:_LONGEST_FOLDER])
