"""What the user does not want to be read or kept."""

import re
from collections.abc import Iterable
from unicodedata import normalize

from nlm_tui.core.projects import segments

_ROOTED = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
_WILD = {"*": "[^/]*", "?": "[^/]"}


class Policy:
    """What is left out: transcripts and projects by pattern, and what tools put out unless `keeps_tool_output`.

    A pattern names a path, and all that is below it: from the root, or else by names of folders that follow each other
    anywhere in it. `*` stands for any characters of one name, `?` for one of them, `**` for any number of folders. Case
    does not count, nor how accents are composed; both slashes separate.
    """

    def __init__(
        self, exclude: Iterable[str] = (), exclude_projects: Iterable[str] = (), *, keeps_tool_output: bool = True
    ) -> None:
        self.keeps_tool_output = keeps_tool_output
        self._paths = _any_of(exclude)
        projects = tuple(exclude_projects)
        self._projects = _any_of(projects)
        self.key = "" if keeps_tool_output and not projects else repr((projects, keeps_tool_output))
        """What differs between policies by which a transcript gives another session; '' where all of it is kept."""

    def excludes_path(self, path: str) -> bool:
        """Return whether the transcript at `path` is not to be read."""
        return _matches(self._paths, path)

    def excludes_project(self, project: str | None) -> bool:
        """Return whether sessions in the directory `project` are not to be kept."""
        return project is not None and _matches(self._projects, project)


def _matches(pattern: re.Pattern[str] | None, path: str) -> bool:
    return pattern is not None and pattern.search("".join(f"/{name}" for name in _names(path)) + "/") is not None


def _any_of(patterns: Iterable[str]) -> re.Pattern[str] | None:
    expressions = [_expression(pattern) for pattern in patterns]
    return re.compile("|".join(expressions)) if expressions else None


def _expression(pattern: str) -> str:
    names = ["(?:/[^/]+)*" if name == "**" else f"/{_expression_of(name)}" for name in _names(pattern)]
    return f"{'^' if _ROOTED.match(pattern) else ''}{''.join(names)}/"


def _names(path: str) -> tuple[str, ...]:
    return segments(normalize("NFC", path))


def _expression_of(name: str) -> str:
    return "".join(_WILD.get(character) or re.escape(character) for character in re.sub(r"\*+", "*", name))
