"""The words that rows of lists must hold, as FTS5 expressions."""

from collections.abc import Iterator, Sequence

from nlm_tui.core import Unit, completions, stem, units
from nlm_tui.storage.expressions import any_of, beginning_expression, unit_expression
from nlm_tui.storage.vocabulary import Vocabulary


def word_expressions(text: str, vocabulary: Vocabulary | None = None) -> tuple[str, ...]:
    """Return what finds each word of `text` in an index of stems.

    With a vocabulary the last may be a beginning, which the stem of a whole word need not share.
    """
    return tuple(any_of(list(_ways(unit, vocabulary))) for unit in units(text, typing=vocabulary is not None))


def beginning_expressions(text: str) -> tuple[str, ...]:
    """Return what finds each word of `text`, or what begins so, in an index of words as they stand."""
    return tuple(any_of([unit_expression(unit), beginning_expression(unit)]) for unit in units(text))


def all_of(expressions: Sequence[str]) -> str:
    """Return what finds all of `expressions` in one row."""
    return " AND ".join(f"({expression})" for expression in expressions)


def _ways(unit: Unit, vocabulary: Vocabulary | None) -> Iterator[str]:
    yield unit_expression(unit)
    if not unit.unfinished or vocabulary is None:
        return
    last = unit.ways[0][-1][-1].rstrip("*")
    is_stem = stem(last) == last
    if is_stem:  # else its stem begins more words than it does
        yield beginning_expression(unit)
    if unit.word:
        others = [] if is_stem else vocabulary.beginning_with(last)
        yield from (f'"{word}"' for word in (*others, *completions(last)))
