"""The tree of the records of one file."""

from collections.abc import Iterator

from nlm_tui.runtimes.jsonl import Record, as_text


class Tree:
    """Which messages of a file stand on a branch that a rewind abandoned.

    Parallel tool calls branch too, so a branch counts as abandoned only where somebody typed a prompt on it. A parent
    that is not in the file, or comes later, is taken to be the record before.
    """

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self._parents: dict[str, str] = {}
        self._starts: list[int] = []
        self._last = ""
        self._forked = False

    def __contains__(self, uuid: str) -> bool:
        """Whether a record has this id."""
        return uuid in self._parents

    def add(self, uuid: str, record: Record, start: int) -> bool:
        """Add a record whose messages begin at `start`; False if it is known."""
        if uuid in self._parents:
            return False
        parent = self._last
        if record.get("parentUuid") != parent:
            named = (as_text(record.get("parentUuid")), as_text(record.get("logicalParentUuid")))
            parent = next((uuid for uuid in named if uuid in self._parents), parent)
            self._forked |= parent != self._last
        self._parents[uuid] = parent
        self._starts.append(start)
        self._last = uuid
        return True

    def abandoned(self, total: int) -> Iterator[int]:
        """Yield the numbers of abandoned messages, of `total`."""
        if not self._forked:
            return
        active: set[str] = set()
        node = self._last
        while node:
            active.add(node)
            node = self._parents[node]
        roots: dict[str, str] = {}
        for node, parent in self._parents.items():
            if node not in active:
                roots[node] = roots.get(parent, node)
        withdrawn = {roots[prompt] for prompt in self.prompts if prompt in roots}
        ends = [*self._starts[1:], total]
        for node, start, end in zip(self._parents, self._starts, ends, strict=True):
            if roots.get(node) in withdrawn:
                yield from range(start, end)
