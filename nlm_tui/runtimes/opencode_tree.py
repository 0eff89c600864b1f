"""The store of OpenCode up to 1.1: a tree of JSON files, one for every session, message and part."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.jsonl import LINE_LIMIT, Record, as_dict, as_source, entries, parse_json
from nlm_tui.runtimes.opencode_talk import Header, Talk

_SUFFIX = ".json"
_INFO = "info"  # the folder of session files in the older layout


@dataclass(frozen=True, slots=True)
class _Tree:
    """Where the messages of sessions lie, and the parts of these, in one of two layouts."""

    messages: Path
    parts: Path
    by_session: bool  # whether parts lie below their session

    def parts_of(self, session: str, message: str) -> Path:
        return self.parts / session / message if self.by_session else self.parts / message


def sessions(home: Path) -> Iterator[Source]:
    """Yield the session files below a data folder, each with what tells that something was added to it.

    A session that was moved to the newer layout is not looked for in the older one.
    """
    seen: set[str] = set()
    for folder, tree in _folders(home):
        for entry in entries(folder):
            session = entry.name.removesuffix(_SUFFIX)
            if session == entry.name or session in seen:
                continue
            for source in as_source(entry):
                seen.add(session)
                yield _with_messages(source, tree, session)


def read(path: Path) -> Transcript | None:
    """Read a session and its messages; None if it has none.

    Raises:
        TranscriptError: the file is no session.
        OSError: it cannot be opened.
    """
    session = as_dict(_read(path))
    if not ("id" in session and "time" in session):
        raise TranscriptError("no OpenCode session in it")
    tree = _tree_of(path)
    talk = Talk(_header(path.stem, session))
    for message in _names(tree.messages / path.stem):
        value = _read_or_none(tree.messages / path.stem / f"{message}{_SUFFIX}")
        folder = tree.parts_of(path.stem, message)
        talk.take_message(message, value, (_read_or_none(folder / f"{part}{_SUFFIX}") for part in _names(folder)))
    return talk.transcript()


def _header(native_id: str, session: Record) -> Header:
    time = as_dict(session.get("time"))
    return Header(
        native_id=native_id,
        kind="opencode-json",
        title=session.get("title"),
        directory=session.get("directory"),
        parent=session.get("parentID"),
        revert=as_dict(session.get("revert")),
        created=time.get("created"),
        updated=time.get("updated"),
        archived=bool(time.get("archived")),
    )


def _folders(home: Path) -> Iterator[tuple[str | Path, _Tree]]:
    """Yield the folders that hold session files, those of the newer layout first."""
    storage = home / "storage"
    for project in entries(storage / "session"):
        if project.is_dir():
            yield project.path, _newer(storage)
    for project in entries(home / "project"):
        older = Path(project.path, "storage", "session")
        yield older / _INFO, _older(older)


def _tree_of(path: Path) -> _Tree:
    return _older(path.parent.parent) if path.parent.name == _INFO else _newer(path.parent.parent.parent)


def _newer(storage: Path) -> _Tree:
    return _Tree(storage / "message", storage / "part", by_session=False)


def _older(storage: Path) -> _Tree:
    return _Tree(storage / "message", storage / "part", by_session=True)


def _with_messages(source: Source, tree: _Tree, session: str) -> Source:
    """Return the source of a session that changes with its messages and the parts of the last one."""
    folder = tree.messages / session
    messages = _names(folder)
    watched = [folder]
    if messages:
        watched += [folder / f"{messages[-1]}{_SUFFIX}", tree.parts_of(session, messages[-1])]
    times = [source.mtime_ns, *map(_mtime_ns, watched)]
    return Source(source.path, len(messages), max(times), file=source.file)


def _names(folder: Path) -> list[str]:
    """Return the ids of the files in a folder, in the order in which they were given."""
    return sorted(entry.name.removesuffix(_SUFFIX) for entry in entries(folder) if entry.name.endswith(_SUFFIX))


def _mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _read(path: Path) -> object:
    with path.open("rb") as file:
        data = file.read(LINE_LIMIT + 1)
    return parse_json(data) if len(data) <= LINE_LIMIT else None


def _read_or_none(path: Path) -> object:
    try:
        return _read(path)
    except OSError:
        return None
