"""The views of the search screen and what they are called."""

from typing import Final, Literal, NamedTuple, get_args

ViewName = Literal["sessions", "decisions", "open", "topics", "facts", "timeline"]

VIEW_NAMES: Final[tuple[ViewName, ...]] = get_args(ViewName)

_BY_NAME: Final[dict[str, ViewName]] = {name: name for name in VIEW_NAMES}


class ViewTitle(NamedTuple):
    """What a view is called, and what its rows are."""

    title: str
    row: str
    rows: str
    about: str


TITLES: Final[dict[ViewName, ViewTitle]] = {
    "sessions": ViewTitle("Sessions", "session", "sessions", "Sessions, best first"),
    "decisions": ViewTitle("Decisions", "decision", "decisions", "The decisions of all sessions, newest first"),
    "open": ViewTitle("Open questions", "open question", "open questions", "Open questions, open ones first"),
    "topics": ViewTitle("Topics", "topic", "topics", "What sessions are about, with counts; Enter filters by one"),
    "facts": ViewTitle("Facts", "fact", "facts", "What sessions established, with what was so before"),
    "timeline": ViewTitle("Timeline", "session", "sessions", "Sessions day by day, and which replaced which"),
}


def as_view(name: str) -> ViewName:
    """Return the view of that name; the first one where there is none."""
    return _BY_NAME.get(name, "sessions")
