"""Phrases that mark a sentence as a decision or an open question, and all that takes it back."""

import re
from typing import NamedTuple

from nlm_tui.core import MarkerKind

_LONGEST_SENTENCE = 600  # longer ones are data


def _any_of(words: str) -> str:
    return rf"\b(?:{'|'.join(words.split())})\b"


class Rule(NamedTuple):
    """A phrase that marks its sentence. Without the first word of one of its cues the pattern cannot match."""

    kind: MarkerKind
    cues: str
    pattern: re.Pattern[str]
    by_user: bool  # an agent says the same of its next step
    final: bool  # no "if" comes after it


def _rule(kind: MarkerKind, cues: str, pattern: str, *, by_user: bool = False, final: bool = False) -> Rule:
    return Rule(kind, cues, re.compile(pattern), by_user, final)


_WE = r"\b(?:we|i)(?:'ve| have|'d| had)?(?: also| now| then| just| finally| both| all| already| deliberately)?"
_LETS = r"\b(?:let's|let us)(?: just| then| rather| simply)?"
_WILL = r"\bwe(?:'ll| will|'re going to| are going to)"
_PLEASE = r"^(?:(?:please|and|also|so|then|no|ok|okay|yes|actually|just)[,.]? )*"
_OVER = r"\b.{1,200}?\b(?:instead of|rather than)\b"
_WIR = r"\b(?:wir haben|ich habe) (?:(?!nicht\b|noch\b|nie\b|kein)\S+ ){0,15}"
_REMAINS = r"\b(?:remains?|still|yet|still needs?|still has|still have)"
_MUST = r"\b(?:we|you|i)(?:'ll| will)?(?: still| also| first)? (?:(?:need|have) to|must)"
_TOPIC = r"(?:on |between |whether|if\b|how|what|which|who|when|where)"
RULES = (
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


def kind_of(sentence: str, role: str) -> MarkerKind | None:
    """Return what a sentence, said by `role`, marks; None for nothing."""
    if len(sentence) > _LONGEST_SENTENCE or sentence.endswith(":"):
        return None
    heard = _QUOTED.sub("\N{REFERENCE MARK}", sentence.lower().replace("\u2019", "'"))
    if _QUESTION.search(heard):
        return None
    for rule in RULES:
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
