"""The file that the screen's memory of itself is kept in."""

import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from threading import Lock
from typing import Final, cast

from nlm_tui.settings.state import MOST_QUERIES, LastScreen, SavedQuery, State

LARGEST_BYTES: Final = 4_000_000
_OURS: Final = tuple(field.name for field in fields(State))


class StateError(Exception):
    """What is to be remembered cannot be kept; the text says why."""


class StateFile:
    """Keeps a state in a file that only its owner can read; without a path, in memory.

    Nothing depends on it: what cannot be read is the state of a first start, and `problem` says why. A change is made
    to what the file holds by then, so that of two programs none undoes what the other kept.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._state = State()
        self._lock = Lock()
        self.problem = ""

    @property
    def state(self) -> State:
        """What was last read or kept."""
        return self._state

    def read(self) -> State:
        """Read the file, and say in `problem` what is wrong with it."""
        if self._path is not None:
            self._state, _, self.problem = _read(self._path)
        return self._state

    def change(self, change: Callable[[State], State]) -> State:
        """Keep what `change` makes of the state. What was no state is moved aside first.

        Raises:
            StateError: the file cannot be written; for this run the change counts.
        """
        with self._lock:
            if self._path is None:
                self._state = change(self._state)
                return self._state
            try:
                self._state = _changed(self._path, change)
            except StateError:
                self._state = change(self._state)
                raise
            return self._state


def _changed(path: Path, change: Callable[[State], State]) -> State:
    before, others, problem = _read(path)
    after = change(before)
    if after == before and not problem:
        return after
    try:
        if problem:
            with suppress(FileNotFoundError):
                path.replace(path.with_name(f"{path.name}.damaged"))
        _write(path, others | asdict(after))
    except (OSError, ValueError) as error:
        raise StateError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error
    return after


def _read(path: Path) -> tuple[State, dict[str, object], str]:
    """Return the state, what else the file holds, and why it is none."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return State(), {}, f"{path}: this is no file"
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES)  # what was cut off is damaged
    except (FileNotFoundError, NotADirectoryError):
        return State(), {}, ""
    except (OSError, ValueError) as error:
        return State(), {}, f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"
    try:
        held = _record(json.loads(content))
        state = _state(held)
    except (ValueError, RecursionError):
        return State(), {}, f"{path}: is damaged; it is kept as {path.name}.damaged, and begun anew"
    return state, {name: value for name, value in held.items() if name not in _OURS}, ""


def _state(held: dict[str, object]) -> State:
    """Return what `held` says; what it does not say is as at the first start.

    Raises:
        ValueError: something in it is not as it was written.
    """
    state = State(
        theme=_text(held.get("theme", "")),
        history=tuple(dict.fromkeys(_text(query) for query in _items(held.get("history", []))))[:MOST_QUERIES],
        last=LastScreen(**_texts(held.get("last", {}), LastScreen)),
    )
    for saved in _items(held.get("saved", [])):
        query = SavedQuery(**({"name": "", "text": ""} | _texts(saved, SavedQuery)))
        state = state.named(query.name, query.text)
    return state


def _texts(value: object, kind: type[LastScreen | SavedQuery]) -> dict[str, str]:
    record = _record(value)
    return {field.name: _text(record[field.name]) for field in fields(kind) if field.name in record}


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()  # half of a surrogate pair could not be written again
    raise ValueError


def _items(value: object) -> list[object]:
    if isinstance(value, list):
        return cast("list[object]", value)
    raise ValueError


def _record(value: object) -> dict[str, object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    raise ValueError


def _write(path: Path, held: dict[str, object]) -> None:
    """Write the whole file beside the old one and put it in its place.

    Raises:
        OSError: that is not possible.
        ValueError: it could not be read again.
    """
    content = f"{json.dumps(held, ensure_ascii=False, indent=1)}\n".encode()
    if len(content) >= LARGEST_BYTES:
        raise ValueError(f"more than {LARGEST_BYTES:,} bytes would be too many to read again")
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
