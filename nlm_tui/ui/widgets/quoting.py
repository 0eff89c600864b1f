"""A document in which one can go from decisions and open questions to where they were said."""

from collections.abc import Iterator

from nlm_tui.ui.layout import Document
from nlm_tui.ui.painting import CURRENT_MATCH
from nlm_tui.ui.passages import Quoted, Spot
from nlm_tui.ui.rendering import Marked
from nlm_tui.ui.rows import Row
from nlm_tui.ui.widgets.stepping import SteppingView


class QuotingView(SteppingView):
    """Goes to the messages that markers come from, and marks the words there until something else is gone to."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._marker = ""  # the decision or open question that is pointed at
        self._said: int | None = None  # of those of which it is known where they were said, the one that was gone to
        self._is_quoting = False

    @property
    def marker(self) -> str:
        """The decision or open question that is pointed at; '' for none."""
        return self._marker

    @property
    def said_words(self) -> str:
        """Which marker was gone to, and of how many: `said 2 of 5`."""
        total = len(self._document.said) if self._document else 0
        return f"said {self._said + 1} of {total}" if self._said is not None and self._is_quoting else ""

    @property
    def quoted(self) -> Quoted | None:
        """Where the marker was said that was gone to, as long as that is marked."""
        document = self._document
        if document is None or self._said is None or not self._is_quoting:
            return None
        evidence = document.said[self._said].evidence
        return document.quoted(evidence) if evidence is not None else None

    def says_where(self, marker: str | None = None) -> bool:
        """Return whether it is known where a decision or an open question was said; without one, where any was."""
        if marker is not None:
            return self._number_of(marker) is not None
        return self._document is not None and bool(self._document.said)

    def begin_before(self, marker: str) -> None:
        """Point at a decision or an open question: the next one to go to is this one."""
        self._marker, self._said = marker, None
        self.leave_quote()

    def leave_quote(self) -> None:
        """Mark the words of no marker any more."""
        self._is_quoting = False

    def action_said(self) -> None:
        """Go to where the marker that is pointed at was said, or the first one; then to the next one, in a ring."""
        if self._document is None or not self.says_where():
            return
        number = self._number_of(self._marker) or 0
        if self._said is not None:
            number = (self._said + 1) % len(self._document.said)
        self.wait_for(lambda: self._to_said(number))

    def go_to_said(self, marker: str) -> None:
        """Go to where a decision or an open question was said, if that is known."""
        number = self._number_of(marker)
        if number is not None:
            self.wait_for(lambda: self._to_said(number))

    def _number_of(self, marker: str) -> int | None:
        said = self._document.said if self._document else ()
        return next((number for number, one in enumerate(said) if one.text == marker), None)

    def _to_said(self, number: int) -> bool:
        """Bring the message to the top of the view, and the words into it, if they are known by now."""
        document = self._document
        evidence = document.said[number].evidence if document and number < len(document.said) else None
        if document is None or evidence is None:
            return True
        quoted = document.quoted(evidence)
        if quoted is None:
            return document.is_complete
        if not self.reveal(Spot(quoted.line, 0), at_top=True) or (quoted.words and not self.reveal(quoted.words[0])):
            return False
        self._said, self._is_quoting = number, True
        self.lines_changed(self.row_count)
        self.post_message(self.Moved())
        return True

    def _go_to(self, number: int, *, wrapped: bool = False) -> bool:
        if not super()._go_to(number, wrapped=wrapped):
            return False
        self.leave_quote()
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "said":
            return self.says_where()
        return super().check_action(action, parameters)

    def document_changed(self, before: Document | None, after: Document | None) -> None:
        super().document_changed(before, after)
        if before is None or after is None or before.session_id != after.session_id:
            self.begin_before("")
        elif self._said is not None:
            self._said = self._number_of(before.said[self._said].text)

    def marks_in(self, number: int, row: Row) -> Iterator[Marked]:
        yield from super().marks_in(number, row)
        if self.quoted is None or self.quoted.words is None:
            return
        first, last = self.quoted.words
        if first.line <= row.line <= last.line:
            begin = first.character if row.line == first.line else row.start
            yield (begin, last.character + 1 if row.line == last.line else row.end), CURRENT_MATCH
