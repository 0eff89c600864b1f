"""What the user does not want to be read or kept."""

import re
from collections.abc import Iterable, Mapping
from unicodedata import normalize

from nlm_tui.core.projects import segments
from nlm_tui.ingest.report import Unwanted

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
        self.excludes = self._paths is not None or bool(projects)
        """Whether anything is left out by pattern."""
        self._projects = _any_of(projects)
        self.key = "" if keeps_tool_output and not projects else repr((projects, keeps_tool_output))
        """What differs between policies by which a transcript gives another session; '' where all of it is kept."""

    def excludes_path(self, path: str) -> bool:
        """Return whether the transcript at `path` is not to be read."""
        return _matches(self._paths, path)

    def excludes_project(self, project: str | None) -> bool:
        """Return whether sessions in the directory `project` are not to be kept."""
        return project is not None and _matches(self._projects, project)


def unwanted(policy: Policy, sources: Mapping[str, str], projects: Mapping[str, int]) -> list[Unwanted]:
    """Return what the memory has although it is not to be read any more.

    `sources` are the ids of sessions by the key of their source, `projects` the numbers of sessions by directory.
    """
    found = [Unwanted(count, project) for project, count in projects.items() if policy.excludes_project(project)]
    wanted = {session_id for key, session_id in sources.items() if not _excludes(policy, key)}
    ids = tuple(sorted({*sources.values()} - wanted))
    return [*found, *([Unwanted(len(ids), ids=ids)] if ids else [])]


def _excludes(policy: Policy, key: str) -> bool:
    """Return whether a source, which may be a part of a file, is excluded."""
    return policy.excludes_path(key) or policy.excludes_path(key.rpartition("#")[0])


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
