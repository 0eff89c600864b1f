"""How well what was extracted agrees with a reference: each item with one reference at most, and nothing for free."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gold import Gold, Item, says

from nlm_tui.core import Session

LABEL_WORDS = range(4, 11)


@dataclass(slots=True)
class Tally:
    """Items found, of these right ones, and items to be found."""

    found: int = 0
    right: int = 0
    wanted: int = 0
    recalled: int = 0

    def add(self, other: "Tally") -> None:
        """Count another tally in."""
        self.found += other.found
        self.right += other.right
        self.wanted += other.wanted
        self.recalled += other.recalled

    @property
    def precision(self) -> float:
        """The share of right ones among those found; 1 where there are none."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of those to be found that were found; 1 where there are none."""
        return self.recalled / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(slots=True)
class Share:
    """How many of how many."""

    yes: int = 0
    of: int = 0

    def count(self, *held: bool) -> None:
        """Count cases."""
        self.yes += sum(held)
        self.of += len(held)

    @property
    def value(self) -> float:
        """The share, 1 of nothing."""
        return self.yes / self.of if self.of else 1.0


@dataclass(slots=True)
class Scores:
    """What a half of the set comes to."""

    decisions: Tally = field(default_factory=Tally)
    open: Tally = field(default_factory=Tally)
    entities: Tally = field(default_factory=Tally)
    given_up: Share = field(default_factory=Share)
    reasons: Share = field(default_factory=Share)
    evidence: Share = field(default_factory=Share)
    labels: Share = field(default_factory=Share)
    label_lengths: Share = field(default_factory=Share)
    summaries: Share = field(default_factory=Share)
    plain: Share = field(default_factory=Share)
    faults: list[str] = field(default_factory=list[str])


def score(gold: Gold, session: Session, scores: Scores) -> None:
    """Count one session in; what is wrong with it is listed among the faults."""
    for kind, wanted, found in (
        ("decision", gold.decisions, session.decisions),
        ("open", gold.open, session.open),
    ):
        pairs = matched(found, wanted)
        tally = scores.decisions if kind == "decision" else scores.open
        tally.add(Tally(len(found), len(pairs), len(wanted), len(pairs)))
        scores.faults += (f"{gold.name}: {fault}" for fault in _describe(kind, wanted, found, pairs))
        for here, there in pairs.items():
            text, item = found[here], wanted[there]
            if item.gave_up:
                scores.given_up.count(says(text, item.gave_up))
            if item.why:
                scores.reasons.count(says(text, item.why))
            evidence = session.evidence.get((kind, text))
            said = "" if evidence is None else session.messages[evidence.message].text
            scores.evidence.count(any(quote in said for quote in item.quotes))
    _score_entities(gold, session, scores)
    if gold.trivial:
        scores.plain.count(not (session.decisions or session.open or session.entities or session.summary))
        return
    scores.labels.count(*(says(session.label, [group]) for group in gold.label))
    scores.label_lengths.count(len(session.label.split()) in LABEL_WORDS)
    scores.summaries.count(*(says(session.summary, [group]) for group in gold.summary))


def _score_entities(gold: Gold, session: Session, scores: Scores) -> None:
    allowed = _spellings((*gold.entities, *gold.entities_also))
    found = {entity.casefold() for entity in session.entities}
    right = found & allowed
    recalled = sum(bool(found & _spellings([entity])) for entity in gold.entities)
    scores.entities.add(Tally(len(found), len(right), len(gold.entities), recalled))
    scores.faults += (f"{gold.name}: entity too much: {entity}" for entity in sorted(found - allowed))
    missing = (entity for entity in gold.entities if not found & _spellings([entity]))
    scores.faults += (f"{gold.name}: entity missing: {entity}" for entity in missing)


def _spellings(entities: Iterable[str]) -> set[str]:
    return {spelling.strip().casefold() for entity in entities for spelling in entity.split("|")}


def matched(found: Sequence[str], wanted: Sequence[Item]) -> dict[int, int]:
    """Return which text is which item, one to one, with as many pairs as there can be."""
    return largest_matching(len(found), len(wanted), lambda here, there: says(found[here], wanted[there].about))


def largest_matching(left: int, right: int, fits: Callable[[int, int], bool]) -> dict[int, int]:
    """Return a largest set of pairs that fit, each number once, by augmenting paths."""
    edges = [[there for there in range(right) if fits(here, there)] for here in range(left)]
    taken: dict[int, int] = {}

    def place(here: int, tried: set[int]) -> bool:
        for there in edges[here]:
            if there not in tried:
                tried.add(there)
                if there not in taken or place(taken[there], tried):
                    taken[there] = here
                    return True
        return False

    for here in range(left):
        place(here, set())
    return {here: there for there, here in sorted(taken.items(), key=lambda pair: pair[1])}


def _describe(kind: str, wanted: Sequence[Item], found: Sequence[str], pairs: dict[int, int]) -> Iterator[str]:
    """Yield what is too much, and what is missing."""
    yield from (f"{kind} too much: {text}" for here, text in enumerate(found) if here not in pairs)
    missing = set(range(len(wanted))) - set(pairs.values())
    yield from (f"{kind} missing: {wanted[there].quotes[0]}" for there in sorted(missing))
