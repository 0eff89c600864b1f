"""Decisions and open questions in a conversation, by rules that would rather miss one than invent one.

Two things count: a line that says what it is (`Decision: ...`, a bullet below `## Open questions`), and a sentence that
can hardly mean anything else (`We decided to ...`). Code, quotations, logs, questions and conditions do not.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nlm_tui.core import MarkerKind, Message, one_line
from nlm_tui.ingest.entities import lowered_words

MAX_MARKERS = 12
SPOKEN = frozenset({"user", "assistant"})
_SHORTEST, _LONGEST = 12, 300
_LONGEST_LINE, _LONGEST_SENTENCE = 4000, 600  # longer ones are data
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


def _any_of(words: str) -> str:
    return rf"\b(?:{'|'.join(words.split())})\b"


class _Rule(NamedTuple):
    """A phrase that marks its sentence. Without the first word of one of its cues the pattern cannot match."""

    kind: MarkerKind
    cues: str
    pattern: re.Pattern[str]
    by_user: bool  # an agent says the same of its next step
    final: bool  # no "if" comes after it


def _rule(kind: MarkerKind, cues: str, pattern: str, *, by_user: bool = False, final: bool = False) -> _Rule:
    return _Rule(kind, cues, re.compile(pattern), by_user, final)


_WE = r"\b(?:we|i)(?:'ve| have|'d| had)?(?: also| now| then| just| finally| both| all| already| deliberately)?"
_LETS = r"\b(?:let's|let us)(?: just| then| rather| simply)?"
_WILL = r"\bwe(?:'ll| will|'re going to| are going to)"
_PLEASE = r"^(?:(?:please|and|also|so|then|no|ok|okay|yes|actually|just)[,.]? )*"
_OVER = r"\b.{1,200}?\b(?:instead of|rather than)\b"
_WIR = r"\b(?:wir haben|ich habe) (?:(?!nicht\b|noch\b|nie\b|kein)\S+ ){0,15}"
_REMAINS = r"\b(?:remains?|still|yet|still needs?|still has|still have)"
_MUST = r"\b(?:we|you|i)(?:'ll| will)?(?: still| also| first)? (?:(?:need|have) to|must)"
_TOPIC = r"(?:on |between |whether|if\b|how|what|which|who|when|where)"
_RULES = (
    _rule("decision", "decided|agreed", _WE + r" (?:decided|agreed) (?:to|on|against|that|not to|in favou?r of)\b"),
    _rule("decision", "settled|opted", _WE + r" (?:settled on|opted (?:for|to|against|not to))\b"),
    _rule("decision", "chose|chosen|went with", _WE + r" (?:chose|chosen|went with)\b"),
    _rule("decision", "decision", r"\b(?:the|our|my|final) decision (?:is|was) (?:to(?! be)|that|not to|against)\b"),
    _rule("decision", "let's|let us", _LETS + r" (?:go with|stick with|stick to|settle on|opt for)\b", final=True),
    _rule("decision", "let's|let us", _LETS + r" (?:use|keep|switch to|move to)" + _OVER, by_user=True, final=True),
    _rule("decision", "let's|let us", _LETS + r" use\b.{1,80}? (?:for|as)\b", by_user=True, final=True),
    _rule("decision", "go with|stick with", r"\b(?:i'll|we'll|i will|we will) (?:go|stick) with\b", final=True),
    _rule("decision", "going with", r"(?:^|[,;:] )(?:so |then )?(?:(?:i'm|we're|we are) )?going with\b", final=True),
    _rule("decision", "instead|rather", _WILL + r" (?:use|keep|store|adopt|ship|switch to|move to|target)" + _OVER),
    _rule("decision", "instead|rather", _PLEASE + r"(?:use(?! of| case)|prefer|choose)" + _OVER, by_user=True),
    _rule("decision", "entschieden|geeinigt|beschlossen", _WIR + r"(?:beschlossen|entschieden|geeinigt)\b"),
    _rule("decision", "décidé|decidido|decidimos", r"\b(?:(?:nous avons|on a) décidé|hemos decidido|decidimos) \w"),
    _rule("decision", "決め|決ま|決定し|决定", r"に(?:決めました|決めた|決まりました|決定しました)|我们决定"),
    _rule("open", "decided|clarified|question", _REMAINS + r" (?:to be (?:decided|clarified)|an open question)\b"),
    _rule("open", "decide|agree on", _MUST + r" (?:decide|agree on) " + _TOPIC),
    _rule("open", "decided", r"\b(?:we|i)(?: still)? (?:haven't|have not)(?: yet)? decided(?: yet)? " + _TOPIC),
    _rule("open", "undecided", r"\b(?:still|yet) undecided " + _TOPIC),
    _rule("open", "open", r"\b(?:question|decision)s? (?:remains?|(?:is|are) still) open\b"),
)


def _cues() -> dict[bytes, set[str]]:
    """Map a word of the vocabulary to what a line then has to hold. The empty word stands for other scripts."""
    cues: dict[bytes, set[str]] = {}
    for label in _KINDS:
        core = min((other for other in _KINDS if other in label), key=len)
        words = sorted(lowered_words(label).split(), key=lambda word: (core.encode() in word, len(word)))
        cues.setdefault(words[-1] if words else b"", set()).add(core)
    for cue in (cue for rule in _RULES for cue in rule.cues.split("|")):
        cues.setdefault(max(lowered_words(cue.split()[0]).split(), key=len, default=b""), set()).add(cue)
    return cues


_CUES = _cues()
_OTHER_SCRIPTS = "".join(sorted({letter for cue in _CUES[b""] for letter in cue[-1] + cue[-1].upper()}))
CUE_WORDS = frozenset(_CUES) - {b""}


class Markers(NamedTuple):
    """What a conversation decided and what it left open, in order of occurrence."""

    decisions: tuple[str, ...]
    open: tuple[str, ...]


def find_markers(
    messages: Sequence[Message], prose: str, known: Collection[bytes], unanswered: Sequence[str] = ()
) -> Markers:
    """Return the markers of a conversation, `unanswered` questions at its end included.

    `prose` is what was said in it, `known` holds those of its words that `CUE_WORDS` has.
    """
    cues = {cue for word in CUE_WORDS.intersection(known) for cue in _CUES[word]}
    if not prose.isascii() and any(character in prose for character in _OTHER_SCRIPTS):
        cues |= _CUES[b""]
    scan = _Scan(tuple(cues))
    if cues:
        for message in messages:
            if message.role in SPOKEN and not message.withdrawn:
                scan.read(message)
    for question in unanswered:
        scan.found["open"].add(question, explicit=True)
    return Markers(scan.found["decision"].best(), scan.found["open"].best())


class Line(NamedTuple):
    text: str
    indent: int
    bullet: bool
    ticked: bool | None  # None without a box to tick
    heading: bool
    bold: bool


_ITEM = re.compile(r"(\s*)((?:[-*•‣]|\d{1,3}[.)])\s+)?(?:\[([ xX])\]\s+)?(#{1,6}\s+)?(.*)", re.DOTALL)
_NOISE = re.compile(
    r"\s*(?:[>|<+\"'{}]|[$%] |@@|diff --|(?:commit |index )?[0-9a-f]{7,40}\b|//|/\*|#!|# ?todo\b.*:|traceback \("
    r"|file \"|at \S+\(|\w{1,60}(?:error|exception): |[\[(]?\d{4}-\d\d-\d\d|[\[(]?\d\d?:\d\d|\[[^\] ]{2,}\]\s"
    r"|(?-i:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b|(?=\S*[./\\])[\w./\\-]{1,200}:\d)",
    re.IGNORECASE,
)


def parse(raw: str) -> Line | None:
    """Take a line apart; None for what is no prose: empty, quoted, logged, struck out, indented as code, endless."""
    if len(raw) > _LONGEST_LINE or _NOISE.match(raw) or (match := _ITEM.match(raw)) is None:
        return None
    indent, bullet, box, heading, rest = match.groups()
    depth = len(indent.expandtabs(4))
    text = plain(rest)
    if not text or text[:2] == "~~" or (depth >= 4 and not bullet):
        return None
    return Line(text, depth, bool(bullet), None if box is None else box != " ", bool(heading), rest[:2] in {"**", "__"})


@dataclass(slots=True)
class _Found:
    kind: MarkerKind
    items: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    seen: set[str] = field(default_factory=set[str])

    def add(self, text: str, *, explicit: bool) -> None:
        text = cut(text.strip().rstrip(" :"), _LONGEST)
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
    found: dict[MarkerKind, _Found] = field(default_factory=lambda: {kind: _Found(kind) for kind in _LABELS})
    role: str = ""
    section: MarkerKind | None = None
    depth: int | None = None  # how far the bullets of the section are indented, once one was seen
    lines_left: int = _MOST_LINES

    def read(self, message: Message) -> None:
        if not self._cued(message.text):
            return
        self.role, self.section = message.role, None
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
            self.found[kind].add(text, explicit=True)

    def _phrased(self, line: Line) -> None:
        if not line.heading:
            for sentence in sentences(line.text):
                if kind := _kind_of(sentence, self.role):
                    self.found[kind].add(sentence, explicit=False)


def _kind_of(sentence: str, role: str) -> MarkerKind | None:
    if len(sentence) > _LONGEST_SENTENCE or sentence.endswith(":"):
        return None
    heard = _QUOTED.sub("\N{REFERENCE MARK}", sentence.lower().replace("\u2019", "'"))
    if _QUESTION.search(heard):
        return None
    for rule in _RULES:
        if (rule.by_user and role != "user") or (match := rule.pattern.search(heard)) is None:
            continue
        before, after = heard[: match.start()], heard[match.end() :]
        if _doubtful(before, rule.kind) or _POINTING.fullmatch(after) or (rule.final and _PROVISO.search(after)):
            continue
        if not (_WEAK.search(match.group()) and _DEFECT.search(heard)):
            return rule.kind
    return None


def _doubtful(before: str, kind: MarkerKind) -> bool:
    """Tell from what precedes a phrase whether it is unreal, quoted, denied, guessed or part of another noun."""
    if _UNREAL.search(before) or '"' in before or "\u201c" in before:
        return True
    clause = _CLAUSE.split(before)[-1]
    named = _RELATIVE.search(clause) and not _ADJUNCT.match(clause)
    return kind == "decision" and bool(named or _DOUBT.search(clause) or _INVERTED.match(before))


_QUOTED = re.compile(
    r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|\u201e[^\u201c\u201d]*[\u201c\u201d]|«[^»]*»|「[^」]*」"
    r"|`[^`]*`|(?<!\w)'[^']+'(?!\w)"
)
_QUESTION = re.compile(r"[?\uff1f]\W*$|か。?$|吗。?$")
_INVERTED = re.compile(r"\W*" + _any_of("did do does should shall could can would have has are is why what how which"))
_UNREAL = re.compile(_any_of("if unless suppose assuming imagine say said says told example wenn falls si") + "|如果")
_PROVISO = re.compile(_any_of("if unless provided assuming examples?"))
_CLAUSE = re.compile(r"[,;:.!\u2013\u2014]| (?:so|therefore|thus|hence|and|but|because|since) ")
_DOUBT = re.compile(
    _any_of(
        "\\w+n't not never no nobody cannot think thought believe guess wonder unsure maybe perhaps might may "
        "could would should can remember recall whether why what how which who when until once did do does wish than ob"
    )
)
_ADJUNCT = re.compile(
    r"\s*(?:in|at|after|during|for|with|on|to|given|by|from|following|today|yesterday|\w+ly)\b|\s*(?:this|last) \w+ $"
)
_RELATIVE = re.compile(
    _any_of("the a an any each every this these those that all only") + r"(?: [\w'-]+){1,4} $"
    r"|" + _any_of("which everything anything something things? ones?") + " $"
)
_THOSE = _any_of(
    "options? ones? idea way version choice solution suggestions? recommendations? proposal approach plan thanks the "
    "your my our first second third last latter former other same simple simpler simplest best default this that "
    "recommended suggested proposed it those them both all [a-e] \\d{1,2} two three then now please for simplicity"
)
_POINTING = re.compile(rf"\W*(?:{_THOSE}\W*)+")  # says no more than which of the things above
_WEAK = re.compile(r"instead|rather|chose")  # often a report of a bug
_DEFECT = re.compile(
    _any_of("crash\\w* return(?:s|ed|ing)? gives shows gets? got getting throws prints fails wrong bug")
)

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


_LINK = re.compile(r"\[([^\[\]]{1,200})\]\([^()\s]{1,500}\)")
_EMPHASIS = re.compile(r"(?<![A-Za-z0-9_*])\*{1,3}(?=[^\s*/.])([^*]+)(?<=\S)\*{1,3}(?![A-Za-z0-9_])")
_SENTENCE_END = re.compile(r"[.!?][\"')\u201d\u2019]?\s|[\u3002\uff01\uff1f]")
_ABBREVIATIONS = ("e.g. ", "i.e. ", "vs. ", "z.B. ")


def plain(text: str) -> str:
    """Return `text` in one line, without the marks of Markdown for links and emphasis."""
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    return one_line(_EMPHASIS.sub(r"\1", text) if "*" in text else text)


def sentences(text: str) -> list[str]:
    """Split one line of prose into its sentences."""
    parts: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if not text.endswith(_ABBREVIATIONS, start, match.end()):
            parts.append(text[start : match.end()].strip())
            start = match.end()
    return [part for part in (*parts, text[start:]) if part]


def prose_lines(text: str) -> Iterator[str]:
    """Yield the lines of `text` that stand outside fenced code."""
    fence = ""
    for line in text.split("\n"):
        mark = line.lstrip()[:3]
        if mark in {"```", "~~~"} and mark not in line.lstrip()[3:]:
            fence = "" if mark == fence else fence or mark
        elif not fence:
            yield line


def cut(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, cut at a word where there is one."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    if not text[limit - 1].isspace() and len(word := head.rpartition(" ")[0]) > limit // 2:
        head = word
    return head.rstrip(" ,;:.-\u2013\u2014\u200d") + "…"
