"""Conversations that go back to an earlier point and on from there, in one file or with a copy in another."""

from collections.abc import Iterator

from nlm_tui.runtimes.conversation import Conversation


class Branches:
    """The tree of a file's records. Active is the path from the last record back to its root.

    A parent that is not in the file, or comes later, is taken to be the record before: what a crash took must not take
    what was before it.
    """

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._starts: list[int] = []
        self._last: str | None = None

    def __contains__(self, key: str) -> bool:
        """Whether a record has this id."""
        return key in self._parents

    def add(self, key: str, parent: str | None, start: int, *, leaf: bool = True) -> None:
        """Add a record whose messages begin at number `start`; one without a parent is a root.

        One that is no `leaf` stands beside the conversation: what comes next does not go on from it. What more comes of
        a record that is known belongs to the one before.
        """
        if key in self._parents:
            return
        self._parents[key] = self._last if parent is not None and parent not in self._parents else parent
        self._starts.append(start)
        if leaf:
            self._last = key

    def abandoned(self, total: int) -> Iterator[int]:
        """Yield the numbers of the messages, of `total`, that are not on the active path."""
        active: set[str] = set()
        node = self._last
        while node is not None:
            active.add(node)
            node = self._parents[node]
        ends = [*self._starts, total][1:]
        for node, start, end in zip(self._parents, self._starts, ends, strict=True):
            if node not in active:
                yield from range(start, end)


class Copies:
    """What of a conversation was copied from another session, and how many prompts and answers are in that."""

    def __init__(self, talk: Conversation) -> None:
        self.prompts = 0
        self.answers = 0
        self._talk = talk
        self._numbers: list[range] = []
        self._seen = (0, 0, 0)

    def take(self, *, copied: bool) -> None:
        """Take what the conversation got since the last time."""
        talk = self._talk
        start, prompts, answers = self._seen
        self._seen = (talk.total, talk.prompts, talk.answers)
        if copied and talk.total > start:
            self._numbers.append(range(start, talk.total))
            self.prompts += talk.prompts - prompts
            self.answers += talk.answers - answers

    def mark(self) -> None:
        """Mark the copied messages in the conversation."""
        for numbers in self._numbers:
            self._talk.inherit(numbers)
