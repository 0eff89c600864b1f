"""The project that a session belongs to, by the folder it ran in."""

import re

from nlm_tui.core import one_line

_MAX_NAME = 60

_WINDOWS = re.compile(r"[A-Za-z]:|\\\\")
_HOME = re.compile(
    r"(?:(?:/var)?/home|/Users|/export/home|[A-Za-z]:/Users|[A-Za-z]:/Documents and Settings)(?:/[^/]+)?|/root|~"
)
_NO_PROJECT_NAMES = """
tmp temp var private app src source work workspace workspaces code dev git home mnt opt srv usr data projects repos
repositories desktop documents downloads
"""
_NO_PROJECT = frozenset(_NO_PROJECT_NAMES.split())
_NO_TOPIC_NAMES = """
homelab home-lab planning thesis dissertation docs doc documentation notes website site web frontend front-end backend
back-end server client api infra infrastructure scripts tools tooling test tests playground sandbox demo example
examples config dotfiles monorepo packages apps lib libs paper book blog misc main master repo project new-project
my-app myapp scratch training analysis experiments deploy ops mobile ios android desktop-app
"""
_NO_TOPIC = frozenset(_NO_TOPIC_NAMES.split())
_SCRATCH = re.compile(r"tmp[._-]?\w{6,}|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}", re.IGNORECASE)


def project_name(folder: str | None) -> str | None:
    """Return the name of the repository that a working directory belongs to; None for a home or a scratch folder."""
    if not folder:
        return None
    path = folder.replace("\\", "/") if _WINDOWS.match(folder) else folder
    parts = _without_worktree([part for part in path.split("/") if part])
    start = "/" if path.startswith("/") else ""
    if not parts or _HOME.fullmatch(start + "/".join(parts)):
        return None
    name = one_line(parts[-1][: 4 * _MAX_NAME])[:_MAX_NAME].strip()
    if name.casefold() in _NO_PROJECT or _SCRATCH.fullmatch(name) or not any(map(str.isalpha, name)) or name[-1] == ":":
        return None
    return name


def project_topic(folder: str | None) -> str | None:
    """Return the project's name where it says what it is, else that of the folder around it."""
    name = project_name(folder)
    if folder and name and name.casefold() in _NO_TOPIC:
        around = project_name(folder.replace("\\", "/").rstrip("/").rpartition("/")[0])
        return None if around is None or around.casefold() in _NO_TOPIC else around
    return name


def _without_worktree(parts: list[str]) -> list[str]:
    """Cut the path of a worktree back to its repository: `repo/.claude/worktrees/x`, `repo/.worktrees/x`.

    Agents that keep worktrees in their own folder name the repository below it: `~/.codex/worktrees/1a2b/repo`,
    `~/.cursor/worktrees/repo/1a2b`.
    """
    for index, part in enumerate(parts):
        if part == ".worktrees":
            return parts[:index]
        if part == "worktrees" and index and parts[index - 1].startswith("."):
            if parts[index - 1] == ".codex":
                return parts[: index + 3]
            return parts[: index + 2] if parts[index - 1] == ".cursor" else parts[: index - 1]
    return parts
