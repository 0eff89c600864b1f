"""The words that rows of lists must hold, as FTS5 expressions."""

from collections.abc import Iterator, Sequence

from nlm_tui.core import Unit, completions, stem, units
from nlm_tui.storage.expressions import any_of, beginning_expression, unit_expression


def word_expressions(text: str, *, typing: bool = False) -> tuple[str, ...]:
    """Return what finds each word of `text` in an index of stems; with `typing` the last may be a beginning."""
    return tuple(any_of(list(_ways(unit))) for unit in units(text, typing=typing))


def beginning_expressions(text: str) -> tuple[str, ...]:
    """Return what finds each word of `text`, or what begins so, in an index of words as they stand."""
    return tuple(any_of([unit_expression(unit), beginning_expression(unit)]) for unit in units(text))


def all_of(expressions: Sequence[str]) -> str:
    """Return what finds all of `expressions` in one row."""
    return " AND ".join(f"({expression})" for expression in expressions)


def _ways(unit: Unit) -> Iterator[str]:
    yield unit_expression(unit)
    if not unit.unfinished:
        return
    last = unit.ways[0][-1][-1].rstrip("*")
    if stem(last) == last:  # the stem of a beginning may be too short to be one
        yield beginning_expression(unit)
    if unit.word:
        yield from (f'"{word}"' for word in completions(last))
