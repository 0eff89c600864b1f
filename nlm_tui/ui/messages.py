"""Sentences of the search screen."""

from collections.abc import Iterator
from itertools import pairwise

from nlm_tui.core import Mode, RecallResult, one_line, pieces
from nlm_tui.display.words import home_path
from nlm_tui.ui.answers import Answer
from nlm_tui.ui.context import Context
from nlm_tui.ui.editing import corrections

HELP = """
Type what you remember: any of the words may match; more and rarer words rank higher. Conditions narrow it down:

```
"dead letter"   in a row
-kafka          without it
agent:claude    its agent
project:pay     its folder
entity:Redis    what it is on
has:open        or decision
in:label        words there
status:closed   its state
is:pinned       what you made of it: pinned, hidden, noted
since:7d        that recent
before:2026-05  that old
branch:main     its branch
model:opus      its model
like:ID         close to it
agent:pi,aider  either
-agent:pi       not that
```

Hits by words come at once, hits by meaning join them when you rest; Ctrl+T asks for both, or for one kind alone. A ~
marks a hit that came by meaning, and in its session the passage that did.

Ctrl+F finds the sessions that are similar to the selected one, Escape comes back.

Tab completes a condition. Its chip under the box takes it off by a click, Ctrl+O takes off the last one.

Enter moves into the session, Escape comes back. Escape in the box clears it, Escape again brings the text back.
"""

_TO_COME = "\N{HORIZONTAL ELLIPSIS}"


def found_text(mode: Mode, answer: Answer | None, *, pending: bool, brief: bool) -> str:
    """Return `hybrid   12 of 1,204   8 ms`, or in brief `12 of 1,204`: what the list shows now.

    A sign says that more is to come. All else stays in its place while it comes and goes.
    """
    how = "" if brief else "similar" if answer is not None and answer.similar else mode
    if pending:
        how = f"{how} {_TO_COME}".strip()
    if answer is None:
        return how
    found = f"{len(answer.result.results):,} of {answer.result.total:,}"
    took = "" if brief else f"{answer.seconds * 1000:.0f} ms"
    return (" " if brief else "   ").join(filter(None, (how, found, took)))


def empty_text(answer: Answer, context: Context, *, waiting: bool, pending: bool) -> str:
    """Return what stands in place of the hits when there are none; '' where there are any."""
    if answer.result.results:
        return ""
    if not answer.memory_is_empty:
        notes = "\n".join(map(one_line, answer.result.notes))
        if pending:
            return "\n\n".join(filter(None, ("No session holds these words.", notes, "Looking by meaning ...")))
        if reason := _only_by_meaning(answer):
            back = "Escape goes back." if answer.similar else "Ctrl+T goes on to recall by words."
            return f"Nothing can be found by meaning.\n\n{one_line(reason)}\n\n{back}"
        advice = "Fewer or other words may: any of them is enough."
        if pieces(answer.text):
            advice = "Fewer conditions may: Ctrl+O takes off the last one."
        return "\n\n".join(filter(None, ("No session matches.", notes, advice)))
    if waiting:
        return "Reading your sessions for the first time ..."
    looked = "\n".join(f"  {home_path(str(folder), context.home)}" for folder in context.searched_folders)
    demo = "\n\nPress Enter to look around in a demo memory." if context.open_demo is not None else ""
    return f"No sessions yet.\n\nLooked for transcripts in\n{looked or '  no folder at all'}{demo}"


def status_text(mode: Mode, answer: Answer | None, news: str, unavailable: str | None = None) -> str:
    """Return what to know about the answer: what of the query does not count, and why; then the news of indexing.

    `unavailable` says why nothing is found by meaning.
    """
    about: list[str] = []
    if answer is not None:
        result = answer.result
        about = [*result.notes, *_misspelled(result), *_in_parts(result), *_common(result)]
        if unavailable:
            instead = "by keyword only, " if mode == "hybrid" and not _only_by_meaning(answer) else ""
            about.append(f"{instead}meaning is off: {unavailable}")
    return "   ".join(note for note in (*about, news) if note)


def _only_by_meaning(answer: Answer) -> str | None:
    """Return why nothing was found, where words were not asked: what is similar to a session, or in semantic recall."""
    alone = answer.mode == "semantic" or answer.similar
    return answer.result.mode_unavailable if alone else None


def _misspelled(result: RecallResult) -> Iterator[str]:
    for number, (typed, instead) in enumerate(corrections(result).items()):
        key = "" if number else " (ctrl+g takes it over)"
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
