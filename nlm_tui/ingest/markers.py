"""Decisions and open questions in a conversation, by rules that would rather miss one than invent one.

Two things count: a line that says what it is (`Decision: ...`, a bullet below `## Open questions`), and a sentence that
can hardly mean anything else (`We decided to ...`). Code, quotations, logs, questions and conditions do not.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from nlm_tui.core import Message
from nlm_tui.core.safe import one_line
from nlm_tui.ingest.entities import split_words

Kind = Literal["decision", "open"]

MAX_MARKERS = 12
SPOKEN = frozenset({"user", "assistant"})
_SHORTEST, _LONGEST = 12, 300
_LONGEST_LINE, _LONGEST_SENTENCE = 4000, 600  # longer ones are data
_MOST_LINES = 4000  # candidates in a session; more than this is data too
_MOST_QUESTIONS = 3

# What a line or a heading may begin with. The longest spelling wins: "Decisions needed" are no decisions.
_LABELS: dict[Kind, str] = {
    "decision": """
        decision|decisions|decision made|decisions made|decisions taken|decisions so far|decided|
        entscheidung|entscheidungen|entschieden|beschluss|beschlüsse|beschlossen|décision|décisions|décidé|
        decisión|decisiones|decidido|decisão|decisões|decisione|decisioni|deciso|besluit|besluiten|beslissing|beslissingen|
        decyzja|decyzje|決定|決定事項|决定|决策|决议|결정|결정 사항|결정사항
    """,
    "open": """
        open|open question|open questions|open questions for you|open issue|open issues|open item|open items|open point|
        open points|open decision|open decisions|still open|unresolved|unresolved question|unresolved questions|
        unresolved issue|unresolved issues|outstanding question|outstanding questions|undecided|to be decided|
        decision needed|decisions needed|decision pending|decisions pending|decisions to make|pending decision|
        pending decisions|todo|todos|to-do|to-dos|to do|follow-up|follow-ups|follow up|follow ups|
        offen|noch offen|offene frage|offene fragen|offener punkt|offene punkte|zu klären|noch zu klären|
        question ouverte|questions ouvertes|à décider|reste à décider|à faire|en suspens|
        pendiente|pendientes|por decidir|pregunta abierta|preguntas abiertas|pendente|pendentes|em aberto|
        questões em aberto|da decidere|domanda aperta|domande aperte|in sospeso|open vraag|open vragen|nog open|
        do zrobienia|otwarte pytanie|otwarte pytania|открытый вопрос|открытые вопросы|не решено|
        未解決|未決|未決定|未決事項|要検討|残課題|待办|待定|待解决|未决|未解决|待确认|미해결|미정|할 일
    """,
}
_KINDS: dict[str, Kind] = {
    label: kind for kind, labels in _LABELS.items() for label in re.sub(r"\|\s+", "|", labels.strip()).split("|")
}
_NEEDS_COLON = frozenset({"open", "offen", "pendente", "pendiente"})  # "Open - the third tab" is no question

_ADJECTIVES = r"key|final|main|design|architecture|technical|important|remaining|other|our|my|new|current|two|three|four"
_LABEL = re.compile(
    rf"[\u2190-\u2bff\ufe0f\U0001f300-\U0001faff]*\s*(?:(?:{_ADJECTIVES})\s)?"
    rf"({'|'.join(sorted(_KINDS, key=len, reverse=True))})"
    r"(?: #?\d{1,3})?(?: \([^()]{1,40}\))?(?:\s?([:：]+)|( [-–—])(?=\s)|(?!.))\s*(.*)",
    re.IGNORECASE,
)


class _Rule(NamedTuple):
    """A phrase that marks its sentence. Without the first word of a cue the pattern cannot match."""

    kind: Kind
    cues: str
    pattern: re.Pattern[str]
    by_user: bool = False  # an agent says the same of its next step
    final: bool = True  # "if" after it takes it back


_WE = r"\b(?:we|i)(?:'ve| have|'d| had)?(?: also| now| then| just| finally| both| all| already| deliberately)?"
_LETS = r"\b(?:let's|let us)(?: just| then| rather| simply)?"
_OVER = r"\b.{1,200}?\b(?:instead of|rather than)\b"
_OPEN_TOPIC = r"(?:on |between |whether|if\b|how|what|which|who|when|where)"
_RULES = (
    _Rule("decision", "decided|agreed", re.compile(rf"{_WE} (?:decided|agreed) (?:to|on|against|that|not to|in favou?r of)\b")),
    _Rule("decision", "settled", re.compile(rf"{_WE} settled on\b")),
    _Rule("decision", "opted", re.compile(rf"{_WE} opted (?:for|to|against|not to)\b")),
    _Rule("decision", "chose|chosen|went with|gone with", re.compile(rf"{_WE} (?:chose|chosen|went with|gone with)\b")),
    _Rule("decision", "decision", re.compile(r"\b(?:the|our|my|final) decision (?:is|was) (?:to(?! be)|that|not to|against)\b")),
    _Rule("decision", "let's|let us", re.compile(rf"{_LETS} (?:go with|stick with|stick to|settle on|opt for)\b"), final=False),
    _Rule("decision", "let's|let us", re.compile(rf"{_LETS} (?:use|keep|switch to|move to){_OVER}"), by_user=True, final=False),
    _Rule("decision", "let's|let us", re.compile(rf"{_LETS} use\b.{{1,80}}? (?:for|as)\b"), by_user=True, final=False),
    _Rule(
        "decision",
        "going with|go with|stick with",
        re.compile(
            r"(?:^|[,;:] )(?:so |and |then )?(?:(?:i'm|i am|we're|we are) )?going with\b"
            r"|\b(?:i'll|we'll|i will|we will) (?:go|stick) with\b"
        ),
        final=False,
    ),
    _Rule(
        "decision",
        "instead of|rather than",
        re.compile(rf"\bwe(?:'ll| will|'re going to| are going to) (?:use|keep|store|adopt|ship|switch to|move to|target){_OVER}"),
    ),
    _Rule(
        "decision",
        "instead of|rather than",
        re.compile(rf"^(?:(?:please|and|also|so|then|no|ok|okay|yes|actually|just)[,.]? )*(?:use(?! of| case)|prefer|choose){_OVER}"),
        by_user=True,
    ),
    _Rule(
        "decision",
        "entschieden|geeinigt|beschlossen",
        re.compile(r"\b(?:wir haben|ich habe) (?:.{1,120} )?(?:beschlossen|(?:uns|mich) (?:.{1,120} )?(?:entschieden|geeinigt))\b"),
    ),
    _Rule("decision", "décidé", re.compile(r"\b(?:nous avons|on a|j'ai) décidé (?:de|d'|que)")),
    _Rule("decision", "decidido|decidimos", re.compile(r"\b(?:hemos decidido|he decidido|decidimos)\b")),
    _Rule("decision", "決め|決ま|決定し", re.compile(r"に(?:決めました|決めた|決まりました|決定しました)")),
    _Rule("decision", "我们决定|我決定", re.compile(r"我们决定|我決定")),
    _Rule(
        "open",
        "decided|determined|clarified",
        re.compile(r"\b(?:remains?|still|yet|still needs?|still has|still have) to be (?:decided|determined|clarified|agreed)\b"),
    ),
    _Rule(
        "open",
        "decide|agree on",
        re.compile(
            r"\b(?:we|you|i)(?:'ll| will)?(?: still| also| first)? (?:(?:need|have) to|must)"
            rf" (?:decide {_OPEN_TOPIC}|agree on {_OPEN_TOPIC})"
        ),
    ),
    _Rule("open", "decided", re.compile(rf"\b(?:we|i)(?: still)? (?:haven't|have not)(?: yet)? decided(?: yet)? {_OPEN_TOPIC}")),
    _Rule("open", "undecided", re.compile(rf"\b(?:still|yet) undecided {_OPEN_TOPIC}")),
    _Rule("open", "open", re.compile(r"\b(?:question|decision)s? (?:remains?|(?:is|are) still) open\b|\bremains? an open question\b")),
)


def _cues() -> dict[str, set[str]]:
    """Map a word of the vocabulary to what a line then has to hold. The empty word stands for other scripts."""
    cues: dict[str, set[str]] = {}
    for label in _KINDS:
        cues.setdefault(max(split_words(label), key=len, default=""), set()).add(label)
    for rule in _RULES:
        for cue in rule.cues.split("|"):
            cues.setdefault(max(split_words(cue.split()[0]), key=len, default=""), set()).add(cue)
    return {word: {cue for cue in found if not any(o in cue for o in found - {cue})} for word, found in cues.items()}


_CUES = _cues()
_OTHER_SCRIPTS = "".join(sorted({cue[0] for cue in _CUES[""]}))
CUE_WORDS = frozenset(_CUES) - {""}


class Markers(NamedTuple):
    """What a conversation decided and what it left open, in order of occurrence."""

    decisions: tuple[str, ...]
    open: tuple[str, ...]


def find_markers(messages: Sequence[Message], prose: str, known: Collection[str]) -> Markers:
    """Return the markers of a conversation.

    `prose` is what was said in it, `known` holds those of its words that `CUE_WORDS` has.
    """
    cues = {cue for word in CUE_WORDS.intersection(known) for cue in _CUES[word]}
    if not prose.isascii() and any(character in prose for character in _OTHER_SCRIPTS):
        cues |= _CUES[""]
    scan = _Scan(tuple(cues))
    if cues:
        for message in messages:
            if message.role in SPOKEN and not message.withdrawn:
                scan.read(message)
    for question in _last_questions(messages):
        scan.found["open"].add(question, explicit=True)
    return Markers(scan.found["decision"].best(), scan.found["open"].best())


@dataclass(slots=True)
class _Found:
    kind: Kind
    items: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    seen: set[str] = field(default_factory=set[str])

    def add(self, text: str, *, explicit: bool) -> None:
        text = cut(text.strip(" \t-–—:"), _LONGEST)
        key = text.casefold().rstrip(" .!…")
        if key not in self.seen and _worthy(text, self.kind):
            self.seen.add(key)
            self.items.append((text, explicit))

    def best(self) -> tuple[str, ...]:
        """Prefer what was marked as such, keep the order."""
        order = sorted(range(len(self.items)), key=lambda index: not self.items[index][1])[:MAX_MARKERS]
        return tuple(self.items[index][0] for index in sorted(order))


@dataclass(slots=True)
class _Scan:
    """Reads message by message; inside a section its bullets are the markers."""

    cues: tuple[str, ...]
    found: dict[Kind, _Found] = field(default_factory=lambda: {kind: _Found(kind) for kind in _LABELS})
    role: str = ""
    section: Kind | None = None
    depth: int | None = None  # how far the bullets of the section are indented, once one was seen
    lines_left: int = _MOST_LINES

    def read(self, message: Message) -> None:
        if not self._cued(message.text):
            return
        self.role, self.section = message.role, None
        for raw in prose_lines(message.text):
            if (self.section or self._cued(raw)) and self.lines_left and (line := _parse(raw)):
                self.lines_left -= 1
                if not self._labelled(line) and not self._listed(line):
                    self._phrased(line)

    def _cued(self, text: str) -> bool:
        low = text.lower().replace("\u2019", "'")
        return any(cue in low for cue in self.cues)

    def _labelled(self, line: "_Line") -> bool:
        match = _LABEL.match(line.text)
        if match is None:
            return False
        label, colon, dash, rest = match.groups()
        if not rest:
            if not (colon or line.heading or line.bold):
                return False
            self.section, self.depth = _KINDS[label.lower()], None
            return True
        if dash and label.lower() in _NEEDS_COLON:
            return False
        if not line.bullet:
            self.section = None
        if not line.done:
            self.found[_KINDS[label.lower()]].add(rest, explicit=True)
        return True

    def _listed(self, line: "_Line") -> bool:
        if self.section is None:
            return False
        if line.bullet and not line.heading:
            if self.depth is None:
                self.depth = line.indent
            if line.indent <= self.depth and not line.done:
                self.found[self.section].add(line.text, explicit=True)
            return True
        if line.indent and self.depth is not None:
            return True  # more about the bullet above
        if line.text.endswith((":", "：")) and self.depth is None and not line.heading:
            return True  # introduces the bullets
        kind, self.section = self.section, None
        if self.depth is not None or line.heading:
            return False
        self.found[kind].add(line.text, explicit=True)
        return True

    def _phrased(self, line: "_Line") -> None:
        if not line.heading and (line.bullet or line.indent < 4):
            for sentence in sentences(line.text):
                if kind := _kind_of(sentence, self.role):
                    self.found[kind].add(sentence, explicit=False)
