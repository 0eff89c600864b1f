"""What there is to read: of each runtime where it is looked for, what was found, and what could not be read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nlm_tui.ingest.changes import distinct
from nlm_tui.ingest.policy import Policy
from nlm_tui.ingest.ports import Reader, SourceState
from nlm_tui.ingest.report import Recovered, Skipped
from nlm_tui.ingest.unreadable import noting


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeSources:
    """The sources of one runtime.

    `roots` are folders and whether they exist. `found` counts files, `unread` those of them that the memory does not
    know yet or not as they are now, `excluded` those that the settings exclude, `gone` the sessions that no file holds
    any more; `size` is in bytes, `newest_ns` in nanoseconds since 1970.
    """

    runtime: str
    roots: tuple[tuple[Path, bool], ...]
    found: int
    unread: int
    excluded: int
    gone: int
    sessions: int
    size: int
    newest_ns: int | None
    skipped: tuple[Skipped, ...]
    recovered: tuple[Recovered, ...]


def list_sources(
    readers: Iterable[Reader], states: Mapping[str, Mapping[str, SourceState]], policy: Policy
) -> list[RuntimeSources]:
    """Return what there is of each runtime; `states` is what the memory knows of their sources, by runtime and key."""
    return [_listed(reader, states.get(reader.runtime, {}), policy) for reader in readers]


def _listed(reader: Reader, states: Mapping[str, SourceState], policy: Policy) -> RuntimeSources:
    with noting() as unreadable:
        files = distinct(reader.discover())
    read = [source for source in files if not policy.excludes_path(str(source.path))]
    lost = {state.session_id for state in states.values() if state.gone and state.session_id}
    known = {key: state for key, state in sorted(states.items()) if not state.gone}
    return RuntimeSources(
        runtime=reader.runtime,
        roots=tuple((root, root.exists()) for root in reader.roots),
        found=len(files),
        unread=sum(
            (state := known.get(source.key)) is None or (state.size, state.mtime_ns) != (source.size, source.mtime_ns)
            for source in read
        ),
        excluded=len(files) - len(read),
        gone=len(lost - {state.session_id for state in known.values()}),
        sessions=len({state.session_id for state in states.values() if state.session_id}),
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
