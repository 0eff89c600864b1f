"""What Hermes puts into turns: skills, notes, recalled memories, summaries of what it compacted."""

import re
from typing import NamedTuple

from nlm_tui.runtimes.injected import Injected

_MEMORY = Injected("memory-context")
_SUMMARY = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
_SUMMARY_END = re.compile(r"^-+ *END OF CONTEXT SUMMARY.*$", re.MULTILINE)
_PRIOR = "[PRIOR CONTEXT"
_PRIOR_END = re.compile(r"\[END OF PRIOR CONTEXT[^\]\n]*\]")
_SKILL = re.compile(r'\[(?:IMPORTANT|SYSTEM|System): The user has invoked the "([^"\n]{1,200})" skill( bundle)?')
_INSTRUCTION = "The user has provided the following instruction alongside the skill invocation: "
_BUNDLE_INSTRUCTION, _BUNDLE_SKILL = "\nUser instruction: ", "\n\n[Loaded as part of the "
_NOTES = ("[System note:", "[System:", "[SYSTEM:", "[IMPORTANT:", "[Note:", "[Runtime note:")
_NOTES_LAST = ("\n\n[Runtime note:", "\n\n[Note: Some earlier conversation turns")
_NOT_TYPED = (
    *("[ASYNC DELEGATION", "[IMPORTANT: Background process", "[Your active task list", "[Planning state preserved"),
    *("[Continuing toward your standing goal", "[OUT-OF-BAND"),
    *("Review the conversation above and update the skill", "Review the conversation above and consider saving"),
)
_BRACKET = re.compile(r"[\[\]]")


class Typed(NamedTuple):
    """What a person typed, or which skill was called by its name only."""

    text: str
    command: str = ""


def without_summary(text: str) -> tuple[str, str]:
    """Return a turn without the summary of a compacted history in it, and that summary, '' if there is none."""
    text = text.strip()
    if text.startswith(_SUMMARY):
        end = _SUMMARY_END.search(text)
        summary, rest = (text[: end.start()], text[end.end() :]) if end else (text, "")
        return rest.strip(), _after_note(summary) or summary
    if text.startswith(_PRIOR) and (end := _PRIOR_END.search(text)):
        summary = text[end.end() :].strip()
        return _after_note(text[: end.start()]).strip(), _after_note(summary) or summary
    return text, ""


def typed(text: str) -> Typed:
    """Return what a person typed of a turn of theirs, without what was put around it."""
    text = _MEMORY.removed(text).strip()
    while not text.startswith(_NOT_TYPED):
        if skill := _SKILL.match(text):
            instruction = _instruction(text, is_bundle=bool(skill[2]))
            if not instruction:
                return Typed("", f"/{skill[1]}")
            text = instruction
        elif text.startswith(_NOTES):
            text = _after_note(text)
        else:
            for note in _NOTES_LAST:
                text = text.partition(note)[0]
            return Typed(text)
    return Typed("")


def _instruction(text: str, *, is_bundle: bool) -> str:
    if is_bundle:
        return text.partition(_BUNDLE_INSTRUCTION)[2].partition(_BUNDLE_SKILL)[0].strip()
    return text.rpartition(_INSTRUCTION)[2].strip() if _INSTRUCTION in text else ""


def _after_note(text: str) -> str:
    """Return what follows the note in brackets that `text` begins with."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] == "[" else -1
        if not depth:
            return text[bracket.end() :].lstrip()
    return text.partition("]\n\n")[2].lstrip()
