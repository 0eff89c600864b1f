"""Sentences of the search screen."""

from collections.abc import Iterator
from itertools import pairwise

from nlm_tui.core import Mode, RecallResult, one_line, pieces
from nlm_tui.ui.answers import Answer
from nlm_tui.ui.context import Context
from nlm_tui.ui.editing import corrections
from nlm_tui.ui.keymap import KeyMap

_TO_COME = "\N{HORIZONTAL ELLIPSIS}"


def found_texts(mode: Mode, answer: Answer | None, *, pending: bool) -> tuple[str, ...]:
    """Return what the list shows now, in ever fewer cells: `hybrid   12 of 1,204   8 ms` to `12/1,204`.

    A sign says that more is to come. All else stays in its place while it comes and goes.
    """
    how = "similar" if answer is not None and answer.similar else mode
    more = f" {_TO_COME}" if pending else ""
    if answer is None:
        return (how + more, more.strip())
    count, *shorter = counts(len(answer.result.results), answer.result.total)
    return (f"{how}{more}   {count}   {answer.seconds * 1000:.0f} ms", f"{more} {count}".strip(), count, *shorter)


def counts(shown: int, total: int) -> tuple[str, str]:
    """Return how many of all are shown, in words and shorter."""
    return f"{shown:,} of {total:,}", f"{shown:,}/{total:,}"


def empty_text(answer: Answer, context: Context, *, waiting: bool, pending: bool) -> str:
    """Return what stands in place of the hits when there are none; '' where there are any."""
    if answer.result.results:
        return ""
    keys = context.keys
    if not answer.memory_is_empty:
        notes = "\n".join(map(one_line, answer.result.notes))
        if pending:
            return "\n\n".join(filter(None, ("No session holds these words.", notes, "Looking by meaning ...")))
        if reason := _only_by_meaning(answer):
            back = (
                f"{keys.label('search.back')} goes back."
                if answer.similar
                else f"{keys.label('search.mode')} goes on to recall by words."
            )
            return f"Nothing can be found by meaning.\n\n{one_line(reason)}\n\n{back}"
        advice = "Fewer or other words may: any of them is enough."
        if pieces(answer.text):
            advice = f"Fewer conditions may: {keys.label('search.take_off')} takes off the last one."
        return "\n\n".join(filter(None, ("No session matches.", notes, advice)))
    if waiting:
        return "Reading your sessions for the first time ..."
    looked = ", ".join(map(one_line, context.searched_for))
    demo = (
        f"\n\nPress {keys.label('results.open')} to look around in a demo memory."
        if context.open_demo is not None
        else ""
    )
    where = f"{keys.label('app.palette')} and Sources says where."
    return f"No sessions yet.\n\nLooked for transcripts of {looked or 'no agent at all'}.\n{where}{demo}"


def status_text(mode: Mode, answer: Answer | None, keys: KeyMap, unavailable: str | None = None) -> str:
    """Return what to know about the answer: what of the query does not count, and why.

    `unavailable` says why nothing is found by meaning.
    """
    about: list[str] = []
    if answer is not None:
        result = answer.result
        about = [*result.notes, *_misspelled(result, keys), *_in_parts(result), *_common(result)]
        if unavailable:
            instead = "by keyword only, " if mode == "hybrid" and not _only_by_meaning(answer) else ""
            about.append(f"{instead}meaning is off: {unavailable}")
    return "   ".join(about)


def _only_by_meaning(answer: Answer) -> str | None:
    """Return why nothing was found, where words were not asked: what is similar to a session, or in semantic recall."""
    alone = answer.mode == "semantic" or answer.similar
    return answer.result.mode_unavailable if alone else None


def _misspelled(result: RecallResult, keys: KeyMap) -> Iterator[str]:
    for number, (typed, instead) in enumerate(corrections(result).items()):
        key = "" if number else f" ({keys.brief('search.correct')} takes it over)"
        yield f'nothing matches "{typed}": showing {", ".join(instead)}{key}'


def _in_parts(result: RecallResult) -> Iterator[str]:
    for typed in dict.fromkeys(term.typed for term in result.terms if term.how == "piece"):
        yield f'nothing matches "{typed}" as a whole: showing its parts'


def _common(result: RecallResult) -> Iterator[str]:
    if not result.common:
        return
    started = [hit.started_at for hit in result.results]
    newest_first = all(first >= second for first, second in pairwise(started))
    if newest_first and {term.typed for term in result.terms} <= set(result.common):
        yield "newest first: every word is in most sessions"
    else:
        yield f"left out as too common: {', '.join(dict.fromkeys(result.common))}"
