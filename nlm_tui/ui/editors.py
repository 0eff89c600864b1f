"""The user's editor and pager, and the line of a file to open."""

import mmap
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

Which = Callable[[str], str | None]

_BY_PLUS: Final = frozenset(
    (
        *("vi", "vim", "nvim", "view", "gvim", "nano", "pico", "micro", "kak", "hx", "helix", "joe", "ne", "mg"),
        *("emacs", "emacsclient"),
    )
)
_BY_GOTO: Final = frozenset(("code", "code-insiders", "codium", "cursor", "windsurf"))
_BY_COLON: Final = frozenset(("subl", "zed"))
_EDITORS: Final = ("nano", "vim", "vi", "notepad.exe")
_PAGERS: Final = ("less", "more")
_PIECE: Final = 1 << 20
_NO_TEXT: Final = re.compile(rb"[\x00\x01-\x08\x0e-\x1a]")


class NotOpenedError(Exception):
    """What is to be opened cannot be, and why."""


def editor(environ: Mapping[str, str], which: Which) -> tuple[str, ...]:
    """Return the words that begin the command of the user's editor.

    Raises:
        NotOpenedError: there is none.
    """
    return _chosen(("VISUAL", "EDITOR"), _EDITORS, environ, which)


def pager(environ: Mapping[str, str], which: Which) -> tuple[str, ...]:
    """Return the command of the user's pager.

    Raises:
        NotOpenedError: there is none.
    """
    return _chosen(("PAGER",), _PAGERS, environ, which)


def _chosen(
    variables: tuple[str, ...], usual: tuple[str, ...], environ: Mapping[str, str], which: Which
) -> tuple[str, ...]:
    for name in variables:
        if not environ.get(name, "").strip():
            continue
        try:
            words = tuple(shlex.split(environ[name]))
        except ValueError as error:
            raise NotOpenedError(f"{name} cannot be read: {error}") from error
        if words:
            return words
    found = next((name for name in usual if which(name)), None)
    if found is None:
        raise NotOpenedError(f"{' and '.join(variables)} name no program, and there is none of {', '.join(usual)}")
    return (found,)


def at_line(words: tuple[str, ...], path: Path, line: int) -> tuple[str, ...]:
    """Return the command that opens a file at a line, where the editor is one whose way is known."""
    name = Path(words[0]).name.lower().removesuffix(".exe")
    if line > 1 and name in _BY_PLUS:
        return (*words, f"+{line}", str(path))
    if line > 1 and name in _BY_GOTO:
        return (*words, "-g", f"{path}:{line}")
    if line > 1 and name in _BY_COLON:
        return (*words, f"{path}:{line}")
    return (*words, str(path))


def line_with(path: Path, text: str) -> int:
    """Return the number of the first line of a file that holds `text`; 1 where none does.

    Raises:
        NotOpenedError: it is no text, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            if _NO_TEXT.search(file.read(1024)):
                raise NotOpenedError(f"{path} is no text that an editor could show")
            if not text or not file.seek(0, 2):
                return 1
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
                place = max(held.find(text.encode()), 0)
                pieces = range(0, place, _PIECE)
                return 1 + sum(held[start : min(start + _PIECE, place)].count(b"\n") for start in pieces)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise NotOpenedError(f"{path} cannot be read: {reason or type(error).__name__}") from error
