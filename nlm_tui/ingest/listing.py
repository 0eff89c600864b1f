"""What there is to read: of each runtime where it is looked for, what was found, and what could not be read."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from nlm_tui.ingest.changes import distinct
from nlm_tui.ingest.policy import Policy
from nlm_tui.ingest.ports import ProjectsReader, Reader, SourceState
from nlm_tui.ingest.report import Recovered, Skipped
from nlm_tui.ingest.unreadable import noting


class Root(NamedTuple):
    """A place where a runtime is looked for. `problem` says why one that the user named gives nothing."""

    path: Path
    exists: bool
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeSources:
    """The sources of one runtime; of one that is not `enabled` there are only sessions that the memory kept.

    `found` counts files, `unread` those of them that the memory does not know yet or not as they are now, `excluded`
    those that the settings exclude, `gone` the sessions that no file holds any more; `size` is in bytes, `newest_ns` in
    nanoseconds since 1970. `projects` counts the directories of sessions that it is looked for in too, None where it is
    not.
    """

    runtime: str
    enabled: bool = True
    roots: tuple[Root, ...] = ()
    projects: int | None = None
    found: int = 0
    unread: int = 0
    excluded: int = 0
    gone: int = 0
    sessions: int = 0
    size: int = 0
    newest_ns: int | None = None
    skipped: tuple[Skipped, ...] = ()
    recovered: tuple[Recovered, ...] = ()


_States = Mapping[str, SourceState]


def list_sources(
    readers: Iterable[Reader],
    states: Mapping[str, _States],
    policy: Policy,
    *,
    named: Mapping[str, Sequence[Path]] | None = None,
    off: Iterable[str] = (),
) -> list[RuntimeSources]:
    """Return what there is of each runtime; `states` is what the memory knows of their sources, by runtime and key.

    `named` are the folders that the user named, by runtime; `off` the runtimes that are not to be read.
    """
    named = named or {}
    return [
        *(_listed(each, states.get(each.runtime, {}), policy, named.get(each.runtime, ())) for each in readers),
        *(RuntimeSources(runtime=name, enabled=False, sessions=_sessions(states.get(name, {}))) for name in off),
    ]


def useless_roots(reader: Reader, named: Iterable[Path]) -> Iterator[Root]:
    """Yield those of the folders that the user named in which `reader` finds nothing, whatever lies there."""
    for folder in named:
        if problem := _problem(reader, folder):
            yield Root(folder, os.path.lexists(folder), problem)


def _problem(reader: Reader, folder: Path) -> str:
    try:
        mode = folder.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "there is no such folder"
    except OSError as error:
        return f"it cannot be looked into: {error.strerror}"
    if not stat.S_ISDIR(mode):
        return "it is no folder"
    inside = [root for root in reader.roots if root.is_relative_to(folder)]
    if isinstance(reader, ProjectsReader) or not inside or any(map(_exists, inside)):
        return ""
    return (
        f"{reader.runtime} keeps nothing there: it has no {', '.join(str(root.relative_to(folder)) for root in inside)}"
    )


def _roots(reader: Reader, named: Sequence[Path]) -> Iterator[Root]:
    """Yield where `reader` looks, and each folder that the user named of which that does not tell."""
    useless = {root.path: root for root in useless_roots(reader, named)}
    yield from useless.values()
    looked = [folder for folder in named if folder not in useless] if isinstance(reader, ProjectsReader) else []
    for root in dict.fromkeys((*looked, *reader.roots)):
        if not any(root.is_relative_to(folder) for folder in useless):
            yield Root(root, _exists(root))


def _exists(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - False where it may not be looked at


def _listed(reader: Reader, states: _States, policy: Policy, named: Sequence[Path]) -> RuntimeSources:
    with noting() as unreadable:
        files = distinct(reader.discover())
    read = [source for source in files if not policy.excludes_path(str(source.path))]
    lost = {state.session_id for state in states.values() if state.gone and state.session_id}
    known = {key: state for key, state in sorted(states.items()) if not state.gone}
    return RuntimeSources(
        runtime=reader.runtime,
        roots=tuple(_roots(reader, named)),
        projects=len(reader.projects()) if isinstance(reader, ProjectsReader) else None,
        found=len(files),
        unread=sum(
            (state := known.get(source.key)) is None or (state.size, state.mtime_ns) != (source.size, source.mtime_ns)
            for source in read
        ),
        excluded=len(files) - len(read),
        gone=len(lost - {state.session_id for state in known.values()}),
        sessions=_sessions(states),
        size=sum(source.size for source in files),
        newest_ns=max((source.mtime_ns for source in files), default=None),
        skipped=tuple(
            dict.fromkeys(
                (
                    *(Skipped(path, reason) for path, reason in unreadable.items()),
                    *(Skipped(key, state.reason) for key, state in known.items() if state.reason is not None),
                )
            )
        ),
        recovered=tuple(
            Recovered(key, state.bad_lines, state.bad_line) for key, state in known.items() if state.bad_lines
        ),
    )


def _sessions(states: _States) -> int:
    return len({state.session_id for state in states.values() if state.session_id})
