"""Units of a query as FTS5 expressions.

Nothing in a text can act as an operator: words hold neither quotes nor blanks.
"""

from collections.abc import Sequence

from nlm_tui.core import INDEXED_FIELDS, TextFilter, Unit, units

# The indexed columns of each field that a query may name.
_COLUMNS = {
    "label": ("label", "label_parts"),
    "summary": ("summary", "summary_parts"),
    "body": ("body", "body_parts"),
    "decision": ("decisions",),
    "open": ("open_questions",),
}
_PLAIN_COLUMNS = frozenset({"label", "summary", "body"})


def unit_expression(unit: Unit) -> str:
    """Return what finds `unit` in any of its ways."""
    return _any(tuple(_all(way) for way in unit.ways))


def beginning_expression(unit: Unit) -> str:
    """Return what finds words that begin like `unit`."""
    return _any(tuple(_all(way) for way in unit.beginnings))


def any_of(expressions: Sequence[str]) -> str:
    """Return what finds any of `expressions`."""
    return _any(tuple(dict.fromkeys(expressions)))


def within(columns: Sequence[str], expression: str) -> str:
    """Return `expression`, looked for in `columns` alone."""
    return f"{{{' '.join(columns)}}} : ({expression})"


def indexed_columns(fields: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that hold `fields`: label, summary, body, decision, open."""
    return tuple(column for field in fields for column in _COLUMNS[field])


def text_expression(text: TextFilter, *, extended: bool) -> str:
    """Return what finds the sessions that hold `text`; '' where nothing can. Other stores are not `extended`."""
    sought = text.text if text.any_word else quoted(text.text)
    expression = any_of([unit_expression(unit) for unit in units(sought)])
    if not expression:
        return ""
    columns = indexed_columns(text.fields)
    if not extended:
        columns = tuple(column for column in columns if column in _PLAIN_COLUMNS)
        if text.fields and not columns:
            return ""
    return within(columns, expression) if columns else expression


def is_found_too_often(text: TextFilter) -> bool:
    """Return whether an expression finds more than a phrase: pairs of characters tell no order between words."""
    return not text.any_word and any(len(way) > 1 for unit in units(quoted(text.text)) for way in unit.ways)


def phrase_columns(fields: Sequence[str], *, extended: bool) -> tuple[str, ...]:
    """Return the columns that hold the text of `fields` as it is written; none of them stands for all."""
    columns = indexed_columns(fields) if fields else INDEXED_FIELDS
    return tuple(column for column in columns if column in _PLAIN_COLUMNS or (extended and "_parts" not in column))


def quoted(text: str) -> str:
    """Return `text` as a phrase of a query."""
    return '"{}"'.format(text.replace('"', " "))


def _any(expressions: tuple[str, ...]) -> str:
    return expressions[0] if len(expressions) == 1 else " OR ".join(f"({expression})" for expression in expressions)


def _all(way: tuple[tuple[str, ...], ...]) -> str:
    return " AND ".join(_phrase(words) for words in way)


def _phrase(words: tuple[str, ...]) -> str:
    text = " ".join(words)
    return f'"{text[:-1]}" *' if text.endswith("*") else f'"{text}"'
