"""What a user's sentence does: accept, refuse, direct, put off, ask, or none of it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from nlm_tui.extraction.prose import parse, prose_lines, sentences

_LONG = 200  # from this length on a sentence is dictated, and taken apart at its conjunctions
_CLAUSES = re.compile(
    r",?\s+(?=(?:so|but|then|although|because|anyway|however|instead)\b)|[,;]\s+(?=(?:and|no|i|we|it)\b)"
)
_MOST_LINES = 60
_LONGEST_MESSAGE = 6000  # a longer prompt is a pasted document


class Sentence(NamedTuple):
    """A sentence of a prompt; `leads` tells whether a line begins with it."""

    text: str
    leads: bool


def said_by_user(text: str) -> list[Sentence]:
    """Return the sentences of a prompt, pasted things left out; what is dictated in one breath is parted."""
    found: list[Sentence] = []
    for raw in _own_lines(text[:_LONGEST_MESSAGE]):
        line = parse(raw)
        if line is not None and not line.heading:
            parts = [part for sentence in sentences(line.text) for part in _parted(sentence)]
            parts = [part for part in parts if not _INTERJECTION.fullmatch(part)] or parts
            found += (Sentence(part, place == 0) for place, part in enumerate(parts))
    return found


def _own_lines(text: str) -> list[str]:
    """Return the lines of a prompt outside fences, and outside of what stands between two rules."""
    lines = list(prose_lines(text))[:_MOST_LINES]
    rules = [number for number, raw in enumerate(lines) if _RULE.fullmatch(raw)]
    if len(rules) > 1:
        return lines[: rules[0]] + lines[rules[-1] + 1 :]
    return lines


_RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*")
_INTERJECTION = re.compile(
    r"\W*(?:hm+|ah|oh|aha|well|goodness|wow|haha\w*|lol|thanks?(?: you)?(?: (?:very|so) much)?|thank you|lovely"
    r"|brilliant|beautiful|wonderful|great|nice|good|perfect|super|cool|right|ok|okay|i see|fair(?: enough)?"
    r"|plausible|understood"
    r"|got it|interesting|hang on|hold on|wait|oh dear|point taken|that is clear|good point|good catch|love it"
    r"|amazing|finally|wtf[^.]*|sorry)\W*",
    re.IGNORECASE,
)


def _parted(sentence: str) -> Iterator[str]:
    if len(sentence) <= _LONG:
        yield sentence
        return
    parts: list[str] = []
    start = 0
    for match in _CLAUSES.finditer(sentence):
        if match.start() - start >= 50:
            parts.append(sentence[start : match.start()])
            start = match.end()
    yield from (part.strip(" ,;") for part in (*parts, sentence[start:]) if part.strip(" ,;"))


_LEAD = (
    r"^\W*(?:(?:hm+|ah|oh|aha|ok|okay|right|well|so|then|haha|lol|wow|thanks|thank you|nice|good|great|fine"
    r"|now|and|but|sorry|actually|honestly|hey)\b[\s,.!…:-]*)*"
)
ACCEPTS = re.compile(
    _LEAD + r"(?:yes|yeah|yep|yup|yea|aye|sure|agreed?|deal|exactly|absolutely|definitely|of course|please do"
    r"|go(?: ahead| for it)?\b(?! (?:back|to|with|over|through|for (?!it)))"
    r"|(?:let's )?do (?:it|that|this|so)\b|sounds? (?:good|right|great|convincing|fine|sensible|reasonable"
    r"|like a plan)|makes sense|works for me|that(?:'s| is) (?:fine|good|it|right|the one)"
    r"|love it|perfect|clear|\U0001f44d|as you (?:say|propose|suggest)|your call|do what you (?:suggest"
    r"|propose)|that one|ok$|okay$|fine$|good$|great$)",
    re.IGNORECASE,
)
REFUSES = re.compile(
    _LEAD + r"(?:no+\b(?! (?:problem|worries|idea|clue|rush|hurry))|nope|nah|not (?:like|that|this|the)|don't|do not"
    r"|rather not|never|stop|absolutely not|hold on|wait|hang on|careful)",
    re.IGNORECASE,
)
TURNS = re.compile(
    r"\b(?:actually|although|hmm? wait|wait|on second thoughts?|chang(?:ed|ing) my mind|scrap (?:the|that|it)"
    r"|forget (?:the|that|it|about)|never ?mind|go back to|back to"
    r"|yeah no|no,|nah|rather not|come to think|after all|instead|i take (?:it|that) back|not any ?more"
    r"|undo (?:that|the)|revert|drop (?:that|the)|second thoughts?)",
    re.IGNORECASE,
)
ROUTINE = re.compile(
    _LEAD + r"(?:(?:can|could|would) you |please |pls |just |also |go and |i'd like you to |i want you to |let's "
    r"|you (?:can|may) )*"
    r"(?:re-?run|run|retry|try|commit|push|merge|fix(?: it)?|check|look|read|show|tell|explain|continue"
    r"|carry on|go on|proceed|start|begin|open|test|deploy|have a|list|print|find|search"
    r"|clean|format|lint|rebase|ship it|next|finish|make (?:a|the) (?:commit|pr|pull)|write (?:it|that|this|me"
    r"|a|the|up|down)|add (?:a |the )?(?:tests?|comment|line|note|log)|update the|see|give|describe"
    r"|summari[sz]e|compare|measure|benchmark|profile|create (?:a|the) (?:pr|pull|branch)|investigate|debug"
    r"|review|remind|delete (?:it|that|the \S+ file)|remove (?:it|that)"
    r"|rename it|save|document|plan|think|mark|draft|prepare|sketch|prototype|translate|generate|produce|note\b"
    r"|let me|talk|answer|paste|post|reply|close|apply|install|restart|implement|build|create|rewrite the"
    r"|reproduce|ignore (?:that|it|the)|leave (?:that|it|this) (?:one|for|as)|wait|hold|ask|ping|do a|grep"
    r"|count|what|how|why|where|who|which|is|are|does|did|any)\b",
    re.IGNORECASE,
)
CONTRASTS = re.compile(
    r"\b(?:instead of|rather than|no more|never|always|only|at most|at least|by default|no longer|nobody|until"
    r"|unless|except|in favou?r of|without|not .{1,40}\bbut|over the|too (?:heavy|much|many|slow|big|risky"
    r"|expensive|complicated)|alone|default|enough)\b|\bno [a-z]|\bnot (?:a|the|in|on|by)\b",
    re.IGNORECASE,
)
WANTS = re.compile(
    r"\b(?:i (?:do not |don't )?want\b|we (?:do not |don't )?want\b|i(?:'d| would| will"
    r"|'ll) (?:much )?(?:rather|like|prefer|keep|use|take|go|stay)|i prefer|i (?:should|would) like\b|we(?:'ll"
    r"| will)\b|let's|let us|must(?:n't)?\b|ha(?:s|ve) to\b|should(?:n't)?\b|needs? to be|may only|will be"
    r"|there will be no|stays?\b|belongs?\b"
    r"|go(?:es)? (?:with|for|to|back|into)\b|make (?:it|that|them)|is gone|are gone|and that's that|it is[.,!]"
    r"|it is$|(?:we|i) (?:stop|drop|skip|keep|stay|stick|take|use|do)\b|as (?:an )?error|gets? (?:a|the|an)\b"
    r"|not carry|take .{1,60} out|come back|^\w+ (?:yes|it is)\b)",
    re.IGNORECASE,
)
_VERBS = """
use, keep, make, put, take, drop, go, store, move, round, sort, show, remove, call, name, split, merge, cut,
stop, send, let, have, don't, do not, pin, cap, set, switch, replace, support, treat, count, skip, ignore,
grow, give, only, never, always, scrap, forget, wipe, page, raise, lower, limit, allow, forbid, disable,
enable, turn, hide, return, log, cache, validate, convert, stick, stay, prefer, choose, pick, inline, rename,
group, track, bump, pay, ship, release, roll, require, reject, refuse, accept, encrypt, hash, sign, run it,
block, warn, fail, throw, retry, poll, push it, batch, share, reuse, wrap, mock, exact, no
"""
_ORDER = "|".join(verb.strip() for verb in _VERBS.split(","))
ORDERS = re.compile(rf"^\W*(?:(?:please|just|then|so|and|but|simply|we|i)\s+)*(?:{_ORDER})\b", re.IGNORECASE)
STRONG = re.compile(
    r"\b(?:instead of|rather than|no more|never|always|by default|no longer|at most|may only|there will be no"
    r"|that's that|no new|not carry|scrap|forget the)\b|\bno (?!comment|idea|clue|problem|rush|hurry|worries"
    r"|need|thanks|way|wonder|doubt|date|time|one|longer|more|matter|luck)[a-z]+(?: [a-z]+)?(?:[,.;]|$)",
    re.IGNORECASE,
)
HEDGES = re.compile(
    r"\b(?:i wonder|drawn to|(?:could|can) imagine|i suppose|i guess|maybe|perhaps|might|i don't know|not sure"
    r"|i think about|what if|for instance|for example|would it|could it|if (?:we|i|you|it|that|they)|suppose"
    r"|i believe|i must say|i'd like to (?:know|see|think|hear|understand)|i would (?:still )?like (?:a|to)"
    r"|one could|we could|you could|was just|dreaming|curious|what about|how about|need to (?:dig|know)|no need"
    r"|of course)\b",
    re.IGNORECASE,
)
DESCRIBES = re.compile(
    r"^\W*(?:it|they|there|this|that|these|those|he|she|the \w+(?: \w+)?|my \w+|our \w+|your \w+|some\w*"
    r"|every\w*|people|readers|users|customers|nobody|you)(?:'s|'re| (?:is|are|was|were|has|have|had|does|did"
    r"|doesn't|says?|said|wants?|gives?|shows?|reads?|knows?|gets?|looks?|seems?|means?|asked|needs?|keeps?"
    r"|comes?|goes|takes|makes|works))\b"
    r"|\b(?:was|were|had|been|didn't|wasn't|weren't|used to|i've|we've|i had|we had|i (?:saw|read|asked|forgot"
    r"|tried|heard|thought|remember)|last (?:year|week|month|time)|ago|yesterday)\b",
    re.IGNORECASE,
)
APPROVES = re.compile(
    r"\b(?:is|are) (?:ok|okay|fine|good|enough|right|best|all right)\b|\byes\b(?! but)", re.IGNORECASE
)
REASONS = re.compile(
    r"\b(?:because|since|as (?:we|i|they|it|the)|so that|so we|so i|otherwise|that's (?:why|what)|cause|cos"
    r"|due to|too (?:heavy|much|many|slow|big|risky|expensive|complicated|easy)|nobody|the point is|reason)\b",
    re.IGNORECASE,
)
STATUS = re.compile(
    r"^\W*(?:(?:ok|okay|good|great|nice|lovely|pushed|merged|done|deployed|reviewed|played it|tried it|works"
    r"|worked|passed|it works|fixed|green|thanks?|thank you|cheers|perfect|super|brilliant|beautiful|wonderful"
    r"|fair|finally|lol|haha"
    r"|i (?:ran|tried|tested|pushed|merged|played|see|saw|did|just|pasted|get|got|remember|know|think i|hope"
    r"|like|love|am relieved|asked)|that (?:is|was) (?:clear|odd|me|fine)|two (?:more|further)|one (?:more"
    r"|further|last)|a (?:few|couple)|some (?:more|other)|hello|hi|hey|good (?:morning|evening|afternoon)"
    r"|there(?:'s| is) )\b)",
    re.IGNORECASE,
)
POSTPONES = re.compile(
    r"\b(?:some ?day(?! \w+n't)|another (?:day|time|pr|ticket|session|branch|release)|not (?:now|today|tonight"
    r"|this (?:week|sprint|time|release|quarter))|for (?:later|another day|next time|tomorrow|now,? (?:no"
    r"|skip))|in a later|do (?:it|that|this|them) later|later,|later$"
    r"|not in (?:this|here)\b|out of (?:scope|this (?:change|pr|branch|ticket|release))|after (?:we|i|that"
    r"|\w+ (?:talk\w*|spoke|has|have|is|comes?|decides?|answers?)|(?:the |my |our )?(?:release|launch|meeting"
    r"|demo|review|holidays?|vacation|freeze|exam|conference|weekend|merge|migration))\b|next (?:planning"
    r"|sprint|release|quarter|session|time|week|month|year)"
    r"|(?:put|park|leave|postpone|defer|table|push|move) .{1,40}\b(?:off|aside|for (?:later|now|then|another)"
    r"|until|till|out of this|to (?:next|the next|later))|parked|postponed?|deferred?|backlog|follow[- ]?up"
    r"|one (?:more )?for the list|todo\b|to-do\b"
    r"|yes but not|undo tomorrow|(?:tomorrow|monday|tuesday|wednesday|thursday|friday|weekend)\W*$|needs? (?:a"
    r"|the|its own) (?:downtime|window|sunday|saturday|weekend|day|session|ticket|meeting)|(?:that|it) needs a)\b",
    re.IGNORECASE,
)
WAITS = re.compile(
    r"\b(?:(?:need|have|got|want|going|will)s? to (?:ask|check with|talk (?:to|with)|hear from|clear (?:it|this"
    r"|that) with|find out|run (?:it|this|that) by|discuss)|gotta (?:ask|think|sleep|check)|(?:i|we)(?:'ll"
    r"| will| shall|'m going to) (?:ask|ping|check with|talk (?:to|with)|bring|mail|write to|call|find out"
    r"|clarify|run (?:it|this) by|think about)"
    r"|(?:i|we)(?:'ve| have)? (?:asked|mailed|written to|wrote to|emailed|pinged|put (?:the|this|that) question"
    r"|raised)\b(?=.{0,80}\b(?:whether|if|for|about|to|until|out|yet|this|question)\b)(?!.{0,40}\b(?:and"
    r"|but) (?:she|he|they|it)\b)|(?<!you )wait(?:s|ing)? (?:for|on|until)|until .{1,40}\b(?:come|comes|came"
    r"|back|know|knows|answers?|says?|decides?|replies|is there)\b|has to (?:say|approve|decide|sign|confirm"
    r"|answer)|have to (?:say|approve|decide|sign|confirm|answer)"
    r"|(?:has|have) promised|(?:must|should|needs? to|still) (?:confirm|approve|decide|sign off)"
    r"|goes? to (?:\w+day|the (?:board|group|meeting|team|lawyers?|committee)|our|my|legal)|up to (?:legal|them"
    r"|\w+ to decide)|(?:is|are|she's|he's|they're) (?:out|away|on (?:holidays?|vacation|leave)|sick"
    r"|off) (?:until|till|this|next)?"
    r"|hasn't (?:answered|replied|decided)|haven't (?:heard|answered|decided|replied)|no (?:answer|reply|word"
    r"|date|news) (?:yet|from)|still (?:no|waiting)|want(?:s)? to (?:talk|speak|check|ask)|i promised"
    r"|let me (?:ask|check with))\b",
    re.IGNORECASE,
)
UNDECIDED = re.compile(
    r"\b(?:no (?:clue|idea)|(?:don't|do not|didn't|do n't) (?:yet )?know|not sure|unsure|still (?:don't|do not"
    r"|not|open|undecided|unclear|have to|need to|needs to|thinking)|sleep (?:over|on)|undecided"
    r"|not (?:yet )?(?:decided|settled|clear)|we(?:'ll| will| shall) see|can't decide|haven't (?:decided"
    r"|made up)|not going to settle|open question|remains? open|to be (?:decided|clarified|determined)"
    r"|need to think|want to know whether|haven't \w+ (?:a single|any|it|that|this))\b",
    re.IGNORECASE,
)


def puts_off(sentence: str) -> bool:
    """Return whether a sentence puts something off, waits for somebody, or does not know yet."""
    return any(cue.search(sentence) is not None for cue in (POSTPONES, WAITS, UNDECIDED))


def asks(sentence: str) -> bool:
    """Return whether a sentence is a question."""
    return sentence.rstrip(" )\"'”").endswith(("?", "\uff1f"))
