"""Where a passage stands among the lines of a session."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from test_pictures import hostile, session_of

from nlm_tui.core import Matcher, Message, Session, display_safe, field_text
from nlm_tui.display.document import Line, session_lines
from nlm_tui.ui.layout import Marks, lay_out
from nlm_tui.ui.passages import find_passage

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def lines_of(session: Session) -> tuple[Line, ...]:
    return tuple(session_lines(session, home=Path("/home/sam"), now=NOW, zone=UTC))


SAILING = session_of(
    Message("user", "When does the  ferry sail?\n\n\tAnd from where?"),
    Message("tool", "Grep  ferry\n  timetable.csv: 08:00"),
    Message("assistant", "At eight.\nFrom pier 3."),
    label="Ferries",
    summary="Ferries sail at eight.\nFrom pier 3.",
    decisions=("Trust the timetable.", "Never the skipper."),
    open=("Who asks the harbour?",),
)


@pytest.mark.parametrize(
    ("passage", "first", "last"),
    [
        ("Never the skipper.", "* Never", "skipper."),
        ("Trust the timetable.\nNever the", "* Trust", "* Never the"),
        ("Ferries\nFerries sail at", "Ferries", "Ferries sail at"),
        ("the ferry sail?\n\n    And from", "the  ferry", "And from"),
        ("where?\n\nGrep  ferry\n  timetable.csv: 08:00\n\nAt eight.", "where?", "At eight."),
        ("harbour?", "harbour?", "harbour?"),
        ("nowhere, said the\ntimetable.csv: 08:00", "timetable.csv", "08:00"),
    ],
)
def test_a_passage_is_found_where_it_stands(passage: str, first: str, last: str) -> None:
    lines = lines_of(SAILING)
    found = find_passage(lines, passage)
    assert found is not None
    (line, start), (end_line, end) = found
    assert lines[line].text[start:].startswith(first.removeprefix("* "))
    assert lines[end_line].text[: end + 1].endswith(last.removeprefix("* "))


@pytest.mark.parametrize("passage", ["", " \n\t", "said nowhere", "short\nbits of it"])
def test_what_is_nowhere_is_not_found(passage: str) -> None:
    assert find_passage(lines_of(SAILING), passage) is None
    assert find_passage((), passage) is None


@pytest.mark.parametrize("field", ["head", "decisions", "open", "conversation"])
@pytest.mark.parametrize("session", [SAILING, hostile()], ids=["plain", "hostile"])
def test_every_field_is_found_as_a_whole(session: Session, field: str) -> None:
    text = display_safe(field_text(session, field))
    found = find_passage(lines_of(session), text)
    assert found is not None
    (line, start), _ = found
    shown = lines_of(session)[line].text[start:]
    assert "".join(text.split()).startswith("".join(shown.split())[:8])


@pytest.mark.parametrize("width", [1, 7, 20, 80])
def test_the_rows_of_a_passage(width: int) -> None:
    lines = lines_of(SAILING)
    document = lay_out("cc_1", lines, Marks(Matcher(), "Never the skipper."), width)
    near = [number for number, row in enumerate(document.rows) if document.is_near(row)]
    (number,) = {document.rows[row].line for row in near}
    assert lines[number].text == "* Never the skipper."
    assert near[-1] == max(at for at, row in enumerate(document.rows) if row.line == number)
    assert [document.rows.row_of(*stop) for stop in document.stops] == near[:1]
