"""What there is to read, in words: for the shell and for the screen."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nlm_tui.core import one_line
from nlm_tui.display.words import age, counted, home_path, size
from nlm_tui.ingest.listing import RuntimeSources
from nlm_tui.ingest.report import Recovered, Skipped

LISTED = 20  # files that are named one by one
_PLACES = 3  # folders that are named of a runtime of which there is nothing


class About(NamedTuple):
    """A heading and the lines below it."""

    title: str
    lines: tuple[str, ...]


def about_sources(sources: Sequence[RuntimeSources], now: datetime, home: Path, more: str) -> Iterator[About]:
    """Yield what there is of each runtime, then of which there is nothing; `more` lists all files that are skipped."""
    for one in sources:
        if one.found or one.sessions:
            yield About(one.runtime, tuple(_about(one, now, home, more)))
    absent = [one for one in sources if not (one.found or one.sessions)]
    if absent:
        yield About("Nothing found of", tuple(_absent(one, home) for one in absent))


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
    yield from (one_line(home_path(str(root), home)) for root, exists in one.roots if exists)
    yield from recovered_lines(one.recovered, more)
    yield from skipped_lines(one.skipped, more)


def _absent(one: RuntimeSources, home: Path) -> str:
    places = ", ".join(one_line(home_path(str(root), home)) for root, _ in one.roots[:_PLACES])
    return f"{one.runtime}  {places}{', ...' if len(one.roots) > _PLACES else ''}"


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
