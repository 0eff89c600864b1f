"""What a search gives the screen; worked out in a thread, so without a look at any widget."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from nlm_tui.core import (
    MAX_LIMIT,
    Filter,
    Matcher,
    Mode,
    Piece,
    RecallHit,
    RecallQuery,
    RecallResult,
    RecallService,
    Session,
    explanation,
    is_findable,
    matcher,
    parse,
    pieces,
    query_matcher,
    understood,
    units,
)
from nlm_tui.core.corrections import held_markers
from nlm_tui.display.document import session_lines
from nlm_tui.display.speakers import turn_of
from nlm_tui.ui.context import Context
from nlm_tui.ui.editing import without_unfinished
from nlm_tui.ui.layout import Document, Marks

Stage = Literal["words", "meaning"]

QUICK_BODY = 200_000  # characters; the hits do not wait for longer sessions
_PINNED = parse("is:pinned")
_WHOLE_BODY = 50_000  # nor for all of these


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits of `text`, the words to mark, and the document of the selected session unless that takes too long.

    `mode` is how the text is searched, `stage` how far: by words only, or by meaning as well. `reached` is how many of
    the best were asked for, `complete` says that there are no more. Of the parts of the text that are conditions, the
    `doubtful` ones were not understood, or can match nothing. `continues` says that the hits of the answer before are
    the first of these, and what else the screen shows still holds. The session `pinned` stands where it stood before,
    whatever the order says; `lost` says that the selected one is no hit any more. `similar` says that not words were
    looked for but what is similar to a session.
    """

    text: str
    mode: Mode
    stage: Stage
    result: RecallResult
    words: Matcher
    reached: int
    complete: bool
    document: Document | None = None
    memory_is_empty: bool = False
    doubtful: frozenset[str] = frozenset()
    continues: bool = False
    pinned: str | None = None
    similar: bool = False
    lost: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """The text in the box, how many hits the list wants, and which session stays selected (None: the first hit).

    `width` is what its document has for a row, 0 where none is shown. `shown` is the answer to the same text on the
    screen, where more of its hits are wanted.
    """

    text: str
    mode: Mode
    wanted: int
    selected: str | None
    width: int
    stage: Stage = "words"
    shown: Answer | None = None


def stages(text: str, mode: Mode) -> tuple[Stage, ...]:
    """Return how `text` is searched, one after the other. Quick also for a long text: no key may wait for it."""
    query = parse(without_unfinished(text), mode=mode)
    if query.seeks_similar:
        return ("meaning",)
    if mode == "keyword" or not _says_something(query):
        return ("words",)
    return ("meaning",) if mode == "semantic" else ("words", "meaning")


def marks_of(hit: RecallHit, words: Matcher) -> Marks:
    """Return what to mark in the session of `hit`."""
    return Marks(words, hit.near, leads=hit.keyword_score is None)


def answer_question(context: Context, question: Question) -> Answer:
    """Recall, and prepare the session that will be selected. Without words: the newest sessions that pass.

    Raises:
        SearchInterruptedError: the memory was interrupted.
        StoreError: the store failed.
    """
    query = read_query(question.text, question.mode)
    recall = context.memory.by_meaning
    if question.stage == "words":
        recall = context.memory.recall
        if query.mode == "hybrid" and _says_something(query):
            query = replace(query, mode="keyword")
    asking = _Asking.of(context, recall, query)
    if question.shown is not None and (more := _more(asking, question.shown, question.wanted)) is not None:
        return more
    result, reached, complete = _recalled(asking, question.wanted)
    words = _words(query, result)
    hits = {hit.id: hit for hit in result.results}
    selected = hits.get(question.selected or "") or next(iter(result.results), None)
    return Answer(
        question.text,
        question.mode,
        question.stage,
        result,
        words,
        reached,
        complete,
        session_document(context, selected.id, marks_of(selected, words), question.width, longest=QUICK_BODY)
        if selected and question.width
        else None,
        memory_is_empty=not hits and not context.memory.sessions.count(),
        doubtful=doubtful_conditions(context, question.text, result.notes),
        similar=query.seeks_similar,
        lost=question.selected is not None
        and question.selected not in hits
        and (complete or _is_gone(context, question.selected)),
    )


def hits_from(context: Context, text: str, mode: Mode, offset: int) -> RecallResult:
    """Return at most `MAX_LIMIT` hits of `text` behind the first `offset`; before all of them stand pinned ones.

    Raises:
        SearchInterruptedError: the memory was interrupted.
        StoreError: the store failed.
    """
    asking = _Asking.of(context, context.memory.by_meaning, read_query(text, mode))
    page = _search(asking, offset + MAX_LIMIT, offset)
    return page if offset else replace(page, results=(*_pinned(asking), *page.results))


def _is_gone(context: Context, session_id: str) -> bool:
    session = context.memory.sessions.get_by_id(session_id)
    return session is None or session.hidden


def session_document(  # noqa: PLR0913 - what the thread needs to know of the widgets
    context: Context, session_id: str, marks: Marks, width: int, *, longest: float = math.inf, reveal: bool = False
) -> Document | None:
    """Return a session's document; None when there is no such session, or its body is longer than `longest`.

    Of a long one only the beginning is there. `reveal` shows its secrets.

    Raises:
        StoreError: the store failed.
    """
    sessions = context.memory.sessions
    session = sessions.get_by_id(session_id)
    if session is None or len(session.body) > longest:
        return None
    others = (sessions.get_by_id(other) for other in _neighbours(session))
    lines = session_lines(
        session,
        home=context.home,
        now=context.now(),
        zone=context.zone,
        labels={other.id: other.label for other in others if other is not None},
        reveal=reveal,
    )
    said = tuple(marker for marker in held_markers(session) if turn_of(session, marker.evidence) is not None)
    document = Document(session_id, lines, marks, width, turns=session.turns, said=said)
    document.fill(math.inf if len(session.body) <= _WHOLE_BODY else 1)
    return document


def _neighbours(session: Session) -> tuple[str, ...]:
    parent = (session.parent_id,) if session.parent_id else ()
    return (*parent, *session.continues, *session.superseded_by)


def hit_explanation(context: Context, hit: RecallHit, result: RecallResult) -> str:
    """Return why `hit` stands where it does; '' where its session is gone.

    Raises:
        StoreError: the store failed.
    """
    session = context.memory.sessions.get_by_id(hit.id)
    if session is None:
        return ""
    return explanation(hit, session, result) or "no word was looked for: the newest sessions come first"


def read_query(text: str, mode: Mode) -> RecallQuery:
    """Return what the box asks for while it is being typed."""
    query = parse(without_unfinished(text), mode=mode, typing=True)
    # Without a unit there is a quote or a dash that is to become something.
    return query if units(query.query) else replace(query, query="")


def doubtful_conditions(context: Context, text: str, notes: Sequence[str]) -> frozenset[str]:
    """Return the conditions of `text` that were not understood or, as `notes` tell, can match nothing."""
    return frozenset(piece.text for piece in pieces(text) if _is_doubtful(piece, notes, context))


def _says_something(query: RecallQuery) -> bool:
    return bool(query.phrases) or is_findable(query.query)


class _Asking(NamedTuple):
    """What is asked of whom; `everything` says that nothing is asked for that is understood."""

    recall: RecallService
    query: RecallQuery
    everything: bool

    @classmethod
    def of(cls, context: Context, recall: RecallService, query: RecallQuery) -> "_Asking":
        """Return what `query` asks here and now."""
        return cls(recall, query, not understood(query, context.now(), context.zone).asks)


def _search(asking: _Asking, wanted: int, offset: int) -> RecallResult:
    """Return at most `MAX_LIMIT` hits. Where nothing is asked for, subagents are left to their parents."""
    page = replace(asking.query, limit=wanted - offset, offset=offset)
    return asking.recall.search(page, top_level=asking.everything)


def _recalled(asking: _Asking, wanted: int) -> tuple[RecallResult, int, bool]:
    """Return the best `wanted` hits, how many were asked for, and whether these are all."""
    result = _search(asking, wanted, 0)
    hits = {hit.id: hit for hit in (*_pinned(asking), *result.results)}
    reached, page = min(wanted, MAX_LIMIT), result
    while reached < wanted and not _is_last(page, reached):
        page = _search(asking, wanted, reached)
        # The store may have changed between two pages.
        hits |= {hit.id: hit for hit in page.results if hit.id not in hits}
        reached = min(wanted, reached + MAX_LIMIT)
    return replace(result, results=tuple(hits.values())), reached, _is_last(page, reached)


def _pinned(asking: _Asking) -> tuple[RecallHit, ...]:
    """Return what comes before the newest where nothing is asked for: the pinned sessions."""
    if not asking.everything:
        return ()
    return asking.recall.search(replace(_PINNED, limit=MAX_LIMIT)).results


def _is_last(page: RecallResult, reached: int) -> bool:
    return not page.results or reached >= page.total


def _more(asking: _Asking, shown: Answer, wanted: int) -> Answer | None:
    """Return the answer `shown` with the hits that come next; None where the memory answers otherwise by now."""
    page = _search(asking, wanted, shown.reached)
    before = shown.result
    known = {hit.id for hit in before.results}
    if (page.total, page.terms, page.common) != (before.total, before.terms, before.common):
        return None
    first = {hit.id for hit in before.results if hit.pinned} if asking.everything else {shown.pinned}
    following = tuple(hit for hit in page.results if hit.id not in first)
    if any(hit.id in known for hit in following):
        return None
    reached = min(wanted, shown.reached + MAX_LIMIT)
    return replace(
        shown,
        result=replace(before, results=(*before.results, *following)),
        reached=reached,
        complete=_is_last(page, reached),
        document=None,
        continues=True,
    )


def _words(query: RecallQuery, result: RecallResult) -> Matcher:
    """Return the words to mark: those that were looked for, not those that nearly every session holds."""
    if result.terms:
        telling = matcher(tuple(term for term in result.terms if term.typed not in result.common))
        return telling or matcher(result.terms)
    return query_matcher(" ".join((*(f'"{phrase}"' for phrase in query.phrases), query.query)), typing=True)


def _is_doubtful(piece: Piece, notes: Sequence[str], context: Context) -> bool:
    if understood(parse(piece.text), context.now(), context.zone).notes:
        return True
    if not isinstance(piece.value, Filter):
        return False
    return any(f"no session has {piece.value.name}:{value}" in notes for value in piece.value.values)
