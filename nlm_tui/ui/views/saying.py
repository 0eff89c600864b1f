"""Sentences about the rows of a view."""

from nlm_tui.core import one_line, pieces
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.messages import counts
from nlm_tui.ui.views.asking import Rows
from nlm_tui.ui.views.names import ViewTitle


def rows_found_texts(rows: Rows | None) -> tuple[str, ...]:
    """Return `120 of 1,204   8 ms`, and the same in ever fewer cells."""
    if rows is None:
        return ()
    count, *shorter = counts(len(rows.browsed.rows), rows.browsed.total)
    return (f"{count}   {rows.seconds * 1000:.0f} ms", count, *shorter)


def rows_status_text(rows: Rows | None, title: ViewTitle) -> str:
    """Return what of the query does not count, and why."""
    if rows is None:
        return ""
    about = list(map(one_line, rows.browsed.notes))
    if rows.browsed.loosened:
        about.append(f"no {title.row} holds all words: those with most of them come first")
    return "   ".join(about)


def no_rows_text(rows: Rows, title: ViewTitle, keys: KeyMap, *, waiting: bool) -> str:
    """Return what stands in place of the rows when there are none; '' where there are any."""
    if rows.browsed.rows:
        return ""
    if not rows.text.strip():
        return "Reading your sessions for the first time ..." if waiting else f"This memory holds no {title.rows}."
    advice = "Fewer or other words may."
    if pieces(rows.text):
        advice = f"Fewer conditions may: {keys.label('search.take_off')} takes off the last one."
    return "\n\n".join(filter(None, (f"No {title.row} matches.", "\n".join(map(one_line, rows.browsed.notes)), advice)))
