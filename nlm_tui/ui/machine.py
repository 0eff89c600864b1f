"""The machine around the app: its programs, its clipboard, and where files are written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from textual.app import App

from nlm_tui.core import Session
from nlm_tui.core.resume import Resume
from nlm_tui.ui.clipboard import Clipboard
from nlm_tui.ui.outside import Ended, run_outside, show_outside


class RunOutside(Protocol):
    """Runs a program on the app's terminal."""

    def __call__(
        self, app: App[None], command: Sequence[str], cwd: str | None = None, *, data: bytes | None = None
    ) -> Ended: ...


def _nothing(_: str) -> None:
    return None


def _unknown(session: Session, parent: Session | None) -> Resume:
    del session, parent
    return Resume(refusal="sessions cannot be resumed from here")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What commands use beside the memory; all of it can be exchanged.

    `resume` says how a session is resumed, given the one that it is a subagent of; it looks at files. `folder` is where
    exported files go.
    """

    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    which: Callable[[str], str | None] = _nothing
    resume: Callable[[Session, Session | None], Resume] = _unknown
    clipboard: Clipboard = field(default_factory=lambda: Clipboard({}, _nothing))
    run: RunOutside = run_outside
    show: Callable[[App[None], str], str] = show_outside
    folder: Path = field(default_factory=Path)
