"""What the shell gets of a session: its id, a path, a command to resume it, all of it, or the agent itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NoReturn

from nlm_tui import output
from nlm_tui.core import Session, SessionStore, one_line
from nlm_tui.core.resume import Resume
from nlm_tui.display.export import Place, exported_session
from nlm_tui.runtimes.resuming import resume_command

Printed = Literal["id", "path", "command", "markdown"]

_NOTHING = 1

Execute = Callable[[str, tuple[str, ...]], NoReturn]


def labels_of_others(store: SessionStore, session: Session) -> dict[str, str]:
    """Return the labels of the sessions that one is linked to, by their ids."""
    parent = (session.parent_id,) if session.parent_id else ()
    linked = store.get_by_ids([*parent, *session.continues, *session.superseded_by])
    return {other.id: other.label for other in linked}


def print_session(store: SessionStore, session_id: str, what: Printed, home: Path) -> int:
    """Print what is wanted of a session and return the exit status; complain where there is no such thing."""
    session = store.get_by_id(session_id)
    if session is None:
        return _complained(f"the session {session_id} is gone")
    if what == "markdown":
        text = exported_session(session, "markdown", Place(home), labels_of_others(store, session)).rstrip("\n")
    elif what == "command":
        resume = found_resume(store, session)
        if resume.refusal:
            return _complained(resume.refusal)
        text = resume.line
    else:
        text = one_line(session.id if what == "id" else session.transcript_path or "")
    if not text:
        return _complained("the memory does not know where its transcript is")
    output.print_lines([text])
    return 0


def found_resume(store: SessionStore, session: Session) -> Resume:
    """Return how a session is resumed on this machine."""
    return resume_command(session, store.get_by_id(session.parent_id) if session.parent_id else None)


def become(resume: Resume, execute: Execute = os.execvp) -> int:
    """Become the agent of a session, in its directory; return the exit status where that is not possible."""
    output.complain_all(resume.notes)
    if resume.refusal:
        return _complained(resume.refusal)
    try:
        if resume.directory is not None:
            os.chdir(resume.directory)
        execute(resume.command[0], resume.command)
    except OSError as error:
        return _complained(f"{resume.command[0]}: {error.strerror or type(error).__name__}")


def _complained(problem: str) -> int:
    output.complain(problem)
    return _NOTHING
