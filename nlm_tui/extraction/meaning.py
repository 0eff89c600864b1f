"""What the messages of a session come to."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nlm_tui.core import Evidence, Message
from nlm_tui.extraction.decisions import find_decisions
from nlm_tui.extraction.entities import find_entities, words_of
from nlm_tui.extraction.exchanges import exchanges
from nlm_tui.extraction.found import besides, texts
from nlm_tui.extraction.labels import completed, label_of, requests
from nlm_tui.extraction.left_open import find_open
from nlm_tui.extraction.markers import CUE_WORDS, find_markers
from nlm_tui.extraction.projects import project_name
from nlm_tui.extraction.prose import SPOKEN
from nlm_tui.extraction.questions import unanswered
from nlm_tui.extraction.summaries import summary_of
from nlm_tui.extraction.trivial import is_trivial
from nlm_tui.extraction.words import is_english
from nlm_tui.extraction.work import work_of

_SAMPLE = 2_000  # characters that tell the language


class Meaning(NamedTuple):
    """Label, summary, topics, decisions and open questions of a session, and where the markers come from.

    `evidence` is keyed by the kind and text of a marker; its messages are numbered as they were given.
    """

    label: str
    summary: str
    entities: tuple[str, ...]
    decisions: tuple[str, ...]
    open: tuple[str, ...]
    evidence: Mapping[tuple[str, str], Evidence]


def meaning(messages: Sequence[Message], *, title: str | None, project: str | None, fallback: str) -> Meaning:
    """Return what `messages` come to, by rules. Pure: the same input gives the same answer.

    A copy of another session is named as what it copies; all else comes from what it adds.
    """
    spoken = [message for message in messages if message.role in SPOKEN]
    spoken = [message for message in spoken if not message.withdrawn] or spoken
    work = work_of(messages)
    asked = requests(work)
    said = label_of(title, work, asked, [message.text for message in messages if message.role == "command"], fallback)
    if is_trivial(messages):
        return Meaning(said.text, "", (), (), (), {})
    spoken = [message for message in spoken if not message.inherited] or spoken
    prose = words_of("\n".join(message.text for message in spoken))
    known = CUE_WORDS & prose.single
    own = [message for message in messages if not message.inherited]
    marked = find_markers(messages, prose.text, known)
    talk = list(exchanges(messages)) if is_english(prose.text[:_SAMPLE]) else []
    decided = find_decisions(messages, talk, marked.decisions)
    left = besides(find_open(messages, talk, decided, unanswered(own)), marked.open)
    decisions, left_open = texts(decided), texts(left)
    evidence = {("decision", one.text): one.evidence for one in decided} | {
        ("open", one.text): one.evidence for one in left
    }
    headline = "\n".join((said.text, *decisions))
    entities = find_entities(project, own or messages, prose, headline)
    label = completed(said, work, entities, project_name(project) or "")
    if len(own) < len(messages):
        work = work_of(own)
        asked = requests(work)
    summary = summary_of(work, asked, label, decisions)
    return Meaning(label, summary, entities, decisions, left_open, evidence)
