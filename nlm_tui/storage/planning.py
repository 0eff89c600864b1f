"""What to look for: the words of a query, matched against the words that the memory holds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nlm_tui.core import INDEXED_FIELDS, How, Recipe, Term, Unit, completions, is_telling, stem, units
from nlm_tui.storage.expressions import any_of, beginning_expression, unit_expression, within
from nlm_tui.storage.vocabulary import Vocabulary

# A beginning counts as much as a word: it is looked for only where the word itself stands nowhere.
_TIERS: dict[How, int] = {"word": 0, "beginning": 0, "piece": 1, "approximate": 1}
_ENOUGH_SESSIONS = 200  # from here on a word in most of them says nothing
_FEW_ENOUGH = 0.3  # of what a whole word may: beginnings are ranked while they are typed
_MOST_CORRECTED = 4  # words of a query: each costs hundreds of look-ups, and a file may be pasted
_BODY = frozenset({"body", "body_parts"})


@dataclass(frozen=True, slots=True)
class Sought:
    """A word that the memory holds: the expression that finds it, and how many sessions it finds."""

    term: Term
    expression: str
    sessions: int

    @property
    def tier(self) -> int:
        """How well it is found: 0 as it was typed, 1 in pieces or by a near spelling."""
        return _TIERS[self.term.how]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a search looks for.

    `heads` finds the word that is being typed in the short texts; `common` words were left out. With `newest` all that
    is sought stands in so many sessions that only their age tells them apart.
    """

    sought: tuple[Sought, ...] = ()
    heads: str = ""
    common: tuple[str, ...] = ()
    newest: bool = False
    terms: tuple[Term, ...] = ()

    @property
    def expression(self) -> str:
        """What finds any of it."""
        return any_of([word.expression for word in self.sought])

    @property
    def found_in(self) -> tuple[tuple[str, str], ...]:
        """The indexes to look into and the expressions: what any of them finds is found."""
        if not self.sought:
            return (("sessions_heads", self.heads),) if self.heads else ()
        whole = ("sessions_fts", self.expression)
        if self.is_typed_alone:
            return whole, ("sessions_heads", self.heads)
        return (whole,)

    @property
    def is_typed_alone(self) -> bool:
        """Whether the word that is being typed is all that is sought."""
        return bool(self.heads) and len(self.sought) == 1 and self.sought[0].term.typed == self.terms[-1].typed

    def tiers(self) -> dict[int, str]:
        """Return what finds the sessions of each tier and of those before it, the best tier first."""
        return {
            tier: any_of([word.expression for word in self.sought if word.tier <= tier])
            for tier in sorted({word.tier for word in self.sought})
        }


class Planner:
    """Plans searches over one vocabulary by one recipe, in the given indexed columns."""

    def __init__(self, vocabulary: Vocabulary, recipe: Recipe, columns: Sequence[str]) -> None:
        self._vocabulary = vocabulary
        self._recipe = recipe
        self._columns = tuple(columns)
        self._corrected = 0

    def plan(self, text: str, *, typing: bool = False) -> Plan:
        """Return the plan for a query's text."""
        self._vocabulary.refresh()
        sought: list[Sought] = []
        heads = ""
        listed = units(text, typing=typing)
        for unit in listed:
            if unit.unfinished:
                found, heads = self._unfinished(unit, alone=len(listed) == 1)
            else:
                found = list(self._resolved(unit))
            sought += found
        terms = [word.term for word in sought]
        if heads:
            terms.append(Term(listed[-1].typed, "beginning", listed[-1].typed))
        return self._without_common(tuple(dict.fromkeys(sought)), heads, tuple(dict.fromkeys(terms)))

    def _without_common(self, sought: tuple[Sought, ...], heads: str, terms: tuple[Term, ...]) -> Plan:
        most = self._most
        common = [word for word in sought if word.sessions > most]
        names = tuple(word.term.typed for word in common)
        telling = tuple(word for word in sought if word not in common)
        # A word that most sessions hold whole is looked for as it is, like one that is finished.
        if heads and (telling or terms[-1].typed not in names):
            # Beginnings of a letter or two are in all short texts; what is known of them besides is their age.
            newest = not telling and self._vocabulary.count(heads, "sessions_heads") > most * _FEW_ENOUGH
            return Plan(telling, heads, names, newest=newest, terms=terms)
        if common and not telling:
            return Plan(sought, "", names, newest=True, terms=terms)
        return Plan(telling, "", names, terms=terms)

    @property
    def _most(self) -> float:
        """In how many sessions a word may stand that tells sessions apart."""
        sessions = self._vocabulary.sessions()
        return self._recipe.common * sessions if sessions >= _ENOUGH_SESSIONS else sessions

    def _unfinished(self, unit: Unit, *, alone: bool) -> tuple[list[Sought], str]:
        exact = list(self._whole(unit))
        last = unit.ways[0][-1][-1]
        heads = ""
        if alone or is_telling(last):
            heads = self._within(beginning_expression(unit), heads=True)
            heads = heads if self._vocabulary.count(heads, "sessions_heads") else ""
        if exact or heads:
            return exact, heads
        return list(self._resolved(unit)), ""

    def _resolved(self, unit: Unit) -> Iterator[Sought]:
        """Yield what finds `unit`: itself, else what begins so, else its pieces, else what is spelled nearly so."""
        for found in (self._whole(unit), self._begun(unit), self._in_pieces(unit), self._near(unit)):
            listed = list(found)
            yield from listed
            if listed or unit.quoted:
                return

    def _whole(self, unit: Unit) -> Iterator[Sought]:
        yield from self._sought(unit_expression(unit), Term(unit.typed, "word", unit.typed))

    def _begun(self, unit: Unit) -> Iterator[Sought]:
        last = unit.ways[0][-1][-1].rstrip("*")
        if not self._recipe.beginnings or not is_telling(last):
            return
        # The index holds stems, and the stem of a beginning may be too short to be one.
        begins = [beginning_expression(unit)] if stem(last) == last else []
        if unit.word:
            begins += [f'"{word}"' for word in self._vocabulary.beginning_with(last)]
            begins += [f'"{word}"' for word in completions(last)] if unit.unfinished else []
        if begins:
            yield from self._sought(any_of(begins), Term(unit.typed, "beginning", unit.typed))

    def _in_pieces(self, unit: Unit) -> Iterator[Sought]:
        for piece in unit.pieces:
            for part in units(piece):
                found = list(self._whole(part)) or list(self._near(part)) or list(self._in_pieces(part))
                for word in found:
                    how: How = "approximate" if word.term.how == "approximate" else "piece"
                    yield replace(word, term=Term(word.term.text, how, unit.typed))

    def _near(self, unit: Unit) -> Iterator[Sought]:
        if self._corrected < _MOST_CORRECTED and self._recipe.corrections and unit.word:
            self._corrected += 1
            for word in self._vocabulary.near(unit.word):
                yield from self._sought(f'"{word}"', Term(word, "approximate", unit.typed))

    def _sought(self, expression: str, term: Term) -> Iterator[Sought]:
        expression = self._within(expression)
        sessions = self._vocabulary.count(expression)
        if sessions:
            yield Sought(term, expression, sessions)

    def _within(self, expression: str, *, heads: bool = False) -> str:
        columns = tuple(column for column in self._columns if not (heads and column in _BODY))
        if not columns or not expression:
            return ""
        return expression if len(columns) == len(INDEXED_FIELDS) else within(columns, expression)
