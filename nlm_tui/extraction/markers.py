"""Decisions and open questions in a conversation, by rules that would rather miss one than invent one.

Two things count: a line that says what it is (`Decision: ...`, a bullet below `## Open questions`), and a sentence that
can hardly mean anything else (`We decided to ...`). Code, quotations, logs, questions and conditions do not.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nlm_tui.core import MarkerKind, Message
from nlm_tui.extraction.entities import lowered_words
from nlm_tui.extraction.found import Found
from nlm_tui.extraction.phrases import RULES, kind_of
from nlm_tui.extraction.prose import SPOKEN, Line, cut, parse, prose_lines, sentences

MAX_MARKERS = 60
_MARKED, _PHRASED = 0.95, 0.8  # how sure a label is, and a phrase
_SHORTEST, _LONGEST = 12, 300
_MOST_LINES = 4000  # candidates in a session; more than this is data too

# What a line or a heading may begin with. The longest spelling wins: "Decisions needed" are no decisions.
_LABELS: dict[MarkerKind, str] = {
    "decision": """
        decision|decisions|decision made|decisions made|decisions taken|decisions so far|decided|
        entscheidung|entscheidungen|entschieden|beschluss|beschlüsse|beschlossen|décision|décisions|décidé|
        decisión|decisiones|decidido|decisão|decisões|decisione|decisioni|deciso|besluit|besluiten|decyzja|decyzje|
        決定|決定事項|决定|决策|决议|결정|결정 사항|결정사항
    """,
    "open": """
        open|open question|open questions|open questions for you|open issue|open issues|open item|open items|open point|
        open points|open decision|open decisions|still open|unresolved|unresolved question|unresolved questions|
        unresolved issue|unresolved issues|outstanding question|outstanding questions|undecided|to be decided|
        decision needed|decisions needed|decision pending|decisions pending|decisions to make|pending decisions|
        todo|todos|to-do|to-dos|follow-up|follow-ups|follow up|follow ups|
        offen|noch offen|offene frage|offene fragen|offener punkt|offene punkte|zu klären|noch zu klären|
        question ouverte|questions ouvertes|à décider|reste à décider|à faire|en suspens|
        pendiente|pendientes|por decidir|pregunta abierta|preguntas abiertas|pendente|pendentes|em aberto|
        da decidere|domande aperte|in sospeso|open vraag|open vragen|nog open|otwarte pytania|открытые вопросы|
        未解決|未決|未決定|未決事項|要検討|残課題|待办|待定|待解决|未决|未解决|待确认|미해결|미정|할 일
    """,
}
_KINDS: dict[str, MarkerKind] = {
    label.strip(): kind for kind, labels in _LABELS.items() for label in labels.split("|") if label.strip()
}
_NEEDS_COLON = frozenset({"open", "offen", "pendente", "pendiente"})  # "Open - the third tab" is no question
# A list of these that a user writes is what the agent is to do now.
_TASKS = frozenset({"todo", "todos", "to-do", "to-dos", "à faire", "待办", "할 일"})

_ADJECTIVES = "key|final|main|design|architecture|technical|important|remaining|other|our|my|new|two|three|four"
_LABEL = re.compile(
    rf"[\u2190-\u2bff\ufe0f\U0001f300-\U0001faff]*\s*(?:(?:{_ADJECTIVES})\s)?(?P<label>[^:\uff1a]{{2,40}}?)"
    r"(?: #?\d{1,3})?(?: \([^()]{1,40}\))?(?:\s?([:\uff1a]+)|( [-\u2013\u2014])(?=\s)|(?!.))\s*(.*)",
    re.IGNORECASE,
)


def _cues() -> dict[bytes, set[str]]:
    """Map a word of the vocabulary to what a line then has to hold. The empty word stands for other scripts."""
    cues: dict[bytes, set[str]] = {}
    for label in _KINDS:
        core = min((other for other in _KINDS if other in label), key=len)
        words = sorted(lowered_words(label).split(), key=lambda word: (core.encode() in word, len(word)))
        cues.setdefault(words[-1] if words else b"", set()).add(core)
    for cue in (cue for rule in RULES for cue in rule.cues.split("|")):
        cues.setdefault(max(lowered_words(cue.split()[0]).split(), key=len, default=b""), set()).add(cue)
    return cues


_CUES = _cues()
_OTHER_SCRIPTS = "".join(sorted({letter for cue in _CUES[b""] for letter in cue[-1] + cue[-1].upper()}))
CUE_WORDS = frozenset(_CUES) - {b""}


class Markers(NamedTuple):
    """What a conversation decided and what it left open, in order of occurrence."""

    decisions: tuple[Found, ...]
    open: tuple[Found, ...]


def find_markers(messages: Sequence[Message], prose: str, known: Collection[bytes]) -> Markers:
    """Return the markers of a conversation that are marked as such.

    `prose` is what was said in it, `known` holds those of its words that `CUE_WORDS` has.
    """
    cues = {cue for word in CUE_WORDS.intersection(known) for cue in _CUES[word]}
    if not prose.isascii() and any(character in prose for character in _OTHER_SCRIPTS):
        cues |= _CUES[b""]
    scan = _Scan(tuple(cues))
    if cues:
        for number, message in enumerate(messages):
            if message.role in SPOKEN and not (message.withdrawn or message.inherited) and not steers(message.text):
                scan.read(number, message)
    return Markers(scan.found["decision"].best(), scan.found["open"].best())


def steers(text: str) -> bool:
    """Return whether a text that was pasted tells an agent what to record: then nothing in it is anybody's decision."""
    return _STEERS.search(text) is not None


_STEERS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier"
    r"|preceding) (?:instructions?|prompts?|rules)"
    r"|\b(?:record|store|save|note|log|add|list|mark) (?:this |the following |it |that )?(?:down )?as (?:a |an "
    r"|the )?(?:decision|open question|fact)"
    r"|\b(?:note|instructions?|message|attention|notice)(?: to| for)? (?:all )?(?:ai|llm|assistants?|agents?"
    r"|language models?)\b|\byou are (?:now )?in \w+ mode\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Found:
    kind: MarkerKind
    items: list[Found] = field(default_factory=list[Found])
    seen: set[str] = field(default_factory=set[str])

    def add(self, text: str, message: int, *, explicit: bool) -> None:
        text = text.strip().rstrip(" :")
        shown = cut(text, _LONGEST)
        key = shown.casefold().rstrip(" .!…")
        if key not in self.seen and _worthy(shown, self.kind):
            self.seen.add(key)
            self.items.append(Found(shown, message, text, _MARKED if explicit else _PHRASED))

    def best(self) -> tuple[Found, ...]:
        """Prefer what was marked as such, keep the order."""
        order = sorted(range(len(self.items)), key=lambda index: -self.items[index].confidence)[:MAX_MARKERS]
        return tuple(self.items[index] for index in sorted(order))


@dataclass(slots=True)
class _Scan:
    """Reads message by message; inside a section its bullets are the markers."""

    cues: tuple[str, ...]
    found: dict[MarkerKind, _Found] = field(default_factory=lambda: {kind: _Found(kind) for kind in _LABELS})
    role: str = ""
    message: int = 0
    section: MarkerKind | None = None
    depth: int | None = None  # how far the bullets of the section are indented, once one was seen
    lines_left: int = _MOST_LINES

    def read(self, number: int, message: Message) -> None:
        if not self._cued(message.text):
            return
        self.role, self.message, self.section = message.role, number, None
        for raw in prose_lines(message.text):
            if (self.section or self._cued(raw)) and self.lines_left and (line := parse(raw)):
                self.lines_left -= 1
                if not self._labelled(line) and not self._listed(line):
                    self._phrased(line)

    def _cued(self, text: str) -> bool:
        low = text.lower().replace("\u2019", "'")
        return any(cue in low for cue in self.cues)

    def _labelled(self, line: Line) -> bool:
        match = _LABEL.match(line.text)
        kind = _KINDS.get(match["label"].lower()) if match else None
        if match is None or kind is None:
            return False
        label, colon, dash, rest = match.groups()
        if not rest:
            if not (colon or line.heading or line.bold):
                return False
            ordered = self.role == "user" and label.lower() in _TASKS
            self.section, self.depth = None if ordered else kind, None
            return True
        if dash and label.lower() in _NEEDS_COLON:
            return False
        if not line.bullet:
            self.section = None
        self._add(kind, rest, line)
        return True

    def _listed(self, line: Line) -> bool:
        if self.section is None:
            return False
        if line.bullet and not line.heading:
            if self.depth is None:
                self.depth = line.indent
            if line.indent <= self.depth:
                self._add(self.section, line.text, line)
            return True
        if line.indent and self.depth is not None:
            return True  # more about the bullet above
        if line.text.endswith((":", "\uff1a")) and self.depth is None and not line.heading:
            return True  # introduces the bullets
        kind, self.section = self.section, None
        if self.depth is not None or line.heading:
            return False
        self._add(kind, line.text, line)
        return True

    def _add(self, kind: MarkerKind, text: str, line: Line) -> None:
        if line.ticked is None or line.ticked == (kind == "decision"):
            self.found[kind].add(text, self.message, explicit=True)

    def _phrased(self, line: Line) -> None:
        if not line.heading:
            for sentence in sentences(line.text):
                if kind := kind_of(sentence, self.role):
                    self.found[kind].add(sentence, self.message, explicit=False)


_EMPTY = re.compile(
    r"(?:none|nothing|n/?a|nil|tbd|tba|pending|not yet|undecided|to be (?:decided|determined)|keine|nichts|aucune?|"
    r"no (?:open|further|more|other|outstanding|remaining|questions?|issues?|items?|decisions?)|ningun[oa])(?!\w)"
    r"|なし|无|没有|없음|https?:|[.~]{0,2}/\w|\w:\\|\.\.\.|…|[<\[{]",
    re.IGNORECASE,
)
_CODE = re.compile(r"[{};\\]$|&&|\|\||</|/>|==")
_WORD = re.compile(r"[^\W\d_]{2,}")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def _worthy(text: str, kind: MarkerKind) -> bool:
    """Tell whether a text reads as a statement that stands alone; a wide character counts for two."""
    wide = len(_WIDE.findall(text))
    if len(text) + wide < _SHORTEST or _EMPTY.match(text) or _CODE.search(text):
        return False
    if kind == "decision" and text.endswith(("?", "\uff1f")):
        return False
    letters = sum(character.isalpha() or character.isspace() for character in text)
    return letters >= 0.6 * len(text) and (wide >= 4 or len(_WORD.findall(text)) >= 3)
