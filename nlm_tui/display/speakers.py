"""Who said what, and when."""

from datetime import tzinfo
from types import MappingProxyType
from typing import Final

from nlm_tui.core import Evidence, Message, Session, Turn, one_line
from nlm_tui.display.words import clock_time, short_runtime

_SPEAKERS: Final = MappingProxyType({"user": "You", "command": "You", "summary": "Summary of what came before"})
_NOBODY: Final = frozenset({"tool", "note", "transcript"})


def speaker_line(message: Message, runtime: str, zone: tzinfo | None) -> str:
    """Return who said a message and when: `You  10:32  (withdrawn)`; '' for what nobody said."""
    if message.role in _NOBODY:
        return ""
    parts = (_speaker(message.role, runtime), clock_time(message.at, zone), "(withdrawn)" if message.withdrawn else "")
    return "  ".join(filter(None, parts))


def said_by(session: Session, evidence: Evidence | None, zone: tzinfo | None) -> str:
    """Return who said what a marker says, and when: ` (You, 10:32)`; '' where that is not known."""
    turn = turn_of(session, evidence)
    if turn is None:
        return ""
    speaker = "" if turn.role in _NOBODY else _speaker(turn.role, session.runtime)
    told = ", ".join(filter(None, (speaker, clock_time(turn.at, zone))))
    return f" ({told})" if told else ""


def turn_of(session: Session, evidence: Evidence | None) -> Turn | None:
    """Return the message that is the evidence; None where the session has none, or not that one."""
    if evidence is None:
        return None
    turns = session.turns or ((Turn("transcript", 0, len(session.body)),) if session.body else ())
    return turns[evidence.message] if 0 <= evidence.message < len(turns) else None


def _speaker(role: str, runtime: str) -> str:
    return _SPEAKERS.get(role, short_runtime(one_line(runtime)))
