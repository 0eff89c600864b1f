"""A memory of ferries and boats: what words find, what is near in meaning, and how tests look at it."""

from collections.abc import Iterable

from nlm_tui.core import Message, RecallQuery, Session, join_messages


def said(session_id: str, label: str, started_at: str, messages: Iterable[Message]) -> Session:
    body, turns = join_messages(tuple(messages))
    return Session(id=session_id, runtime="claude-code", started_at=started_at, label=label, body=body, turns=turns)


SIZE = (120, 36)
FERRIES = tuple(
    said(
        f"cc_ferry{number}",
        f"Ferry {number}",
        f"2026-05-{20 - number:02}T08:00:00.000Z",
        (
            message
            for turn in range(12)
            for message in (Message("user", f"Does the ferry {number} sail {turn}?"), Message("assistant", "It does."))
        ),
    )
    for number in range(4)
)
BOATS = tuple(
    said(
        f"cc_boat{number}",
        f"Boat {number}",
        f"2026-04-{20 - number:02}T08:00:00.000Z",
        (
            Message("user", f"How long is the crossing {number}?\n\nThe boat leaves the quay {number} at dawn."),
            Message("assistant", "Nobody knows."),
        ),
    )
    for number in range(4)
)
NEAR = {
    "ferry": ["cc_boat0", "cc_ferry3", "cc_boat1", "cc_ferry0"],
    "steamer": ["cc_boat1", "cc_ferry1"],
    "cc_ferry1": ["cc_boat2", "cc_ferry2"],
}
PASSAGES = {
    "cc_boat1": ("conversation", "The boat leaves the quay 1 at dawn.\n\nNobody knows."),
    "cc_ferry3": ("conversation", "Does the ferry 3 sail 2?\n\nIt does."),
}


def ids(screen) -> list[str]:
    return [hit.id for hit in screen.results.hits]


def in_order(memory, text: str, mode: str = "hybrid") -> list[str]:
    found = memory.by_meaning.search(RecallQuery(text, mode=mode, typing=True, limit=100))
    return [hit.id for hit in found.results]


def painted(view, first: int = 0, last: int | None = None) -> list[str]:
    return [view.render_line(y).text for y in range(first, view.size.height if last is None else last)]
