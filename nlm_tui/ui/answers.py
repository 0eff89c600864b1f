"""What a search gives the screen; worked out in a thread, so without a look at any widget."""

import math
from dataclasses import dataclass

from nlm_tui.core import Matcher, Mode, RecallQuery, RecallResult, SessionFilter, query_matcher
from nlm_tui.display.document import session_lines
from nlm_tui.ui.context import Context
from nlm_tui.ui.layout import Document, lay_out

QUICK_BODY = 200_000  # characters; the hits do not wait for longer sessions


@dataclass(frozen=True, slots=True)
class Question:
    """The text in the box, how many hits the list wants, and which session stays selected (None: the first hit)."""

    text: str
    mode: Mode
    limit: int
    selected: str | None
    width: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits, the words to mark, and the document of the selected session unless that takes too long."""

    result: RecallResult
    words: Matcher
    document: Document | None
    memory_is_empty: bool


def answer_question(context: Context, question: Question) -> Answer:
    """Recall, and prepare the session that will be selected. Without text: the newest sessions.

    Raises:
        SearchInterruptedError: the memory was interrupted.
        StoreError: the store failed.
    """
    recall = context.memory.recall
    if question.text.strip():
        query = RecallQuery(question.text, mode=question.mode, limit=question.limit, typing=True)
        result = recall.search(query)
    else:
        result = recall.newest(question.limit, session_filter=SessionFilter(top_level=True))
    words = query_matcher(question.text, typing=True)
    ids = [hit.id for hit in result.results]
    selected = question.selected if question.selected in ids else next(iter(ids), None)
    document = session_document(context, selected, words, question.width, longest=QUICK_BODY) if selected else None
    empty = not ids and not context.memory.sessions.count()
    return Answer(result, words, document, memory_is_empty=empty)


def session_document(
    context: Context, session_id: str, words: Matcher, width: int, *, longest: float = math.inf
) -> Document | None:
    """Return a session's document; None when there is no such session, or its body is longer than `longest`.

    Raises:
        StoreError: the store failed.
    """
    sessions = context.memory.sessions
    session = sessions.get_by_id(session_id)
    if session is None or len(session.body) > longest:
        return None
    parent = sessions.get_by_id(session.parent_id) if session.parent_id else None
    lines = session_lines(
        session, home=context.home, now=context.now(), zone=context.zone, parent=parent.label if parent else None
    )
    return lay_out(session_id, lines, words, width)
