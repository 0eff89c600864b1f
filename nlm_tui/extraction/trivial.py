"""Sessions of nothing: a greeting, a lone command, an aborted start, a look-up, a slip of the pen mended at once."""

import re
from collections.abc import Sequence

from nlm_tui.core import Message
from nlm_tui.extraction.courtesy import is_courtesy

_SHORT_PROMPT, _SHORT_TASK = 160, 240  # characters
_SHORT_ANSWER, _LONG_ANSWER = 240, 700
_FEW_CALLS = 6
_CALL = re.compile(r"[^\s\W]\w*(?:  \S|\n|$)")

_LOOK_UP = re.compile(
    r"\?\s*$|^\W*(?:(?:just )?a? ?quick (?:one|question)\W+)?(?:what|which|how|where|when|who|is|are|does|do"
    r"|can|was|wie|was|welche|qué|cómo|comment)\b"
    r"|\b(?:which|what) (?:letter|flag|option|switch|command|key|shortcut)\b|\b(?:syntax|shortcut|regex|command"
    r"|flag) (?:for|to|of)\b",
    re.IGNORECASE,
)
_SERIOUS = re.compile(
    r"\b(?:why|should|shall|better|best|vs|versus|or|compare|recommend|decide|design|fail\w*|error\w*|broken"
    r"|crash\w*|wrong|bug|slow"
    r"|our|we|us|warum|sollen|por qué|pourquoi)\b|[\uff1f?].*[\uff1f?]|なぜ|为什么",
    re.IGNORECASE,
)
_SLIP = re.compile(
    r"\b(?:typos?|misspel\w+|spelling|spelt|comma|semicolon|white ?space|trailing|indentation|capitali[sz]e"
    r"|copyright year|the year"
    r"|blank line|newline|apostrophe|tippfehler|rechtschreib\w*|errata|faute de frappe|broken link|dead link"
    r"|unused import)\b",
    re.IGNORECASE,
)


def is_trivial(messages: Sequence[Message]) -> bool:
    """Return whether nothing happened in a session that somebody would want to find again."""
    standing = [message for message in messages if not message.withdrawn]
    prompts = [message.text.strip() for message in standing if message.role == "user"]
    real = [prompt for prompt in prompts if not is_courtesy(prompt[:400])]
    answers = sum(len(message.text) for message in standing if message.role == "assistant")
    calls = sum(message.role == "tool" and _CALL.match(message.text) is not None for message in standing)
    if not real:
        return bool(prompts or any(message.role == "command" for message in standing)) and (
            answers <= _LONG_ANSWER and calls <= 2
        )
    if len(real) > 1 or any(message.role == "summary" for message in standing):
        return False
    if _aborted(real[0], prompts, answers, calls) or _looked_up(real[0], answers, calls):
        return True
    return (
        len(real[0]) <= _SHORT_TASK and answers <= _LONG_ANSWER and calls <= _FEW_CALLS and bool(_SLIP.search(real[0]))
    )


def _aborted(prompt: str, prompts: Sequence[str], answers: int, calls: int) -> bool:
    """Tell whether a short prompt was taken back before anything was done."""
    return (
        prompts[-1] != prompt
        and len(prompt) <= _SHORT_PROMPT
        and answers <= _SHORT_ANSWER
        and not calls
        and (_STOPPED.fullmatch(prompts[-1]) is not None)
    )


_STOPPED = re.compile(
    r"\W*(?:\[?request interrupted[^\]]*\]?|nvm|never ?mind|stop|cancel|abort|oops|sorry|wrong \w+"
    r"|forget it)\b.{0,60}",
    re.IGNORECASE | re.DOTALL,
)


def _looked_up(prompt: str, answers: int, calls: int) -> bool:
    """Tell whether a short question got a short answer, without work."""
    return (
        len(prompt) <= _SHORT_PROMPT
        and "\n" not in prompt
        and 0 < answers <= _LONG_ANSWER
        and calls <= 1
        and _LOOK_UP.search(prompt) is not None
        and _SERIOUS.search(prompt) is None
    )
