"""What there is to read, in words: for the shell and for the screen."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nlm_tui.core import one_line
from nlm_tui.display.words import age, counted, home_path, size
from nlm_tui.ingest.listing import Root, RuntimeSources
from nlm_tui.ingest.report import Recovered, Skipped

LISTED = 20  # files that are named one by one
_PLACES = 3  # folders that are named of a runtime of which there is nothing


class About(NamedTuple):
    """A heading and the lines below it."""

    title: str
    lines: tuple[str, ...]


def about_sources(sources: Sequence[RuntimeSources], now: datetime, home: Path, more: str) -> Iterator[About]:
    """Yield what there is of each runtime, then of which there is nothing, and which are not read.

    `more` lists all files that are skipped.
    """
    enabled = [one for one in sources if one.enabled]
    absent = [one for one in enabled if not (one.found or one.sessions)]
    off = [one for one in sources if not one.enabled]
    for one in enabled:
        if one not in absent:
            yield About(one.runtime, tuple(_about(one, now, home, more)))
    if absent:
        yield About("Nothing found of", tuple(_absent(one, home) for one in absent))
    if off:
        yield About("Off in the settings", tuple(map(_off, off)))


def skipped_lines(skipped: Sequence[Skipped], more: str) -> Iterator[str]:
    """Yield which files gave no session, and why."""
    return _listed([(one.path, one.reason) for one in skipped], "skipped", more)


def recovered_lines(recovered: Sequence[Recovered], more: str) -> Iterator[str]:
    """Yield of which files a part could not be read."""
    return _listed([(one.path, _unread(one)) for one in recovered], "read but for what is damaged in them", more)


def _about(one: RuntimeSources, now: datetime, home: Path, more: str) -> Iterator[str]:
    newest = None if one.newest_ns is None else datetime.fromtimestamp(one.newest_ns / 1e9, UTC).isoformat()
    parts = (
        counted(one.sessions, "session"),
        f"{counted(one.found, 'file')}, {size(one.size)}",
        f"newest {age(newest, now)}" if newest else "",
        f"{one.unread:,} not read yet" if one.unread else "",
        f"{one.excluded:,} excluded by the settings" if one.excluded else "",
        f"{one.gone:,} deleted, kept here" if one.gone else "",
    )
    yield "  ".join(filter(None, parts))
    present = [root for root in one.roots if root.exists or root.problem]
    yield from (_place(root, home) for root in present or one.roots[:_PLACES])
    if one.projects is not None:
        yield _projects(one.projects)
    yield from recovered_lines(one.recovered, more)
    yield from skipped_lines(one.skipped, more)


def _absent(one: RuntimeSources, home: Path) -> str:
    useless = sum(bool(root.problem) for root in one.roots)  # they come first
    listed = one.roots[: max(useless, _PLACES)]
    places = [_place(root, home) if root.problem else _path(root, home) for root in listed]
    places += ["..."] if len(one.roots) > len(listed) else []
    places += [] if one.projects is None else [_projects(one.projects)]
    return f"{one.runtime}  {', '.join(places)}"


def _off(one: RuntimeSources) -> str:
    return f"{one.runtime}  {counted(one.sessions, 'session')} kept" if one.sessions else one.runtime


def _place(root: Root, home: Path) -> str:
    """Return a place, and why nothing is read there."""
    problem = f"named in the settings, but {root.problem}" if root.problem else "" if root.exists else "not there"
    return f"{_path(root, home)} ({one_line(problem)})" if problem else _path(root, home)


def _path(root: Root, home: Path) -> str:
    return one_line(home_path(str(root.path), home))


def _projects(count: int) -> str:
    return f"the folders of {counted(count, 'known project')}"


def _listed(files: Iterable[tuple[str, str]], how: str, more: str) -> Iterator[str]:
    named = [f"  {one_line(path)}: {one_line(reason)}" for path, reason in files]
    if named:
        yield f"{counted(len(named), 'file')} {how}:"
        yield from named[:LISTED]
    if len(named) > LISTED:
        yield f"  and {len(named) - LISTED:,} more: {more} lists all"


def _unread(recovered: Recovered) -> str:
    """Return what of a file could not be read, such as `2 unreadable records, the first in line 7`."""
    place = f", the first in line {recovered.bad_line:,}" if recovered.bad_line else ""
    return f"{counted(recovered.bad_lines, 'unreadable record')}{place}"
