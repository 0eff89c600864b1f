"""Why a hit stands where it does, in one line."""

from collections.abc import Iterator

from nlm_tui.core.matching import matcher
from nlm_tui.core.model import Session
from nlm_tui.core.result import RecallHit, RecallResult
from nlm_tui.core.safe import one_line


def explanation(hit: RecallHit, session: Session, result: RecallResult) -> str:
    """Return which words stand in which fields of a hit, and what its score is made of.

    `session` is the hit's, `result` the recall that found it. Safe to show.
    """
    places = ", ".join(_places(session, result))
    if not places and hit.near:
        places = f"nearest passage in {hit.snippet_field or 'label'}"
    return "   ".join(part for part in (places, ", ".join(_scores(hit, result))) if part)


def _places(session: Session, result: RecallResult) -> Iterator[str]:
    """Yield each word with the fields that hold it: `retry in label and conversation`."""
    fields = {
        "label": (session.label,),
        "decisions": session.decisions,
        "open": session.open,
        "summary": (session.summary,),
        "topics": session.entities,
        "project": (session.project or "",),
        "branch": (session.branch or "",),
        "conversation": (session.body,),
    }
    for typed in dict.fromkeys(term.typed for term in result.terms):
        terms = tuple(term for term in result.terms if term.typed == typed)
        words = matcher(terms)
        found = [name for name, texts in fields.items() if any(map(words.occurs, texts))]
        if found:
            *others, last = found
            where = f"{', '.join(others)} and {last}" if others else last
            near = ", ".join(one_line(term.text) for term in terms if term.how == "approximate")
            yield f"{one_line(typed)}{f' (approximate: {near})' if near else ''} in {where}"


def _scores(hit: RecallHit, result: RecallResult) -> Iterator[str]:
    words, meaning = _counts(result.semantic_weight)
    if hit.keyword_score is not None:
        yield f"keyword {hit.keyword_score:.2f}{words}"
    elif words:
        yield f"no word found{words}"
    if hit.semantic_score is not None:
        yield f"meaning {hit.semantic_score:.2f} of 1{meaning}"
    elif meaning:
        yield f"not near in meaning{meaning}"
    if hit.passage:
        yield f"one passage holds {hit.passage:.0%} of the words"
    if hit.status == "superseded":
        yield "lowered: superseded"
    if hit.approximate:
        yield "below all that match as typed"
    if result.common:
        yield f"in nearly every session: {', '.join(map(one_line, result.common))}"
    if hit.keyword_score is not None or hit.semantic_score is not None:
        yield f"score {hit.match_score:.2f}, near ties newest first"


def _counts(semantic_weight: float | None) -> tuple[str, str]:
    """Return what words and meaning count in a score that is made of both."""
    if semantic_weight is None:
        return "", ""
    return f" (counts {1 - semantic_weight:.0%})", f" (counts {semantic_weight:.0%})"
