"""Times, names and numbers as the screen shows them."""

from datetime import UTC, datetime, tzinfo
from pathlib import Path

from nlm_tui import core
from nlm_tui.core import one_line

_SHORT_NAMES = {"claude-code": "claude", "gemini-cli": "gemini", "copilot-cli": "copilot"}
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def parse_time(text: str | None) -> datetime | None:
    """Return an ISO 8601 time, taken as UTC when it names no zone; None for anything else."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def age(started_at: str, now: datetime) -> str:
    """Return how long ago something was, in one unit: `5m`, `3h`, `2d`, `6w`, `14mo`; `?` when unknown."""
    moment = parse_time(started_at)
    if moment is None:
        return "?"
    seconds = max((now - moment).total_seconds(), 0)
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)}m"
    if seconds < _DAY:
        return f"{int(seconds // _HOUR)}h"
    days = int(seconds // _DAY)
    if days < 14:
        return f"{days}d"
    return f"{days // 7}w" if days < 70 else f"{days // 30}mo"


def moment(text: str | None, zone: tzinfo | None, *, now: datetime) -> str:
    """Return a time for people, in `zone` (None: the machine's); the year only where it is not this one."""
    found = parse_time(text)
    if found is None:
        return one_line(text or "")
    try:
        local, today = found.astimezone(zone), now.astimezone(zone)
    except (OverflowError, OSError):
        return one_line(text or "")
    year = "" if local.year == today.year else f" {local.year}"
    return f"{local.day} {_MONTHS[local.month - 1]}{year} {local:%H:%M}"


def clock_time(text: str | None, zone: tzinfo | None) -> str:
    """Return the hour and minute of a time."""
    found = parse_time(text)
    try:
        return f"{found.astimezone(zone):%H:%M}" if found else ""
    except (OverflowError, OSError):
        return ""


def day_of(text: str | None, zone: tzinfo | None) -> str:
    """Return the day of a time in `zone` (None: the machine's), `2026-05-14`; '' when unknown."""
    found = parse_time(text)
    try:
        return f"{found.astimezone(zone):%Y-%m-%d}" if found else ""
    except (OverflowError, OSError):
        return ""


def days_since(text: str, now: datetime) -> int | None:
    """Return how many whole days ago something was; None when unknown."""
    found = parse_time(text)
    return max((now - found).days, 0) if found else None


def duration(minutes: int | None) -> str:
    """Return a length of time: `48 min`, `3 h 05`."""
    if minutes is None:
        return ""
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02}"


def short_runtime(runtime: str) -> str:
    """Return a runtime's name without the part that all share."""
    return _SHORT_NAMES.get(runtime, runtime)


def project_name(project: str | None) -> str:
    """Return the last folder of a working directory, of whichever system."""
    return core.project_name(project) if project else ""


def home_path(path: str | None, home: Path) -> str:
    """Return a path with `~` for the home folder."""
    if not path:
        return ""
    text = str(home)
    if len(text) > 1 and (path == text or path.startswith(text + "/")):
        return "~" + path[len(text) :]
    return path


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun, `1 session`, `1,204 sessions`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def size(number: int) -> str:
    """Return a number of bytes: `12 B`, `340 kB`, `1.2 GB`."""
    for unit, least in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= least:
            shown = number / least
            return f"{shown:.1f} {unit}" if shown < 10 else f"{shown:,.0f} {unit}"
    return f"{number} B"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
