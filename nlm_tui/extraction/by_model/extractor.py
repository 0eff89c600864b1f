"""What a conversation comes to, asked of a model window by window."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from nlm_tui.core import Evidence as Said
from nlm_tui.core import Message
from nlm_tui.extraction.by_model.answers import AnswerError, read_answer
from nlm_tui.extraction.by_model.evidence import Evidence
from nlm_tui.extraction.by_model.notes import Fact, Notes, merged
from nlm_tui.extraction.by_model.ports import (
    ANSWER_TOKENS,
    ChatModel,
    EndlessAnswerError,
    ModelFailedError,
    QuestionTooLongError,
)
from nlm_tui.extraction.by_model.prompt import (
    FRAME_TOKENS,
    LATER_SCHEMA,
    NOTES_TOKENS,
    SCHEMA,
    SYSTEM,
    note_ids,
    question,
)
from nlm_tui.extraction.by_model.speakers import spoken_parts
from nlm_tui.extraction.by_model.windows import Window, halved, windows
from nlm_tui.extraction.meaning import Meaning

_TRIES = 2


class Extracted(NamedTuple):
    """What a conversation comes to, and facts that it established."""

    meaning: Meaning
    facts: tuple[Fact, ...]


def extract(messages: Sequence[Message], model: ChatModel) -> Extracted:
    """Return what `model` says that `messages` come to. Its label is '' where it has no good one.

    Raises:
        ModelUnavailableError: the model cannot be asked.
        ModelFailedError: it gives no answer to this conversation that can be used.
    """
    budget = model.context_tokens - ANSWER_TOKENS - FRAME_TOKENS - NOTES_TOKENS
    waiting = deque(windows(spoken_parts(messages), budget))
    notes = Notes()
    is_later = False
    while waiting:
        window = waiting.popleft()
        try:
            notes = merged(notes, _noted(window, notes, model, is_later=is_later))
        except QuestionTooLongError as error:
            halves = halved(window)
            if halves is None:
                raise ModelFailedError(f"the model takes too little text: {error}") from error
            waiting.extendleft(reversed(halves))
        else:
            is_later = True
    return _extracted(notes)


def _noted(window: Window, before: Notes, model: ChatModel, *, is_later: bool) -> Notes:
    """Return the notes on one window; a model that answers badly is told so, and asked again."""
    evidence = Evidence(window)
    ids = note_ids(before) if is_later else {}
    problem = ""
    for _ in range(_TRIES):
        asked = question(window, before, is_later=is_later, problem=problem)
        try:
            return read_answer(model.ask(SYSTEM, asked, LATER_SCHEMA if is_later else SCHEMA), evidence, ids)
        except AnswerError as error:
            problem = str(error)
        except EndlessAnswerError:
            problem = "it had no end; keep it short"
    raise ModelFailedError(f"the answer of the model cannot be used: {problem}")


def _extracted(notes: Notes) -> Extracted:
    said = {("decision", note.text): Said(note.message, note.quote) for note in notes.decisions}
    said |= {("open", note.text): Said(note.message, note.quote) for note in notes.open}
    meaning = Meaning(
        label=notes.label,
        summary=notes.summary,
        entities=notes.entities,
        decisions=tuple(dict.fromkeys(note.text for note in notes.decisions)),
        open=tuple(dict.fromkeys(note.text for note in notes.open)),
        evidence=said,
    )
    return Extracted(meaning, notes.facts)
