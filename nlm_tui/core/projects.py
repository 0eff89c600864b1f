"""Working directories as projects, whichever system they come from."""

import re

_SEPARATORS = re.compile(r"[/\\\\]+")
_HOME = re.compile(r"^(?:(?:/var)?/home|/Users|/export/home|[A-Za-z]:[/\\\\]Users)[/\\\\][^/\\\\]+", re.IGNORECASE)
# Folders that hold projects; their names would be found in every session.
_SHELVES = frozenset(
    {"~", "code", "dev", "git", "home", "projects", "repos", "repositories", "src", "users", "work", "workspace"}
)


def segments(path: str) -> tuple[str, ...]:
    """Return the folder names of a path, without regard to case, separators and empty parts."""
    return tuple(part for part in _SEPARATORS.split(path.casefold()) if part)


def in_project(path: str | None, wanted: str) -> bool:
    """Return whether `wanted` names a folder of `path`, or several in sequence: `nlm` does not name `nlm-tui`."""
    sought = tuple(part for part in segments(wanted) if part != "~")
    if not path or not sought:
        return False
    found = segments(path)
    return any(found[place : place + len(sought)] == sought for place in range(len(found) - len(sought) + 1))


def begins_in_project(path: str, beginning: str) -> bool:
    """Return whether the last folder of `path`, or the last of several that `beginning` names, begins so."""
    *whole, last = segments(beginning) or ("",)
    found = segments(path)
    if not last or not found:
        return False
    if not whole:
        return found[-1].startswith(last)
    places = range(len(found) - len(whole))
    return any(
        found[place : place + len(whole)] == tuple(whole) and found[place + len(whole)].startswith(last)
        for place in places
    )


def project_name(path: str) -> str:
    """Return the last folder of a path."""
    return next((part for part in reversed(_SEPARATORS.split(path)) if part), path)


def project_words(path: str | None) -> str | None:
    """Return what a session is found by of its project's path: no home folder, no shelf that all projects share."""
    if not path:
        return None
    parts = [part for part in _SEPARATORS.split(_HOME.sub("", path)) if part and part.casefold() not in _SHELVES]
    return "/".join(parts) or None
